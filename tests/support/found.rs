//! What is on the disk, whoever put it there.

use std::fs;
use std::path::Path;

/// How often a text is in the files of a folder and those below it.
pub fn found(folder: &Path, text: &str) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let count = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        bytes.windows(text.len()).filter(|part| *part == text.as_bytes()).count()
    };
    entries.map(|path| if path.is_dir() { found(&path, text) } else { count(&path) }).sum()
}
