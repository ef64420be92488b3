//! The kinds of entries in a folder, and opening a regular file without ever waiting for it.

use std::io::{self, Read};
use std::path::Path;

use cap_fs_ext::OpenOptionsSyncExt;
use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions};

use super::identity::Identity;

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

/// Permission bits such as 0o644; none where the system has none.
#[cfg(unix)]
pub(crate) fn mode(metadata: &Metadata) -> Option<u32> {
    use cap_std::fs::MetadataExt;
    Some(metadata.mode() & 0o7777)
}

#[cfg(not(unix))]
pub(crate) fn mode(_: &Metadata) -> Option<u32> {
    None
}

/// What a file below `dir` is on its disk; a link is not followed.
#[cfg(unix)]
pub(super) fn identity(dir: &Dir, name: &Path) -> Option<Identity> {
    dir.symlink_metadata(name).ok().map(|metadata| Identity::of(&metadata))
}

/// Only an open file has its identity here.
#[cfg(not(unix))]
pub(super) fn identity(dir: &Dir, name: &Path) -> Option<Identity> {
    dir.open(name).and_then(|file| file.metadata()).ok().map(|metadata| Identity::of(&metadata))
}

/// Opens a regular file below `dir` without ever waiting for it.
pub(crate) fn open_regular(dir: &Dir, path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true).nonblock(true);
    let file = dir.open_with(path, &options)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((file, metadata))
}

/// The metadata of a regular file below `dir`, links followed. None when there is no such file.
pub(super) fn followed(dir: &Dir, name: &str) -> io::Result<Option<Metadata>> {
    let metadata = match dir.symlink_metadata(name) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(metadata) if Kind::of(metadata.file_type()) == Kind::Link => dir.metadata(name)?,
        found => found?,
    };
    match Kind::of(metadata.file_type()) {
        Kind::File => Ok(Some(metadata)),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
    }
}

/// Reads the first bytes of a file below `dir`, and says whether that is all of it.
pub(super) fn read_beginning(dir: &Dir, name: &str, limit: usize) -> io::Result<(Vec<u8>, bool)> {
    let (file, _) = open_regular(dir, Path::new(name))?;
    let mut bytes = Vec::new();
    file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    let whole = bytes.len() <= limit;
    bytes.truncate(limit);
    Ok((bytes, whole))
}
