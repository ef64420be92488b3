//! Finds out from the disk alone how far an attempt came, and cleans up after it. A file that Orion did not write is
//! never removed.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use super::attempt::{Attempt, Beside, There, Verdict};
use super::folder::Folder;
use super::swap::{exchange, place};

/// What was found and done.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) verdict: Verdict,
    /// Why the temporary file is still there.
    pub(super) left: Option<io::Error>,
    /// The name of a file beside the target that holds what somebody else wrote at the last instant, where it could not be
    /// put back since the target had changed again.
    pub(super) kept: Option<OsString>,
}

/// Decides by what is there.
pub(super) fn settle(folder: &Folder, name: &Path, attempt: &Attempt) -> io::Result<Settled> {
    let temp = attempt.temp();
    let mut there = attempt.there(&folder.look(name)?);
    let beside = attempt.beside(&folder.look_at_temp(temp)?);
    let (mut left, mut kept) = (None, None);
    match (there, beside) {
        (_, Beside::Nothing) => {}
        (_, Beside::Known) => left = folder.dir().remove_file(temp).err(),
        (There::New | There::Nothing, Beside::Theirs) => {
            match there {
                There::Nothing => place(folder, temp, name)?,
                _ => exchange(folder, temp, name).map(drop)?,
            }
            match attempt.beside(&folder.look_at_temp(temp)?) {
                Beside::Nothing => {}
                Beside::Known => left = folder.dir().remove_file(temp).err(),
                Beside::Theirs => {
                    // The file was written once more meanwhile. That version goes back to its place, and the one that
                    // it replaced is kept.
                    exchange(folder, temp, name)?;
                    kept = Some(keep(folder, name, attempt)?);
                }
            }
            there = attempt.there(&folder.look(name)?);
        }
        (There::Base | There::Other, Beside::Theirs) => kept = Some(keep(folder, name, attempt)?),
    }
    // If this fails, the next start finds out what is on the disk.
    let _ = folder.sync();
    Ok(Settled { verdict: attempt.verdict(there), left, kept })
}

/// Gives somebody else's file a visible name: `notes.txt` and `.orion-1.tmp` make `notes.txt.orion-1.kept`.
fn keep(folder: &Folder, name: &Path, attempt: &Attempt) -> io::Result<OsString> {
    let mut visible = name.as_os_str().to_os_string();
    visible.push(attempt.temp.strip_suffix(".tmp").unwrap_or(&attempt.temp));
    visible.push(".kept");
    place(folder, attempt.temp(), Path::new(&visible))?;
    Ok(visible)
}
