//! Private folders, which no tool may read or write: Orion's own settings and data.
//!
//! A private folder, and what is in it, is recognised by its identity on the disk (device and number). So a link, a
//! mount or another spelling opens it no more than its own path does. A folder that does not exist yet is recognised
//! by its name below the nearest folder that does.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::{Dir, Metadata};

use super::identity::Identity;
use super::inside::Inside;
use super::letter_case::folded;

/// Folders that are closed to every tool, with all that is in them. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Private(Arc<[PathBuf]>);

impl Private {
    /// `folders` are absolute. They need not exist.
    #[must_use]
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(folders.into_iter().collect())
    }

    /// No folder: for programs that keep nothing.
    #[must_use]
    pub fn none() -> Self {
        Self::new([])
    }
}

/// Where the private folders are on this disk, or would be.
#[derive(Debug)]
pub(super) struct Marks {
    folders: Private,
    inside: Inside,
    there: Vec<Identity>,
    /// A folder that exists, and the names that lead from it to a private one, without regard to letter case.
    places: Vec<(Identity, Vec<String>)>,
}

impl Marks {
    pub(super) fn of(folders: &Private) -> Self {
        let (folders, inside) = (folders.clone(), Inside::default());
        let mut marks = Self { folders, inside, there: Vec::new(), places: Vec::new() };
        for folder in marks.folders.0.clone().iter() {
            marks.there.extend(Identity::at(folder));
            let mut names = Vec::new();
            let mut folder = folder.as_path();
            while let (Some(above), Some(name)) = (folder.parent(), folder.file_name()) {
                names.insert(0, folded(name));
                if let Some(identity) = Identity::at(above) {
                    marks.places.push((identity, names));
                    break;
                }
                folder = above;
            }
        }
        marks
    }

    /// The same folders; what is in them will be looked for again.
    pub(super) fn anew(&self) -> Self {
        let (folders, inside) = (self.folders.clone(), Inside::default());
        Self { folders, inside, there: self.there.clone(), places: self.places.clone() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.folders.0.is_empty()
    }

    /// Whether this is a private folder, or one in it.
    fn is_one(&self, folder: Identity) -> bool {
        self.there.contains(&folder) || self.inside.holds(&self.folders.0, folder)
    }

    /// Whether this is a private folder, or one in it.
    pub(super) fn is_private(&self, dir: &Dir) -> bool {
        !self.is_empty() && Identity::of_folder(dir).is_ok_and(|identity| self.is_one(identity))
    }

    /// Whether this is a file in a private folder. `metadata` is that of its open handle.
    pub(super) fn is_private_file(&self, metadata: &Metadata) -> bool {
        self.there.contains(&Identity::of(metadata)) || self.inside.holds_file(&self.folders.0, metadata)
    }

    /// Whether the folder at this path is a private one, or in one.
    pub(super) fn hold(&self, path: &Path) -> bool {
        path.ancestors().filter_map(Identity::at).any(|identity| self.is_one(identity))
    }

    /// Begins to follow a path from this folder on.
    pub(super) fn trail(&self, from: &Dir) -> Trail<'_> {
        let mut trail = Trail { marks: self, ahead: Vec::new() };
        trail.enter(from);
        trail
    }
}

/// A way down from a folder, name by name.
#[derive(Debug)]
pub(crate) struct Trail<'a> {
    marks: &'a Marks,
    /// The rest of the names that lead from the present folder to a private one.
    ahead: Vec<&'a [String]>,
}

impl Trail<'_> {
    /// Follows one more name. `dir` is the folder there, if it exists. True when that is a private folder.
    pub(crate) fn step(&mut self, name: &OsStr, dir: Option<&Dir>) -> bool {
        let name = if self.ahead.is_empty() { String::new() } else { folded(name) };
        let mut reached = false;
        self.ahead.retain_mut(|ahead| match ahead.split_first() {
            Some((first, rest)) if *first == name => {
                reached |= rest.is_empty();
                *ahead = rest;
                !rest.is_empty()
            }
            _ => false,
        });
        reached || dir.is_some_and(|dir| self.enter(dir))
    }

    fn enter(&mut self, dir: &Dir) -> bool {
        let Self { marks, ahead } = self;
        if marks.is_empty() {
            return false;
        }
        let Ok(identity) = Identity::of_folder(dir) else { return false };
        let places = marks.places.iter().filter(|(above, _)| *above == identity);
        ahead.extend(places.map(|(_, names)| names.as_slice()));
        marks.is_one(identity)
    }
}
