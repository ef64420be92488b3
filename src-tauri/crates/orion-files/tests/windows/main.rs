//! What only Windows does with names and files. `cargo xtask systems` runs this under Wine.
#![cfg(windows)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should panic and say so"
)]

use std::fs;

use orion_files::workspace::{Private, Project};
use orion_files::writing::{Attempt, Outcome, Target, compose};
use orion_protocol::{Code, WriteOperation};

const TEMP: &str = ".orion-0198.tmp";

fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let project = Project::open(folder.path(), &Private::none()).unwrap();
    (folder, project)
}

/// The code with which a path is refused, or a write to it.
fn refusal(project: &Project, path: &str) -> Option<Code> {
    let target = project.path(path).and_then(|path| Target::find(project, &path, WriteOperation::Overwrite));
    target.err().map(|error| error.code)
}

#[test]
fn a_path_that_leads_to_something_else_is_refused() {
    let (_folder, project) = project(&[("a.txt", "x"), (".git/config", "x")]);
    for path in [
        "aux",
        "src/NUL.txt",
        "com1.log",
        "a.txt:x",
        "a.txt::$DATA",
        ".git./config",
        ".git /config",
        "GIT~1/config",
        "a.txt.",
        "C:/a.txt",
        "C:a.txt",
        r"\\?\C:\a.txt",
        "//?/C:/a.txt",
        r"\\server\share\a.txt",
        r"..\a.txt",
        r"src\..\..\a.txt",
        r"\a.txt",
    ] {
        assert_eq!(refusal(&project, path), Some(Code::PathOutside), "{path}");
    }
    assert_eq!(refusal(&project, "a.txt"), None);
}

#[test]
fn a_backslash_stands_between_names() {
    let (_folder, project) = project(&[("src/deep/a.txt", "x")]);
    assert_eq!(project.path(r"src\deep\a.txt").unwrap(), project.path("src/deep/a.txt").unwrap());
    assert_eq!(project.path(r".\src\a.txt").unwrap().to_string(), "src/a.txt");
    assert_eq!(refusal(&project, r"src\deep\a.txt"), None);
}

// People see it, and models write paths below it.
#[test]
fn the_root_is_a_plain_path_and_a_path_below_it_is_one_of_the_project() {
    let (folder, project) = project(&[("src/a.txt", "x")]);
    let root = project.root().to_str().unwrap();
    assert_eq!(&root[1..3], r":\", "{root}");
    assert_eq!(fs::canonicalize(root).unwrap(), fs::canonicalize(folder.path()).unwrap());
    for path in
        [format!(r"{root}\src\a.txt"), format!("{}/src/a.txt", root.to_uppercase().replace('\\', "/"))]
    {
        assert_eq!(project.path(&path).unwrap().to_string(), "src/a.txt");
        assert_eq!(refusal(&project, &path), None, "{path}");
    }
    for path in [format!(r"{root}2\a.txt"), format!(r"\\?\{root}\src\a.txt"), format!(r"{root}\..\a.txt")] {
        assert_eq!(refusal(&project, &path), Some(Code::PathOutside), "{path}");
    }
}

#[test]
fn what_is_closed_is_closed_in_any_case() {
    let (_folder, project) =
        project(&[(".orionignore", "secret.txt\nkeys/\n"), ("secret.txt", "x"), ("keys/one", "x")]);
    for path in ["secret.txt", "SECRET.TXT", "Secret.txt", "\u{17f}ecret.txt", "KEYS/one", "Keys/ONE"] {
        assert_eq!(refusal(&project, path), Some(Code::PathIgnored), "{path}");
    }
    for path in [".VSCODE/tasks.json", ".Orion/config.toml"] {
        let path = project.path(path).unwrap();
        let target = Target::find(&project, &path, WriteOperation::Create).unwrap();
        assert!(target.always_asks.is_some(), "{path}");
    }
}

#[test]
fn a_private_folder_is_closed_in_any_case_before_it_is_there() {
    let (folder, _) = project(&[("a.txt", "x")]);
    let private = Private::new([folder.path().join("Orion").join("Data")]);
    let project = Project::open(folder.path(), &private).unwrap();
    for path in ["Orion/Data/file", "orion/DATA/file", r"ORION\data\deep\file", "Orion/data"] {
        assert_eq!(refusal(&project, path), Some(Code::PathIgnored), "{path}");
    }
    assert_eq!(refusal(&project, "orion/other"), None);
}

// W6: the other name may be out of the project.
#[test]
fn a_file_with_a_hard_link_is_not_written() {
    let (folder, project) = project(&[("a.txt", "old")]);
    let beside = tempfile::tempdir_in(folder.path().parent().unwrap()).unwrap();
    fs::hard_link(folder.path().join("a.txt"), beside.path().join("elsewhere")).unwrap();
    assert_eq!(refusal(&project, "a.txt"), Some(Code::FileUnwritable));
}

// W6: Windows does not open a folder as a file.
#[test]
fn a_file_that_became_a_folder_is_one_that_changed() {
    let (folder, project) = project(&[("a.txt", "old")]);
    let path = project.path("a.txt").unwrap();
    let (target, old) = Target::load(&project, &path, WriteOperation::Overwrite).unwrap();
    let composed = compose(&target, old.as_deref(), WriteOperation::Overwrite, "new").unwrap();
    fs::remove_file(folder.path().join("a.txt")).unwrap();
    fs::create_dir(folder.path().join("a.txt")).unwrap();
    let attempt = Attempt::writing(&target, &composed, TEMP);
    assert_eq!(attempt.perform(&project, Some(&composed.bytes)).outcome, Outcome::Changed);
    assert!(folder.path().join("a.txt").is_dir());
}

// W6, W7, W8
#[test]
fn a_file_is_replaced_and_taken_back_to_the_byte() {
    let (folder, project) = project(&[("a.txt", "one\r\ntwo\r\n")]);
    let path = project.path("a.txt").unwrap();
    let (target, old) = Target::load(&project, &path, WriteOperation::Overwrite).unwrap();
    let composed = compose(&target, old.as_deref(), WriteOperation::Overwrite, "one\nthree\n").unwrap();
    let attempt = Attempt::writing(&target, &composed, TEMP);
    assert_eq!(attempt.perform(&project, Some(&composed.bytes)).outcome, Outcome::Written);
    assert_eq!(fs::read(folder.path().join("a.txt")).unwrap(), b"one\r\nthree\r\n");
    let undone = attempt.undoing(TEMP).perform(&project, old.as_deref());
    assert_eq!(undone.outcome, Outcome::Written);
    assert_eq!(fs::read(folder.path().join("a.txt")).unwrap(), b"one\r\ntwo\r\n");
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["a.txt"]);
}
