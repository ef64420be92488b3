//! The place of `info/exclude` of a worktree: in the main repository, which is elsewhere on the disk.
//!
//! The file `.git` of a worktree names a folder, and this folder names the repository. Whoever made the project's files can write anything there, so a
//! folder counts only if it names the worktree in return, as git's own does. Deliberately not here: what the file says (`ignores`).

use std::io::Read;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::entry::read_beginning;
use super::identity::Identity;

/// Bytes of a file that names a folder: the longest path of Linux, and what stands around it.
const NAMED: usize = 4_096 + 16;

/// The folder `info` of the repository of this worktree. None where the folder is none.
pub(super) fn info(worktree: &Dir) -> Option<Dir> {
    let (text, _) = read_beginning(worktree, ".git", NAMED).ok()?;
    let own = PathBuf::from(std::str::from_utf8(&text).ok()?.strip_prefix("gitdir:")?.trim());
    let own = own.is_absolute().then_some(own)?;
    let back = PathBuf::from(named(&own.join("gitdir"))?);
    let is_ours = Identity::at(back.parent()?)? == Identity::of_folder(worktree).ok()?;
    let common = named(&own.join("commondir"))?;
    let info = own.join(Path::new(&common)).join("info");
    is_ours.then(|| Dir::open_ambient_dir(info, ambient_authority()).ok()).flatten()
}

/// The one path that a file of git's names.
fn named(file: &Path) -> Option<String> {
    // A pipe would be waited for.
    std::fs::symlink_metadata(file).ok().filter(std::fs::Metadata::is_file)?;
    let mut text = String::new();
    std::fs::File::open(file).ok()?.take(NAMED as u64).read_to_string(&mut text).ok()?;
    Some(text.trim().to_owned())
}
