//! The handle of the project's folder. Reading happens through it and nowhere else.

use std::fmt;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use cap_fs_ext::{DirExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions};
use orion_protocol::{Code, ErrorInfo};

use super::{ProjectPath, Rules, Verdict};

/// An open project: its root with every link resolved, and the handle that everything is read through.
#[derive(Clone)]
pub struct Project {
    root: Arc<Path>,
    dir: Arc<Dir>,
}

/// What an entry of a folder is. A link is not followed to find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    File,
    Folder,
    Link,
    /// A device, pipe or socket. Never opened: reading one can block, or act on something.
    Special,
}

impl Kind {
    pub(crate) fn of(file_type: FileType) -> Self {
        match file_type {
            t if t.is_file() => Self::File,
            t if t.is_dir() => Self::Folder,
            t if t.is_symlink() => Self::Link,
            _ => Self::Special,
        }
    }
}

/// What a path leads to, after its links.
#[derive(Debug)]
pub struct Node {
    /// Where it really is.
    pub path: ProjectPath,
    pub kind: Kind,
    pub metadata: Metadata,
}

impl Project {
    /// Opens a folder. Nothing in it is run or changed.
    ///
    /// # Errors
    /// `project_unreadable` when it is missing, no folder, or may not be read.
    pub fn open(path: &Path) -> Result<Self, ErrorInfo> {
        let unreadable = |cause: io::Error| {
            ErrorInfo::new(
                Code::ProjectUnreadable,
                format!("The folder {} could not be opened.", path.display()),
                "Check that it exists and that you may read it, or open another folder.",
            )
            .with_detail(cause.to_string())
        };
        let root = std::fs::canonicalize(path).map_err(unreadable)?;
        let dir = Dir::open_ambient_dir(&root, ambient_authority()).map_err(unreadable)?;
        dir.entries().map_err(unreadable)?;
        Ok(Self { root: root.into(), dir: Arc::new(dir) })
    }

    /// Absolute, with every link resolved.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The handle itself, for what Orion reads for its own use.
    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// A path as a model wrote it.
    ///
    /// # Errors
    /// `path_outside` when it leaves the project.
    pub fn path(&self, text: &str) -> Result<ProjectPath, ErrorInfo> {
        ProjectPath::parse(text, &self.root)
    }

    /// Follows a path through its links and says what is there. Both the path and what it leads to must be open to
    /// tools, so that no link gets around `.orionignore`.
    ///
    /// # Errors
    /// `path_outside`, `path_ignored`, `path_not_found` or `file_unreadable`.
    pub fn find(&self, path: &ProjectPath) -> Result<Node, ErrorInfo> {
        self.refuse_closed(path, path)?;
        let fault = |cause: io::Error| fault(path, &cause);
        let real = self.dir.canonicalize(path.in_handle()).map_err(fault)?;
        let real = ProjectPath::from_relative(&real).ok_or_else(|| escaped(path))?;
        if real != *path {
            self.refuse_closed(&real, path)?;
        }
        let metadata = self.dir.symlink_metadata(real.in_handle()).map_err(fault)?;
        Ok(Node { kind: Kind::of(metadata.file_type()), path: real, metadata })
    }

    /// Opens a file for reading. A pipe, device or socket is refused without waiting for it.
    ///
    /// # Errors
    /// Those of [`Project::find`], and `path_wrong_kind` when it is not a file.
    pub fn open_file(&self, path: &ProjectPath) -> Result<(File, Node), ErrorInfo> {
        let node = self.find(path)?;
        match node.kind {
            Kind::File => {
                let (file, metadata) = self.open_found(&node.path).map_err(|cause| fault(path, &cause))?;
                Ok((file, Node { metadata, ..node }))
            }
            Kind::Folder => Err(wrong_kind(path, "is a folder", "Use list_files to see what is in it.")),
            Kind::Link | Kind::Special => {
                Err(wrong_kind(path, "is a device, pipe or socket", "Only files and folders can be read."))
            }
        }
    }

    /// Opens what a walk came across. Not blocking, and what turned into something else meanwhile is an error.
    pub(crate) fn open_found(&self, path: &ProjectPath) -> io::Result<(File, Metadata)> {
        open_regular(&self.dir, path.in_handle())
    }

