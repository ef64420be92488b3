//! Opens what a path names without following a link, in whatever place of the path it is.
//!
//! A path that was judged has no links. Whoever puts one in the place of a folder meanwhile gets an error and no bytes of another file. Deliberately not
//! here: judging (`project`), and the names by which tools may reach something through links.

use std::io;
use std::path::Path;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

/// Opens a folder below `dir`. The path is relative, with plain names alone.
pub(super) fn folder(dir: &Dir, path: &Path) -> io::Result<Dir> {
    #[cfg(target_os = "linux")]
    if let Some(opened) = at_once(dir, path) {
        return opened;
    }
    path.iter().try_fold(dir.try_clone()?, |dir, name| dir.open_dir_nofollow(name))
}

/// Opens a regular file below `dir`, without waiting for a pipe.
pub(super) fn file(dir: &Dir, path: &Path) -> io::Result<(File, Metadata)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => file_in(&folder(dir, parent)?, Path::new(name)),
        None => file_in(dir, Path::new(name)),
    }
}

/// Opens a regular file of a folder.
pub(super) fn file_in(dir: &Dir, name: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true).nonblock(true).follow(FollowSymlinks::No);
    let file = dir.open_with(name, &options)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((file, metadata))
}

/// Opens a folder in one call of the system, which a walk makes for each folder. None where the system has no such call.
#[cfg(target_os = "linux")]
fn at_once(dir: &Dir, path: &Path) -> Option<io::Result<Dir>> {
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(dir, path, flags, Mode::empty(), resolve) {
        Ok(opened) => Some(Ok(Dir::from_std_file(opened.into()))),
        // Kernels before 5.6, filters of system calls, and a rename during the call.
        Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => None,
        Err(cause) => Some(Err(cause.into())),
    }
}
