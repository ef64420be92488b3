//! Which files are in the private folders, by their identity on the disk.
//!
//! A hard link to one of their files, or a mount of a part of them, leads there under a name outside of them. The
//! private folders are Orion's own and small, so they are looked through once for each tool call
//! ([`super::Project::anew`]). No file is opened for that: closing it again would release the locks of a database
//! that this process has open (fcntl(2)).

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use tokio_util::sync::CancellationToken;

use super::entry::identity;
use super::identity::Identity;
use super::{Budget, Kind};

/// Entries that are looked through, however deep they are. Orion keeps some twenty, and the webview its own.
const ENTRIES: u64 = 100_000;
/// The longest time for looking: a third of the time that a tool has by default.
const TIME: Duration = Duration::from_secs(10);

/// The files and folders in the private folders; none when there are too many to look through.
#[derive(Debug, Default)]
pub(super) struct Inside(OnceLock<Option<HashSet<Identity>>>);

impl Inside {
    /// Whether this is one of them, or could be.
    pub(super) fn holds(&self, folders: &[PathBuf], identity: Identity) -> bool {
        if folders.is_empty() {
            return false;
        }
        self.0.get_or_init(|| look(folders)).as_ref().is_none_or(|found| found.contains(&identity))
    }
}

fn look(folders: &[PathBuf]) -> Option<HashSet<Identity>> {
    let mut budget = Budget::new(ENTRIES, TIME, CancellationToken::new());
    let mut found = HashSet::new();
    let mut ahead = folders.to_vec();
    while let Some(path) = ahead.pop() {
        let Ok(dir) = Dir::open_ambient_dir(&path, ambient_authority()) else { continue };
        found.extend(Identity::of_folder(&dir));
        for entry in dir.entries().ok().into_iter().flatten().flatten() {
            if budget.entry().is_some() {
                return None;
            }
            let Ok(file_type) = entry.file_type() else { continue };
            let name = entry.file_name();
            match Kind::of(file_type) {
                Kind::Folder => ahead.push(path.join(name)),
                Kind::File => found.extend(identity(&dir, Path::new(&name))),
                Kind::Link => found.extend(linked_file(&path.join(name))),
                Kind::Special => {}
            }
        }
    }
    Some(found)
}

/// The file to which a link leads: settings may be kept elsewhere, as dotfile repositories do. A folder to which a
/// link leads is not Orion's.
fn linked_file(link: &Path) -> Option<Identity> {
    let file = std::fs::canonicalize(link).ok().filter(|file| file.is_file())?;
    let dir = Dir::open_ambient_dir(file.parent()?, ambient_authority()).ok()?;
    identity(&dir, Path::new(file.file_name()?))
}
