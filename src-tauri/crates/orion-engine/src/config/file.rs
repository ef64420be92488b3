//! Reading the text of a settings file. The place may be hostile, so only a regular file is read, up to a limit, and
//! never waited for.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use orion_files::workspace::Project;
use orion_protocol::{Code, ErrorInfo};

use super::PROJECT_FILE;

/// The largest settings file that is read: 256 KiB, some 5,000 lines, far more than anyone writes by hand.
const MAX_BYTES: u64 = 262_144;

pub(super) enum Found {
    Nothing,
    Text(String),
    Unreadable(ErrorInfo),
}

/// The user's file. It may be a symlink, as dotfile repositories have it.
pub(super) fn read_user(file: &Path) -> Found {
    found(file, std::fs::metadata(file).and_then(|metadata| text_of(metadata.is_file(), || File::open(file))))
}

/// The project's file, through its directory handle: a symlink that leads outside the folder is refused, and a pipe or
/// device in its place is not waited for.
pub(super) fn read_project(project: &Project, shown: &Path) -> Found {
    let opened = project.open_own(Path::new(PROJECT_FILE));
    found(
        shown,
        opened.and_then(|file| {
            let is_file = file.metadata()?.is_file();
            text_of(is_file, || Ok(file))
        }),
    )
}

fn text_of(is_file: bool, open: impl FnOnce() -> io::Result<File>) -> io::Result<String> {
    if !is_file {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    let mut bytes = Vec::new();
    open()?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {MAX_BYTES} bytes"),
        ));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

fn found(shown: &Path, read: io::Result<String>) -> Found {
    match read {
        Ok(text) => Found::Text(text),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Found::Nothing
        }
        Err(error) => Found::Unreadable(ErrorInfo::new(
            Code::ConfigInvalid,
            format!("The settings file {} cannot be read and is ignored: {error}.", shown.display()),
            "Put a readable text file there, or remove it.",
        )),
    }
}
