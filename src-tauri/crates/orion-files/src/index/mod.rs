//! The names of a project's files in memory, so that they can be completed while someone types.
//!
//! Walking a folder of half a million files takes seconds, and an answer is wanted at each key. So the names are read once, on a
//! thread of their own, and [`Index::find`] answers from what is there by then. What the watcher reports later is kept beside them
//! (`recent`) until there is enough of it to read all names again. Memory is bounded by [`ENTRIES`] and [`BYTES`].
//!
//! The index follows the rules of a walk: what `.gitignore` hides and `.orionignore` closes is not in it. It holds names and
//! opens nothing: a name that is found here goes through the project's handle like any other. Deliberately not here: when an index
//! is made, and for how long it is kept (`orion-engine`).

mod matching;
mod names;
mod recent;

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use orion_core::tool::Seen;
use tokio_util::sync::CancellationToken;

use crate::workspace::{Budget, Kind, Project, ProjectPath, View, Walk};
use matching::{Best, Filter};
use names::Names;
use recent::Recent;

/// Files and folders of an index at most.
const ENTRIES: u64 = 1_000_000;
/// Bytes of their names at most; there are two copies, one in lower case.
const BYTES: usize = 64 * 1024 * 1024;
/// Time for reading them all, on the slowest of disks.
const TIME: Duration = Duration::from_secs(120);
/// Names that are added at once: a reader waits for no more than that.
const AT_ONCE: usize = 512;

/// A file or folder that was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// Project-relative, with `/`.
    pub path: String,
    pub is_folder: bool,
}

/// What an index answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matches {
    /// The best first.
    pub found: Vec<Found>,
    /// More match than these.
    pub more: bool,
    /// Not all names are read yet, or there are more than an index holds.
    pub partial: bool,
}

/// How far an index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// No names, or some of them.
    Reading,
    /// All names that it may hold. `took` is how long that took.
    Read { at: Instant, took: Duration },
}

/// The names of one project.
#[derive(Debug)]
pub struct Index {
    project: Project,
    names: RwLock<Names>,
    recent: Mutex<Recent>,
    progress: Mutex<Progress>,
    /// One reading at a time.
    reading: Mutex<()>,
}

impl Index {
    /// An index without names: [`Index::read`] brings them.
    #[must_use]
    pub fn new(project: &Project) -> Self {
        Self {
            project: project.anew(),
            names: RwLock::default(),
            recent: Mutex::default(),
            progress: Mutex::new(Progress::Reading),
            reading: Mutex::default(),
        }
    }

    /// Reads all names, and blocks until that is done or `stop` is cancelled. The first time they can be found as they come. Later
    /// the names from before are found until all new ones are there.
    pub fn read(&self, stop: &CancellationToken) {
        let _one = lock(&self.reading);
        let began = Instant::now();
        let is_first = *lock(&self.progress) == Progress::Reading;
        lock(&self.recent).reading_begins();
        let view = View { recursive: true, include_ignored: false };
        let project = self.project.anew();
        let mut walk =
            Walk::new(&project, &ProjectPath::root(), view, Budget::new(ENTRIES, TIME, stop.clone()));
        let mut names = Names::default();
        let mut batch = Vec::with_capacity(AT_ONCE);
        let is_whole = loop {
            batch.extend(walk.by_ref().filter_map(|entry| named(&entry.path, entry.kind)).take(AT_ONCE));
            let all = batch.len() < AT_ONCE;
            if is_first {
                let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
                batch.drain(..).for_each(|found| names.add(&found));
            } else {
                batch.drain(..).for_each(|found| names.add(&found));
            }
            if all || self.is_full(is_first, &names) {
                break all;
            }
        };
        if stop.is_cancelled() {
            return;
        }
        // In this order, as a search takes them.
        let mut recent = lock(&self.recent);
        let mut kept = self.names.write().unwrap_or_else(PoisonError::into_inner);
        if !is_first {
            *kept = names;
        }
        kept.is_partial = !is_whole || walk.left_out().halt.is_some();
        kept.shrink();
        recent.reading_ended();
        *lock(&self.progress) = Progress::Read { at: Instant::now(), took: began.elapsed() };
    }

