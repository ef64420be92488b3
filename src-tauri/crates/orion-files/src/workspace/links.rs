//! Hard links. A file that is closed under one name could be open under another.
//!
//! Only a file with several names can be one. So nothing is searched until such a file is opened. Then all closed files
//! are looked through once, and the result is kept for one tool call (`Project::anew`).

use std::collections::HashSet;
use std::sync::OnceLock;
use std::time::Duration;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, DirEntry, Metadata};
use tokio_util::sync::CancellationToken;

use super::identity::Identity;
use super::ignores::Ignores;
use super::{Budget, Kind, ProjectPath, Rules, Verdict};

/// The longest time for looking through closed files: a third of the time that a tool has by default.
const TIME: Duration = Duration::from_secs(10);

/// The files that are closed under some name. None when the search ran out of time.
#[derive(Debug, Default)]
pub(super) struct Links(OnceLock<Option<HashSet<Identity>>>);

impl Links {
    /// Whether a file may be closed under another name. `metadata` is that of its open handle.
    pub(super) fn close(&self, metadata: &Metadata, searched: &Searched<'_>) -> bool {
        if names(metadata) < 2 {
            return false;
        }
        let closed = self.0.get_or_init(|| Search::of(searched));
        closed.as_ref().is_none_or(|closed| closed.contains(&Identity::of(metadata)))
    }
}

/// Where closed files can be.
pub(super) struct Searched<'a> {
    pub(super) root: &'a Dir,
    pub(super) ignores: &'a Ignores,
}

/// How many names a file has. The metadata must come from an open handle.
pub(crate) fn names(metadata: &Metadata) -> u64 {
    cap_fs_ext::MetadataExt::nlink(metadata)
}

struct Search {
    found: HashSet<Identity>,
    budget: Budget,
}

impl Search {
    fn of(searched: &Searched<'_>) -> Option<HashSet<Identity>> {
        let budget = Budget::new(Budget::ENTRIES, TIME, CancellationToken::new());
        let mut search = Self { found: HashSet::new(), budget };
        search.look(searched)?;
        Some(search.found)
    }

    /// Finds the files that are closed and have several names. None when the budget is spent.
    fn look(&mut self, searched: &Searched<'_>) -> Option<()> {
        let Searched { root, ignores } = searched;
        let mut ahead = vec![(ProjectPath::root(), Some(Rules::default()))];
        while let Some((folder, above)) = ahead.pop() {
            let dir =
                if folder.is_root() { root.try_clone() } else { root.open_dir_nofollow(folder.as_path()) };
            let Ok(dir) = dir else { continue };
            let rules = above.map(|above| above.in_folder(ignores, &dir, &folder));
            for entry in dir.entries().ok().into_iter().flatten().flatten() {
                if self.budget.entry().is_some() {
                    return None;
                }
                let Ok(file_type) = entry.file_type() else { continue };
                let (kind, path) = (Kind::of(file_type), folder.join(entry.file_name()));
                let open = rules.as_ref().filter(|rules| {
                    let verdict = rules.verdict(&path, kind == Kind::Folder);
                    matches!(verdict, Verdict::Open | Verdict::GitIgnored)
                });
                match kind {
                    Kind::Folder => ahead.push((path, open.cloned())),
                    Kind::File if open.is_none() => self.file(&entry),
                    Kind::File | Kind::Link | Kind::Special => {}
                }
            }
        }
        Some(())
    }

    fn file(&mut self, entry: &DirEntry) {
        if let Some(metadata) = metadata(entry)
            && names(&metadata) > 1
        {
            self.found.insert(Identity::of(&metadata));
        }
    }
}

#[cfg(unix)]
fn metadata(entry: &DirEntry) -> Option<Metadata> {
    entry.metadata().ok()
}

/// On this system only an open file tells how many names it has.
#[cfg(not(unix))]
fn metadata(entry: &DirEntry) -> Option<Metadata> {
    entry.open().and_then(|file| file.metadata()).ok()
}
