//! The handle of a turn, for the caller who started it.

use orion_protocol::{Envelope, ErrorInfo, RequestId, TurnIds, TurnReport};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::running::{Running, over};
use crate::driver::Command;

/// Batches of events that wait for the turn's reader; one place is reserved for the last batch. When the queue is
/// full, nothing is read from the model until the reader takes some. A stop, an answer and the end of the turn do not
/// wait.
pub(super) const BATCHES: usize = 8 + 1;

/// A running turn, to be read to its end. Dropping it stops the turn (A4).
#[derive(Debug)]
pub struct TurnHandle {
    pub(super) ids: TurnIds,
    pub(super) batches: mpsc::Receiver<Vec<Envelope>>,
    pub(super) commands: mpsc::Sender<Command>,
    pub(super) stop: CancellationToken,
    pub(super) _guard: DropGuard,
}

impl TurnHandle {
    pub(super) fn new(running: Running, batches: mpsc::Receiver<Vec<Envelope>>) -> Self {
        let Running { ids, stop, commands, .. } = running;
        Self { ids, batches, commands, _guard: stop.clone().drop_guard(), stop }
    }

    #[must_use]
    pub fn request_id(&self) -> RequestId {
        self.ids.request_id
    }

    #[must_use]
    pub fn ids(&self) -> TurnIds {
        self.ids
    }

    /// The next events, in order: all that are there at once, and none after the terminal one. Cancelling the wait
    /// loses nothing.
    pub async fn next(&mut self) -> Option<Vec<Envelope>> {
        self.batches.recv().await
    }

    /// Stops the turn at once (A4); its last events still come.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// The report as it stands, of a turn that waits for a person (J5).
    ///
    /// # Errors
    /// `turn_over` when the turn has ended meanwhile.
    pub async fn report_now(&self) -> Result<TurnReport, ErrorInfo> {
        let (told, report) = oneshot::channel();
        // A turn that has ended takes no command, and so gives no report.
        let _ = self.commands.send(Command::Report(told)).await;
        report.await.map_err(|_over| over())
    }

    /// Reads to the end and returns the report. None when the program ended first.
    pub async fn report(mut self) -> Option<TurnReport> {
        let mut report = None;
        while let Some(batch) = self.next().await {
            report = batch.iter().rev().find_map(|envelope| envelope.event.terminal()).cloned().or(report);
        }
        report
    }
}
