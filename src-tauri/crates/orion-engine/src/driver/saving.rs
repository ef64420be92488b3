//! Saves a turn's events to the disk before they are shown (J1).
//!
//! A stop is noticed even while the disk does not answer (A4): nothing of the turn runs any more. The events of the
//! stop still wait for the disk, since nothing is shown that is not saved.

use std::future::Future;
use std::pin::pin;

use orion_protocol::{QueuedId, QueuedMessage};
use orion_store::{Record, StoreError};
use tokio::time::Instant;

use super::equipment::Equipment;
use super::recorded;
use super::task::Driver;

impl Driver {
    /// There is one flush at a time. While the disk is slow, text collects here, and it is still shown.
    pub(super) fn flush_due(&self) -> Option<Instant> {
        if self.flushing.is_some() { None } else { self.pending.due() }
    }

    /// A flush is under way, and as much text waits for the disk as may wait. Nothing more is read from the model
    /// then.
    pub(super) fn disk_is_behind(&self) -> bool {
        self.flushing.is_some() && self.pending.is_full(0)
    }

    /// Sends what waits to the store, and does not wait until it is on the disk.
    pub(super) async fn flush(&mut self) -> Result<(), StoreError> {
        let records = self.pending.take()?;
        if let Some(journal) = &mut self.journal {
            self.flushing = Some(journal.append(records).await);
        }
        Ok(())
    }

    /// When this returns, everything that was said so far is on the disk and shown.
    pub(super) async fn commit(&mut self) -> Result<(), StoreError> {
        self.patience = None;
        self.flushed().await?;
        self.flush().await?;
        self.flushed().await?;
        self.show_said();
        Ok(())
    }

    /// T3: the terminal event and what the turn said in one transaction.
    pub(super) async fn finish(&mut self) -> Result<(), StoreError> {
        self.flushed().await?;
        let mut records = self.pending.take()?;
        records.extend(recorded::left(&self.turn, &self.said_before)?);
        records.extend(self.unsteered());
        if !self.turn.is_answered() {
            records.push(Record::HoldsQueue); // A9
        }
        if let Some(journal) = self.journal.take() {
            let at_ms = self.clock.now_ms();
            self.on_disk(journal.finish(records, at_ms)).await?;
        }
        self.show_said();
        self.show_session().await;
        Ok(())
    }

    /// The session as it is now. The end of the turn was shown before: it does not wait for a disk that hangs.
    async fn show_session(&mut self) {
        let Equipment { outlet, writes, .. } = &self.equipment;
        if !outlet.is_listened_to() {
            return;
        }
        match writes.store.session(self.ids.session_id).await {
            Ok(session) => outlet.session(session),
            Err(error) => tracing::warn!(%error, "the session of a turn that ended cannot be read"),
        }
    }

    /// Steered messages that no model call was left for: they are the first in the queue (A9).
    fn unsteered(&self) -> Option<Record> {
        let message = |text: &String| QueuedMessage {
            queued_id: QueuedId(orion_store::new_id()),
            text: text.clone(),
            options: self.turn.options(),
        };
        // X1: a session that went on without the turn has been given them.
        let unsteered = self.turn.unsteered().iter().filter(|text| !self.said_before.has_message(text));
        let messages: Vec<QueuedMessage> = unsteered.map(message).collect();
        (!messages.is_empty()).then_some(Record::QueuesFirst(messages))
    }

    /// The current flush has ended. After one that failed nothing is sent, so the journal has no gaps.
    async fn flushed(&mut self) -> Result<(), StoreError> {
        if let Some(flush) = self.flushing.take() {
            self.on_disk(flush).await?;
            self.pending.flushed();
        }
        Ok(())
    }

    fn show_said(&mut self) {
        for envelope in std::mem::take(&mut self.said) {
            self.show(envelope);
        }
    }

    /// Waits for the disk. If the turn is stopped meanwhile, its work in progress is dropped at once (A4), and
    /// nothing begins afterwards. The machine is told of the stop when the disk has answered.
    async fn on_disk<T>(
        &mut self,
        saved: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let mut saved = pin!(saved);
        tokio::select! {
            biased;
            saved = &mut saved => return saved,
            () = &mut self.stopped => {}
        }
        self.end_call();
        self.jobs.drop_tools();
        saved.await
    }
}
