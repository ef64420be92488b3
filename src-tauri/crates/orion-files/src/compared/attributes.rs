//! Attributes of git by which a file can have another content than git has of it, and as many bytes (C6).
//!
//! They are looked for as words: which files they are for is not asked. Deliberately not here: which contents git has (`tracked`).

use std::collections::{HashMap, HashSet};
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::workspace::{Budget, Project, ProjectPath, Stamp, open_regular};

/// Bytes of a file of attributes or settings of git that is read: 1 MiB.
pub const ATTRIBUTES_BYTES: u64 = 1 << 20;

const ATTRIBUTES: &str = ".gitattributes";
/// The attributes of one clone alone.
const OF_THE_CLONE: &str = ".git/info/attributes";
/// The settings of one clone, and of one of its work trees.
const SETTINGS: [&str; 2] = [".git/config", ".git/config.worktree"];

/// Attributes that convert. Line ends and `ident` change the size.
const CONVERTS: [&[u8]; 2] = [b"filter", b"working-tree-encoding"];

/// Words of settings by which attributes, or more settings, lie elsewhere.
const ELSEWHERE: [&[u8]; 2] = [b"attributesfile", b"include"];

/// True if any of these attributes of git may convert a content without changing its size.
#[must_use]
pub fn may_convert(attributes: &[u8]) -> bool {
    CONVERTS.iter().any(|word| attributes.windows(word.len()).any(|found| found == *word))
}

/// True if by these settings of git there may be attributes elsewhere.
#[must_use]
pub fn leads_elsewhere(settings: &[u8]) -> bool {
    ELSEWHERE.iter().any(|word| settings.windows(word.len()).any(|found| found.eq_ignore_ascii_case(word)))
}

/// True for a path that says how contents are converted: where one of them changed, what holds now did not hold before.
pub(super) fn names_attributes(path: &ProjectPath) -> bool {
    path.as_path().file_name().is_some_and(|name| name == ATTRIBUTES)
}

/// The names, as an index has them, of the files of attributes for these files.
pub(super) fn above<'a>(files: impl Iterator<Item = &'a ProjectPath>) -> HashSet<Vec<u8>> {
    let mut names = HashSet::new();
    for file in files {
        let mut folder = file.parent();
        while let Some(at) = folder {
            if !names.insert(name_in(&at)) {
                break;
            }
            folder = at.parent();
        }
    }
    names
}

fn name_in(folder: &ProjectPath) -> Vec<u8> {
    folder.join(ATTRIBUTES).as_path().as_os_str().as_encoded_bytes().to_vec()
}

/// The attributes of a repository, as far as they were looked at.
pub(super) struct Attributes<'a, S> {
    project: &'a Project,
    /// Told of a name and of the numbers of such a file, if there is one: true where the index has no other.
    is_stored: S,
    /// The folders of which it is known whether something in them may convert.
    known: HashMap<ProjectPath, bool>,
}

impl<'a, S: Fn(&[u8], Option<Stamp>) -> bool> Attributes<'a, S> {
    pub(super) fn of(project: &'a Project, is_stored: S) -> Self {
        Self { project, is_stored, known: HashMap::new() }
    }

    /// True where attributes of this repository may convert the content of a file, or there is no time to look.
    pub(super) fn may_convert(&mut self, path: &ProjectPath, budget: &Budget) -> bool {
        let mut folder = path.parent();
        while let Some(at) = folder {
            let converts = match self.known.get(&at) {
                Some(converts) => *converts,
                None => {
                    let converts = budget.spent().is_some() || self.converts_in(&at);
                    self.known.insert(at.clone(), converts);
                    converts
                }
            };
            if converts {
                return true;
            }
            folder = at.parent();
        }
        false
    }

    fn converts_in(&self, folder: &ProjectPath) -> bool {
        let Ok(found) = read(self.project, folder.join(ATTRIBUTES).as_path()) else { return true };
        let (stamp, text) = found.unzip();
        !(self.is_stored)(&name_in(folder), stamp)
            || text.is_some_and(|text| may_convert(&text))
            || (folder.is_root() && self.converts_in_clone())
    }

    fn converts_in_clone(&self) -> bool {
        let says = |path: &str, what: fn(&[u8]) -> bool| match read(self.project, Path::new(path)) {
            Ok(found) => found.is_some_and(|(_, text)| what(&text)),
            Err(()) => true,
        };
        says(OF_THE_CLONE, may_convert) || SETTINGS.iter().any(|path| says(path, leads_elsewhere))
    }
}

/// A file of attributes or settings; none where there is none. An error where it cannot be read whole.
fn read(project: &Project, path: &Path) -> Result<Option<(Stamp, Vec<u8>)>, ()> {
    let (file, metadata) = match open_regular(project.dir(), path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(_) => return Err(()),
    };
    let mut text = Vec::new();
    file.take(ATTRIBUTES_BYTES + 1).read_to_end(&mut text).map_err(drop)?;
    if text.len() as u64 > ATTRIBUTES_BYTES { Err(()) } else { Ok(Some((Stamp::of(&metadata), text))) }
}
