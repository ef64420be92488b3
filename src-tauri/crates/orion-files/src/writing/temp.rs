//! The temporary file for new content. It has everything that the old file has beside its content.

use std::io::{self, Write};
use std::path::Path;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{File, Metadata, OpenOptions};

use super::folder::{Folder, UNFINISHED};

/// Writes a file that does not exist yet, and flushes it to the disk. `old` is the file that it will replace: its
/// mode, owner and attributes are kept. Until everything is on the disk, the new file has the mode [`UNFINISHED`]. A
/// file that replaces none gets the mode that the user's mask leaves.
pub(super) fn create(
    folder: &Folder,
    name: &Path,
    bytes: &[u8],
    old: Option<&(File, Metadata)>,
) -> Result<(), TempError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).follow(FollowSymlinks::No);
    set_mode(&mut options, if old.is_some() { UNFINISHED } else { 0o666 });
    let mut file = folder.dir().open_with(name, &options).map_err(TempError::Open)?;
    file.write_all(bytes).map_err(TempError::Write)?;
    file.sync_all().map_err(TempError::Write)?;
    if let Some((old, metadata)) = old {
        keep(old, metadata, &file)?;
        file.sync_all().map_err(TempError::Write)?;
    }
    Ok(())
}

/// Why the temporary file could not be made, or not as a whole.
#[derive(Debug)]
pub(super) enum TempError {
    /// Nothing was made.
    Open(io::Error),
    Write(io::Error),
    /// Owner, group or attributes of the old file cannot be given to the new one.
    Keep(&'static str, io::Error),
}

#[cfg(unix)]
fn set_mode(options: &mut OpenOptions, mode: u32) {
    use cap_std::fs::OpenOptionsExt;
    options.mode(mode);
}

#[cfg(not(unix))]
fn set_mode(_: &mut OpenOptions, _: u32) {}

/// Gives `new` everything that `old` has beside its content, the mode last.
#[cfg(unix)]
fn keep(old: &File, metadata: &Metadata, new: &File) -> Result<(), TempError> {
    use cap_std::fs::{MetadataExt, Permissions, PermissionsExt};
    let made = new.metadata().map_err(TempError::Write)?;
    if (made.uid(), made.gid()) != (metadata.uid(), metadata.gid()) {
        std::os::unix::fs::fchown(new, Some(metadata.uid()), Some(metadata.gid()))
            .map_err(|cause| TempError::Keep("owner and group", cause))?;
    }
    attributes(old, new).map_err(|cause| TempError::Keep("access list and attributes", cause))?;
    new.set_permissions(Permissions::from_mode(metadata.mode() & 0o7777)).map_err(TempError::Write)
}

#[cfg(not(unix))]
fn keep(_: &File, metadata: &Metadata, new: &File) -> Result<(), TempError> {
    new.set_permissions(metadata.permissions()).map_err(|cause| TempError::Keep("attributes", cause))
}

/// Access lists, and attributes that users and programs set. All others belong to the system.
#[cfg(target_os = "linux")]
fn attributes(old: &File, new: &File) -> io::Result<()> {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
    use rustix::io::Errno;
    /// The most that Linux lets a list or a value have, in bytes (`XATTR_LIST_MAX`, `XATTR_SIZE_MAX`).
    const MOST: usize = 64 * 1024;
    let mut list = vec![0; MOST];
    let length = match flistxattr(old, &mut list[..]) {
        Ok(length) => length,
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(()),
        Err(cause) => return Err(cause.into()),
    };
    let mut value = vec![0; MOST];
    let names = list[..length].split(|&byte| byte == 0);
    for name in names.filter(|name| name.starts_with(b"user.") || *name == b"system.posix_acl_access") {
        let length = match fgetxattr(old, name, &mut value[..]) {
            Ok(length) => length,
            // It is gone meanwhile.
            Err(Errno::NODATA) => continue,
            Err(cause) => return Err(cause.into()),
        };
        fsetxattr(new, name, &value[..length], XattrFlags::empty())?;
    }
    Ok(())
}

#[cfg(all(unix, not(target_os = "linux")))]
fn attributes(_: &File, _: &File) -> io::Result<()> {
    Ok(())
}
