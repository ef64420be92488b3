//! Looking at the box before the command starts: each mount is what was planned, and where.
//!
//! `bwrap` goes by paths, and a command in another box of this project may put links or other folders into them at the same time. So all that is in the
//! project is looked at from one handle of the project's folder, the only place in the box from which it can be written.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::Path;

use orion_sandbox::wire::{Expected, Seen};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, StatVfsMountFlags, fstat, fstatvfs, open, openat2};
use rustix::io::Result;

/// The first path that is not as it was planned. The project comes first in the list; a command outside of a box expects nothing.
pub(crate) fn check(all: &[Expected]) -> std::result::Result<(), OsString> {
    let Some((first, others)) = all.split_first() else { return Ok(()) };
    let wrong = |expected: &Expected| expected.path.clone();
    let project = open(first.path.as_os_str(), FLAGS, Mode::empty()).map_err(|_| wrong(first))?;
    if !is_as_expected(first, &project).unwrap_or(false) {
        return Err(wrong(first));
    }
    let is_right = |expected: &&Expected| {
        let seen = look(&project, &first.path, &expected.path);
        seen.and_then(|seen| is_as_expected(expected, &seen)).unwrap_or(false)
    };
    others.iter().find(|expected| !is_right(expected)).map_or(Ok(()), |expected| Err(wrong(expected)))
}

/// Only a place: nothing is read, and a last name that is a link is looked at itself.
const FLAGS: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A path of the project, from its handle and without any link; another one, such as the repository of a work tree, from the root.
fn look(project: &OwnedFd, at: &OsStr, path: &OsStr) -> Result<OwnedFd> {
    match Path::new(path).strip_prefix(at) {
        Ok(below) => openat2(
            project,
            below,
            FLAGS,
            Mode::empty(),
            ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS),
        ),
        Err(_) => openat2(CWD, path, FLAGS, Mode::empty(), ResolveFlags::NO_SYMLINKS),
    }
}

fn is_as_expected(expected: &Expected, seen: &OwnedFd) -> Result<bool> {
    let is_it = {
        let seen = fstat(seen)?;
        (seen.st_dev, seen.st_ino) == (expected.device, expected.inode)
    };
    let is_read_only = fstatvfs(seen)?.f_flag.contains(StatVfsMountFlags::RDONLY);
    Ok(match expected.seen {
        Seen::Writable => is_it,
        Seen::ReadOnly => is_it && is_read_only,
        Seen::Covered => !is_it && is_read_only,
    })
}
