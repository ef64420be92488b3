//! Turns that stop when nobody reads them any more (H5): those of the designs' routes, unless they were asked to go on.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use orion_protocol::RequestId;

/// The turns that are to stop, and how many read each.
#[derive(Debug, Default)]
pub(crate) struct Watched(Mutex<HashMap<RequestId, Readers>>);

#[derive(Debug, Default)]
struct Readers {
    now: usize,
    /// Readers that there ever were, so that a reader who came meanwhile is noticed.
    ever: u64,
}

impl Watched {
    /// The turn stops once its last reader has been gone for 10 s.
    pub(crate) fn watch(&self, request_id: RequestId) {
        self.turns().entry(request_id).or_default();
    }

    pub(crate) fn came(&self, request_id: RequestId) {
        if let Some(readers) = self.turns().get_mut(&request_id) {
            readers.now += 1;
            readers.ever += 1;
        }
    }

    /// A reader is gone. The count of readers so far, where it was the last one of a watched turn.
    pub(crate) fn left(&self, request_id: RequestId) -> Option<u64> {
        let mut turns = self.turns();
        let readers = turns.get_mut(&request_id)?;
        readers.now = readers.now.saturating_sub(1);
        (readers.now == 0).then_some(readers.ever)
    }

    /// Nobody has come since; the turn is watched no more.
    pub(crate) fn is_alone_since(&self, request_id: RequestId, ever: u64) -> bool {
        let mut turns = self.turns();
        let alone = turns.get(&request_id).is_some_and(|readers| readers.ever == ever);
        if alone {
            turns.remove(&request_id);
        }
        alone
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<RequestId, Readers>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
