//! An export as a file on the disk: whole or not there, for its owner alone.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use orion_protocol::{Code, ErrorInfo};
use tempfile::NamedTempFile;

use super::MOST;

/// Writes a file, whole: under another name first. Nobody else can read it (0600).
///
/// # Errors
/// `file_exists` where there is one and it may not be replaced, `write_failed`.
pub(crate) fn save(path: &Path, content: &[u8], replaces: bool) -> Result<(), ErrorInfo> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let failed = |error: &std::io::Error| {
        let message = format!("{} cannot be written.", path.display());
        ErrorInfo::new(Code::WriteFailed, message, "Choose another place, or free some space.")
            .with_detail(error.to_string())
    };
    if path.is_dir() {
        let message = format!("{} is a folder.", path.display());
        return Err(ErrorInfo::new(Code::WriteFailed, message, "Name a file in it."));
    }
    let mut file = NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
    file.write_all(content).and_then(|()| file.as_file().sync_all()).map_err(|error| failed(&error))?;
    let moved = if replaces { file.persist(path) } else { file.persist_noclobber(path) };
    match moved {
        Ok(_) => {}
        Err(error) if !replaces && error.error.kind() == ErrorKind::AlreadyExists => {
            let message = format!("{} is there already.", path.display());
            return Err(ErrorInfo::new(
                Code::FileExists,
                message,
                "Name another file, or replace it with --force.",
            ));
        }
        Err(error) => return Err(failed(&error.error)),
    }
    // The name is on the disk as well. Not every system can flush a folder.
    if let Ok(folder) = File::open(folder) {
        _ = folder.sync_all();
    }
    Ok(())
}

/// Reads a file that is to be imported.
///
/// # Errors
/// `file_unreadable`, `export_too_large`.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ErrorInfo> {
    let unreadable = |detail: String| {
        let message = format!("{} cannot be read.", path.display());
        ErrorInfo::new(Code::FileUnreadable, message, "Check its name, and that you may read it.")
            .with_detail(detail)
    };
    // A pipe would be waited for.
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(unreadable("it is not a file".to_owned())),
        Err(error) => return Err(unreadable(error.to_string())),
    }
    let mut content = Vec::new();
    let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
    file.take(MOST + 1).read_to_end(&mut content).map_err(|error| unreadable(error.to_string()))?;
    if content.len() as u64 > MOST {
        let message = format!("An exported session has {} MiB at most.", MOST >> 20);
        return Err(ErrorInfo::new(
            Code::ExportTooLarge,
            message,
            "Choose a file that orion export has made.",
        ));
    }
    Ok(content)
}
