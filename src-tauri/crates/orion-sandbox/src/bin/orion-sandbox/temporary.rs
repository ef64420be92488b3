//! The folder for temporary files of a command that has no box: made for it alone, and gone with it (C2).
//!
//! Deliberately not here: that the command may write there (`files_only`).

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

/// The mode of a folder that its owner alone can use.
const OWN: u32 = 0o700;

/// Makes it. Nothing may be there before.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().mode(OWN).create(folder)
}

/// Removes it with all that is in it, also where the command closed a folder to everybody. What it made somebody else's stays.
pub(crate) fn remove(folder: &Path) {
    if fs::remove_dir_all(folder).is_err() {
        open_up(folder);
        let _ = fs::remove_dir_all(folder);
    }
}

/// Opens each folder to its owner. Nothing runs there any more that could put a link in its place.
fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(OWN));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    entries.filter(is_folder).for_each(|entry| open_up(&entry.path()));
}
