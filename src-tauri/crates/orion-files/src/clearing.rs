//! Empties a folder of Orion's own that programs have filled.
//!
//! They may have left anything there, so no link is followed, a folder that nobody may write is made writable first, and one that lies deep is moved
//! to the top before it is emptied: no nesting is too deep. Deliberately not here: whether something still writes there.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry};

use crate::workspace::{Budget, Halt};

/// Folders that are open in each other at one time: 32, far below what a process may have open.
const DEEPEST: usize = 32;

/// Paths that are named of those that stay.
const NAMED: usize = 3;

/// The rest of a folder that was to be emptied.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// The first paths that stay, from the folder.
    pub named: Vec<PathBuf>,
    /// The number of all of them.
    pub count: u64,
    /// The reason of the first.
    pub why: Option<String>,
    /// The budget was spent, so there may be more.
    pub halted: Option<Halt>,
}

impl Rest {
    /// True where the folder is empty.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.count == 0 && self.halted.is_none()
    }
}

/// Removes all that is in a folder, and says what stays. The folder itself stays.
///
/// # Errors
/// A folder that cannot be opened.
pub fn clear(folder: &Path, budget: &mut Budget) -> io::Result<Rest> {
    let top = Dir::open_ambient_dir(folder, ambient_authority())?;
    let mut clearing = Clearing { top: top.try_clone()?, moved: 0, rest: Rest::default() };
    loop {
        let before = clearing.moved;
        clearing.rest = Rest::default();
        clearing.below(&top, Path::new(""), 0, budget);
        if clearing.moved == before || clearing.rest.halted.is_some() {
            return Ok(clearing.rest);
        }
    }
}

struct Clearing {
    top: Dir,
    /// Folders that were moved to the top.
    moved: u64,
    rest: Rest,
}

impl Clearing {
    fn below(&mut self, folder: &Dir, at: &Path, depth: usize, budget: &mut Budget) {
        // Read to its end first: what is removed meanwhile may hide the next name.
        let entries: Vec<DirEntry> = match folder.entries().and_then(Iterator::collect) {
            Ok(entries) => entries,
            Err(error) => return self.stays(at.to_owned(), &error),
        };
        for entry in entries {
            if let Some(halt) = budget.entry() {
                self.rest.halted = Some(halt);
                return;
            }
            let (name, before) = (entry.file_name(), self.rest.count);
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let gone = if is_folder {
                self.folder(folder, &entry, &at.join(&name), depth, budget)
            } else {
                folder.remove_file(&name)
            };
            if self.rest.halted.is_some() {
                return;
            }
            if let Err(error) = gone
                && error.kind() != io::ErrorKind::NotFound
                && self.rest.count == before
            {
                self.stays(at.join(&name), &error);
            }
        }
    }

    fn folder(
        &mut self,
        above: &Dir,
        entry: &DirEntry,
        at: &Path,
        depth: usize,
        budget: &mut Budget,
    ) -> io::Result<()> {
        let name = entry.file_name();
        open_up(above, entry, &name)?;
        if depth == DEEPEST {
            return self.up(above, &name);
        }
        self.below(&above.open_dir_nofollow(&name)?, at, depth + 1, budget);
        if self.rest.halted.is_some() { Ok(()) } else { above.remove_dir(&name) }
    }

    /// Moves a folder to the top, under a name that is free there.
    fn up(&mut self, above: &Dir, name: &OsStr) -> io::Result<()> {
        loop {
            self.moved += 1;
            let free = format!(".moved-{}", self.moved);
            match self.top.symlink_metadata(&free) {
                Ok(_) => {}
                Err(_) => return above.rename(name, &self.top, &free),
            }
        }
    }

    fn stays(&mut self, path: PathBuf, error: &io::Error) {
        self.rest.count += 1;
        self.rest.why.get_or_insert_with(|| error.to_string());
        if self.rest.named.len() < NAMED {
            self.rest.named.push(path);
        }
    }
}

/// Lets a folder be read and changed by its owner, as the caches of some tools are not.
#[cfg(unix)]
fn open_up(above: &Dir, entry: &DirEntry, name: &OsStr) -> io::Result<()> {
    use cap_std::fs::{MetadataExt, Permissions, PermissionsExt};
    const OWN: u32 = 0o700;
    if entry.metadata()?.mode() & OWN == OWN {
        return Ok(());
    }
    above.set_permissions(name, Permissions::from_mode(OWN))
}

#[cfg(not(unix))]
fn open_up(_above: &Dir, _entry: &DirEntry, _name: &OsStr) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use tokio_util::sync::CancellationToken;

    use super::*;

    fn budget(entries: u64) -> Budget {
        Budget::new(entries, Duration::from_secs(60), CancellationToken::new())
    }

    fn left(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_is_emptied_and_no_link_is_followed() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let tried = tempfile::tempdir().unwrap();
        let (home, other) = (tried.path().join("home"), tried.path().join("other"));
        fs::create_dir_all(home.join("cache/read-only")).unwrap();
        fs::create_dir_all(&other).unwrap();
        fs::write(other.join("kept"), "mine").unwrap();
        fs::write(home.join("cache/read-only/file"), "x").unwrap();
        symlink(&other, home.join("link")).unwrap();
        symlink(other.join("kept"), home.join("cache/link")).unwrap();
        symlink("nowhere", home.join("dangling")).unwrap();
        for mode in [0o555, 0o000] {
            fs::create_dir_all(home.join("cache/read-only")).unwrap();
            fs::set_permissions(home.join("cache/read-only"), fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(clear(&home, &mut budget(1_000)).unwrap(), Rest::default());
            assert_eq!(left(&home), 0);
        }
        assert_eq!(fs::read_to_string(other.join("kept")).unwrap(), "mine");
    }

    #[test]
    fn folders_in_each_other_are_emptied_however_deep_they_are() {
        let home = tempfile::tempdir().unwrap();
        // Made step by step, since the path as a whole is longer than a system takes.
        let mut folder = Dir::open_ambient_dir(home.path(), ambient_authority()).unwrap();
        for _ in 0..1_500 {
            folder.create_dir("deeper").unwrap();
            folder = folder.open_dir("deeper").unwrap();
        }
        folder.write("file", "x").unwrap();
        fs::create_dir_all(home.path().join(".moved-1/x")).unwrap();
        assert_eq!(clear(home.path(), &mut budget(100_000)).unwrap(), Rest::default());
        assert_eq!(left(home.path()), 0);
    }

    #[test]
    fn what_is_beyond_the_budget_stays_and_is_said() {
        let home = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::write(home.path().join(name), "x").unwrap();
        }
        let rest = clear(home.path(), &mut budget(2)).unwrap();
        assert_eq!((rest.halted, rest.is_none(), left(home.path())), (Some(Halt::Entries), false, 1));
        assert!(clear(home.path(), &mut budget(2)).unwrap().is_none());
        assert!(clear(&home.path().join("missing"), &mut budget(2)).is_err());
    }
}
