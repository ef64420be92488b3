//! The names by which links lead to the target of a write.
//!
//! A repository may hold `AGENTS.md` as a link to `docs/rules.md`, or `.github/workflows` as a link to `ci`. A write to
//! what is there then changes what the link's name says, so it is judged by that name as well (A1). Only links whose
//! names matter are followed. They are looked for in the project's folder, in the folders on the way to the target, and in
//! each folder whose name makes its files ask, such as `.github/workflows`, under every name that a link gives it. If such
//! a folder has too many entries or cannot be read, the write asks. Other folders are searched up to a limit of entries.
//! Deliberately not here: hard links; a file that has several is not written (`target`).

use std::collections::{HashSet, VecDeque};
use std::ffi::OsStr;
use std::io;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::always_asks::{UNSEARCHED, always_asks, has_files_that_ask, may_ask};
use super::manifest::is_manifest;
use crate::workspace::{Budget, Kind, LINKS, Project, ProjectPath, is_spelling, names_below};

/// Entries that are looked at in the folders that matter: 10,000, some milliseconds.
const ENTRIES: u64 = 10_000;
/// Entries that are looked at in the other folders: a millisecond.
const NEARBY: u64 = 1_000;
/// The longest time for either, for a disk that is slow.
const TIME: Duration = Duration::from_secs(2);

/// The names that were found.
#[derive(Debug)]
pub(super) struct Pointing {
    pub(super) names: Vec<ProjectPath>,
    /// The reason why a write asks by these names, or because a folder that matters was not looked through.
    pub(super) asks: Option<&'static str>,
}

impl Pointing {
    /// Looks for names of the file at `target`, whose path has no links. It ends at the first name that asks.
    pub(super) fn at(project: &Project, target: &ProjectPath) -> Self {
        let budget = |entries| Budget::new(entries, TIME, CancellationToken::new());
        let mut search = Search {
            project,
            target,
            budgets: [budget(ENTRIES), budget(NEARBY)],
            ahead: Default::default(),
            met: HashSet::new(),
            names: Vec::new(),
            asks: None,
        };
        let folder = target.parent().unwrap_or_default();
        for real in std::iter::once(ProjectPath::root()).chain(folder.chain()) {
            search.add(Folder { name: real.clone(), real, links: 0, matters: true });
        }
        let all = search.run();
        let asks = search.asks.or((!all).then_some(UNSEARCHED));
        Self { names: search.names, asks }
    }
}

/// A folder to look through.
struct Folder {
    real: ProjectPath,
    /// The path by which links lead here.
    name: ProjectPath,
    /// How many links that path has.
    links: usize,
    matters: bool,
}

impl Folder {
    fn entry(&self, name: &OsStr) -> Self {
        Self { real: self.real.join(name), name: self.name.join(name), ..*self }
    }
}

struct Search<'a> {
    project: &'a Project,
    target: &'a ProjectPath,
    /// For the folders that matter, and for the others.
    budgets: [Budget; 2],
    /// Folders that matter, and the others.
    ahead: [VecDeque<Folder>; 2],
    /// The names of all of them.
    met: HashSet<ProjectPath>,
    names: Vec<ProjectPath>,
    /// The reason why the last of these names asks. Each is judged once: that may look at the disk.
    asks: Option<&'static str>,
}

impl Search<'_> {
    fn add(&mut self, folder: Folder) {
        if self.met.insert(folder.name.clone()) {
            self.ahead[usize::from(!folder.matters)].push_back(folder);
        }
    }

    /// False when a folder that matters was not looked through.
    fn run(&mut self) -> bool {
        while let Some(folder) = self.ahead.iter_mut().find_map(VecDeque::pop_front) {
            let entries = match self.project.open_folder(&folder.real).and_then(|dir| dir.entries()) {
                Ok(entries) => entries,
                Err(error) if !folder.matters || is_no_folder(&error) => continue,
                Err(_) => return false,
            };
            for entry in entries {
                if self.budgets[usize::from(!folder.matters)].entry().is_some() {
                    return !folder.matters;
                }
                let kind = entry.and_then(|entry| Ok((Kind::of(entry.file_type()?), entry.file_name())));
                match kind {
                    Ok((Kind::Folder, name)) => self.folder(folder.entry(&name)),
                    Ok((Kind::Link, name)) => self.link(folder.entry(&name)),
                    Err(error) if folder.matters && !is_no_folder(&error) => return false,
                    Ok((Kind::File | Kind::Special, _)) | Err(_) => {}
                }
                if self.asks.is_some() {
                    return true;
                }
            }
        }
        true
    }

    fn folder(&mut self, folder: Folder) {
        // Of a repository's own files only its hooks can be links that matter; its objects are many.
        let is = |path: Option<&OsStr>, name| path.is_some_and(|path| is_spelling(path, name));
        let mut names = folder.name.as_path().iter().rev();
        if is(names.nth(1), ".git") && !is(folder.name.as_path().file_name(), "hooks") {
            return;
        }
        let matters = folder.matters && has_files_that_ask(&folder.name);
        self.add(Folder { matters, ..folder });
    }

    fn link(&mut self, link: Folder) {
        let Folder { name, links, .. } = &link;
        let has_files = has_files_that_ask(name);
        if !has_files && !may_ask(name) && !is_manifest(name) {
            return;
        }
        let Some(real) = self.project.leads_to(&link.real) else { return };
        if let Some(below) = names_below(real.as_path(), self.target.as_path()) {
            let names = below.iter().fold(name.clone(), |path, name| path.join(name));
            self.asks = always_asks(self.project, &names);
            self.names.push(names);
        }
        if has_files && *links < LINKS {
            self.add(Folder { real, links: links + 1, ..link });
        }
    }
}

/// Whether nothing is there, or something else: a folder may be made later, and the name of one may lead to a file.
fn is_no_folder(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
