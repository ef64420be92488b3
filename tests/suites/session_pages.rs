//! A session of five thousand turns: only the pages that are looked at are read.

use orion_protocol::{
    Answer, Envelope, ProjectId, Query, RequestId, SessionId, TurnEvent, TurnIds, TurnPage, TurnPlace,
    TurnState,
};
use orion_store::{Begin, NewTurn, Past, Record, Store, StoreError};
use support::{Script, Turn, processor_time, seed};
use tempfile::TempDir;
use uuid::Uuid;

use crate::driver_desk::{Desk, new_session, options, tuning};

const MANY: u32 = 5_000;

/// A store with one session of one turn, which says `texts` in as many events.
async fn one_turn(folder: &TempDir, texts: &[&str]) -> (Store, SessionId, RequestId) {
    let store = Store::open(folder.path()).await.unwrap();
    let project = store.open_project("/a/project", "project", 1).await.unwrap();
    let session_id = store.new_session(project.project_id, 1).await.unwrap().session_id;
    let request_id = add_turn(&store, project.project_id, session_id, texts).await;
    (store, session_id, request_id)
}

async fn add_turn(store: &Store, project_id: ProjectId, session_id: SessionId, texts: &[&str]) -> RequestId {
    let ids = TurnIds { request_id: RequestId(Uuid::now_v7()), session_id, project_id };
    let said = |(seq, text): (u32, &&str)| {
        Record::event(&Envelope {
            v: orion_protocol::PROTOCOL_VERSION,
            request_id: ids.request_id,
            session_id,
            project_id,
            seq,
            at_ms: i64::from(seq),
            phase: orion_protocol::Phase::ActionPhase,
            tool_batch_id: None,
            event: TurnEvent::Notice { code: orion_protocol::NoticeCode::Other, message: (*text).to_owned() },
        })
        .unwrap()
    };
    let turn = NewTurn { ids, at_ms: 1, title: "Long".into() };
    let (journal, ()) = store.begin_turn(turn, Nothing).await.unwrap();
    let records = (1..).zip(texts).map(said).collect();
    journal.finish(records, 2).await.unwrap();
    ids.request_id
}

/// A turn that begins with its setup alone.
struct Nothing;

impl Begin for Nothing {
    type Out = ();

    fn begin(&self, _: Past) -> Result<(Vec<Record>, ()), StoreError> {
        Ok((vec![Record::Input { at_ms: 1, body: "{\"type\":\"setup\"}".into() }], ()))
    }
}

fn ids(page: &TurnPage) -> Vec<RequestId> {
    page.turns.iter().map(|turn| turn.request_id).collect()
}

#[tokio::test]
async fn the_pages_of_a_session_of_five_thousand_turns_are_its_turns_each_once_in_order() {
    let folder = TempDir::new().unwrap();
    let (store, session_id, newest) = one_turn(&folder, &["one", "two"]).await;
    store.close().await.unwrap();
    let all = seed::long_session(folder.path(), MANY).await;
    assert_eq!((all.len(), all.last()), (5_000, Some(&newest)));

    let store = Store::open(folder.path()).await.unwrap();
    let nth = |number: usize| all[number - 1];
    let mut place = TurnPlace::Newest;
    let mut back: Vec<RequestId> = Vec::new();
    loop {
        let page = store.session_page(session_id, place, 50).await.unwrap();
        assert_eq!(page.later, place != TurnPlace::Newest);
        assert!(page.turns.iter().all(|turn| turn.state == TurnState::Over && turn.envelopes.len() == 2));
        assert!(page.turns.iter().all(|turn| turn.envelopes.iter().all(|e| e.request_id == turn.request_id)));
        back.splice(..0, ids(&page));
        if !page.earlier {
            break;
        }
        place = TurnPlace::Before { request_id: back[0] };
    }
    assert_eq!(back, all);
    // And forward again, from somewhere in the middle.
    let after =
        store.session_page(session_id, TurnPlace::After { request_id: nth(4_000) }, 20).await.unwrap();
    assert_eq!((ids(&after), after.earlier, after.later), ((4_001..=4_020).map(nth).collect(), true, true));
    let end = store.session_page(session_id, TurnPlace::After { request_id: nth(4_990) }, 20).await.unwrap();
    assert_eq!((ids(&end), end.later), (all[4_990..].to_vec(), false));
    // A page may begin with a turn.
    let from = store.session_page(session_id, TurnPlace::From { request_id: nth(4_000) }, 20).await.unwrap();
    assert_eq!((ids(&from), from.earlier, from.later), ((4_000..=4_019).map(nth).collect(), true, true));
    let whole = store.session_page(session_id, TurnPlace::From { request_id: nth(1) }, 3).await.unwrap();
    assert_eq!((ids(&whole), whole.earlier, whole.later), (all[..3].to_vec(), false, true));
    // At both ends there is nothing, and that is said.
    let none = |earlier, later| TurnPage { turns: Vec::new(), earlier, later, anew: false };
    let before = store.session_page(session_id, TurnPlace::Before { request_id: nth(1) }, 20).await.unwrap();
    let past = store.session_page(session_id, TurnPlace::After { request_id: newest }, 20).await.unwrap();
    assert_eq!((before, past), (none(false, true), none(true, false)));
}

