//! Which projects have an index of their names, and when it is read again. An index is made when somebody first completes a name in
//! a project, and kept for the projects that were used last. Names are read again only when somebody asks for some: where nobody
//! types, a build that changes everything costs nothing here.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use orion_core::tool::Seen;
use orion_files::index::{Found, Index};
use orion_files::workspace::Project;
use orion_protocol::{Answer, ErrorInfo, FileEntry, ProjectId, WatchState};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{Engine, blocking};

/// The most that are answered at once (`Query::FindFiles`).
const MOST: usize = 100;
/// Indexes that are kept: each is bounded by some 130 MB.
const KEPT: usize = 3;
/// How long an answer waits for names that are being read. Most folders are read by then, and a key takes no longer than a person notices.
const PATIENCE: Duration = Duration::from_millis(25);

#[derive(Debug, Default)]
pub(super) struct Indexes(Mutex<HashMap<ProjectId, Kept>>);

#[derive(Debug, Clone)]
struct Kept {
    index: Arc<Index>,
    /// Something has changed that only reading the names again can tell.
    stale: Arc<AtomicBool>,
    /// True while no names are read.
    idle: watch::Sender<bool>,
    used: Instant,
    stop: CancellationToken,
}

impl Kept {
    fn new(project: &Project) -> Self {
        Self {
            index: Arc::new(Index::new(project)),
            stale: Arc::new(AtomicBool::new(true)),
            idle: watch::Sender::new(true),
            used: Instant::now(),
            stop: CancellationToken::new(),
        }
    }

    /// Reads the names on a thread where blocking is allowed, unless they are being read.
    fn read(&self) {
        let begins = self.idle.send_if_modified(|idle| std::mem::replace(idle, false));
        if !begins {
            return;
        }
        self.stale.store(false, Ordering::Release);
        let Self { index, idle, stop, .. } = self.clone();
        tokio::task::spawn_blocking(move || {
            index.read(&stop);
            idle.send_replace(true);
        });
    }
}

impl Indexes {
    pub(super) fn forget(&self, project_id: ProjectId) {
        if let Some(kept) = self.lock().remove(&project_id) {
            kept.stop.cancel();
        }
    }

    pub(super) fn end(&self) {
        self.lock().drain().for_each(|(_, kept)| kept.stop.cancel());
    }

    /// Tells the index of a project, if it has one, what was seen to change there.
    pub(super) async fn changed(&self, project_id: ProjectId, changes: &[Seen]) {
        let Some(Kept { index, stale, .. }) = self.lock().get(&project_id).cloned() else { return };
        if changes.is_empty() || stale.load(Ordering::Acquire) {
            return;
        }
        let changes = changes.to_vec();
        let looked = tokio::task::spawn_blocking(move || index.changed(&changes)).await;
        if looked.unwrap_or(true) {
            stale.store(true, Ordering::Release);
        }
    }

    fn used(&self, project_id: ProjectId) -> Option<Kept> {
        let mut indexes = self.lock();
        let kept = indexes.get_mut(&project_id)?;
        kept.used = Instant::now();
        Some(kept.clone())
    }

    fn keep(&self, project_id: ProjectId, project: &Project) -> Kept {
        let mut indexes = self.lock();
        let kept = indexes.entry(project_id).or_insert_with(|| Kept::new(project)).clone();
        while indexes.len() > KEPT {
            let oldest =
                indexes.iter().filter(|(id, _)| **id != project_id).min_by_key(|(_, kept)| kept.used);
            let Some(oldest) = oldest.map(|(id, _)| *id) else { break };
            if let Some(kept) = indexes.remove(&oldest) {
                kept.stop.cancel();
            }
        }
        kept
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProjectId, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine {
    pub(super) async fn find_files(
        &self,
        project_id: ProjectId,
        filter: String,
        limit: u32,
    ) -> Result<Answer, ErrorInfo> {
        let kept = match self.shared.indexes.used(project_id) {
            Some(kept) => kept,
            None => {
                let folder = self.folder(project_id).await?;
                self.shared.indexes.keep(project_id, &folder)
            }
        };
        self.watch(project_id, kept.index.project());
        let unwatched = self.shared.watches.state(project_id) != WatchState::Watching;
        let stale = kept.stale.load(Ordering::Acquire) && kept.index.may_read_again();
        if stale || (unwatched && kept.index.is_old()) {
            kept.read();
            let mut idle = kept.idle.subscribe();
            // What is there by then is answered.
            let _ = tokio::time::timeout(PATIENCE, idle.wait_for(|idle| *idle)).await;
        }
        blocking(move || {
            let matches = kept.index.find(&filter, MOST.min(limit as usize));
            let files = matches.found.into_iter().map(|found| entry(kept.index.project(), found)).collect();
            Ok(Answer::FindFiles { files, more: matches.more, partial: matches.partial })
        })
        .await
    }
}

fn entry(project: &Project, Found { path, is_folder }: Found) -> FileEntry {
    let bytes = match is_folder {
        true => None,
        false => project.path(&path).ok().and_then(|path| Some(project.metadata(&path).ok()?.len())),
    };
    FileEntry { path, directory: is_folder, bytes }
}
