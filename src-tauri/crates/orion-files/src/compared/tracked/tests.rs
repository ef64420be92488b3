//! Tests of what is known of tracked files by git's index. The repositories are made by git itself.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::super::{Before, ENTRIES};
use super::*;
use crate::workspace::{Budget, Private};

/// Bytes of the tracked file: more than is copied.
const SIZE: usize = (1 << 20) + 1;

fn budget() -> Budget {
    Budget::new(ENTRIES, Duration::from_secs(60), CancellationToken::new())
}

fn git(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let ran = Command::new("git")
        .args(["-c", "user.name=x", "-c", "user.email=x"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CEILING_DIRECTORIES", folder)
        .output()
        .expect("git is installed");
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    ran.stdout
}

fn large(letter: u8) -> Vec<u8> {
    (0..SIZE).map(|at| letter.wrapping_add(u8::try_from(at * 7 % 251).unwrap())).collect()
}

/// A repository with a large file, of which the index is written once more.
fn repository(again: &[&[&str]]) -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("deep/er")).unwrap();
    for (name, letter) in [("a.bin", 1), ("deep/er/b.bin", 2), ("deep/er/bb.bin", 3)] {
        fs::write(folder.path().join(name), large(letter)).unwrap();
    }
    git(folder.path(), &["init", "-q"]);
    git(folder.path(), &["add", "."]);
    for arguments in again {
        git(folder.path(), arguments);
    }
    let project = Project::open(folder.path(), &Private::none()).unwrap();
    (folder, project)
}

/// The paths of which git has the content from before, after a command that does this.
fn known(again: &[&[&str]], before: impl FnOnce(&Path), command: impl FnOnce(&Path)) -> Vec<String> {
    let (folder, project) = repository(again);
    before(folder.path());
    let was = Before::of(&project, &budget());
    command(folder.path());
    was.found(&project, &budget())
        .tracked(&project, &budget())
        .into_iter()
        .map(|it| it.path.to_string())
        .collect()
}

fn change_all(folder: &Path) {
    fs::write(folder.join("a.bin"), "other").unwrap();
    fs::remove_file(folder.join("deep/er/b.bin")).unwrap();
    fs::write(folder.join("deep/er/bb.bin"), large(9)).unwrap();
}

const ALL: [&str; 3] = ["a.bin", "deep/er/b.bin", "deep/er/bb.bin"];

// C6
#[test]
fn the_index_names_the_content_of_each_clean_file_in_all_its_forms() {
    assert_eq!(known(&[], |_| {}, change_all), ALL);
    assert_eq!(known(&[&["commit", "-qm", "x"]], |_| {}, change_all), ALL);
    assert_eq!(known(&[&["update-index", "--index-version", "4"]], |_| {}, change_all), ALL);
    // Entries with more flags are those of version 3.
    assert_eq!(known(&[&["update-index", "--skip-worktree", "a.bin"]], |_| {}, change_all), ALL);
    assert_eq!(known(&[], |_| {}, |_| {}), [""; 0], "nothing changed");
}

#[test]
fn what_is_not_as_the_index_has_it_is_not_known() {
    let dirty = |folder: &Path| fs::write(folder.join("a.bin"), large(5)).unwrap();
    assert_eq!(known(&[], dirty, change_all), ALL[1..]);
    let touched = |folder: &Path| {
        let file = fs::File::options().write(true).open(folder.join("a.bin")).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    };
    assert_eq!(known(&[], touched, change_all), ALL[1..]);
    let untracked = |folder: &Path| drop(git(folder, &["rm", "-q", "--cached", "a.bin"]));
    assert_eq!(known(&[], untracked, change_all), ALL[1..]);
    let stages_again = |folder: &Path| {
        change_all(folder);
        git(folder, &["add", "a.bin"]);
    };
    assert_eq!(known(&[], |_| {}, stages_again), [""; 0], "the index is another one");
    let spoilt = |folder: &Path| {
        let index = folder.join(".git/index");
        let mut bytes = fs::read(&index).unwrap();
        bytes.truncate(100);
        fs::write(index, bytes).unwrap();
    };
    assert_eq!(known(&[], spoilt, change_all), [""; 0]);
}

