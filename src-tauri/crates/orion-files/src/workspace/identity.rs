//! The identity of a file or folder on its disk, whatever it is called.

use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

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

/// What a folder is on its disk, as text that may be kept: device, number, and when it was made, in nanoseconds since 1970.
pub(super) fn lasting(dir: &Dir) -> io::Result<String> {
    let metadata = dir.dir_metadata()?;
    let Identity { device, number } = Identity::of(&metadata);
    // A number is given again once its folder is gone.
    let made = metadata.created().ok().and_then(|made| made.into_std().duration_since(UNIX_EPOCH).ok());
    let made = made.map_or_else(|| "-".to_owned(), |made| made.as_nanos().to_string());
    Ok(format!("{device}:{number}:{made}"))
}

/// Names that are looked at to find out about letter case; nearly every one has a letter.
const NAMES: usize = 100;

/// Whether the file system of a folder takes `A` and `a` for the same name.
pub(super) fn ignores_case(dir: &Dir) -> bool {
    if cfg!(windows) {
        return true;
    }
    let swap = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    let names = dir.entries().into_iter().flatten().flatten().take(NAMES);
    let told = names.map(|entry| entry.file_name()).find_map(|name| {
        let name = name.to_str()?;
        let other: String = name.chars().map(swap).collect();
        if other == name {
            return None;
        }
        let here = dir.symlink_metadata(name).ok()?;
        Some(dir.symlink_metadata(&other).is_ok_and(|there| Identity::of(&there) == Identity::of(&here)))
    });
    told.unwrap_or(cfg!(target_os = "macos"))
}
