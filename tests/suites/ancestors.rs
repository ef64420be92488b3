//! The turns above the first turn of a fork: those of the session that it was made from, page by page (T9, 0112).

use orion_protocol::{
    Answer, Code, Op, Outcome, Query, Reply, RequestId, SessionId, TurnPage, TurnState, TurnView,
};
use support::{Script, ScriptedModel, within};

use crate::driver_desk::{Desk, to_end, turns_of};

/// A model that answers so often, each time with the number of the answer.
fn model(answers: usize) -> ScriptedModel {
    let script = (1..=answers).fold(Script::new(), |script, number| {
        script.turn(move |t| t.text(&format!("Answer {number}.")).end("stop"))
    });
    script.start()
}

/// A desk with so many turns, each of one answer.
async fn desk(answers: usize) -> Desk {
    let model = model(answers);
    let desk = Desk::with(&model).await;
    for number in 1..=answers {
        desk.turn(&format!("Question {number}")).await;
    }
    model.finish();
    desk
}

/// The turns of a session on its path.
async fn path(desk: &Desk, session_id: SessionId) -> Vec<RequestId> {
    turns_of(&desk.engine, session_id).await.iter().map(|turn| turn.request_id).collect()
}

/// A fork of a turn from its beginning: the session and its first turn.
async fn fork(desk: &Desk, request_id: RequestId) -> (SessionId, RequestId) {
    let forked = desk.engine.submit(Op::Fork { request_id, phase: Some(1) }).await.unwrap();
    let Outcome::Forked { session, request_id } = forked else { panic!("{forked:?}") };
    (session.session_id, request_id)
}

async fn before(desk: &Desk, request_id: RequestId, turns: u32) -> TurnPage {
    let answer = desk.engine.query(Query::Ancestors { request_id, turns }).await.unwrap();
    let Answer::Ancestors { page } = answer else { panic!("{answer:?}") };
    assert!(page.later && !page.anew);
    page
}

fn ids(page: &TurnPage) -> Vec<RequestId> {
    page.turns.iter().map(|turn| turn.request_id).collect()
}

// T9
#[tokio::test]
async fn what_led_to_a_fork_is_read_from_the_session_that_it_was_made_from_page_by_page() {
    let desk = desk(4).await;
    let origin = path(&desk, desk.session.session_id).await;
    let (_, first) = fork(&desk, origin[3]).await;

    let newest = before(&desk, first, 2).await;
    assert_eq!((ids(&newest), newest.earlier), (origin[1..3].to_vec(), true));
    let earliest = before(&desk, origin[1], 2).await;
    assert_eq!((ids(&earliest), earliest.earlier), (origin[..1].to_vec(), false));
    // They are as their own session has them.
    let whole: Vec<TurnView> = turns_of(&desk.engine, desk.session.session_id).await;
    assert_eq!([earliest.turns, newest.turns].concat(), whole[..3]);
    assert_eq!(whole[0].state, TurnState::Over);

    let (_, nothing_before) = fork(&desk, origin[0]).await;
    let none = before(&desk, nothing_before, 2).await;
    assert_eq!((ids(&none), none.earlier), (Vec::new(), false));
}

// T9
#[tokio::test]
async fn the_fork_of_a_fork_has_the_turns_of_both_sessions_above_it() {
    let model = model(3);
    let desk = Desk::with(&model).await;
    desk.turn("Question 1").await;
    desk.turn("Question 2").await;
    let origin = path(&desk, desk.session.session_id).await;
    let (_, first) = fork(&desk, origin[1]).await;
    let digest = desk.engine.pending_of(first).await.unwrap().unwrap().digest;
    let resumed = desk.engine.resume_to_answer(first, None).await.unwrap();
    let reply = Reply::Resume { edits: Vec::new() };
    desk.engine.submit(Op::Reply { request_id: first, digest, reply }).await.unwrap();
    within("the fork to end", to_end(resumed)).await;
    model.finish();
    let (_, second) = fork(&desk, first).await;
    assert_eq!(ids(&before(&desk, second, 50).await), origin[..1]);
    assert_eq!(ids(&before(&desk, first, 50).await), origin[..1]);
}

// T9: going back there leads the path elsewhere, and the fork keeps what led to it.
#[tokio::test]
async fn a_turn_that_has_left_its_path_is_still_above_the_fork() {
    let desk = desk(3).await;
    let session_id = desk.session.session_id;
    let origin = path(&desk, session_id).await;
    let (_, first) = fork(&desk, origin[2]).await;
    let rewind = Op::Rewind { request_id: origin[1], conversation: true, files: None };
    desk.engine.submit(rewind).await.unwrap();
    assert_eq!(path(&desk, session_id).await, origin[..1]);
    assert_eq!(ids(&before(&desk, first, 50).await), origin[..2]);
}

#[tokio::test]
async fn nothing_is_above_a_fork_whose_origin_was_deleted() {
    let desk = desk(2).await;
    let session_id = desk.session.session_id;
    let origin = path(&desk, session_id).await;
    let (_, first) = fork(&desk, origin[1]).await;
    desk.engine.submit(Op::DeleteSession { session_id }).await.unwrap();
    let page = before(&desk, first, 50).await;
    assert_eq!((ids(&page), page.earlier), (Vec::new(), false));
    let gone = desk.engine.query(Query::Ancestors { request_id: origin[1], turns: 1 }).await;
    assert_eq!(gone.map_err(|error| error.code).unwrap_err(), Code::TurnUnknown);
}
