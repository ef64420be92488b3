//! Erases log lines about something that was deleted.
//!
//! Lines are overwritten with spaces in place. The files keep their length, so other processes can go on appending, and
//! after a crash the next attempt finds the lines that are left.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::{NAME, OLD_FILES};

/// Blanks every line of the log and its older files that has one of these ids in it.
///
/// # Errors
/// A file that cannot be read or written to.
pub fn erase(log_dir: &Path, ids: &HashSet<&str>) -> io::Result<()> {
    // Newest first: a file that is rotated meanwhile comes up again under its next name.
    for number in 0..=OLD_FILES {
        let name = if number == 0 { NAME.to_owned() } else { format!("{NAME}.{number}") };
        match erase_in(&log_dir.join(name), ids) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn erase_in(path: &Path, ids: &HashSet<&str>) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut start = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if names_one(line, ids) {
            let text = line.strip_suffix(b"\n").unwrap_or(line).len();
            file.seek(SeekFrom::Start(start))?;
            file.write_all(&vec![b' '; text])?;
        }
        start += line.len() as u64;
    }
    file.sync_data()
}

/// An id is a whole word of the line, whatever surrounds it.
fn names_one(line: &[u8], ids: &HashSet<&str>) -> bool {
    let words = line.split(|byte| !byte.is_ascii_hexdigit() && *byte != b'-');
    words.filter_map(|word| std::str::from_utf8(word).ok()).any(|word| ids.contains(word))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn lines_that_name_an_id_become_blank_and_the_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (gone, kept) = ("019a0000-0000-7000-8000-00000000000a", "019a0000-0000-7000-8000-00000000000b");
        let log =
            format!("INFO turn{{session_id={gone}}}: one\nWARN turn{{session_id={kept}}}: two\nthree\n");
        let old = format!("ERROR \"{gone}\" is nowhere");
        fs::write(folder.path().join("orion.log"), &log).unwrap();
        fs::write(folder.path().join("orion.log.4"), &old).unwrap();
        erase(folder.path(), &HashSet::from([gone])).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let first = log.lines().next().unwrap();
        assert_eq!(read("orion.log"), log.replace(first, &" ".repeat(first.len())));
        assert_eq!(read("orion.log.4"), " ".repeat(old.len()));
        assert!(!folder.path().join("orion.log.1").exists());
    }

    #[test]
    fn a_longer_word_with_an_id_in_it_is_another_id() {
        assert!(!names_one(b"019a-0a1", &HashSet::from(["019a-0a"])));
        assert!(names_one(b"(019a-0a)", &HashSet::from(["019a-0a"])));
    }
}
