//! The files in the data folder: their names, and who may read them.
//!
//! Only Orion's user may. Deliberately not here: what is in the files, and the lock that is held while they are made (`open`).

use std::fs::{File, OpenOptions};
use std::path::Path;

use crate::error::StoreError;

/// The database's name in the data folder.
pub const FILE_NAME: &str = "orion.db";

/// A folder that Orion makes is its user's alone; one that was there keeps its mode, since it may be more than Orion's.
pub(crate) fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| StoreError::folder(folder, &e))
}

/// Makes the database's file when it is missing. It may be a link to a file on another disk.
///
/// Only before this process has a connection: closing any descriptor of a file gives up all locks that the process has
/// on it (fcntl(2)), also those of SQLite, and another process would then take itself for the last one.
pub(crate) fn make_database(path: &Path) -> Result<(), StoreError> {
    refuse_no_file(path, std::fs::metadata(path))?;
    make(path).map(drop)
}

/// Opens a file of Orion's own for writing, made when missing. A link would have another file changed.
pub(crate) fn make_private(path: &Path) -> Result<File, StoreError> {
    refuse_no_file(path, path.symlink_metadata())?;
    make(path)
}

/// Opening a pipe could wait for ever, and opening a device could do anything.
fn refuse_no_file(path: &Path, found: std::io::Result<std::fs::Metadata>) -> Result<(), StoreError> {
    match found {
        Ok(metadata) if !metadata.is_file() => Err(StoreError::NoFile { path: path.to_owned() }),
        _ => Ok(()),
    }
}

/// Opens a file for writing, made when missing, that its user alone can read. SQLite gives its WAL the same mode.
fn make(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(|e| StoreError::folder(path, &e))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let metadata = file.metadata().map_err(|e| StoreError::folder(path, &e))?;
        if metadata.permissions().mode() & 0o077 != 0 {
            let private = std::fs::Permissions::from_mode(0o600);
            file.set_permissions(private).map_err(|e| StoreError::folder(path, &e))?;
        }
    }
    Ok(file)
}
