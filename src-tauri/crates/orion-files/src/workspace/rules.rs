//! What `.gitignore` hides and `.orionignore` closes.
//!
//! Rules are read through the folder's handle as the walk comes by, so they are always those on disk, and nested files
//! count. Git's own order holds: the nearest file with a matching line decides, its last matching line first. The user's
//! global excludes and ignore files above the project do not count: they are outside its handle.

use std::path::Path;
use std::sync::Arc;

use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::ProjectPath;
use super::entry::read_small;

/// Larger ignore files are not read: a `.gitignore` then hides nothing, an `.orionignore` closes its whole folder. So it is with a
/// smaller one whose patterns are too much to compile.
const LARGEST: u64 = 1024 * 1024;

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
    git: Gitignore,
    orion: Closed,
    above: Rules,
}

/// What an `.orionignore` closes.
#[derive(Debug)]
enum Closed {
    Listed(Gitignore),
    /// It says something that cannot be read or is too much to take in. It was meant to close something: everything stays closed.
    Everything,
}

impl Rules {
    pub(crate) fn of_root(dir: &Dir) -> Self {
        let mut git = lines_of(dir, ".gitignore").unwrap_or_default();
        // What git itself keeps out of sight of a single clone.
        let exclude = dir.open_dir(".git/info").ok().and_then(|info| lines_of(&info, "exclude").ok());
        git.splice(0..0, exclude.unwrap_or_default());
        Self::default().layer(dir, ProjectPath::root(), git)
    }

    /// The rules for the entries of a folder below.
    #[must_use]
    pub(crate) fn below(&self, dir: &Dir, folder: &ProjectPath) -> Self {
        self.layer(dir, folder.clone(), lines_of(dir, ".gitignore").unwrap_or_default())
    }

    fn layer(&self, dir: &Dir, folder: ProjectPath, git: Vec<String>) -> Self {
        let orion = lines_of(dir, ".orionignore");
        if git.is_empty() && orion.as_ref().is_ok_and(Vec::is_empty) {
            return self.clone();
        }
        let closed = orion.ok().and_then(|lines| compiled(&lines).ok());
        Self(Some(Arc::new(Layer {
            folder,
            git: compiled(&git).unwrap_or_else(|_| Gitignore::empty()),
            orion: closed.map_or(Closed::Everything, Closed::Listed),
            above: self.clone(),
        })))
    }

    /// What these rules say about an entry of their folder. Its parents have been asked for already.
    #[must_use]
    pub fn verdict(&self, path: &ProjectPath, is_folder: bool) -> Verdict {
        if path.as_path().file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git")) {
            return Verdict::GitFolder;
        }
        let closed = |layer: &Layer, inside: &Path| match &layer.orion {
            Closed::Listed(list) => decided(list, inside, is_folder),
            Closed::Everything => Some(true),
        };
        if self.decide(path, closed) {
            return Verdict::OrionIgnored;
        }
        if self.decide(path, |layer, inside| decided(&layer.git, inside, is_folder)) {
            return Verdict::GitIgnored;
        }
        Verdict::Open
    }

    /// By the nearest layer that has a word on it.
    fn decide(&self, path: &ProjectPath, word: impl Fn(&Layer, &Path) -> Option<bool>) -> bool {
        let mut next = self.0.as_deref();
        while let Some(layer) = next {
            let inside = path.as_path().strip_prefix(layer.folder.as_path()).unwrap_or(path.as_path());
            match word(layer, inside) {
                Some(ignored) => return ignored,
                None => next = layer.above.0.as_deref(),
            }
        }
        false
    }
}

fn decided(list: &Gitignore, inside: &Path, is_folder: bool) -> Option<bool> {
    match list.matched(inside, is_folder) {
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
        Match::None => None,
    }
}

fn lines_of(dir: &Dir, name: &str) -> std::io::Result<Vec<String>> {
    let bytes = read_small(dir, name, LARGEST)?.unwrap_or_default();
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)).into_owned();
    Ok(text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect())
}

/// An error when there are more patterns than can be held against a name in one go.
fn compiled(lines: &[String]) -> Result<Gitignore, ignore::Error> {
    let mut builder = GitignoreBuilder::new(Path::new("."));
    // What is closed under one spelling is not open under another, where both name the same file.
    builder.case_insensitive(cfg!(any(windows, target_os = "macos")))?;
    for line in lines {
        if builder.add_line(None, line).is_err() {
            // Not a pattern: taken for a plain name, so that a slip of the pen opens nothing.
            let _ = builder.add_line(None, &globset::escape(line));
        }
    }
    builder.build()
}