    fn is_full(&self, is_first: bool, names: &Names) -> bool {
        let bytes = match is_first {
            true => self.names.read().unwrap_or_else(PoisonError::into_inner).bytes(),
            false => names.bytes(),
        };
        bytes >= BYTES
    }

    /// Files and folders whose path fits `filter`, the best first. Blocks for some tens of milliseconds where there are many.
    #[must_use]
    pub fn find(&self, filter: &str, limit: usize) -> Matches {
        let filter = Filter::of(filter);
        let mut best = Best::new(limit);
        let recent = lock(&self.recent);
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        recent.find(&filter, &mut best);
        names.find(&filter, &mut best, |path| !recent.covers(path));
        let partial = names.is_partial || *lock(&self.progress) == Progress::Reading;
        drop((names, recent));
        let (found, more) = best.into_found();
        Matches { found, more, partial }
    }

    /// Takes what the watcher has seen. Blocks on the disk for each path. True where the names should be read again, which the caller
    /// sees to.
    #[must_use]
    pub fn changed(&self, changes: &[Seen]) -> bool {
        let mut anew = false;
        for change in changes {
            match change {
                Seen::Tree(_) => anew = true,
                Seen::Path(path) if is_ignore_file(path) => anew = true,
                Seen::Path(path) => anew |= !self.changed_path(path),
            }
        }
        anew
    }

    /// False where this is more than `recent` should hold.
    fn changed_path(&self, path: &str) -> bool {
        let Ok(parsed) = self.project.path(path) else { return true };
        let kind = self.project.metadata(&parsed).ok().map(|metadata| Kind::of(metadata.file_type()));
        let found = kind.and_then(|kind| named(&parsed, kind));
        let Some(found) = found.filter(|found| self.project.is_shown(&parsed, found.is_folder)) else {
            return lock(&self.recent).went(path);
        };
        let is_folder = found.is_folder;
        let mut fits = lock(&self.recent).came(found);
        if is_folder && fits {
            // A folder may come with all that is in it.
            let view = View { recursive: true, include_ignored: false };
            let most = Budget::new(Recent::MOST as u64, Duration::from_secs(1), CancellationToken::new());
            let below: Vec<Found> = Walk::new(&self.project, &parsed, view, most)
                .filter_map(|entry| named(&entry.path, entry.kind))
                .collect();
            let mut recent = lock(&self.recent);
            fits = below.into_iter().all(|found| recent.came(found));
        }
        fits
    }

    /// Whether the names are as old as they may be where no watcher keeps them fresh: a minute, or a hundred times what reading
    /// them takes.
    #[must_use]
    pub fn is_old(&self) -> bool {
        match *lock(&self.progress) {
            Progress::Reading => false,
            Progress::Read { at, took } => at.elapsed() > Duration::from_secs(60).max(took * 100),
        }
    }

    /// Whether the names may be read again so soon: reading them takes a twentieth of the time at most.
    #[must_use]
    pub fn may_read_again(&self) -> bool {
        match *lock(&self.progress) {
            Progress::Reading => true,
            Progress::Read { at, took } => at.elapsed() > Duration::from_millis(500).max(took * 20),
        }
    }

    /// The project that it is of.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Bytes that the names take in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.names.read().unwrap_or_else(PoisonError::into_inner).bytes()
    }
}

/// What can be completed: a name that is text and has no character that would steer what it is shown in.
fn named(path: &ProjectPath, kind: Kind) -> Option<Found> {
    if !matches!(kind, Kind::File | Kind::Folder) {
        return None;
    }
    let path = path.as_path().to_str()?;
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let misleads = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    (!path.is_empty() && !path.chars().any(misleads)).then(|| Found { path, is_folder: kind == Kind::Folder })
}

fn is_ignore_file(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some(".gitignore" | ".orionignore"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
