//! The bridge from the engine to the webview: it takes updates and sends batches.
//!
//! One task serves the webview that subscribed last. Deliberately not here: when a batch is sent (`batch`), and what an
//! update means (the webview's reducer).

use std::time::Duration;

use orion_engine::Updates;
use orion_protocol::Update;
use tauri::ipc::Channel;
use tokio::time::Instant;

use crate::batch::{Batches, PACE};

/// Sends every update until the engine closes or the webview is gone. Dropping the future ends it; the
/// updates that it had not sent are lost, and a webview that subscribes again asks for them by their `seq` (T6).
pub(crate) async fn run(mut updates: Updates, channel: Channel<Vec<Update>>) {
    let mut batches = Batches::default();
    loop {
        let due = batches.due(now());
        let received = tokio::select! {
            biased;
            () = pause_until(due), if due.is_some() => None,
            received = updates.next(), if batches.has_room() => Some(received),
        };
        match received {
            Some(Some(update)) => batches.push(update),
            Some(None) => break,
            None => {}
        }
        take_waiting(&mut updates, &mut batches);
        for message in batches.take(taken_at(due)) {
            if channel.send(message).is_err() {
                return;
            }
        }
    }
    // The engine closed: what still waits goes at its pace.
    while let Some(due) = batches.due(now()) {
        pause_until(Some(due)).await;
        for message in batches.take(taken_at(Some(due))) {
            if channel.send(message).is_err() {
                return;
            }
        }
    }
}

/// Takes what is there already, so that a burst becomes one batch.
fn take_waiting(updates: &mut Updates, batches: &mut Batches) {
    while batches.has_room()
        && let Some(update) = updates.ready()
    {
        batches.push(update);
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// When a batch counts as sent: at the time when it was due, if it waited for that. Timers fire a little late, and each
/// delay would otherwise put off all batches that follow. A batch that is later than that was held up by something else,
/// and then the next one keeps its distance.
fn taken_at(due: Option<std::time::Instant>) -> std::time::Instant {
    let now = now();
    due.filter(|due| now.checked_duration_since(*due).is_some_and(|late| late < PACE)).unwrap_or(now)
}

/// Waits until a moment; without one, for ever.
async fn pause_until(due: Option<std::time::Instant>) {
    match due {
        Some(due) => tokio::time::sleep(due.saturating_duration_since(now())).await,
        None => tokio::time::sleep(Duration::MAX).await,
    }
}

#[cfg(test)]
#[path = "bridge_tests.rs"]
mod tests;
