//! The turns that may run at once in this process (H6).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use orion_protocol::RequestId;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::Engine;

/// The most turns that run at once, and the lock under which one begins.
#[derive(Debug)]
pub(super) struct Room {
    most: AtomicUsize,
    beginning: Arc<Mutex<()>>,
}

impl Default for Room {
    fn default() -> Self {
        Self { most: AtomicUsize::new(usize::MAX), beginning: Arc::default() }
    }
}

impl Engine {
    /// From now on at most this many turns run at once in this process, of those that are begun with [`Engine::room`] and of queued messages.
    pub fn bound_turns(&self, most: usize) {
        self.shared.room.most.store(most, Ordering::Relaxed);
    }

    /// Room for one more turn that begins or goes on while this is held; a turn that runs already has its own. None where as many run as may.
    pub async fn room(&self, request_id: Option<RequestId>) -> Option<OwnedMutexGuard<()>> {
        let room = Arc::clone(&self.shared.room.beginning).lock_owned().await;
        let running = self.running_turns();
        let has_its_own = request_id.is_some_and(|request_id| running.contains(&request_id));
        (has_its_own || running.len() < self.shared.room.most.load(Ordering::Relaxed)).then_some(room)
    }

    /// True where no more than so many turns run at once.
    pub(super) fn is_bounded(&self) -> bool {
        self.shared.room.most.load(Ordering::Relaxed) < usize::MAX
    }
}
