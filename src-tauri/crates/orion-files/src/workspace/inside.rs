//! Which files are in the private folders, by their identity on the disk.
//!
//! A hard link to one of their files, or a mount of a part of them, leads there under a name outside of them. So the
//! private folders are looked through once for each tool call ([`super::Project::anew`]). They hold Orion's own files,
//! and what the webview keeps. No file is opened for that: closing it again would release the locks of a database that
//! this process has open (fcntl(2)).

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use tokio_util::sync::CancellationToken;

use super::entry::identity;
use super::identity::Identity;
use super::links::names;
use super::{Budget, Kind};

/// Entries that are looked through. Orion keeps some twenty, and the webview a few thousand.
const ENTRIES: u64 = 100_000;
/// The longest time for looking: a third of the time that a tool has by default.
const TIME: Duration = Duration::from_secs(10);

/// The files and folders in the private folders.
#[derive(Debug, Default)]
pub(super) struct Inside(OnceLock<Looked>);

#[derive(Debug)]
struct Looked {
    found: HashSet<Identity>,
    /// Every entry was seen.
    whole: bool,
}

impl Inside {
    /// Whether this folder is one of them.
    pub(super) fn holds(&self, folders: &[PathBuf], folder: Identity) -> bool {
        !folders.is_empty() && self.looked(folders).found.contains(&folder)
    }

    /// Whether this file is one of them. A file with several names counts as one when there are too many entries to
    /// tell: any of them could be its other name. `metadata` is that of its open handle.
    pub(super) fn holds_file(&self, folders: &[PathBuf], metadata: &Metadata) -> bool {
        if folders.is_empty() {
            return false;
        }
        let looked = self.looked(folders);
        looked.found.contains(&Identity::of(metadata)) || (!looked.whole && names(metadata) > 1)
    }

    fn looked(&self, folders: &[PathBuf]) -> &Looked {
        self.0.get_or_init(|| look(folders, Budget::new(ENTRIES, TIME, CancellationToken::new())))
    }
}

/// Level by level, since Orion's own files are at the top.
fn look(folders: &[PathBuf], mut budget: Budget) -> Looked {
    let mut found = HashSet::new();
    let mut ahead = VecDeque::from(folders.to_vec());
    while let Some(path) = ahead.pop_front() {
        let Ok(dir) = Dir::open_ambient_dir(&path, ambient_authority()) else { continue };
        found.extend(Identity::of_folder(&dir));
        for entry in dir.entries().ok().into_iter().flatten().flatten() {
            if budget.entry().is_some() {
                return Looked { found, whole: false };
            }
            let Ok(file_type) = entry.file_type() else { continue };
            let name = entry.file_name();
            match Kind::of(file_type) {
                Kind::Folder => ahead.push_back(path.join(name)),
                Kind::File => found.extend(identity(&dir, Path::new(&name))),
                Kind::Link => found.extend(linked_file(&path.join(name))),
                Kind::Special => {}
            }
        }
    }
    Looked { found, whole: true }
}

/// The file to which a link leads: settings may be kept elsewhere, as dotfile repositories do. A folder to which a
/// link leads is not Orion's.
fn linked_file(link: &Path) -> Option<Identity> {
    let file = std::fs::canonicalize(link).ok().filter(|file| file.is_file())?;
    let dir = Dir::open_ambient_dir(file.parent()?, ambient_authority()).ok()?;
    identity(&dir, Path::new(file.file_name()?))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn with_too_many_entries_only_files_with_several_names_are_closed_unseen() {
        let (home, project) = (tempfile::TempDir::new().unwrap(), tempfile::TempDir::new().unwrap());
        fs::create_dir(home.path().join("webview")).unwrap();
        fs::write(home.path().join("config.toml"), "").unwrap();
        fs::write(home.path().join("webview/deep"), "").unwrap();
        fs::write(project.path().join("plain"), "").unwrap();
        fs::hard_link(home.path().join("webview/deep"), project.path().join("linked")).unwrap();
        fs::write(project.path().join("one"), "").unwrap();
        fs::hard_link(project.path().join("one"), project.path().join("two")).unwrap();

        let folders = [home.path().to_path_buf()];
        let closed = |entries| {
            let budget = Budget::new(entries, TIME, CancellationToken::new());
            let inside = Inside(OnceLock::from(look(&folders, budget)));
            let holds = |folder: &Path, name| {
                let dir = Dir::open_ambient_dir(folder, ambient_authority()).unwrap();
                inside.holds_file(&folders, &dir.symlink_metadata(name).unwrap())
            };
            let in_project = ["plain", "linked", "two"].map(|name| holds(project.path(), name));
            (holds(home.path(), "config.toml"), in_project)
        };
        assert_eq!(closed(100), (true, [false, true, false]));
        // The two entries at the top are seen, and no more.
        assert_eq!(closed(2), (true, [false, true, true]));
    }
}
