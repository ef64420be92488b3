//! Disks that are full or read-only.

use std::fs;
use std::path::{Path, PathBuf};

use orion_files::workspace::{Private, Project};
use orion_files::writing::{Attempt, Outcome, sha256};
use orion_protocol::Code;
use support::Disk;

use super::scene::TEMP;

/// Everything that is on it.
fn files(disk: &Disk) -> Vec<PathBuf> {
    fs::read_dir(disk.path()).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn perform(root: &Path, path: &str, base: Option<&[u8]>, new: &[u8]) -> Outcome {
    let project = Project::open(root, &Private::none()).unwrap();
    let attempt = Attempt {
        path: project.path(path).unwrap(),
        temp: TEMP.to_owned(),
        base: base.map(sha256),
        new: Some(sha256(new)),
    };
    let performed = attempt.perform(&project, Some(new));
    assert!(!performed.temp_left);
    performed.outcome
}

fn refusal(outcome: Outcome) -> (Code, String) {
    let Outcome::Failed(error) = outcome else { panic!("{outcome:?}") };
    (error.code, error.message)
}

#[test]
fn on_a_full_disk_the_old_file_stays_and_nothing_else() {
    let disk = Disk::of_one_mib();
    let old = vec![b'o'; 600 * 1024];
    fs::write(disk.path().join("a.txt"), &old).unwrap();
    let full = |name: &str| {
        let message = format!("`{name}` was not written, since the disk is full. The file is as it was.");
        (Code::WriteFailed, message)
    };
    assert_eq!(refusal(perform(disk.path(), "a.txt", Some(&old), &[b'n'; 700 * 1024])), full("a.txt"));
    assert_eq!(refusal(perform(disk.path(), "new/b.txt", None, &[b'n'; 700 * 1024])), full("new/b.txt"));
    assert_eq!(files(&disk), [disk.path().join("a.txt")]);
    assert_eq!(fs::read(disk.path().join("a.txt")).unwrap(), old);
    // There is room for this, beside the old one.
    assert_eq!(perform(disk.path(), "a.txt", Some(&old), b"new"), Outcome::Written);
    assert_eq!(fs::read(disk.path().join("a.txt")).unwrap(), b"new");
}

#[test]
fn on_a_read_only_disk_nothing_is_written() {
    let disk = Disk::of_one_mib();
    fs::write(disk.path().join("a.txt"), b"old").unwrap();
    disk.mount(&["-o", "remount,ro"]);
    for (name, base) in [("a.txt", Some(&b"old"[..])), ("b.txt", None), ("new/c.txt", None)] {
        let message =
            format!("`{name}` was not written, since the disk is read-only. The file is as it was.");
        assert_eq!(refusal(perform(disk.path(), name, base, b"new")), (Code::WriteFailed, message));
    }
    assert_eq!(files(&disk), [disk.path().join("a.txt")]);
    assert_eq!(fs::read(disk.path().join("a.txt")).unwrap(), b"old");
}
