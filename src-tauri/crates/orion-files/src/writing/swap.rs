//! Exchanges two names in one step.

use std::io;
use std::path::Path;

use super::folder::Folder;

/// How two names were changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Swap {
    /// The two changed places: what was there is still there, under the other name.
    Exchanged,
    /// What was there is gone, since the file system can do no better.
    Replaced,
}

/// Puts `temp` in the place of `name`, which exists.
pub(super) fn exchange(folder: &Folder, temp: &Path, name: &Path) -> io::Result<Swap> {
    match flagged(folder, temp, name, Flag::Exchange) {
        Err(cause) if lacks(&cause) => folder.dir().rename(temp, folder.dir(), name).map(|()| Swap::Replaced),
        result => result.map(|()| Swap::Exchanged),
    }
}

/// Gives a file another name in its folder; an error when there is anything with that name.
pub(super) fn place(folder: &Folder, from: &Path, to: &Path) -> io::Result<()> {
    let dir = folder.dir();
    match flagged(folder, from, to, Flag::NoReplace) {
        Err(cause) if lacks(&cause) => {}
        result => return result,
    }
    match dir.hard_link(from, dir, to) {
        Ok(()) => return dir.remove_file(from),
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => return Err(cause),
        // A file system without links.
        Err(_) => {}
    }
    match dir.symlink_metadata(to) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => dir.rename(from, dir, to),
        Err(cause) => Err(cause),
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
    }
}

enum Flag {
    Exchange,
    NoReplace,
}

/// Linux and macOS have it, the second on APFS.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn flagged(folder: &Folder, from: &Path, to: &Path, flag: Flag) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    let flags = match flag {
        Flag::Exchange => RenameFlags::EXCHANGE,
        Flag::NoReplace => RenameFlags::NOREPLACE,
    };
    Ok(renameat_with(folder.dir(), from, folder.dir(), to, flags)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn flagged(_: &Folder, _: &Path, _: &Path, _: Flag) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The kernel or the file system does not know the flag.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn lacks(cause: &io::Error) -> bool {
    use rustix::io::Errno;
    let known = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP];
    Errno::from_io_error(cause).is_some_and(|errno| known.contains(&errno))
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn lacks(cause: &io::Error) -> bool {
    cause.kind() == io::ErrorKind::Unsupported
}
