//! A folder of files for a test, gone when the test is over.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A temporary folder with files in it.
#[derive(Debug)]
pub struct Folder(TempDir);

impl Folder {
    /// A folder with these files; a `/` in a name makes the folders on the way.
    pub fn with<P: AsRef<Path>, C: AsRef<[u8]>>(files: impl IntoIterator<Item = (P, C)>) -> Self {
        let folder = Self(tempfile::Builder::new().prefix("orion-").tempdir().expect("a temporary folder"));
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
        dunce::canonicalize(self.0.path()).expect("the folder is there")
    }

    /// Writes a file, new or in place of the one that is there.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.0.path().join(path);
        let parent = path.parent().expect("a file in the folder has a parent");
        fs::create_dir_all(parent).unwrap_or_else(|error| panic!("create {}: {error}", parent.display()));
        fs::write(&path, content).unwrap_or_else(|error| panic!("write {}: {error}", path.display()));
    }

    /// The bytes of a file.
    #[must_use]
    pub fn read(&self, path: impl AsRef<Path>) -> Vec<u8> {
        let path = self.0.path().join(path);
        fs::read(&path).unwrap_or_else(|error| panic!("read {}: {error}", path.display()))
    }
}
