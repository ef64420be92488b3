//! The end of a model call: what came back in it is kept, or forgotten (0046).

use orion_store::StoredResponse;

use super::equipment::Call;
use super::task::Driver;
use crate::received::{Keeps, Kept};

impl Driver {
    /// The model call is over, whoever ended it. What came back does nothing to the turn, so a disk that refuses it is only logged (J3).
    pub(super) fn end_call(&mut self) {
        let Some(Call { number, received, failed, .. }) = self.model.take() else { return };
        let keeps = match self.equipment.keeps {
            Keeps::Nothing => false,
            Keeps::Failures => failed,
            Keeps::Everything => true,
        };
        if !keeps {
            return;
        }
        let Some(Kept { body, start, left_out }) = received.take(&self.equipment.redactor) else { return };
        let (at_ms, start) = (self.clock.now_ms(), start as u64);
        let response = StoredResponse { call: number, at_ms, body, start, left_out };
        match self.equipment.writes.store.keep_response(self.ids.request_id, response) {
            Some(commit) => {
                tokio::spawn(async move {
                    if let Err(error) = commit.await {
                        tracing::warn!(%error, "a raw response could not be kept");
                    }
                });
            }
            None => tracing::warn!("a raw response is not kept: too much waits for the disk"),
        }
    }
}
