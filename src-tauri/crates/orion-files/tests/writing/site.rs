//! A project on disk that is written to.

use std::path::{Path, PathBuf};

use orion_files::workspace::{Private, Project, ProjectPath};
use orion_files::writing::{Attempt, Composed, Performed, Target, Unfit, compose};
use orion_protocol::{Code, WriteOperation};

pub(crate) const TEMP: &str = ".orion-0198.tmp";

pub(crate) struct Site {
    around: tempfile::TempDir,
    pub(crate) project: Project,
}

impl Site {
    /// An empty project, with room for files beside it.
    pub(crate) fn empty() -> Self {
        let around = tempfile::tempdir().unwrap();
        let root = around.path().join("project");
        std::fs::create_dir(&root).unwrap();
        Self { project: Project::open(&root, &Private::none()).unwrap(), around }
    }

    pub(crate) fn with<const N: usize>(files: [(&str, &[u8]); N]) -> Self {
        let site = Self::empty();
        for (name, bytes) in files {
            site.put(name, bytes);
        }
        site
    }

    pub(crate) fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.project.root().join(name)
    }

    /// The folder that the project's folder is in.
    pub(crate) fn around(&self) -> &Path {
        self.around.path()
    }

    pub(crate) fn path(&self, name: &str) -> ProjectPath {
        self.project.path(name).unwrap()
    }

    pub(crate) fn target(&self, name: &str, operation: WriteOperation) -> Target {
        Target::find(&self.project, &self.path(name), operation).unwrap()
    }

    pub(crate) fn refusal(&self, name: &str, operation: WriteOperation) -> (Code, String) {
        let error = Target::find(&self.project, &self.path(name), operation).unwrap_err();
        (error.code, error.message)
    }

    pub(crate) fn compose(
        &self,
        name: &str,
        operation: WriteOperation,
        content: &str,
    ) -> Result<Composed, Unfit> {
        let (target, old) = Target::load(&self.project, &self.path(name), operation).unwrap();
        compose(&target, old.as_deref(), operation, content)
    }
}

/// What became of a write through all its steps.
pub(crate) struct Written {
    pub(crate) attempt: Attempt,
    pub(crate) performed: Performed,
    pub(crate) old: Option<Vec<u8>>,
}

impl Site {
    /// Looks at the target, composes its bytes, and writes them.
    pub(crate) fn write(&self, name: &str, operation: WriteOperation, content: &str) -> Written {
        let (target, old) = Target::load(&self.project, &self.path(name), operation).unwrap();
        let composed = compose(&target, old.as_deref(), operation, content).unwrap();
        let attempt = Attempt::writing(&target, &composed, TEMP);
        let performed = attempt.perform(&self.project, Some(&composed.bytes));
        Written { attempt, performed, old }
    }

    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.at(name)).ok()
    }

    /// The names in a folder, in order.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.at(folder)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[cfg(unix)]
    pub(crate) fn mode(&self, name: &str) -> u32 {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(self.at(name)).unwrap().mode() & 0o7777
    }
}
