//! A folder to try things on.

use std::fs;
use std::path::{Path, PathBuf};

use orion_files::workspace::{Private, Project};
use tempfile::TempDir;

/// A temporary project.
pub(crate) struct Bench {
    folder: TempDir,
    pub(crate) project: Project,
}

impl Bench {
    pub(crate) fn with(files: impl IntoIterator<Item = (&'static str, &'static str)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, content) in files {
            write(&folder.path().join(path), content);
        }
        let project = Project::open(folder.path(), &Private::none()).unwrap();
        Self { folder, project }
    }

    pub(crate) fn empty() -> Self {
        Self::with([])
    }

    pub(crate) fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, content: &str) {
        write(&self.at(path), content);
    }
}

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}