    /// Opens a folder to list it; the last component is never a link.
    pub(crate) fn open_folder(&self, path: &ProjectPath) -> io::Result<Dir> {
        if path.is_root() { self.dir.try_clone() } else { self.dir.open_dir_nofollow(path.as_path()) }
    }

    /// The metadata of an entry itself, a link included.
    pub(crate) fn metadata(&self, path: &ProjectPath) -> io::Result<Metadata> {
        self.dir.symlink_metadata(path.in_handle())
    }

    /// Where a link points, when that is inside the project and open to tools.
    pub(crate) fn link_target(&self, path: &ProjectPath) -> Option<ProjectPath> {
        self.find(path).ok().map(|node| node.path)
    }

    /// The rules in force for the entries of a folder.
    pub(crate) fn rules_in(&self, folder: &ProjectPath) -> Rules {
        folder.chain().fold(Rules::of_root(&self.dir), |rules, path| match self.open_folder(&path) {
            Ok(dir) => rules.below(&dir, &path),
            Err(_) => rules,
        })
    }

    /// `.orionignore` and `.git` close what they name and everything below it.
    pub(super) fn refuse_closed(&self, path: &ProjectPath, shown: &ProjectPath) -> Result<(), ErrorInfo> {
        let mut rules = Rules::of_root(&self.dir);
        for step in path.chain() {
            let folder = self.open_folder(&step).ok();
            // What is on the way is a folder, or will be one.
            match rules.verdict(&step, folder.is_some() || step != *path) {
                Verdict::Open | Verdict::GitIgnored => {}
                Verdict::OrionIgnored => return Err(closed(shown, "is closed by .orionignore")),
                Verdict::GitFolder => {
                    return Err(closed(shown, "is in a .git folder, which is closed to tools"));
                }
            }
            if let Some(dir) = folder {
                rules = rules.below(&dir, &step);
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Project").field("root", &self.root).finish_non_exhaustive()
    }
}

/// Opens a regular file below `dir` without ever waiting for it.
fn open_regular(dir: &Dir, path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true).nonblock(true);
    let file = dir.open_with(path, &options)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((file, metadata))
}

/// Reads a small file below `dir` whole. None when there is none.
pub(super) fn read_small(dir: &Dir, name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
    match dir.symlink_metadata(name) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(cause),
        Ok(metadata) if matches!(Kind::of(metadata.file_type()), Kind::Folder | Kind::Special) => {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        Ok(_) => {}
    }
    let (file, metadata) = open_regular(dir, Path::new(name))?;
    if metadata.len() > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "too large"));
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

pub(super) fn escaped(path: &ProjectPath) -> ErrorInfo {
    ErrorInfo::new(
        Code::PathOutside,
        format!("`{path}` leads out of the project through a link."),
        "Links are followed inside the project only. Give another path.",
    )
}

fn closed(path: &ProjectPath, why: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::PathIgnored,
        format!("`{path}` {why}."),
        "Go on without it, or tell the user what you need.",
    )
}

pub(crate) fn wrong_kind(path: &ProjectPath, what: &str, action: &str) -> ErrorInfo {
    ErrorInfo::new(Code::PathWrongKind, format!("`{path}` {what}."), action)
}

/// Says what the operating system, or the handle, had against a path.
pub(crate) fn fault(path: &ProjectPath, cause: &io::Error) -> ErrorInfo {
    // The handle reports an escape as a refusal of its own, which therefore has no number from the operating system.
    let escapes = cause.kind() == io::ErrorKind::PermissionDenied && cause.raw_os_error().is_none();
    match cause.kind() {
        _ if escapes => escaped(path),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ErrorInfo::new(
            Code::PathNotFound,
            format!("There is no `{path}` in the project."),
            format!(
                "Look at what is there with list_files {}.",
                serde_json::json!({ "path": nearest(path).to_string() })
            ),
        ),
        _ => ErrorInfo::new(
            Code::FileUnreadable,
            format!("`{path}` could not be read."),
            "Tell the user, or go on without it.",
        )
        .with_detail(cause.to_string()),
    }
}

fn nearest(path: &ProjectPath) -> ProjectPath {
    path.parent().unwrap_or_default()
}