#[tokio::test]
async fn a_place_that_is_not_there_is_an_error() {
    let folder = TempDir::new().unwrap();
    let (store, session_id, _) = one_turn(&folder, &["one"]).await;
    let gone = RequestId(Uuid::now_v7());
    let page = store.session_page(session_id, TurnPlace::Before { request_id: gone }, 20).await;
    assert_eq!(page.unwrap_err(), StoreError::TurnUnknown(gone));
    let page = store.session_page(session_id, TurnPlace::From { request_id: gone }, 20).await;
    assert_eq!(page.unwrap_err(), StoreError::TurnUnknown(gone));
    let unknown = SessionId(Uuid::now_v7());
    let page = store.session_page(unknown, TurnPlace::Newest, 20).await;
    assert_eq!(page.unwrap_err(), StoreError::SessionUnknown(unknown));
}

#[tokio::test]
async fn a_page_holds_fewer_turns_when_they_are_long_and_never_a_part_of_one() {
    let folder = TempDir::new().unwrap();
    let long = "x".repeat(100_000);
    let (store, session_id, first) = one_turn(&folder, &["short"]).await;
    let project_id = store.session(session_id).await.unwrap().project_id;
    let mut all = vec![first];
    for texts in [&[long.as_str(); 2][..], &["short"], &[long.as_str(); 4], &["short"]] {
        all.push(add_turn(&store, project_id, session_id, texts).await);
    }
    let page = async |place| store.session_page(session_id, place, 20).await.unwrap();
    let newest = page(TurnPlace::Newest).await;
    assert_eq!((ids(&newest), newest.earlier), (all[4..].to_vec(), true));
    // 400 KB in one turn are one page: a turn is never cut.
    let huge = page(TurnPlace::Before { request_id: all[4] }).await;
    assert_eq!((ids(&huge), huge.turns[0].envelopes.len()), (all[3..4].to_vec(), 4));
    let rest = page(TurnPlace::Before { request_id: all[3] }).await;
    assert_eq!((ids(&rest), rest.earlier, rest.later), (all[..3].to_vec(), false, true));
    let forward = page(TurnPlace::After { request_id: all[1] }).await;
    assert_eq!((ids(&forward), forward.later), (all[2..3].to_vec(), true));
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Seconds of processor time that the newest page takes, and one from the middle.
async fn page_times(store: &Store, session_id: SessionId, middle: RequestId) -> f64 {
    let before = processor_time();
    store.session_page(session_id, TurnPlace::Newest, 20).await.unwrap();
    store.session_page(session_id, TurnPlace::Before { request_id: middle }, 20).await.unwrap();
    (processor_time() - before).as_secs_f64()
}

#[tokio::test]
async fn a_page_costs_the_same_in_a_session_of_five_thousand_turns() {
    let (few, many) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let texts = ["as long as events are "; 20];
    let mut stores = Vec::new();
    for (folder, turns) in [(&few, 50), (&many, MANY)] {
        let (store, session_id, _) = one_turn(folder, &texts).await;
        store.close().await.unwrap();
        let ids = seed::long_session(folder.path(), turns).await;
        stores.push((Store::open(folder.path()).await.unwrap(), session_id, ids[ids.len() / 2]));
    }
    let (mut of_few, mut of_many) = (Vec::new(), Vec::new());
    for _ in 0..21 {
        of_few.push(page_times(&stores[0].0, stores[0].1, stores[0].2).await);
        of_many.push(page_times(&stores[1].0, stores[1].1, stores[1].2).await);
    }
    let times = median(of_many) / median(of_few);
    println!("a page costs {times:.2} times as much");
    assert!(times < 2.0, "a page costs {times:.2} times as much");
}

/// Seconds of processor time that a turn takes from the message to its end, the model's answer included.
async fn turn_time(desk: &Desk) -> f64 {
    let before = processor_time();
    desk.turn("And now?").await;
    (processor_time() - before).as_secs_f64()
}

#[tokio::test]
async fn a_turn_costs_the_same_in_a_session_of_five_thousand_turns() {
    // A hundred such answers are more than a request may hold of a session: both sessions send as much.
    let answer = "as long as answers are ".repeat(50);
    let model = Script::new().forever(move |_, _| Turn::default().text(&answer).end("stop")).start();
    let mut desk = Desk::with(&model).await;
    let mut sessions = Vec::new();
    for turns in [MANY, 100] {
        desk.session = new_session(&desk.engine, &desk.project).await;
        desk.turn("What is in a.txt?").await;
        desk.engine.close().await.unwrap();
        seed::long_session(&desk.data.path().join("data"), turns).await;
        let providers = std::sync::Arc::new(orion_providers::Providers::new(tuning()));
        desk.engine = orion_engine::Engine::open(options(&desk.data.path(), &model.base_url(), providers))
            .await
            .unwrap();
        sessions.push(desk.session.clone());
    }
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..15 {
        for (session, times) in sessions.iter().zip(&mut times) {
            desk.session = session.clone();
            times.push(turn_time(&desk).await);
        }
    }
    let [of_many, of_few] = times.map(median);
    let times = of_many / of_few;
    println!("a turn costs {times:.2} times as much");
    assert!(times < 2.0, "a turn costs {times:.2} times as much");
    let session_id = sessions[0].session_id;
    let query = Query::Session { session_id, place: TurnPlace::Newest, turns: 40 };
    let Answer::Session { page } = desk.engine.query(query).await.unwrap() else { panic!() };
    assert_eq!((page.turns.len(), page.earlier, page.later), (40, true, false));
}
