//! Replaces a file by another, as a whole or not at all (W6).
//!
//! The new content is written to a temporary file beside the target and flushed. Right before the replacement the
//! target is hashed. On Linux the two files then exchange their names, and the displaced file is hashed too, so that a
//! change in the last instant is noticed and put back. Other systems, and file systems without an exchange of names,
//! would lose such a change.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use orion_protocol::{Code, ErrorInfo};

use super::attempt::{Attempt, Beside, Verdict};
use super::digest::sha256;
use super::folder::{Folder, Look};
use super::settle::settle;
use super::swap::{Swap, exchange, place};
use super::target::{refuse_metadata, unwritable};
use super::temp::{self, TempError};
use crate::workspace::{Project, ProjectPath};

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The file has the new digest; of a removal, there is no file.
    Written,
    /// The file was not, or no longer, the base. It is as somebody else left it.
    Changed,
    /// The old file is there, whole.
    Failed(ErrorInfo),
    /// The disk failed after the names were exchanged, and failed again when it was asked which file is there.
    Unknown(ErrorInfo),
}

/// What an attempt did.
#[derive(Debug, Clone, PartialEq)]
pub struct Performed {
    pub outcome: Outcome,
    /// True when the temporary file may still be there: [`Attempt::recover`] takes it away.
    pub temp_left: bool,
    /// A file that now holds what somebody else wrote at the last instant and could not be put back.
    pub kept: Option<ProjectPath>,
}

impl Attempt {
    /// Changes the file. `bytes` are the new content; none to remove the file. Blocks until all is on the disk.
    ///
    /// Folders on the way to a new file are created, and removed again when it is not written.
    #[must_use]
    pub fn perform(&self, project: &Project, bytes: Option<&[u8]>) -> Performed {
        let failed = |error| Performed { outcome: Outcome::Failed(error), temp_left: false, kept: None };
        let single = self.temp().file_name() == Some(self.temp().as_os_str());
        let (Some(name), true) = (self.path.as_path().file_name(), single) else {
            return failed(internal(&self.path, "its name, or that of its temporary file, is not valid"));
        };
        // W8
        if bytes.map(sha256) != self.new {
            return failed(internal(&self.path, "the content is not the one that was approved"));
        }
        let above = self.path.parent().unwrap_or_default();
        let folder = match self.base {
            None => Folder::make(project, &above),
            Some(_) => Folder::open(project, &above),
        };
        let folder = match folder {
            Ok(folder) => folder,
            Err(cause) if self.base.is_some() && cause.kind() == io::ErrorKind::NotFound => {
                return Performed { outcome: Outcome::Changed, temp_left: false, kept: None };
            }
            Err(cause) => return failed(write_failed(&self.path, &cause)),
        };
        let mut replacement =
            Replacement { attempt: self, folder, name: Path::new(name), temp_left: false, kept: None };
        let outcome = replacement.outcome(bytes);
        let Replacement { folder, temp_left, kept, .. } = replacement;
        if matches!(outcome, Outcome::Changed | Outcome::Failed(_)) {
            folder.unmake();
        }
        Performed { outcome, temp_left, kept: kept.map(|name| above.join(name)) }
    }
}

/// An attempt under way, in the folder of its file.
struct Replacement<'a> {
    attempt: &'a Attempt,
    folder: Folder,
    name: &'a Path,
    temp_left: bool,
    kept: Option<OsString>,
}

