//! The files of a project before and after a command, and the difference (C6).
//!
//! Before it, what git does not ignore is looked at without reading it, and small files are copied into memory. After it, what has other numbers is read.
//! Nothing of it is written anywhere. Deliberately not here: which files run code later (`later`), and keeping contents (`orion-store`).

mod attributes;
mod bodies;
mod moved;
#[cfg(test)]
mod tests;
mod tracked;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use orion_protocol::{Code, FileChange};

use crate::workspace::{Budget, Entry, Kind, Located, Project, ProjectPath, Stamp, Walk};
use bodies::{Bodies, read};
use moved::{Gone, NO_NUMBER, is_older};

pub use attributes::{ATTRIBUTES_BYTES, leads_elsewhere, may_convert};
pub use bodies::{BODIES, BODY, FILES};
pub use tracked::{LARGE, ObjectId, Tracked};

/// The entries of a project that are looked at: 200,000.
pub const ENTRIES: u64 = 200_000;

/// Files that say what a walk shows. When one of them changes, a file that seems new may have been there.
const RULES: [&str; 2] = [".gitignore", ".orionignore"];

/// The files of a project before a command.
#[derive(Debug)]
pub struct Before {
    files: HashMap<ProjectPath, Was>,
    /// Device and number of each.
    numbers: HashSet<[i64; 2]>,
    bodies: Bodies,
    /// The numbers of git's index.
    index: Option<Stamp>,
    /// The numbers of what git ignores in this clone alone.
    excluded: Option<Stamp>,
    /// All of the project was looked at.
    is_whole: bool,
    began: SystemTime,
}

/// A file as it was: anything but a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Was {
    kind: Kind,
    stamp: Stamp,
}

/// A file that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub path: ProjectPath,
    pub change: FileChange,
    /// The contents before and after; none where there is no file, or it is not known.
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
    /// The permissions before.
    pub mode: Option<u32>,
    /// A link that leads out of the project.
    pub leads_out: bool,
    /// The reason for which it cannot be undone.
    pub kept: Option<&'static str>,
}

/// The files that changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compared {
    /// [`FILES`] at most. Links that lead out of the project come first, and the others in the order of their paths.
    pub files: Vec<Changed>,
    /// So many more changed.
    pub more: u64,
    /// All of the project was looked at, before and after.
    pub is_whole: bool,
}

impl Before {
    /// Those of a project now, with copies of the small ones. Call it right before the command begins.
    #[must_use]
    pub fn of(project: &Project, budget: &Budget) -> Self {
        let began = SystemTime::now();
        let mut walk = Walk::stamping(project, budget.clone());
        let mut files = HashMap::new();
        let mut numbers = HashSet::new();
        for Entry { path, kind, stamp, .. } in walk.by_ref() {
            if let Some(stamp) = stamp {
                numbers.insert(stamp.number());
                files.insert(path, Was { kind, stamp });
            }
        }
        let left_out = walk.left_out();
        let is_whole = left_out.halt.is_none() && left_out.unreadable == 0;
        let small = files.iter().filter(|(_, was)| was.kind == Kind::File && was.stamp.bytes <= BODY);
        let bodies = Bodies::of(project, small.map(|(path, was)| (path, was.stamp)).collect(), budget);
        let (index, excluded) = (tracked::index(project), excluded(project));
        Self { files, numbers, bodies, index, excluded, is_whole, began }
    }

    /// The files that are others now, with the contents that were copied.
    #[must_use]
    pub fn compared(self, project: &Project, budget: &Budget) -> Compared {
        self.found(project, budget).compared(project, budget)
    }

