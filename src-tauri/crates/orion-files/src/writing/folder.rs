//! The folder of a write: one handle, and names in it.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use orion_protocol::Sha256;

use super::digest::sha256_of;
use crate::workspace::{Project, ProjectPath, mode};

/// The mode of a temporary file that is being written. Nobody keeps files with this mode. So a file that has another
/// mode, and not the content that was written, is somebody else's.
pub(super) const UNFINISHED: u32 = 0o200;

/// An open folder, and the folders that were created on the way to it.
#[derive(Debug)]
pub(super) struct Folder {
    dir: Dir,
    /// The handle of a folder and the folders that were created in it, the topmost first.
    made: Vec<(Dir, Box<Path>)>,
}

/// What was found under a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    Nothing,
    /// A file with this digest.
    File(Sha256),
    /// A temporary file that was still being written.
    Unfinished,
    /// A folder, link, device or pipe.
    NoFile,
}

impl Folder {
    /// Opens a folder, from the root down; no component may be a link.
    pub(super) fn open(project: &Project, path: &ProjectPath) -> io::Result<Self> {
        let root = project.dir().try_clone()?;
        let mut trail = project.trail();
        let dir = path.as_path().iter().try_fold(root, |dir, name| {
            let below = dir.open_dir_nofollow(name)?;
            if trail.step(name, Some(&below)) { Err(private()) } else { Ok(below) }
        })?;
        Ok(Self { dir, made: Vec::new() })
    }

    /// Opens a folder, and creates the missing folders of its path.
    pub(super) fn make(project: &Project, path: &ProjectPath) -> io::Result<Self> {
        let mut folder = Self { dir: project.dir().try_clone()?, made: Vec::new() };
        let mut trail = project.trail();
        for name in path.as_path() {
            let there = folder.dir.open_dir_nofollow(name).ok();
            let below = if trail.step(name, there.as_ref()) { Err(private()) } else { folder.step(name) };
            match below {
                Ok(below) => folder.dir = below,
                Err(cause) => {
                    folder.unmake();
                    return Err(cause);
                }
            }
        }
        Ok(folder)
    }

    fn step(&mut self, name: &OsStr) -> io::Result<Dir> {
        match self.dir.open_dir_nofollow(name) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        match self.dir.create_dir(name) {
            Ok(()) => self.made.push((self.dir.try_clone()?, Path::new(name).into())),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {}
            Err(cause) => return Err(cause),
        }
        self.sync()?;
        self.dir.open_dir_nofollow(name)
    }

    /// Removes the folders that were created, if they are still empty.
    pub(super) fn unmake(self) {
        for (above, name) in self.made.into_iter().rev() {
            // A folder that somebody else uses already stays.
            let _ = above.remove_dir(name);
        }
    }

    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Flushes the change of names to the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        // The handle itself can be used only for paths.
        if cfg!(unix) { self.dir.open(".")?.sync_all() } else { Ok(()) }
    }

    /// Opens a file for reading; a link is not followed, and a pipe not waited for. None when there is nothing.
    pub(super) fn file(&self, name: &Path) -> io::Result<Option<(File, Metadata)>> {
        let mut options = OpenOptions::new();
        options.read(true).nonblock(true).follow(FollowSymlinks::No);
        match self.dir.open_with(name, &options) {
            Ok(file) => file.metadata().map(|metadata| Some((file, metadata))),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(cause),
        }
    }

    /// Finds what is under a name.
    pub(super) fn look(&self, name: &Path) -> io::Result<Look> {
        match self.dir.symlink_metadata(name) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Look::Nothing),
            Err(cause) => return Err(cause),
            Ok(metadata) if !metadata.is_file() => return Ok(Look::NoFile),
            Ok(_) => {}
        }
        match self.file(name)? {
            None => Ok(Look::Nothing),
            Some((_, metadata)) if !metadata.is_file() => Ok(Look::NoFile),
            Some((file, _)) => sha256_of(file).map(Look::File),
        }
    }

    /// Finds what is under the name of a temporary file.
    pub(super) fn look_at_temp(&self, name: &Path) -> io::Result<Look> {
        match self.dir.symlink_metadata(name) {
            Ok(metadata) if metadata.is_file() && mode(&metadata) == Some(UNFINISHED) => Ok(Look::Unfinished),
            _ => self.look(name),
        }
    }
}

/// The folder is one in which Orion keeps its own settings or data.
fn private() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, "Orion keeps its own settings or data there")
}
