//! How what a turn says reaches the disk before it is shown (J1).
//!
//! A stop is seen also while the disk does not answer (A4): nothing of the turn runs on then. What the turn says of it still waits for
//! the disk, since nothing is shown that is not durable.

use std::future::Future;
use std::pin::pin;

use futures_util::FutureExt;
use orion_store::StoreError;
use tokio::time::Instant;

use super::recorded;
use super::task::Driver;

impl Driver {
    /// One flush at a time: while the disk is slow, text gathers here and is shown all the same.
    pub(super) fn flush_due(&self) -> Option<Instant> {
        if self.flushing.is_some() { None } else { self.pending.due() }
    }

    /// A flush is under way, and what is not on the disk yet is as much as may be: no more is read of the model.
    pub(super) fn disk_is_behind(&self) -> bool {
        self.flushing.is_some() && self.pending.is_full(0)
    }

    /// Sends what waits to the store, and goes on before it is on the disk.
    pub(super) async fn flush(&mut self) -> Result<(), StoreError> {
        let records = self.pending.take()?;
        if let Some(journal) = &mut self.journal {
            self.flushing = Some(journal.append(records).await);
        }
        Ok(())
    }

    /// Everything that was said so far is on the disk when this returns, and shown.
    pub(super) async fn commit(&mut self) -> Result<(), StoreError> {
        self.patience = None;
        self.flushed().await?;
        self.flush().await?;
        self.flushed().await?;
        self.show_said();
        Ok(())
    }

    /// T3: the terminal event and the assistant's message in one transaction.
    pub(super) async fn finish(&mut self, answer: String) -> Result<(), StoreError> {
        self.flushed().await?;
        let mut records = self.pending.take()?;
        records.extend(recorded::answer(answer)?);
        if let Some(journal) = self.journal.take() {
            let at_ms = self.clock.now_ms();
            let session = self.on_disk(journal.finish(records, at_ms)).await?;
            self.equipment.outlet.session(session);
        }
        self.show_said();
        Ok(())
    }

    /// The flush that is under way is over. Nothing is sent after one that failed: the journal has no gaps.
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

    /// Waits for the disk. When the turn is stopped meanwhile, what it has under way is dropped at once (A4), and nothing is begun
    /// afterwards; the machine hears of the stop when the disk has answered.
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
        self.model = None;
        if let Some(tool) = &mut self.tool {
            tool.ran = std::future::pending().boxed();
        }
        saved.await
    }
}
