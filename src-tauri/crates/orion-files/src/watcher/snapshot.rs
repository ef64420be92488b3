//! The state of some entries of the project at one moment. It is used where they cannot be watched, and where a tool
//! has read.
//!
//! A file counts as changed when its size differs, or its time of last change, to the nanosecond. A time that went back
//! is a change too. Contents are not read.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use cap_std::fs::Metadata;
use tokio_util::sync::CancellationToken;

use crate::workspace::{Budget, Kind, Project, ProjectPath, View, Walk};

/// One look at the whole project takes no longer, however slow the disk is.
const TIME: Duration = Duration::from_secs(20);

#[derive(Debug, Default)]
pub struct Snapshot {
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

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let kind = Kind::of(metadata.file_type());
        let changed = || metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
        Self { kind, file: (kind == Kind::File).then(|| (metadata.len(), changed())) }
    }
}

impl Snapshot {
    /// Looks at the first `most` entries of the project that a listing would show.
    pub(super) fn of_project(project: &Project, most: u64, stop: &CancellationToken) -> Self {
        let view = View { recursive: true, include_ignored: false };
        Self::take(project, &ProjectPath::root(), view, Budget::new(most, TIME, stop.clone()))
    }

    /// Looks at a path and, where it is a folder, at what is in it.
    pub fn take(project: &Project, from: &ProjectPath, view: View, budget: Budget) -> Self {
        let mut entries = BTreeMap::new();
        let own = project.metadata(from).ok().map(|metadata| Stamp::of(&metadata));
        let is_folder = own.as_ref().is_some_and(|own| own.kind == Kind::Folder);
        if let (Some(own), false) = (own, from.is_root()) {
            entries.insert(from.clone(), own);
        }
        if !is_folder {
            return Self { entries, whole: true };
        }
        let mut walk = Walk::new(project, from, view, budget);
        for entry in walk.by_ref() {
            let found = if entry.kind == Kind::File { project.metadata(&entry.path).ok() } else { None };
            let stamp = found.map_or(Stamp { kind: entry.kind, file: None }, |found| Stamp::of(&found));
            entries.insert(entry.path, stamp);
        }
        Self { entries, whole: walk.left_out().halt.is_none() }
    }

    /// How many entries were looked at.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// What came, went or changed between this moment and a later one.
    pub fn changes(&self, later: &Self) -> Vec<ProjectPath> {
        let new_or_changed =
            later.entries.iter().filter(|(path, stamp)| self.entries.get(path) != Some(stamp));
        let gone = self.entries.iter().filter(|(path, _)| !later.entries.contains_key(path));
        new_or_changed.chain(gone).map(|(path, _)| path.clone()).collect()
    }

    /// The same when one of the two is not complete. Then it is not known whether an entry that only one of them has
    /// came or went.
    pub fn certain_changes(&self, later: &Self) -> Vec<ProjectPath> {
        let mut changes = self.changes(later);
        if !(self.whole && later.whole) {
            let both =
                |path: &ProjectPath| self.entries.contains_key(path) && later.entries.contains_key(path);
            changes.retain(both);
        }
        changes
    }
}

/// Whether anything that a listing would show changed at that time or later; also when there is too much to tell.
pub(super) fn changed_since(project: &Project, since: SystemTime, stop: &CancellationToken) -> bool {
    let late = |path: &ProjectPath| {
        // Only the time is read, and for up to half a million entries in a row, so this does not go through the
        // handle, which is slower.
        let metadata = std::fs::symlink_metadata(project.root().join(path.as_path()));
        metadata.and_then(|metadata| metadata.modified()).is_ok_and(|changed| changed >= since)
    };
    let budget = Budget::new(Budget::ENTRIES, TIME, stop.clone());
    let root = ProjectPath::root();
    let mut walk = Walk::new(project, &root, View { recursive: true, include_ignored: false }, budget);
    late(&root) || walk.by_ref().any(|entry| late(&entry.path)) || walk.left_out().halt.is_some()
}
