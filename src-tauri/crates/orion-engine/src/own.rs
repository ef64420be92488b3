//! The person's own instructions for models: those for all projects in the folder of settings, and those for one project in the folder of data.
//!
//! They are never in a project's folder, where anyone can put a file. Their size is limited, since every model call of a turn carries them.
//! Deliberately not here: the project's own instructions (`instructions`), and how both are said to a model (`orion_core::prompt`).

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use orion_protocol::{Code, ErrorInfo, OWN_INSTRUCTIONS_BYTES, ProjectId};

use crate::paths::{self, Paths};

/// The files that a project has. None of them need be there.
#[derive(Debug, Clone)]
pub(crate) struct OwnFiles {
    everywhere: PathBuf,
    here: Option<PathBuf>,
}

/// What is in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Own {
    pub(crate) everywhere: String,
    pub(crate) here: String,
}

impl Own {
    /// Both as one text: those for the project last, since what is said later counts more.
    pub(crate) fn text(&self) -> String {
        let parts = [self.everywhere.trim(), self.here.trim()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
    }
}

impl OwnFiles {
    pub(crate) fn of(paths: &Paths, project_id: Option<ProjectId>) -> Self {
        let of_project = |id: ProjectId| paths.data_dir.join("instructions").join(format!("{id}.md"));
        Self { everywhere: paths.config_dir.join("instructions.md"), here: project_id.map(of_project) }
    }

    /// Blocks on the disk. What cannot be read says nothing.
    pub(crate) fn read(&self) -> Own {
        let here = self.here.as_deref().map(beginning).unwrap_or_default();
        Own { everywhere: beginning(&self.everywhere), here }
    }

    /// Keeps a text in the file of the project, or else in that for all projects. Blocks on the disk.
    ///
    /// # Errors
    /// `usage` for a text that is too long, `storage` where the disk refuses.
    pub(crate) fn save(&self, text: &str) -> Result<(), ErrorInfo> {
        let file = self.here.as_ref().unwrap_or(&self.everywhere);
        if text.len() > OWN_INSTRUCTIONS_BYTES {
            let message =
                format!("The instructions have {} bytes; {OWN_INSTRUCTIONS_BYTES} is the most.", text.len());
            return Err(ErrorInfo::new(Code::Usage, message, "Shorten them, and save again."));
        }
        let kept = match text.trim().is_empty() {
            true => removed(file),
            false => paths::replace_private_file(file, text.as_bytes()),
        };
        kept.map_err(|error| unkept(file, &error))
    }

    /// Removes what is kept for the project. Blocks on the disk.
    ///
    /// # Errors
    /// `storage` where the disk refuses.
    pub(crate) fn forget(&self) -> Result<(), ErrorInfo> {
        let Some(file) = &self.here else { return Ok(()) };
        removed(file).map_err(|error| unkept(file, &error))
    }
}

fn removed(file: &Path) -> io::Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn unkept(file: &Path, error: &io::Error) -> ErrorInfo {
    let message = format!("The instructions could not be kept in {}.", file.display());
    let action = "Check that the folder can be written to and the disk has room.";
    ErrorInfo::new(Code::Storage, message, action).with_detail(error.to_string())
}

/// As much of a file as may be sent, with a note where it is cut. A person may have written it with another program.
fn beginning(file: &Path) -> String {
    let read = || -> io::Result<Vec<u8>> {
        if !std::fs::metadata(file)?.is_file() {
            return Ok(Vec::new());
        }
        let mut bytes = Vec::new();
        File::open(file)?.take(OWN_INSTRUCTIONS_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().unwrap_or_default();
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if text.len() > OWN_INSTRUCTIONS_BYTES {
        text.truncate(text.floor_char_boundary(OWN_INSTRUCTIONS_BYTES));
        text.push_str("\n[cut here: the file is longer than may be sent]");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path, project: bool) -> OwnFiles {
        let paths =
            Paths { config_dir: folder.join("config"), data_dir: folder.join("data"), others: Vec::new() };
        OwnFiles::of(&paths, project.then(|| ProjectId(uuid::Uuid::nil())))
    }

    #[test]
    fn what_is_kept_for_a_project_follows_what_is_kept_for_all_and_each_can_be_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let (all, one) = (files(folder.path(), false), files(folder.path(), true));
        assert_eq!(one.read(), Own::default());
        all.save("Answer in Welsh.\n").unwrap();
        one.save("Use tabs.").unwrap();
        assert_eq!(one.read().text(), "Answer in Welsh.\n\nUse tabs.");
        assert_eq!(all.read().text(), "Answer in Welsh.");
        all.save("  \n").unwrap();
        assert_eq!(one.read().text(), "Use tabs.");
        one.forget().unwrap();
        one.forget().unwrap();
        assert_eq!(one.read(), Own::default());
    }

    #[test]
    fn a_text_that_is_too_long_is_not_kept_and_a_file_that_is_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let all = files(folder.path(), false);
        let long = "é".repeat(OWN_INSTRUCTIONS_BYTES / 2 + 1);
        assert_eq!(all.save(&long).unwrap_err().code, Code::Usage);
        assert_eq!(all.read(), Own::default());
        all.save("x").unwrap();
        std::fs::write(folder.path().join("config/instructions.md"), &long).unwrap();
        let text = all.read().everywhere;
        assert!(text.ends_with("may be sent]") && text.len() < OWN_INSTRUCTIONS_BYTES + 60, "{}", text.len());
    }
}
