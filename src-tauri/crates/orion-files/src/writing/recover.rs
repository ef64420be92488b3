//! Recovers an attempt after a crash: the files on disk tell how far it came.

use std::io;
use std::path::Path;

use orion_protocol::ErrorInfo;

use super::attempt::{Attempt, Verdict};
use super::folder::Folder;
use super::replace::write_unknown;
use super::settle::settle;
use crate::workspace::{Project, ProjectPath};

/// How far an attempt came before the crash. No temporary file is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovered {
    /// The file has the new digest; of a removal, there is no file.
    Written,
    /// The file is still the base. A new file is not there yet.
    NotWritten,
    /// The file is neither: somebody else changed it, before or after.
    Changed {
        /// A file that now holds what somebody else wrote at the last instant and could not be put back.
        kept: Option<ProjectPath>,
    },
}

impl Attempt {
    /// Finds out how far this attempt came, and removes its temporary file. This is also correct for an attempt that
    /// never began, and may be repeated.
    ///
    /// # Errors
    /// `write_unknown` when the disk does not tell, or does not let it: then it is to be asked again at the next start.
    pub fn recover(&self, project: &Project) -> Result<Recovered, ErrorInfo> {
        self.look_into(project).map_err(|cause| write_unknown(&self.path, &cause))
    }

    fn look_into(&self, project: &Project) -> io::Result<Recovered> {
        let above = self.path.parent().unwrap_or_default();
        let name = self.path.as_path().file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = match Folder::open(project, &above) {
            Ok(folder) => folder,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                return Ok(match (&self.base, &self.new) {
                    (None, _) => Recovered::NotWritten,
                    (Some(_), None) => Recovered::Written,
                    (Some(_), Some(_)) => Recovered::Changed { kept: None },
                });
            }
            Err(cause) => return Err(cause),
        };
        let settled = settle(&folder, Path::new(name), self)?;
        if let Some(cause) = settled.left {
            return Err(cause);
        }
        let kept = settled.kept.map(|name| above.join(name));
        Ok(match settled.verdict {
            _ if kept.is_some() => Recovered::Changed { kept },
            Verdict::Done => Recovered::Written,
            Verdict::NotDone => Recovered::NotWritten,
            Verdict::Changed => Recovered::Changed { kept },
        })
    }
}
