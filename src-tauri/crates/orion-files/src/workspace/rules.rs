//! Applies `.gitignore`, which hides files, and `.orionignore`, which closes them.
//!
//! Rules are read through the folder's handle while a walk passes by, so they are always those on disk, and nested
//! files count. For hiding, git's own order holds: the nearest file with a matching line decides, by its last matching
//! line. What is closed stays closed: a nested file can close more, and `!` in it opens only what that file itself
//! closed. As in git, rules that hide hold up to the next repository: those of the outer one hide nothing in a submodule. The user's global excludes and ignore files above the project do not count, since they are outside its
//! handle.

use std::path::Path;
use std::sync::Arc;

use cap_std::fs::Dir;

use super::ProjectPath;
use super::ignores::{Ignores, List, Which};
use super::letter_case::is_spelling;
use super::worktree;

/// What the rules say about an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Open,
    /// Not listed or searched unless asked for; may be read.
    GitIgnored,
    /// Neither listed, searched nor read.
    OrionIgnored,
    /// A `.git` entry: not listed, searched or read, and not worth counting.
    GitFolder,
}

/// The rules in force in one folder: its own and those of the folders above. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Rules(Option<Arc<Layer>>);

#[derive(Debug)]
struct Layer {
    folder: ProjectPath,
    git: List,
    orion: List,
    /// The folder is a repository of its own: what hides above it hides nothing in it.
    repository: bool,
    above: Rules,
}

impl Rules {
    pub(super) fn of_root(ignores: &Ignores, dir: &Dir) -> Self {
        let root = ProjectPath::root();
        let info = dir.open_dir(".git/info").ok().or_else(|| worktree::info(dir));
        let exclude = info.map(|info| ignores.list(&info, &root, Which::Exclude));
        let excluding =
            Self::default().layer(root.clone(), exclude.unwrap_or_default(), List::Nothing, false);
        excluding.below(ignores, dir, &root)
    }

    /// The rules for the entries of a folder, where these are in force in the folder above it.
    pub(super) fn in_folder(&self, ignores: &Ignores, dir: &Dir, folder: &ProjectPath) -> Self {
        match folder.is_root() {
            true => Self::of_root(ignores, dir),
            false => self.below(ignores, dir, folder),
        }
    }

    fn below(&self, ignores: &Ignores, dir: &Dir, folder: &ProjectPath) -> Self {
        let git = ignores.list(dir, folder, Which::Git);
        let orion = ignores.list(dir, folder, Which::Orion);
        let repository = !folder.is_root() && self.0.is_some() && dir.symlink_metadata(".git").is_ok();
        self.layer(folder.clone(), git, orion, repository)
    }

    fn layer(&self, folder: ProjectPath, git: List, orion: List, repository: bool) -> Self {
        if git.is_nothing() && orion.is_nothing() && !repository {
            return self.clone();
        }
        Self(Some(Arc::new(Layer { folder, git, orion, repository, above: self.clone() })))
    }

    /// What these rules say about an entry of their folder. Its parents have been checked already.
    #[must_use]
    pub fn verdict(&self, path: &ProjectPath, is_folder: bool) -> Verdict {
        if path.as_path().file_name().is_some_and(|name| is_spelling(name, ".git")) {
            return Verdict::GitFolder;
        }
        // Any of them can close it: a file below opens nothing that one above closes.
        if self.layers().any(|layer| layer.orion.decide(layer.inside(path), is_folder) == Some(true)) {
            return Verdict::OrionIgnored;
        }
        // The nearest file of the same repository with a matching line decides.
        let outer = self.layers().position(|layer| layer.repository).map_or(usize::MAX, |at| at + 1);
        match self.layers().take(outer).find_map(|layer| layer.git.decide(layer.inside(path), is_folder)) {
            Some(true) => Verdict::GitIgnored,
            Some(false) | None => Verdict::Open,
        }
    }

    /// True where nobody may look into the folder of these rules.
    pub(super) fn is_unreachable(&self) -> bool {
        self.0.as_ref().is_some_and(|layer| matches!(layer.orion, List::Unreachable))
    }

    /// The nearest first.
    fn layers(&self) -> impl Iterator<Item = &Layer> {
        std::iter::successors(self.0.as_deref(), |layer| layer.above.0.as_deref())
    }
}

impl Layer {
    /// A path as the ignore files of this folder know it.
    fn inside<'a>(&self, path: &'a ProjectPath) -> &'a Path {
        path.as_path().strip_prefix(self.folder.as_path()).unwrap_or(path.as_path())
    }
}