#[test]
fn what_is_as_late_as_the_index_is_not_known_whatever_time_a_program_gave_it() {
    let at = |path: &Path, seconds| {
        let time = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    };
    let (early, late) = (1_000_000_000, 4_000_000_000);
    let index_is = |file: u64, index: u64| {
        move |folder: &Path| {
            at(&folder.join("a.bin"), file);
            git(folder, &["update-index", "--add", "a.bin"]);
            at(&folder.join(".git/index"), index);
        }
    };
    assert_eq!(
        known(&[], index_is(early, early + 1), change_all),
        [""; 0],
        "changed after the index was written"
    );
    assert_eq!(
        known(&[], index_is(early, late), change_all),
        ALL,
        "written since, and not as late as it says"
    );
    assert_eq!(known(&[], index_is(late, late + 1), change_all), ALL[1..], "as late as the index at least");
}

#[test]
fn a_file_that_git_may_convert_is_not_known() {
    for (name, text, expected) in [
        (".gitattributes", "*.bin filter=rot13\n", &ALL[..0]),
        (".gitattributes", "*.bin working-tree-encoding=GB18030\n", &ALL[..0]),
        ("deep/.gitattributes", "*.bin filter=rot13\n", &ALL[..1]),
        (".git/info/attributes", "*.bin filter=rot13\n", &ALL[..0]),
        (".gitattributes", "*.bin -text diff=hex\n", &ALL[..]),
        (".git/config", "[core]\n\tattributesFile = /tmp/x\n", &ALL[..0]),
        (".git/config", "[includeIf \"gitdir:~/\"]\n\tpath = x\n", &ALL[..0]),
        (".git/config.worktree", "[CORE]\n\tAttributesFile = x\n", &ALL[..0]),
        (".git/config", "[core]\n\tfilemode = true\n", &ALL[..]),
    ] {
        let with = |folder: &Path| {
            fs::create_dir_all(folder.join(".git/info")).unwrap();
            fs::write(folder.join(name), text).unwrap();
        };
        assert_eq!(known(&[], with, change_all), expected, "{name} {text}");
    }
    let had = |folder: &Path| fs::write(folder.join(".gitattributes"), "*.bin filter=rot13\n").unwrap();
    let hides = |folder: &Path| {
        change_all(folder);
        fs::remove_file(folder.join(".gitattributes")).unwrap();
    };
    assert_eq!(known(&[], had, hides), [""; 0], "the attributes are others by now");
}

#[test]
fn a_file_is_not_known_where_the_index_has_other_attributes_than_the_disk() {
    let stored = |folder: &Path| {
        for name in [".gitattributes", "deep/er/.gitattributes"] {
            fs::write(folder.join(name), "*.bin -text\n").unwrap();
        }
        git(folder, &["add", "."]);
    };
    assert_eq!(known(&[], stored, change_all), ALL);
    let one_is_gone = |folder: &Path| {
        stored(folder);
        fs::remove_file(folder.join("deep/er/.gitattributes")).unwrap();
    };
    assert_eq!(known(&[], one_is_gone, change_all), ALL[..1]);
    let one_is_another = |folder: &Path| {
        stored(folder);
        fs::write(folder.join(".gitattributes"), "*.bin -diff\n").unwrap();
    };
    assert_eq!(known(&[], one_is_another, change_all), [""; 0]);
    let one_was_a_link = |folder: &Path| {
        std::os::unix::fs::symlink("a.bin", folder.join("deep/er/.gitattributes")).unwrap();
        git(folder, &["add", "."]);
        fs::remove_file(folder.join("deep/er/.gitattributes")).unwrap();
    };
    assert_eq!(known(&[], one_was_a_link, change_all), ALL[..1]);
}

