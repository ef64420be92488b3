//! Lists the project in a fixed order, within limits.
//!
//! Entries come depth first, each folder's sorted by name, so the pages of a listing fit together. Links are never
//! followed. Only one folder per level is in memory, and no handle stays open. A walk whose [`Budget`] is spent ends
//! early and says so.

use std::ffi::OsString;

use super::path::DEEPEST;
use super::{Budget, Halt, Kind, Project, ProjectPath, Rules, Stamp, Verdict};

/// The most closed entries and the most repositories that a walk notes: more than are ever asked for.
const NOTED: usize = 1_000;

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
    /// Folders that could not be read, or are too deep.
    pub unreadable: u64,
    /// Set when the walk ended early.
    pub halt: Option<Halt>,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: ProjectPath,
    pub kind: Kind,
    /// `.gitignore` hides it, or a folder that it is in.
    pub git_ignored: bool,
    /// Its numbers, where the walk takes them.
    pub(crate) stamp: Option<Stamp>,
}

/// An iterator over the entries below a folder.
#[derive(Debug)]
pub struct Walk<'a> {
    project: &'a Project,
    view: View,
    budget: Budget,
    frames: Vec<Frame>,
    left_out: LeftOut,
    closed: Vec<ProjectPath>,
    repositories: Vec<ProjectPath>,
    /// The numbers of each entry are taken, while its folder is open.
    stamps: bool,
}

#[derive(Debug)]
struct Frame {
    folder: ProjectPath,
    git_ignored: bool,
    rules: Rules,
    names: std::vec::IntoIter<(OsString, Kind, Option<Stamp>)>,
}

impl<'a> Walk<'a> {
    /// Starts at a folder that exists and is open to tools.
    #[must_use]
    pub fn new(project: &'a Project, start: &ProjectPath, view: View, budget: Budget) -> Self {
        Self::begun(project, start, view, budget, false)
    }

    /// A walk over all of a project that git does not ignore, with the numbers of each entry.
    pub(crate) fn stamping(project: &'a Project, budget: Budget) -> Self {
        let view = View { recursive: true, include_ignored: false };
        Self::begun(project, &ProjectPath::root(), view, budget, true)
    }

    fn begun(project: &'a Project, start: &ProjectPath, view: View, budget: Budget, stamps: bool) -> Self {
        let left_out = LeftOut::default();
        let mut walk = Self {
            project,
            view,
            budget,
            frames: Vec::new(),
            left_out,
            closed: Vec::new(),
            repositories: Vec::new(),
            stamps,
        };
        let above = start.parent().map_or_else(Rules::default, |parent| project.rules_in(&parent));
        walk.enter(start.clone(), false, &above);
        walk
    }

    /// What was not shown so far; final when the walk is over.
    #[must_use]
    pub fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// The first of the entries that `.orionignore` closes, 1,000 at most; a closed folder is one, with everything in it.
    pub(crate) fn closed(&self) -> &[ProjectPath] {
        &self.closed
    }

    /// The first entries named `.git`, 1,000 at most.
    pub(crate) fn repositories(&self) -> &[ProjectPath] {
        &self.repositories
    }

    fn enter(&mut self, folder: ProjectPath, git_ignored: bool, above: &Rules) {
        let deep = folder.as_path().components().nth(DEEPEST).is_some();
        let Some(dir) = (!deep).then(|| self.project.open_folder(&folder).ok()).flatten() else {
            self.left_out.unreadable += 1;
            return;
        };
        if self.project.is_private(&dir) {
            return;
        }
        let rules = self.project.rules_for(above, &dir, &folder);
        if rules.is_unreachable() {
            self.left_out.unreadable += 1;
            return;
        }
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
                let (name, kind) = (entry.file_name(), Kind::of(file_type));
                let takes = self.stamps && kind != Kind::Folder;
                let stamp =
                    takes.then(|| dir.symlink_metadata(&name).ok().map(|it| Stamp::of(&it))).flatten();
                names.push((name, kind, stamp));
            }
        }
        names.sort_unstable_by(|(a, ..), (b, ..)| a.cmp(b));
        self.frames.push(Frame { folder, git_ignored, rules, names: names.into_iter() });
    }
}

impl Iterator for Walk<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            let frame = self.frames.last_mut()?;
            let Some((name, kind, stamp)) = frame.names.next() else {
                self.frames.pop();
                continue;
            };
            // Entries of folders that were read are still returned when the number of entries is used up, but not
            // when the time is.
            if let Some(halt @ (Halt::Time | Halt::Cancelled)) = self.budget.spent() {
                self.left_out.halt = Some(halt);
                self.frames.clear();
                return None;
            }
            let path = frame.folder.join(name);
            let git_ignored = match frame.rules.verdict(&path, kind == Kind::Folder) {
                Verdict::Open => frame.git_ignored,
                Verdict::GitIgnored if self.view.include_ignored => true,
                Verdict::GitIgnored => {
                    self.left_out.git_ignored += 1;
                    continue;
                }
                Verdict::OrionIgnored => {
                    self.left_out.orion_ignored += 1;
                    if self.closed.len() < NOTED {
                        self.closed.push(path);
                    }
                    continue;
                }
                Verdict::GitFolder => {
                    if self.repositories.len() < NOTED {
                        self.repositories.push(path);
                    }
                    continue;
                }
            };
            if kind == Kind::Folder && self.project.leads_to_private(&path) {
                continue;
            }
            if kind == Kind::Folder && self.view.recursive && self.left_out.halt.is_none() {
                let rules = frame.rules.clone();
                self.enter(path.clone(), git_ignored, &rules);
            }
            return Some(Entry { path, kind, git_ignored, stamp });
        }
    }
}
