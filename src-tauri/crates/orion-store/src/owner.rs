//! Which process runs a turn. Each open store holds a lock on a file of its own in `running/`. The system releases the
//! lock however the process ends. So when a lock can be taken, the process of its turns is gone (T2).

use std::collections::HashSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use orion_protocol::RequestId;
use uuid::Uuid;

use crate::error::StoreError;
use crate::files::{make_folder, make_private};

#[derive(Debug)]
pub(crate) struct Owner {
    name: String,
    path: PathBuf,
    /// Held for its lock alone.
    _lock: File,
}

impl Owner {
    /// Called under the lock of `open`, so that nobody sees a file that another process has created and not yet
    /// locked.
    pub(crate) fn new(folder: &Path) -> Result<Self, StoreError> {
        let running = folder.join("running");
        make_folder(&running)?;
        sweep(&running);
        let name = crate::ids::new_id().to_string();
        let path = running.join(&name);
        let lock = make_private(&path)?;
        lock.lock().map_err(|e| StoreError::folder(&path, &e))?;
        Ok(Self { name, path, _lock: lock })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// The turns that run in this process: those whose journal somebody holds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Alive(Arc<Mutex<HashSet<RequestId>>>);

impl Alive {
    pub(crate) fn enter(&self, request_id: RequestId) -> Life {
        self.turns().insert(request_id);
        Life { alive: self.clone(), request_id }
    }

    /// Like [`Alive::enter`], unless somebody in this process has the turn already.
    pub(crate) fn claim(&self, request_id: RequestId) -> Option<Life> {
        let claimed = self.turns().insert(request_id);
        claimed.then(|| Life { alive: self.clone(), request_id })
    }

    pub(crate) fn contains(&self, request_id: RequestId) -> bool {
        self.turns().contains(&request_id)
    }

    fn turns(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Dropped together with the journal of a turn, for whatever reason that is dropped.
#[derive(Debug)]
pub(crate) struct Life {
    alive: Alive,
    request_id: RequestId,
}

impl Drop for Life {
    fn drop(&mut self) {
        self.alive.turns().remove(&self.request_id);
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // Left behind, the file does no harm: its lock can be taken.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Removes the files of killed processes. One that cannot be removed does no harm.
fn sweep(running: &Path) {
    let Ok(entries) = std::fs::read_dir(running) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if can_be_taken(&path) {
            let _ = std::fs::remove_file(&path);
        }
    }
}

/// True when some process has the folder's database open. Called under the lock of `open`, so that none begins meanwhile.
pub(crate) fn somebody_lives(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder.join("running")) else { return false };
    entries.flatten().any(|entry| !can_be_taken(&entry.path()))
}

/// True when nobody holds this owner's lock any more.
pub(crate) fn is_dead(folder: &Path, name: &str) -> bool {
    // A name from the database is never used as a path unless it is one that `Owner` makes.
    Uuid::parse_str(name).is_err() || can_be_taken(&folder.join("running").join(name))
}

fn can_be_taken(path: &Path) -> bool {
    match File::open(path) {
        Ok(file) => file.try_lock().is_ok(),
        Err(error) => error.kind() == ErrorKind::NotFound,
    }
}