impl Replacement<'_> {
    fn outcome(&mut self, bytes: Option<&[u8]>) -> Outcome {
        if self.attempt.base != self.attempt.new
            && let Some(bytes) = bytes
            && let Err(outcome) = self.write_temp(bytes)
        {
            return outcome;
        }
        match self.is_base() {
            Ok(true) if self.attempt.base == self.attempt.new => Outcome::Written,
            Ok(true) => self.swap(),
            Ok(false) => self.without_temp(Outcome::Changed),
            Err(cause) => self.without_temp(self.failed(&cause)),
        }
    }

    /// Checks whether the file is still the one that the change is for.
    fn is_base(&self) -> io::Result<bool> {
        let look = self.folder.look(self.name)?;
        Ok(match &self.attempt.base {
            None => look == Look::Nothing,
            Some(digest) => look == Look::File(*digest),
        })
    }

    /// Writes the temporary file. An error is how the attempt ended.
    fn write_temp(&mut self, bytes: &[u8]) -> Result<(), Outcome> {
        let Self { attempt, folder, name, .. } = self;
        let old = match attempt.base {
            None => None,
            Some(_) => match folder.file(name) {
                Ok(None) => return Err(Outcome::Changed),
                Ok(Some((_, metadata))) if !metadata.is_file() => return Err(Outcome::Changed),
                Ok(old) => old,
                // Windows does not open a folder as a file.
                Err(_) if matches!(folder.look(name), Ok(Look::NoFile)) => return Err(Outcome::Changed),
                Err(cause) => return Err(self.failed(&cause)),
            },
        };
        if let Some((_, metadata)) = &old {
            refuse_metadata(&attempt.path, metadata).map_err(Outcome::Failed)?;
        }
        temp::create(folder, attempt.temp(), bytes, old.as_ref()).map_err(|error| match error {
            TempError::Open(cause) => self.failed(&cause),
            TempError::Write(cause) => self.without_temp(self.failed(&cause)),
            TempError::Keep(what, cause) => {
                self.without_temp(Outcome::Failed(not_kept(&self.attempt.path, what, &cause)))
            }
        })
    }

    /// Changes the names, looks at what was displaced, and tidies up.
    fn swap(&mut self) -> Outcome {
        let Self { attempt, folder, name, .. } = self;
        let displaced = match (&attempt.base, &attempt.new) {
            (Some(_), Some(_)) => exchange(folder, attempt.temp(), name).map(|swap| swap == Swap::Exchanged),
            (Some(_), None) => place(folder, name, attempt.temp()).map(|()| true),
            (None, _) => place(folder, attempt.temp(), name).map(|()| false),
        };
        match displaced.and_then(|displaced| self.tidy(displaced)) {
            Ok(true) => Outcome::Written,
            Ok(false) => self.settle(&io::Error::other("the file changed at the last instant")),
            Err(cause) => self.settle(&cause),
        }
    }

    /// Removes what was displaced; false when it is not what was expected.
    fn tidy(&self, displaced: bool) -> io::Result<bool> {
        let Self { attempt, folder, .. } = self;
        if displaced {
            if attempt.beside(&folder.look_at_temp(attempt.temp())?) != Beside::Known {
                return Ok(false);
            }
            folder.dir().remove_file(attempt.temp())?;
        }
        folder.sync()?;
        Ok(true)
    }

    /// After an error: what is on the disk decides, not the error.
    fn settle(&mut self, cause: &io::Error) -> Outcome {
        match settle(&self.folder, self.name, self.attempt) {
            Err(_) => {
                self.temp_left = true;
                Outcome::Unknown(write_unknown(&self.attempt.path, cause))
            }
            Ok(settled) => {
                self.temp_left = settled.left.is_some();
                self.kept = settled.kept;
                match settled.verdict {
                    Verdict::Done => Outcome::Written,
                    Verdict::NotDone => self.failed(cause),
                    Verdict::Changed => Outcome::Changed,
                }
            }
        }
    }

    /// The end of an attempt that changed no name.
    fn without_temp(&mut self, outcome: Outcome) -> Outcome {
        match self.folder.dir().remove_file(self.attempt.temp()) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => self.temp_left = true,
            _ => {}
        }
        outcome
    }

    fn failed(&self, cause: &io::Error) -> Outcome {
        Outcome::Failed(write_failed(&self.attempt.path, cause))
    }
}

/// The error of a write that the disk refused.
fn write_failed(path: &ProjectPath, cause: &io::Error) -> ErrorInfo {
    use io::ErrorKind;
    let (why, action) = match cause.kind() {
        ErrorKind::StorageFull => ("the disk is full", "Make room on the disk, then try again."),
        ErrorKind::QuotaExceeded => ("your quota is used up", "Delete files, then try again."),
        ErrorKind::ReadOnlyFilesystem => ("the disk is read-only", "Write to another folder."),
        ErrorKind::PermissionDenied => ("you may not write there", "Change the permissions of the folder."),
        ErrorKind::ResourceBusy => {
            ("the system uses it, such as a file that is mounted", "Unmount it, or write another file.")
        }
        ErrorKind::FileTooLarge => ("it is too large for this disk", "Write a smaller file."),
        _ => ("the disk refused it", "Check the disk, then try again."),
    };
    ErrorInfo::new(
        Code::WriteFailed,
        format!("`{path}` was not written, since {why}. The file is as it was."),
        action,
    )
    .with_detail(cause.to_string())
}

pub(super) fn write_unknown(path: &ProjectPath, cause: &io::Error) -> ErrorInfo {
    ErrorInfo::new(
        Code::WriteUnknown,
        format!("The disk failed while `{path}` was written, so it is not known whether it was."),
        "Check the disk. Orion looks again when it starts.",
    )
    .with_detail(cause.to_string())
}

fn not_kept(path: &ProjectPath, what: &str, cause: &io::Error) -> ErrorInfo {
    unwritable(
        path,
        &format!("would lose its {what}, which you may not set"),
        "Write it as its owner, or write another file.",
    )
    .with_detail(cause.to_string())
}

fn internal(path: &ProjectPath, what: &str) -> ErrorInfo {
    ErrorInfo::new(Code::Internal, format!("`{path}` was not written: {what}."), "Report this as a bug.")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_file_that_the_system_uses_is_no_fault_of_the_disk() {
        let path = ProjectPath::from_relative(Path::new("a")).unwrap();
        let error = write_failed(&path, &io::ErrorKind::ResourceBusy.into());
        let said = "`a` was not written, since the system uses it, such as a file that is mounted. The file is as it was.";
        assert_eq!((error.code, error.message.as_str()), (Code::WriteFailed, said));
    }
}
