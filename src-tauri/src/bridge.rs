//! The way from the engine to the webview: takes updates, sends batches.
//!
//! One task for the webview that subscribed last. Deliberately not here: what goes when (`batch`), and what an update
//! means (the webview's reducer).

use std::time::Duration;

use orion_protocol::Update;
use tauri::ipc::Channel;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::time::Instant;

use crate::batch::Batches;

/// Sends `first`, then every update until the engine closes or the webview is gone. Dropping the future ends it; the
/// updates it had not sent are lost, and a webview that subscribes anew asks for them by their `seq` (T6).
pub(crate) async fn run(first: Vec<Update>, mut updates: Receiver<Update>, channel: Channel<Vec<Update>>) {
    let mut batches = Batches::default();
    for update in first {
        batches.push(update);
    }
    loop {
        let due = batches.due(now());
        let received = tokio::select! {
            biased;
            () = pause_until(due), if due.is_some() => None,
            received = updates.recv(), if batches.has_room() => Some(received),
        };
        match received {
            Some(Ok(update)) => batches.push(update),
            Some(Err(RecvError::Lagged(missed))) => lagged(&mut batches, missed),
            Some(Err(RecvError::Closed)) => break,
            None => {}
        }
        take_waiting(&mut updates, &mut batches);
        for message in batches.take(now()) {
            if channel.send(message).is_err() {
                return;
            }
        }
    }
    // The engine closed: what still waits goes at its pace.
    while let Some(due) = batches.due(now()) {
        pause_until(Some(due)).await;
        for message in batches.take(now()) {
            if channel.send(message).is_err() {
                return;
            }
        }
    }
}

/// Takes what is there already, so that a burst becomes one batch.
fn take_waiting(updates: &mut Receiver<Update>, batches: &mut Batches) {
    while batches.has_room() {
        match updates.try_recv() {
            Ok(update) => batches.push(update),
            Err(TryRecvError::Lagged(missed)) => lagged(batches, missed),
            Err(TryRecvError::Empty | TryRecvError::Closed) => return,
        }
    }
}

fn lagged(batches: &mut Batches, missed: u64) {
    tracing::warn!(missed, "the window was too slow for the engine's updates");
    batches.push(Update::Lagged);
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// Until a moment; for ever without one.
async fn pause_until(due: Option<std::time::Instant>) {
    match due {
        Some(due) => tokio::time::sleep(due.saturating_duration_since(now())).await,
        None => tokio::time::sleep(Duration::MAX).await,
    }
}

#[cfg(test)]
#[path = "bridge_tests.rs"]
mod tests;
