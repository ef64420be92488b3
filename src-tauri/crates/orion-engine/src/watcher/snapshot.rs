//! What the project's entries looked like at one moment, for folders that cannot be watched.
//!
//! Size and time of last change to the nanosecond tell files apart; a time that went back counts as well. Contents are
//! not read.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;

use crate::workspace::{Budget, Kind, Project, ProjectPath, View, Walk};

/// One look takes no longer, however slow the disk is.
const TIME: Duration = Duration::from_secs(20);

#[derive(Debug, Default)]
pub(super) struct Snapshot {
    entries: BTreeMap<ProjectPath, Stamp>,
    /// False when there were more entries than could be looked at.
    pub(super) whole: bool,
}

#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    kind: Kind,
    /// For files: a folder's own time changes with the names in it, which are looked at themselves.
    file: Option<(u64, Option<SystemTime>)>,
}

impl Snapshot {
    /// Looks at the first `most` entries that a listing would show.
    pub(super) fn take(project: &Project, most: u64, stop: &CancellationToken) -> Self {
        let budget = Budget::new(most, TIME, stop.clone());
        let view = View { recursive: true, include_ignored: false };
        let mut walk = Walk::new(project, &ProjectPath::root(), view, budget);
        let stamp = |kind, path: &ProjectPath| {
            let metadata = (kind == Kind::File).then(|| project.metadata(path).ok()).flatten();
            let file = metadata
                .map(|file| (file.len(), file.modified().ok().map(cap_std::time::SystemTime::into_std)));
            Stamp { kind, file }
        };
        let entries =
            walk.by_ref().map(|entry| (entry.path.clone(), stamp(entry.kind, &entry.path))).collect();
        Self { entries, whole: walk.left_out().halt.is_none() }
    }

    /// How many entries were looked at.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// What came, went or changed between this moment and a later one.
    pub(super) fn changes(&self, later: &Self) -> Vec<ProjectPath> {
        let new_or_changed =
            later.entries.iter().filter(|(path, stamp)| self.entries.get(path) != Some(stamp));
        let gone = self.entries.iter().filter(|(path, _)| !later.entries.contains_key(path));
        new_or_changed.chain(gone).map(|(path, _)| path.clone()).collect()
    }
}

/// Whether anything that a listing would show changed at that time or later; also when there is too much to tell.
pub(super) fn changed_since(project: &Project, since: SystemTime, stop: &CancellationToken) -> bool {
    let late = |path: &ProjectPath| {
        // Only the time is looked at, and half a million of them at once: not through the handle, which is slower.
        let metadata = std::fs::symlink_metadata(project.root().join(path.as_path()));
        metadata.and_then(|metadata| metadata.modified()).is_ok_and(|changed| changed >= since)
    };
    let budget = Budget::new(Budget::ENTRIES, TIME, stop.clone());
    let root = ProjectPath::root();
    let mut walk = Walk::new(project, &root, View { recursive: true, include_ignored: false }, budget);
    late(&root) || walk.by_ref().any(|entry| late(&entry.path)) || walk.left_out().halt.is_some()
}