    /// Finds the files that have other numbers now.
    #[must_use]
    pub fn found(self, project: &Project, budget: &Budget) -> Found {
        let mut walk = Walk::stamping(project, budget.clone());
        let mut now: HashMap<ProjectPath, Was> = HashMap::new();
        for Entry { path, kind, stamp, .. } in walk.by_ref() {
            if let Some(stamp) = stamp {
                now.insert(path, Was { kind, stamp });
            }
        }
        let left_out = walk.left_out();
        let mut is_whole = self.is_whole && left_out.halt.is_none() && left_out.unreadable == 0;
        let mut found: Vec<(ProjectPath, Option<Was>, Option<Was>)> = Vec::new();
        let (mut gone, mut unseen) = (Gone::default(), Vec::new());
        for (path, was) in &self.files {
            let shown = now.remove(path);
            if shown.is_none() {
                unseen.push(path.clone());
            }
            let is = match shown {
                _ if budget.spent().is_some() => Err(()),
                Some(is) => Ok(Some(is)),
                // It is gone, or hidden by now.
                None => hidden(project, path).inspect(|is| is.iter().for_each(|is| gone.note_hidden(is))),
            };
            gone.note(path, was, is.as_ref().ok().and_then(Option::as_ref));
            match is {
                Ok(is) if is.as_ref() == Some(was) => {}
                Ok(is) => found.push((path.clone(), Some(was.clone()), is)),
                Err(()) => is_whole = false,
            }
        }
        gone.note_unseen(project, &unseen);
        let rules_changed = self.excluded != excluded(project)
            || found.iter().any(|(path, ..)| names_rules(path))
            || self.has_new_rules(&now);
        found.extend(now.into_iter().map(|(path, is)| (path, None, Some(is))));
        found.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        Found { before: self, files: found, gone, rules_changed, is_whole }
    }
    /// One of them, and its number where it was at another path before. None where its content is as before, and its permissions too.
    fn changed(
        &mut self,
        project: &Project,
        path: ProjectPath,
        was: Option<Was>,
        is: Option<Was>,
        gone: &Gone,
        room: &mut Room,
    ) -> Option<(Changed, Option<[i64; 2]>)> {
        let leads_out = is.as_ref().is_some_and(|is| is.kind == Kind::Link) && leads_out(project, &path);
        let before = was.as_ref().map(|was| self.bodies.take(&path, was));
        // What takes the place of a large file that is known is likely as large.
        let is_large = matches!(&before, Some(Ok(before)) if before.len() as u64 > BODY);
        let most = if is_large { LARGE } else { BODY };
        let after = is.as_ref().map(|is| room.read(project, &path, is, most));
        let change = match (&was, &is) {
            (None, _) => FileChange::Created,
            (_, None) => FileChange::Removed,
            (Some(was), Some(is)) => {
                let same =
                    matches!((&before, &after), (Some(Ok(before)), Some(Ok(after))) if before == after);
                match same && was.kind == is.kind {
                    true if was.stamp.mode() == is.stamp.mode() => return None,
                    true => FileChange::Mode,
                    false => FileChange::Changed,
                }
            }
        };
        let is_older = || is_older(project, &path, self.began);
        let (mut moved, mut why) = (None, None);
        if let Some(is) = &is {
            let (number, had) = (is.stamp.number(), was.as_ref().map(|was| was.stamp.number()));
            if was.is_none() && gone.is_also_old(&path, is) {
                why = Some(MOVED_AWAY);
            } else if number != NO_NUMBER && self.numbers.contains(&number) {
                moved = if had == Some(number) { None } else { gone.moved(is, is_older) };
            // A file that was changed in its place is old where there are no numbers to tell.
            } else if had != Some(NO_NUMBER) {
                why = is_older().then_some(MOVED_HERE);
            }
        }
        let unknown = |body: &Option<Result<Vec<u8>, &'static str>>| body.as_ref()?.as_ref().err().copied();
        let kept = match change {
            FileChange::Mode => Some(MODE),
            _ => unknown(&before).or(unknown(&after)).or(why),
        };
        let mode = was.and_then(|was| was.stamp.mode());
        let (before, after) = (before.and_then(Result::ok), after.and_then(Result::ok));
        Some((Changed { path, change, before, after, mode, leads_out, kept }, moved))
    }

    /// True where a file that hides others is new in a folder that had files before: in a new folder it hides nothing that was there.
    fn has_new_rules(&self, new: &HashMap<ProjectPath, Was>) -> bool {
        let mut rules = new.keys().filter(|path| names_rules(path)).peekable();
        if rules.peek().is_none() {
            return false;
        }
        let folders: HashSet<&Path> =
            self.files.keys().flat_map(|path| path.as_path().ancestors().skip(1)).collect();
        rules.any(|path| path.as_path().parent().is_none_or(|folder| folders.contains(folder)))
    }
}

/// The files that have other numbers after a command. Contents that were not copied can be supplied before they are compared.
#[derive(Debug)]
pub struct Found {
    before: Before,
    /// With what was there before and is now, in the order of their paths.
    files: Vec<(ProjectPath, Option<Was>, Option<Was>)>,
    gone: Gone,
    rules_changed: bool,
    is_whole: bool,
}

impl Found {
    /// Those of which git has the content from before, and nothing else has: [`FILES`] and [`BODIES`] at most, each of [`LARGE`]. Nothing is read where all was
    /// copied. It holds for a command that could not change `.git`.
    #[must_use]
    pub fn tracked(&self, project: &Project, budget: &Budget) -> Vec<Tracked> {
        let Some(index) = self.before.index else { return Vec::new() };
        if self.files.iter().any(|(path, ..)| attributes::names_attributes(path)) {
            return Vec::new();
        }
        let mut left = BODIES;
        let uncopied = self.files.iter().filter_map(|(path, was, _)| {
            let was = was.as_ref().filter(|was| was.kind == Kind::File && was.stamp.bytes <= LARGE)?;
            let is_uncopied = !self.before.bodies.has(path) && left >= was.stamp.bytes;
            left -= if is_uncopied { was.stamp.bytes } else { 0 };
            is_uncopied.then(|| (path.clone(), was.stamp))
        });
        match uncopied.take(FILES).collect::<Vec<_>>() {
            none if none.is_empty() => Vec::new(),
            files => tracked::tracked(project, index, files, budget),
        }
    }

