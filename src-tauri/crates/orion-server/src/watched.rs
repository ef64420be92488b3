//! Turns that stop when nobody reads them any more (H5): those of the designs' routes, unless they were asked to go on.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use orion_protocol::RequestId;

use crate::design::OnDisconnect;

/// The turns that programs began or went on with here, and how many read each.
#[derive(Debug, Default)]
pub(crate) struct Watched(Mutex<HashMap<RequestId, Readers>>);

#[derive(Debug, Default)]
struct Readers {
    then: OnDisconnect,
    now: usize,
    /// Readers that there ever were, so that a reader who came meanwhile is noticed.
    ever: u64,
}

impl Watched {
    /// Sets the fate of the turn once its last reader has been gone for 10 s. What was said of it first stays.
    pub(crate) fn watch(&self, request_id: RequestId, then: OnDisconnect) {
        self.turns().entry(request_id).or_insert_with(|| Readers { then, ..Readers::default() });
    }

    pub(crate) fn came(&self, request_id: RequestId) {
        if let Some(readers) = self.turns().get_mut(&request_id) {
            readers.now += 1;
            readers.ever += 1;
        }
    }

    /// A reader is gone. The count of readers so far, where it was the last one of a turn of here.
    pub(crate) fn left(&self, request_id: RequestId) -> Option<u64> {
        let mut turns = self.turns();
        let readers = turns.get_mut(&request_id)?;
        readers.now = readers.now.saturating_sub(1);
        (readers.now == 0).then_some(readers.ever)
    }

    /// The fate of the turn now; none where somebody has come since.
    pub(crate) fn alone_since(&self, request_id: RequestId, ever: u64) -> Option<OnDisconnect> {
        self.turns().get(&request_id).filter(|readers| readers.ever == ever).map(|readers| readers.then)
    }

    pub(crate) fn forget(&self, request_id: RequestId) {
        self.turns().remove(&request_id);
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<RequestId, Readers>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
