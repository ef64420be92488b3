//! The identity of a file or folder on its disk, whatever it is called.

use std::io;
use std::path::Path;

use cap_fs_ext::MetadataExt;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};

/// What a file or folder is on its disk, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    device: u64,
    number: u64,
}

impl Identity {
    /// The metadata must come from an open handle: on Windows nothing else has an identity.
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), number: metadata.ino() }
    }

    pub(super) fn of_folder(dir: &Dir) -> io::Result<Self> {
        dir.dir_metadata().map(|metadata| Self::of(&metadata))
    }

    /// The identity of the folder at this path, links followed. None when there is no folder.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let dir = Dir::open_ambient_dir(path, ambient_authority()).ok()?;
        Self::of_folder(&dir).ok()
    }
}
