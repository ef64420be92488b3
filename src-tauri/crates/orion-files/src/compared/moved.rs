//! Tells a file that was moved to its place from one that was made there, so that undoing a change never removes the only copy of a file.
//!
//! Deliberately not here: the difference itself.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime};

use orion_protocol::FileChange;

use super::{Changed, MOVED_AWAY, Was};
use crate::workspace::{Moved, Project, ProjectPath, folded};

/// The clock of a disk is late by a tick of the kernel: 50 ms are several.
const TICKS: Duration = Duration::from_millis(50);

/// The number of a file where the system gives none.
pub(super) const NO_NUMBER: [i64; 2] = [0, 0];

/// True for a file that was made before this time: it has been somewhere before. Where the disk does not keep that, the time of its content counts.
pub(super) fn is_older(project: &Project, path: &ProjectPath, than: SystemTime) -> bool {
    let made =
        project.metadata(path).and_then(|metadata| metadata.created().or_else(|_| metadata.modified()));
    made.is_ok_and(|made| made.into_std() + TICKS < than)
}

/// Files that are not at their old paths any more, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Gone {
    left: HashMap<[i64; 2], Vec<(ProjectPath, Moved)>>,
    /// Numbers of files whose old path has the old content all the same.
    same: HashSet<[i64; 2]>,
    /// Numbers of files that are at their old paths, and that no walk shows there.
    hidden: HashSet<[i64; 2]>,
    /// Paths that no walk shows any more, without letter case, on a disk that ignores it.
    unseen: HashSet<String>,
}

impl Gone {
    /// Notes a file of before, unless it is still at its path.
    pub(super) fn note(&mut self, path: &ProjectPath, was: &Was, is: Option<&Was>) {
        let number = was.stamp.number();
        if number != NO_NUMBER && is.is_none_or(|is| is.stamp.number() != number) {
            self.left.entry(number).or_default().push((path.clone(), was.stamp.moved()));
        }
    }

    /// Notes what is at the path of a file that no walk shows there.
    pub(super) fn note_hidden(&mut self, is: &Was) {
        if is.stamp.number() != NO_NUMBER {
            self.hidden.insert(is.stamp.number());
        }
    }

    /// Notes the paths that no walk shows any more.
    pub(super) fn note_unseen(&mut self, project: &Project, paths: &[ProjectPath]) {
        if !paths.is_empty() && project.ignores_case() {
            self.unseen = paths.iter().map(|path| folded(path.as_path().as_os_str())).collect();
        }
    }

    /// Notes that a path has the content that it had, whichever file has it now: nothing that was there before is lost with the old file.
    pub(super) fn note_same(&mut self, was: &Was) {
        self.same.insert(was.stamp.number());
    }

    /// True for a new path that is another name of an old one: the same file, or the same name in other letter case.
    pub(super) fn is_also_old(&self, path: &ProjectPath, is: &Was) -> bool {
        self.hidden.contains(&is.stamp.number())
            || (!self.unseen.is_empty() && self.unseen.contains(&folded(path.as_path().as_os_str())))
    }

    /// The number of a file that was at another path before. A number alone may be given again once its file is gone.
    pub(super) fn moved(&self, is: &Was, is_older: impl FnOnce() -> bool) -> Option<[i64; 2]> {
        let number = is.stamp.number();
        let left = self.left.get(&number)?;
        let is_same = left.iter().any(|(_, moved)| *moved == is.stamp.moved()) || is_older();
        is_same.then_some(number)
    }

    /// Keeps every moved file whose old path is not among those that can be put back.
    pub(super) fn keep_the_only_copies(&self, rows: &mut [(Changed, Option<[i64; 2]>)]) {
        // One that is kept has no old content to put back either, and another may hang on that.
        loop {
            let back: HashSet<ProjectPath> = rows
                .iter()
                .filter(|(row, _)| row.kept.is_none() && row.before.is_some())
                .map(|(row, _)| row.path.clone())
                .collect();
            let mut is_done = true;
            for (row, moved) in rows.iter_mut().filter(|(row, _)| row.kept.is_none()) {
                let moved = moved.filter(|number| !self.same.contains(number));
                let Some(left) = moved.and_then(|number| self.left.get(&number)) else { continue };
                if row.change != FileChange::Mode && !left.iter().any(|(path, _)| back.contains(path)) {
                    row.kept = Some(MOVED_AWAY);
                    is_done = false;
                }
            }
            if is_done {
                return;
            }
        }
    }
}
