//! Gives a file that was put back the permissions that it had.

use std::io;

use crate::workspace::{Project, ProjectPath};

/// Gives the file at a path, which goes through no link, these permission bits. Those beyond reading, writing and running are never given.
///
/// # Errors
/// Those of the operating system, and where the path leads to something else.
#[cfg(unix)]
pub fn permit(project: &Project, path: &ProjectPath, mode: u32) -> io::Result<()> {
    use cap_std::fs::{Permissions, PermissionsExt};
    let (file, node) = project.open_file(path).map_err(|error| io::Error::other(error.message))?;
    if node.path != *path {
        return Err(io::ErrorKind::NotFound.into());
    }
    let mode = mode & 0o777;
    match node.mode() {
        Some(now) if now & 0o777 == mode => Ok(()),
        _ => file.set_permissions(Permissions::from_mode(mode)),
    }
}

/// This system has none.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn permit(_: &Project, _: &ProjectPath, _: u32) -> io::Result<()> {
    Ok(())
}
