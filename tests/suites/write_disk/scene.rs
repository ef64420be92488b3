//! What is changed, and what must be true afterwards.

use std::fs;
use std::path::{Path, PathBuf};

use orion_files::workspace::{Private, Project};
use orion_files::writing::{Attempt, Recovered, sha256};
use tempfile::TempDir;

pub(super) const TEMP: &str = ".orion-0198.tmp";
const MANY: &[u8] = b"a line of the old file\n";

/// A change of one file. Nothing before makes a new file, nothing after removes one.
#[derive(Clone, Copy)]
pub(super) struct Scene {
    pub(super) name: &'static str,
    pub(super) path: &'static str,
    pub(super) base: Option<&'static [u8]>,
    pub(super) new: Option<&'static [u8]>,
    /// A file system that knows neither the exchange of names nor names that replace nothing.
    pub(super) simple: bool,
}

/// Changes of each kind. The new content of the second begins with all of the old, so a part of it can be just that.
pub(super) const SCENES: [Scene; 6] = [
    Scene { name: "replace", path: "a.txt", base: Some(MANY), new: Some(b"new\n"), simple: false },
    Scene { name: "append", path: "s/a.txt", base: Some(b"old\n"), new: Some(b"old\nnew\n"), simple: false },
    Scene { name: "create", path: "d/e/a.txt", base: None, new: Some(b"new\n"), simple: false },
    Scene { name: "remove", path: "s/a.txt", base: Some(b"new\n"), new: None, simple: false },
    Scene { name: "replace simply", path: "a.txt", base: Some(MANY), new: Some(b"new\n"), simple: true },
    Scene { name: "create simply", path: "d/a.txt", base: None, new: Some(b"new\n"), simple: true },
];

/// A scene on the disk.
pub(super) struct Stage {
    pub(super) scene: Scene,
    around: TempDir,
}

impl Stage {
    pub(super) fn new(scene: Scene) -> Self {
        let stage = Self { scene, around: tempfile::tempdir().unwrap() };
        fs::create_dir(stage.root()).unwrap();
        if let Some(base) = scene.base {
            fs::create_dir_all(stage.file().parent().unwrap()).unwrap();
            fs::write(stage.file(), base).unwrap();
        }
        for (name, content) in [("base", scene.base), ("new", scene.new)] {
            if let Some(content) = content {
                fs::write(stage.around.path().join(name), content).unwrap();
            }
        }
        stage
    }

    pub(super) fn root(&self) -> PathBuf {
        self.around.path().join("project")
    }

    pub(super) fn file(&self) -> PathBuf {
        self.root().join(self.scene.path)
    }

    /// The arguments of `file-writer`.
    pub(super) fn arguments(&self, act: &str) -> Vec<String> {
        let content = |name: &str, content: Option<&[u8]>| match content {
            Some(_) => self.around.path().join(name).display().to_string(),
            None => "-".to_owned(),
        };
        vec![
            act.to_owned(),
            self.root().display().to_string(),
            self.scene.path.to_owned(),
            TEMP.to_owned(),
            content("base", self.scene.base),
            content("new", self.scene.new),
        ]
    }

    /// What the file holds now.
    pub(super) fn content(&self) -> Option<Vec<u8>> {
        match fs::read(self.file()) {
            Ok(content) => Some(content),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => panic!("{error}"),
        }
    }

    /// True when the file is the new one, false when it is the old one; anything else is a file that was torn.
    pub(super) fn is_new(&self, when: &str) -> bool {
        let content = self.content();
        let (old, new) = (content.as_deref() == self.scene.base, content.as_deref() == self.scene.new);
        assert!(old || new, "{}, {when}: the file is {content:?}", self.scene.name);
        new
    }

    /// All files of the project but the one that is changed.
    pub(super) fn others(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.root()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => found.push(path),
                }
            }
        }
        found.retain(|path| *path != self.file());
        found
    }

    /// True when the folders on the way to the file are there.
    pub(super) fn has_folders(&self) -> bool {
        self.file().parent().unwrap().exists()
    }

    pub(super) fn attempt(&self) -> Attempt {
        attempt(&self.scene, &self.root())
    }

    /// The next start: what it finds is what is there, and no temporary file stays.
    pub(super) fn recover(&self, when: &str) {
        let project = Project::open(&self.root(), &Private::none()).unwrap();
        let before = self.is_new(when);
        let recovered = self.attempt().recover(&project).unwrap();
        let expected = if before { Recovered::Written } else { Recovered::NotWritten };
        assert_eq!(recovered, expected, "{}, {when}", self.scene.name);
        assert_eq!(self.is_new(when), before, "{}, {when}", self.scene.name);
        assert_eq!(self.others(), Vec::<PathBuf>::new(), "{}, {when}", self.scene.name);
        assert_eq!(self.attempt().recover(&project).unwrap(), expected, "{}, {when}, again", self.scene.name);
    }
}

pub(super) fn attempt(scene: &Scene, root: &Path) -> Attempt {
    Attempt {
        path: Project::open(root, &Private::none()).unwrap().path(scene.path).unwrap(),
        temp: TEMP.to_owned(),
        base: scene.base.map(sha256),
        new: scene.new.map(sha256),
    }
}
