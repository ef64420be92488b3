//! Sessions that a person pinned or archived: beside the pages of all others, however old they are.

use orion_protocol::{Answer, Happened, Op, Outcome, Query, Session, SessionId, SessionPlace};
use support::{Folder, Script};

use crate::driver_desk::{Desk, new_session, to_end};
use crate::driver_facade::state;

async fn changed(desk: &Desk, op: Op) -> Session {
    let Outcome::Session { session } = desk.engine.submit(op).await.unwrap() else { panic!() };
    session
}

fn ids(sessions: &[Session]) -> Vec<SessionId> {
    sessions.iter().map(|session| session.session_id).collect()
}

#[tokio::test]
async fn what_is_pinned_or_put_away_is_in_no_page_and_always_in_the_state() {
    let desk = Desk::at("http://127.0.0.1:9/v1", Folder::empty()).await;
    let (first, second) =
        (desk.session.session_id, new_session(&desk.engine, &desk.project).await.session_id);
    for _ in 0..210 {
        new_session(&desk.engine, &desk.project).await;
    }
    let pinned = changed(&desk, Op::PinSession { session_id: first, pinned: true }).await;
    let away = changed(&desk, Op::ArchiveSession { session_id: second, archived: true }).await;
    assert_eq!((pinned.pinned, pinned.archived, away.pinned, away.archived), (true, false, false, true));
    let told = state(&desk.engine).await;
    assert_eq!((told.sessions.len(), ids(&told.apart).len()), (200, 2));
    let project_id = desk.project.project_id;
    let after = told.sessions.last().map(Session::place);
    let page = async |after: Option<SessionPlace>| {
        let Answer::Sessions { sessions, more } =
            desk.engine.query(Query::Sessions { project_id, after }).await.unwrap()
        else {
            panic!()
        };
        (sessions.len(), more)
    };
    assert_eq!((page(None).await, page(after).await), ((200, true), (10, false)));

    // The one excludes the other, and both can be undone.
    let both = changed(&desk, Op::ArchiveSession { session_id: first, archived: true }).await;
    assert_eq!((both.pinned, both.archived), (false, true));
    let back = changed(&desk, Op::PinSession { session_id: first, pinned: true }).await;
    assert_eq!((back.pinned, back.archived), (true, false));
    changed(&desk, Op::PinSession { session_id: first, pinned: false }).await;
    changed(&desk, Op::ArchiveSession { session_id: second, archived: false }).await;
    assert_eq!(state(&desk.engine).await.apart, []);
}

#[tokio::test]
async fn a_message_brings_a_session_back_and_the_list_says_what_its_turn_came_to() {
    let model =
        Script::new().turn(|t| t.text("Seven.").end("stop")).turn(|t| t.text("Half").end("length")).start();
    let desk = Desk::with(&model).await;
    let session_id = desk.session.session_id;
    assert_eq!(desk.session.happened, None);
    changed(&desk, Op::ArchiveSession { session_id, archived: true }).await;
    desk.turn("How many foxes?").await;
    let told = state(&desk.engine).await;
    assert_eq!(told.apart, []);
    assert_eq!(told.sessions[0].happened, Some(Happened::Answered));
    to_end(desk.ask("And hares?").await).await;
    assert_eq!(state(&desk.engine).await.sessions[0].happened, Some(Happened::CutOff));
    model.finish();
}