    /// Takes the content of such a file, if it is the one that git names.
    pub fn supply(&mut self, file: &Tracked, body: Vec<u8>) {
        if body.len() as u64 == file.bytes && tracked::is_object(&file.object, &body) {
            self.before.bodies.supply(file.path.clone(), body);
        }
    }

    /// The changes.
    #[must_use]
    pub fn compared(self, project: &Project, budget: &Budget) -> Compared {
        let Self { mut before, files, mut gone, rules_changed, mut is_whole } = self;
        let unknown_before =
            if !before.is_whole { Some(NOT_ALL_BEFORE) } else { rules_changed.then_some(RULES_CHANGED) };
        let (mut rows, mut more) = (Vec::new(), 0);
        let mut room = Room { files: FILES, bytes: BODIES };
        for (path, was, is) in files {
            let is_link = is.as_ref().is_some_and(|is| is.kind == Kind::Link);
            let is_spent = budget.spent().is_some();
            if is_spent || (rows.len() >= FILES && !(is_link && leads_out(project, &path))) {
                // They are counted alone, so one of them may be as it was.
                is_whole &= !is_spent && (was.is_none() || is.is_none());
                more += 1;
                continue;
            }
            match before.changed(project, path.clone(), was.clone(), is, &gone, &mut room) {
                Some((mut row, moved)) => {
                    if row.change == FileChange::Created {
                        row.kept = row.kept.or(unknown_before);
                    }
                    rows.push((row, moved));
                }
                None => was.iter().for_each(|was| gone.note_same(was)),
            }
        }
        rows.sort_by_key(|(row, _)| !row.leads_out);
        more += rows.len().saturating_sub(FILES) as u64;
        rows.truncate(FILES);
        gone.keep_the_only_copies(&mut rows);
        let mut files: Vec<Changed> = rows.into_iter().map(|(row, _)| row).collect();
        for file in files.iter_mut().filter(|file| file.kept.is_some()) {
            // They serve for the difference alone, and one of them is none.
            if file.change != FileChange::Mode && (file.before.is_none() || file.after.is_none()) {
                (file.before, file.after) = (None, None);
            }
        }
        Compared { files, more, is_whole }
    }
}

/// The reasons for which a change cannot be undone.
const NOT_ALL_BEFORE: &str =
    "not all of the project could be looked at before the command, so it may have been there";
const RULES_CHANGED: &str = "the files that are ignored are others by now, so it may have been there before";
const MOVED_HERE: &str = "it was moved here from a place that was not looked at";
const MOVED_AWAY: &str = "it was moved here, and its content is not kept elsewhere";
const MODE: &str = "its permissions alone changed";
const NO_FILE: &str = "it is or was no ordinary file";
const TOO_MANY: &str = "too many files changed to keep them all";

/// Room for the contents of files after a command.
struct Room {
    files: usize,
    bytes: u64,
}

impl Room {
    fn read(
        &mut self,
        project: &Project,
        path: &ProjectPath,
        is: &Was,
        most: u64,
    ) -> Result<Vec<u8>, &'static str> {
        if is.kind != Kind::File {
            return Err(NO_FILE);
        }
        if self.files == 0 || self.bytes < is.stamp.bytes {
            return Err(TOO_MANY);
        }
        let body = read(project, path, is.stamp, most)?;
        self.files -= 1;
        self.bytes -= body.len() as u64;
        Ok(body)
    }
}

fn names_rules(path: &ProjectPath) -> bool {
    path.as_path().file_name().is_some_and(|name| RULES.iter().any(|rules| name == *rules))
}

/// The numbers of the file that hides in one clone alone. It is in `.git`, which no walk enters.
fn excluded(project: &Project) -> Option<Stamp> {
    project.dir().symlink_metadata(".git/info/exclude").ok().map(|metadata| Stamp::of(&metadata))
}

/// A file that a walk does not show any more, as it is; none where it is gone. An error where nobody may look.
fn hidden(project: &Project, path: &ProjectPath) -> Result<Option<Was>, ()> {
    let parent_is_there = path.parent().is_none_or(|parent| {
        parent.is_root() || matches!(project.locate(&parent), Ok(Located::There(node)) if node.path == parent)
    });
    if !parent_is_there {
        return Ok(None);
    }
    match project.metadata(path) {
        Ok(metadata) => Ok(Some(Was { kind: Kind::of(metadata.file_type()), stamp: Stamp::of(&metadata) })),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(_) => Err(()),
    }
}

/// True for a link that leads out of the project, or nobody can say where.
fn leads_out(project: &Project, link: &ProjectPath) -> bool {
    match project.locate(link) {
        Ok(_) => false,
        Err(error) => {
            let target = project.dir().read_link_contents(link.as_path()).unwrap_or_else(|_| PathBuf::new());
            error.code == Code::PathOutside || target.is_absolute()
        }
    }
}
