//! What other processes do to turns that are over, as an open window hears of it.

use std::sync::Arc;

use orion_engine::Engine;
use orion_protocol::{Aftermath, Answer, Query, RequestId, SessionId, TurnPlace, Update};
use orion_providers::Providers;
use support::within;
use tokio::sync::broadcast::Receiver;

use super::compacting::{SHORT, Sitting};
use crate::driver_desk::{options, tuning};

/// A window that shows a session.
struct Window {
    engine: Engine,
    updates: Receiver<Update>,
    shown: Vec<RequestId>,
}

impl Window {
    async fn on(sitting: &Sitting) -> Self {
        let home = sitting.desk.home.path();
        let options = options(&home, "http://127.0.0.1:9/v1", Arc::new(Providers::new(tuning())));
        let engine = Engine::open(options).await.unwrap();
        engine.watch_neighbours().await;
        let session_id: SessionId = sitting.session.parse().unwrap();
        let updates = engine.updates();
        let page = Query::Session { session_id, place: TurnPlace::Newest, turns: 20 };
        let Answer::Session { page } = engine.query(page).await.unwrap() else { panic!() };
        let shown = page.turns.iter().map(|turn| turn.request_id).collect();
        let window = Self { engine, updates, shown };
        assert_eq!(window.ask().await, page.turns.into_iter().map(|turn| turn.aftermath).collect::<Vec<_>>());
        window
    }

    /// What the core says of the turns that are shown.
    async fn ask(&self) -> Vec<Aftermath> {
        // A turn that is not there is not answered.
        let nobody = RequestId(uuid::Uuid::from_u128(7));
        let request_ids = self.shown.iter().copied().chain([nobody]).collect();
        let asked = self.engine.query(Query::Aftermath { request_ids }).await.unwrap();
        let Answer::Aftermath { turns } = asked else { panic!() };
        assert_eq!(turns.len(), self.shown.len());
        self.shown.iter().map(|id| turns[id].clone()).collect()
    }

    /// Asks each time that it is told to, until this holds.
    async fn sees(&mut self, what: &str, holds: impl Fn(&[Aftermath]) -> bool) {
        within(what, async {
            loop {
                while !matches!(self.updates.recv().await.unwrap(), Update::Lagged) {}
                if holds(&self.ask().await) {
                    break;
                }
            }
        })
        .await;
    }
}

// T9, W7, X4, A10
// The window goes on while a command runs: each waits for the other's transactions.
#[tokio::test(flavor = "multi_thread")]
async fn what_another_process_undoes_brings_again_and_begins_anew_is_known_when_the_window_asks() {
    let sitting = Sitting::new(SHORT);
    let compacted = sitting.compact(&["--json"]);
    assert_eq!(compacted.code, Some(0), "{}", compacted.stderr);
    let mut window = Window::on(&sitting).await;
    let [read, wrote, compaction] = window.shown[..] else { panic!("{:?}", window.shown) };
    let orion = |arguments: &[&str]| {
        let done = sitting.orion(arguments);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
    };

    assert!(window.ask().await.iter().all(|turn| turn.undone.is_empty() && !turn.compaction_undone));
    orion(&["compact", &sitting.session, "--undo"]);
    window.sees("the compaction to be undone", |turns| turns[2].compaction_undone).await;
    orion(&["rewind", &wrote.to_string(), "--files"]);
    window.sees("the write to be undone", |turns| turns[1].undone == [1]).await;
    orion(&["rewind", &wrote.to_string(), "--undo"]);
    window.sees("the write to be there again", |turns| turns[1].undone.is_empty()).await;
    orion(&["undo", &wrote.to_string()]);
    window.sees("the write to be undone alone", |turns| turns[1].undone == [1]).await;

    orion(&["rewind", &compaction.to_string(), "--conversation"]);
    let said = sitting.said("Please go on.");
    let begun: RequestId = said["requestId"].as_str().unwrap().parse().unwrap();
    window.sees("the other branch", |turns| turns[2].branches == [compaction, begun]).await;
    assert_eq!(window.ask().await[0].branches, [read]);
    window.engine.close().await.unwrap();
}

// The runtime has one thread, and nothing of the engine runs while the command does.
#[tokio::test(flavor = "multi_thread")]
async fn what_another_process_does_before_the_first_look_is_noticed() {
    let sitting = Sitting::new(SHORT);
    let home = sitting.desk.home.path();
    let options = options(&home, "http://127.0.0.1:9/v1", Arc::new(Providers::new(tuning())));
    let engine = Engine::open(options).await.unwrap();
    let mut updates = engine.updates();
    engine.watch_neighbours().await;
    let done = sitting.orion(&["sessions", "delete", &sitting.session]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    within("the deletion to be noticed", async {
        while !matches!(updates.recv().await.unwrap(), Update::Lagged) {}
    })
    .await;
    engine.close().await.unwrap();
}
