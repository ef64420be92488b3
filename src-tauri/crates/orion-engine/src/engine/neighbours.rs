//! Notices what other processes do in the same data folder. The window then shows what the command line has made, removes what the command
//! line could not remove, and indexes the texts that the command line has not indexed.
//!
//! SQLite tells nobody of a commit in another process, so it is polled. A poll costs no disk access unless there was a commit.

use std::sync::Arc;
use std::time::Duration;

use orion_protocol::Update;
use tokio::time::MissedTickBehavior;

use super::Engine;

/// How often it is looked. A session of another process is to be seen within 2 s, and reading it takes a part of that.
const LOOK: Duration = Duration::from_secs(1);

impl Engine {
    /// Returns when it watches. From then on, listeners are told to ask for the state again when another process has changed
    /// something ([`Update::Lagged`]).
    pub async fn watch_neighbours(&self) {
        // Found here: what is changed before the task has run for the first time is noticed as well.
        let mut last = self.shared.store.data_version().await.ok();
        self.fill_search_later();
        let shared = Arc::downgrade(&self.shared);
        let closing = self.shared.closing.clone();
        self.shared.tasks.spawn(async move {
            let mut look = tokio::time::interval(LOOK);
            look.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    biased;
                    () = closing.cancelled() => break,
                    _ = look.tick() => {}
                }
                // The task must not keep the engine alive.
                let Some(shared) = shared.upgrade() else { break };
                let found = tokio::select! {
                    biased;
                    () = closing.cancelled() => break,
                    found = shared.store.data_version() => found,
                };
                // A database that cannot be read now is looked at again.
                let Ok(found) = found else { continue };
                if last.replace(found) != Some(found) {
                    let _ = shared.updates.send(Update::Lagged);
                    let engine = Engine { shared };
                    // A9: a queue that waits for a turn of another process.
                    engine.send_due().await;
                    engine.remove_what_neighbours_left().await;
                    engine.fill_search_later();
                }
            }
        });
    }
}
