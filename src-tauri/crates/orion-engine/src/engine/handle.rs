//! The handle of a turn, for the caller who started it.

use orion_protocol::{Envelope, ErrorInfo, RequestId, TurnIds, TurnReport};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::running::{Running, over};
use crate::driver::Command;

/// Events of a turn that wait for its reader, in batches; one place is kept for the last. When it is full nothing is read of the
/// model until the reader takes some; a stop, an answer and the turn's end do not wait.
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
        let Running { ids, stop, commands } = running;
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

    /// The events that came since, in order, all that are there at once; none after the terminal one. Nothing is lost
    /// when the waiting is given up.
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
        // A turn that has ended takes no word, and so gives none.
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