#[test]
fn a_content_is_taken_if_it_is_the_one_that_the_index_names() {
    let (folder, project) = repository(&[]);
    let was = Before::of(&project, &budget());
    change_all(folder.path());
    let mut found = was.found(&project, &budget());
    let tracked = found.tracked(&project, &budget());
    assert_eq!(tracked.len(), 3);
    for file in &tracked {
        let object: String = file.object.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut body = git(folder.path(), &["cat-file", "blob", &object]);
        if file.path.to_string() == "deep/er/bb.bin" {
            body[7] ^= 1;
        }
        found.supply(file, body);
    }
    let compared = found.compared(&project, &budget());
    let told: Vec<_> =
        compared.files.iter().map(|it| (it.path.to_string(), it.before.clone(), it.kept)).collect();
    let too_large = Some("it is or was larger than 1 MiB");
    let expected = [
        (ALL[0].to_owned(), Some(large(1)), None),
        (ALL[1].to_owned(), Some(large(2)), None),
        (ALL[2].to_owned(), None, too_large),
    ];
    assert!(
        told == expected,
        "{:?}",
        compared.files.iter().map(|it| (&it.path, it.kept)).collect::<Vec<_>>()
    );
}

/// An index of version 4 with these names: so many bytes of the last one fall away, and these follow. Each has a stage.
fn index_of(names: &[(u8, &[u8], u16)]) -> Vec<u8> {
    let mut index = b"DIRC".to_vec();
    index.extend(4_u32.to_be_bytes());
    index.extend(u32::try_from(names.len()).unwrap().to_be_bytes());
    for (less, more, stage) in names {
        let numbers: [u32; 10] = [1, 2, 3, 4, 5, 6, 0o100_644, 0, 0, 9];
        numbers.iter().for_each(|number| index.extend(number.to_be_bytes()));
        index.extend([7; 20]);
        index.extend((stage << 12).to_be_bytes());
        index.push(*less);
        index.extend_from_slice(more);
        index.push(0);
    }
    index
}

/// The wanted names that are found in such an index, and whether each is known.
fn read_of(names: &[(u8, &[u8], u16)], budget: &Budget) -> Option<Vec<(String, bool)>> {
    let found = entries(&index_of(names), |name| name.starts_with(b"w"), budget)?;
    let mut found: Vec<_> =
        found.into_iter().map(|(name, entry)| (String::from_utf8(name).unwrap(), entry.is_some())).collect();
    found.sort();
    Some(found)
}

#[test]
fn an_index_that_git_would_not_write_is_not_read() {
    let read = |names: &[(u8, &[u8], u16)]| read_of(names, &budget());
    let known = |name: &str, is_known| (name.to_owned(), is_known);
    assert_eq!(
        read(&[(0, b"a", 0), (1, b"wa", 0), (1, b"b", 0)]),
        Some(vec![known("wa", true), known("wb", true)])
    );
    assert_eq!(read(&[(0, b"w", 1), (0, b"", 2), (0, b"", 3)]), Some(vec![known("w", false)]), "a merge");
    assert_eq!(read(&[(0, b"w", 0), (0, b"", 1)]), Some(vec![known("w", false)]));
    assert_eq!(read(&[(0, b"w", 0), (0, b"", 0)]), None, "the same twice");
    assert_eq!(read(&[(0, b"wb", 0), (1, b"a", 0)]), None, "not in order");
    assert_eq!(read(&[(0, b"w", 0), (2, b"x", 0)]), None, "less than nothing of the last name");
    let (fits, long) = ([b'w'; NAME], [b'w'; NAME + 1]);
    assert_eq!(read(&[(0, &fits, 0)]).map(|found| found.len()), Some(1));
    assert_eq!(read(&[(0, &long, 0)]), None);
    assert_eq!(read(&[(0, &fits, 0), (0, b"x", 0)]), None, "long with what it has of the last one");
}

#[test]
fn an_index_is_read_within_its_time() {
    let stopped = CancellationToken::new();
    stopped.cancel();
    let spent = Budget::new(ENTRIES, Duration::from_secs(60), stopped);
    assert_eq!(read_of(&[(0, b"w", 0)], &spent), None);
}
