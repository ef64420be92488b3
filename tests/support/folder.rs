//! A folder of files for a test, gone when the test is over.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use crate::replaying;

/// A temporary folder with files in it. Where it is a data folder, all its turns are replayed when it goes (T5).
#[derive(Debug)]
pub struct Folder {
    at: TempDir,
    replays: AtomicBool,
}

impl Folder {
    /// A folder with these files; a `/` in a name makes the folders on the way.
    pub fn with<P: AsRef<Path>, C: AsRef<[u8]>>(files: impl IntoIterator<Item = (P, C)>) -> Self {
        let at = tempfile::Builder::new().prefix("orion-").tempdir().expect("a temporary folder");
        let folder = Self { at, replays: AtomicBool::new(true) };
        for (path, content) in files {
            folder.write(path, content);
        }
        folder
    }

    #[must_use]
    pub fn empty() -> Self {
        Self::with::<&str, &str>([])
    }

    /// Its path, with every link in it resolved, as Orion shows it.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        dunce::canonicalize(self.at.path()).expect("the folder is there")
    }

    /// Writes a file, new or in place of the one that is there.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.at.path().join(path);
        let parent = path.parent().expect("a file in the folder has a parent");
        fs::create_dir_all(parent).unwrap_or_else(|error| panic!("create {}: {error}", parent.display()));
        fs::write(&path, content).unwrap_or_else(|error| panic!("write {}: {error}", path.display()));
    }

    /// The bytes of a file.
    #[must_use]
    pub fn read(&self, path: impl AsRef<Path>) -> Vec<u8> {
        let path = self.at.path().join(path);
        fs::read(&path).unwrap_or_else(|error| panic!("read {}: {error}", path.display()))
    }

    /// The test changes journals in it, so that they do not replay when it goes.
    pub fn changes_journals(&self) {
        self.replays.store(false, Ordering::Relaxed);
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.replays.load(Ordering::Relaxed) {
            [self.at.path().to_owned(), self.at.path().join("data")]
                .iter()
                .for_each(|data| replaying::every_turn(data));
        }
    }
}
