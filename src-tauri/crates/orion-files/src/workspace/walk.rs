//! Listing the project in a fixed order, within bounds.
//!
//! Entries come depth first, each folder's sorted by name, so a page asked for later fits the page before. Links are
//! never followed. Only one folder per level is in memory, and no handle is kept open. A walk ends early when its
//! [`Budget`] is spent, and says so.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::{Kind, Project, ProjectPath, Rules, Verdict};

/// How much a piece of reading may cost.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Entries of folders that may still be looked at.
    entries: u64,
    until: Instant,
    cancel: CancellationToken,
}

/// Why a piece of reading ended before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// So many entries were looked at.
    Entries,
    Time,
    Cancelled,
}

impl Budget {
    /// Entries a walk looks at unless told otherwise: twice the largest project Orion is built for (500,000 files).
    pub const ENTRIES: u64 = 1_000_000;

    #[must_use]
    pub fn new(entries: u64, time: Duration, cancel: CancellationToken) -> Self {
        Self { entries, until: Instant::now() + time, cancel }
    }

    /// Pays for one entry, or says why there is no going on.
    pub(super) fn entry(&mut self) -> Option<Halt> {
        let halt = self.spent();
        self.entries = self.entries.saturating_sub(1);
        halt
    }

    /// Asks whether to go on. Called between entries and between blocks of a file.
    #[must_use]
    pub fn spent(&self) -> Option<Halt> {
        if self.cancel.is_cancelled() {
            Some(Halt::Cancelled)
        } else if self.entries == 0 {
            Some(Halt::Entries)
        } else if Instant::now() >= self.until {
            Some(Halt::Time)
        } else {
            None
        }
    }
}

/// Which entries a walk shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    pub recursive: bool,
    /// Show what `.gitignore` hides. What `.orionignore` closes is never shown.
    pub include_ignored: bool,
}

/// What a walk did not show. A folder that is left out counts once, with everything in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    pub git_ignored: u64,
    pub orion_ignored: u64,
    /// Folders that could not be read.
    pub unreadable: u64,
    /// Set when the walk ended early.
    pub halt: Option<Halt>,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: ProjectPath,
    pub kind: Kind,
}

/// An iterator over the entries below a folder.
#[derive(Debug)]
pub struct Walk<'a> {
    project: &'a Project,
    view: View,
    budget: Budget,
    frames: Vec<Frame>,
    left_out: LeftOut,
}

#[derive(Debug)]
struct Frame {
    folder: ProjectPath,
    rules: Rules,
    names: std::vec::IntoIter<(OsString, Kind)>,
}

impl<'a> Walk<'a> {
    /// Starts at a folder that exists and is open to tools.
    #[must_use]
    pub fn new(project: &'a Project, start: &ProjectPath, view: View, budget: Budget) -> Self {
        let mut walk = Self { project, view, budget, frames: Vec::new(), left_out: LeftOut::default() };
        let above = start.parent().map_or_else(Rules::default, |parent| project.rules_in(&parent));
        walk.enter(start.clone(), &above);
        walk
    }

    /// What was not shown so far; final when the walk is over.
    #[must_use]
    pub fn left_out(&self) -> LeftOut {
        self.left_out
    }

    fn enter(&mut self, folder: ProjectPath, above: &Rules) {
        let Ok(dir) = self.project.open_folder(&folder) else {
            self.left_out.unreadable += 1;
            return;
        };
        if self.project.is_private(&dir) {
            return;
        }
        let rules = self.project.rules_for(above, &dir, &folder);
        let Ok(entries) = dir.entries() else {
            self.left_out.unreadable += 1;
            return;
        };
        let mut names = Vec::new();
        for entry in entries.flatten() {
            if let Some(halt) = self.budget.entry() {
                self.left_out.halt = Some(halt);
                break;
            }
            if let Ok(file_type) = entry.file_type() {
                names.push((entry.file_name(), Kind::of(file_type)));
            }
        }
        names.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        self.frames.push(Frame { folder, rules, names: names.into_iter() });
    }
}

impl Iterator for Walk<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            let frame = self.frames.last_mut()?;
            let Some((name, kind)) = frame.names.next() else {
                self.frames.pop();
                continue;
            };
            // What was read of the folders is still shown when the entries are spent, but not when time is up.
            if let Some(halt @ (Halt::Time | Halt::Cancelled)) = self.budget.spent() {
                self.left_out.halt = Some(halt);
                self.frames.clear();
                return None;
            }
            let path = frame.folder.join(name);
            match frame.rules.verdict(&path, kind == Kind::Folder) {
                Verdict::Open => {}
                Verdict::GitIgnored if self.view.include_ignored => {}
                Verdict::GitIgnored => {
                    self.left_out.git_ignored += 1;
                    continue;
                }
                Verdict::OrionIgnored => {
                    self.left_out.orion_ignored += 1;
                    continue;
                }
                Verdict::GitFolder => continue,
            }
            if kind == Kind::Folder && self.project.leads_to_private(&path) {
                continue;
            }
            if kind == Kind::Folder && self.view.recursive && self.left_out.halt.is_none() {
                let rules = frame.rules.clone();
                self.enter(path.clone(), &rules);
            }
            return Some(Entry { path, kind });
        }
    }
}
