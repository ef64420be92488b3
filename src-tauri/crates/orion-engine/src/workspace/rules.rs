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
use super::project::read_small;

/// Larger ignore files are not read: a `.gitignore` then hides nothing, an `.orionignore` closes its whole folder.
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
    orion: Gitignore,
    above: Rules,
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
        // What cannot be read was meant to close something: everything here stays closed.
        let orion = lines_of(dir, ".orionignore").unwrap_or_else(|_| vec!["*".to_owned()]);
        if git.is_empty() && orion.is_empty() {
            return self.clone();
        }
        Self(Some(Arc::new(Layer {
            folder,
            git: compiled(&git),
            orion: compiled(&orion),
            above: self.clone(),
        })))
    }

    /// What these rules say about an entry of their folder. Its parents have been asked for already.
    #[must_use]
    pub fn verdict(&self, path: &ProjectPath, is_folder: bool) -> Verdict {
        if path.as_path().file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git")) {
            return Verdict::GitFolder;
        }
        if self.matches(path, is_folder, |layer| &layer.orion) {
            return Verdict::OrionIgnored;
        }
        if self.matches(path, is_folder, |layer| &layer.git) {
            return Verdict::GitIgnored;
        }
        Verdict::Open
    }

    fn matches(&self, path: &ProjectPath, is_folder: bool, list: impl Fn(&Layer) -> &Gitignore) -> bool {
        let mut next = self.0.as_deref();
        while let Some(layer) = next {
            let inside = path.as_path().strip_prefix(layer.folder.as_path()).unwrap_or(path.as_path());
            match list(layer).matched(inside, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => next = layer.above.0.as_deref(),
            }
        }
        false
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

fn compiled(lines: &[String]) -> Gitignore {
    let mut builder = GitignoreBuilder::new(Path::new("."));
    for line in lines {
        if builder.add_line(None, line).is_err() {
            // Not a pattern: taken for a plain name, so that a slip of the pen opens nothing.
            let _ = builder.add_line(None, &globset::escape(line));
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
