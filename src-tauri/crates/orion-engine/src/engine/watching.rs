//! Decides which projects are watched. A watch begins when a tool runs in a project, when somebody looks at its files
//! or at a preview that waits, or when a turn of an earlier process is resumed. So neither the start of Orion nor a
//! first request waits for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use orion_protocol::{ProjectId, RequestId, Update, WatchState};

use super::{Engine, Shared};
use orion_files::watcher::{Watch, WatchLimits};
use orion_files::workspace;

#[derive(Debug, Default)]
pub(super) struct Watches(Mutex<HashMap<ProjectId, Watch>>);

impl Watches {
    pub(super) fn forget(&self, project_id: ProjectId) {
        self.lock().remove(&project_id);
    }

    pub(super) fn end(&self) {
        self.lock().clear();
    }

    pub(super) fn state(&self, project_id: ProjectId) -> WatchState {
        self.lock().get(&project_id).map_or(WatchState::Starting, |watch| watch.state().borrow().clone())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProjectId, Watch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine {
    /// Watches the file of a preview that waits (W6). Without the folder there is nothing to watch.
    pub(super) async fn watch_over(&self, request_id: RequestId) {
        let Ok(ids) = self.shared.store.turn_ids(request_id).await else { return };
        if let Ok(folder) = self.folder(ids.project_id).await {
            self.watch(ids.project_id, &folder);
        }
    }

    /// Watches the project from now on, if it is not watched yet or its watch has ended: its folder may be back.
    pub(super) fn watch(&self, project_id: ProjectId, folder: &workspace::Project) {
        let mut watches = self.shared.watches.lock();
        if watches.get(&project_id).is_some_and(|watch| !watch.ended()) || self.shared.closing.is_cancelled()
        {
            return;
        }
        let (watch, mut changes) = Watch::start(folder, WatchLimits::default());
        let mut states = watch.state();
        let mut last = states.borrow().clone();
        watches.insert(project_id, watch);
        drop(watches);
        // The task must not keep the engine alive: it ends with the watch.
        let shared = Arc::downgrade(&self.shared);
        let closing = self.shared.closing.clone();
        self.shared.tasks.spawn(async move {
            loop {
                let changed = tokio::select! {
                    biased;
                    // Nobody waits for the watch to end.
                    () = closing.cancelled() => break,
                    batch = changes.recv() => batch,
                    // The watch has ended: the remaining batches come, and then the end of the channel.
                    Ok(()) = states.changed() => Some(Vec::new()),
                };
                let Some(shared) = shared.upgrade() else { break };
                let watch = states.borrow().clone();
                let ended = changed.is_none();
                if ended && watch == last {
                    break;
                }
                last = watch.clone();
                told(&shared, project_id, &changed.unwrap_or_default(), watch).await;
                if ended {
                    break;
                }
            }
        });
    }
}

async fn told(shared: &Shared, project_id: ProjectId, changed: &[orion_core::tool::Seen], watch: WatchState) {
    // Turns are told first: when a listener sees the update, the turns know of the change already (D3).
    if !changed.is_empty() {
        tokio::select! {
            () = shared.turns.changed(project_id, changed) => {}
            () = shared.closing.cancelled() => {}
        }
    }
    tokio::select! {
        () = shared.indexes.changed(project_id, changed) => {}
        () = shared.closing.cancelled() => {}
    }
    // Nobody listens: nothing to do.
    let _ = shared.updates.send(Update::FilesChanged { project_id, watch });
}
