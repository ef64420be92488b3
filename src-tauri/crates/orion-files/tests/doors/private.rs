//! Private folders, which are not part of a project that contains them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::process::Command;
use std::time::Duration;

use orion_files::workspace::{Budget, Private, Project, ProjectPath, View, Walk};
use orion_files::writing::{Attempt, Outcome, Target, sha256};
use orion_protocol::{Code, WriteOperation};
use tokio_util::sync::CancellationToken;

use crate::bench::Bench;

/// A home with a folder of settings and, not yet, one of data.
fn home() -> (Bench, Project) {
    let bench = Bench::with([(".config/orion/config.toml", "key"), (".config/other", ""), ("notes", "")]);
    let private = Private::new([bench.at(".config/orion"), bench.at(".local/share/orion")]);
    let project = Project::open(&bench.at(""), &private).unwrap();
    (bench, project)
}

fn read(project: &Project, path: &str) -> Result<(), Code> {
    project.open_file(&project.path(path).unwrap()).map(drop).map_err(|error| error.code)
}

fn written(project: &Project, path: &str) -> Result<(), Code> {
    let path = project.path(path).unwrap();
    Target::find(project, &path, WriteOperation::Append).map(drop).map_err(|error| error.code)
}

fn listed(project: &Project) -> Vec<String> {
    let view = View { recursive: true, include_ignored: true };
    let budget = Budget::new(1_000, Duration::from_secs(60), CancellationToken::new());
    Walk::new(project, &ProjectPath::root(), view, budget).map(|entry| entry.path.to_string()).collect()
}

#[test]
fn by_no_path_is_a_private_folder_read_or_written() {
    let (bench, project) = home();
    symlink(".config/orion", bench.at("link")).unwrap();
    symlink(bench.at(".config/orion/config.toml"), bench.at("away")).unwrap();
    symlink("../.config/orion", bench.at(".config/again")).unwrap();
    for path in [".config/orion/config.toml", "link/config.toml", ".config/again/config.toml"] {
        assert_eq!(read(&project, path), Err(Code::PathIgnored), "{path}");
        assert_eq!(written(&project, path), Err(Code::PathIgnored), "{path}");
    }
    assert_eq!(read(&project, "away"), Err(Code::PathOutside));
    for path in [".config/orion/new", "link/new", ".config/orion/new/folder/file"] {
        assert_eq!(written(&project, path), Err(Code::PathIgnored), "{path}");
    }
    assert_eq!(read(&project, ".config/other"), Ok(()));
    assert_eq!(written(&project, "notes"), Ok(()));
    assert_eq!(listed(&project), [".config", ".config/again", ".config/other", "away", "link", "notes"]);
}

#[test]
fn a_private_folder_that_is_not_there_yet_cannot_be_made() {
    let (bench, project) = home();
    for path in [".local/share/orion/config.toml", ".local/\u{17f}hare/Orion/x"] {
        assert_eq!(written(&project, path), Err(Code::PathIgnored), "{path}");
    }
    assert_eq!(written(&project, ".local/share/orion-other/x"), Ok(()));
    // One that came since, or that another one took the place of.
    fs::create_dir_all(bench.at(".local/share/orion")).unwrap();
    fs::rename(bench.at(".config/orion"), bench.at("old")).unwrap();
    bench.write(".config/orion/config.toml", "another");
    bench.write(".local/share/orion/orion.db", "");
    for path in [".local/share/orion/orion.db", ".config/orion/config.toml", "old/config.toml"] {
        assert_eq!(read(&project, path), Err(Code::PathIgnored), "{path}");
    }
}

#[test]
fn a_write_that_was_allowed_before_its_folder_became_private_is_not_done() {
    // Between the look at the target and the write: the attempt goes there step by step.
    let (bench, project) = home();
    let path = project.path(".config/orion/config.toml").unwrap();
    for (base, bytes) in [(Some(sha256(b"key")), &b"mine"[..]), (None, b"mine")] {
        let attempt =
            Attempt { path: path.clone(), temp: ".orion-1.tmp".into(), base, new: Some(sha256(bytes)) };
        let performed = attempt.perform(&project, Some(bytes));
        assert!(matches!(performed.outcome, Outcome::Failed(_)), "{performed:?}");
    }
    assert_eq!(fs::read_to_string(bench.at(".config/orion/config.toml")).unwrap(), "key");
}

#[test]
fn another_name_of_a_private_file_opens_nothing() {
    let (bench, project) = home();
    fs::hard_link(bench.at(".config/orion/config.toml"), bench.at("copy")).unwrap();
    bench.write(".config/orion/webview/a/b/c/d/key", "key");
    fs::hard_link(bench.at(".config/orion/webview/a/b/c/d/key"), bench.at("deep copy")).unwrap();
    fs::hard_link(bench.at("notes"), bench.at("notes again")).unwrap();
    assert_eq!(read(&project, "copy"), Err(Code::PathIgnored));
    assert_eq!(read(&project.anew(), "deep copy"), Err(Code::PathIgnored));
    assert_eq!(read(&project, "notes again"), Ok(()));
}

/// Where a folder or file of the bench is mounted once more, until the test ends.
#[cfg(target_os = "linux")]
struct Mount(PathBuf);

#[cfg(target_os = "linux")]
impl Mount {
    fn of(bench: &Bench, from: &str, at: &str) -> Self {
        let (from, at) = (bench.at(from), bench.at(at));
        let output = Command::new("mount").arg("--bind").args([&from, &at]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "this test mounts folders and so must run as root: {said}");
        Self(at)
    }
}

#[cfg(target_os = "linux")]
impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_mount_of_a_part_of_a_private_folder_is_private() {
    let (bench, project) = home();
    bench.write(".config/orion/logs/today/log", "key");
    bench.write("file", "");
    for folder in ["logs", "today"] {
        fs::create_dir(bench.at(folder)).unwrap();
    }
    let _mounts = [
        Mount::of(&bench, ".config/orion/logs", "logs"),
        Mount::of(&bench, ".config/orion/logs/today", "today"),
        Mount::of(&bench, ".config/orion/config.toml", "file"),
    ];
    let project = project.anew();
    for path in ["logs/today/log", "today/log", "file"] {
        assert_eq!(read(&project, path), Err(Code::PathIgnored), "{path}");
        assert_eq!(written(&project, path), Err(Code::PathIgnored), "{path}");
    }
    for path in ["logs/new", "today/new/folder/file"] {
        assert_eq!(written(&project, path), Err(Code::PathIgnored), "{path}");
        let path = project.path(path).unwrap();
        let attempt = Attempt { path, temp: ".orion-1.tmp".into(), base: None, new: Some(sha256(b"mine")) };
        assert!(matches!(attempt.perform(&project, Some(b"mine")).outcome, Outcome::Failed(_)));
    }
    assert_eq!(listed(&project), [".config", ".config/other", "file", "notes"]);
    let found = project.open_found(&project.path("file").unwrap()).map(drop);
    assert_eq!(found.map_err(|cause| cause.kind()), Err(std::io::ErrorKind::PermissionDenied));
    let private = Private::new([bench.at(".config/orion")]);
    for root in ["logs", "today"] {
        let opened = Project::open(&bench.at(root), &private).map(drop).map_err(|error| error.code);
        assert_eq!(opened, Err(Code::ProjectUnreadable), "{root}");
    }
}

#[test]
fn settings_that_are_kept_elsewhere_are_private_there_too() {
    let (bench, project) = home();
    bench.write("dotfiles/orion.toml", "key");
    bench.write("dotfiles/shell", "");
    fs::remove_file(bench.at(".config/orion/config.toml")).unwrap();
    symlink("../../dotfiles/orion.toml", bench.at(".config/orion/config.toml")).unwrap();
    symlink("../../dotfiles", bench.at(".config/orion/dotfiles")).unwrap();
    let project = project.anew();
    assert_eq!(read(&project, "dotfiles/orion.toml"), Err(Code::PathIgnored));
    assert_eq!(written(&project, "dotfiles/orion.toml"), Err(Code::PathIgnored));
    assert_eq!(read(&project, "dotfiles/shell"), Ok(()));
    assert_eq!(written(&project, "dotfiles/shell"), Ok(()));
}

#[test]
fn a_private_file_that_came_since_is_noticed_by_the_next_call() {
    let (bench, project) = home();
    assert_eq!(read(&project, "notes"), Ok(()));
    bench.write(".config/orion/new", "key");
    fs::hard_link(bench.at(".config/orion/new"), bench.at("copy")).unwrap();
    assert_eq!(read(&project.anew(), "copy"), Err(Code::PathIgnored));
}

#[test]
fn a_folder_that_is_private_or_in_one_is_no_project() {
    let (bench, _) = home();
    let private = Private::new([bench.at(".config/orion")]);
    bench.write(".config/orion/logs/a", "");
    let opened = |path: &Path| Project::open(path, &private).map(drop).map_err(|error| error.code);
    symlink(bench.at(".config/orion/logs"), bench.at("logs")).unwrap();
    for path in [".config/orion", ".config/orion/logs", "logs"] {
        assert_eq!(opened(&bench.at(path)), Err(Code::ProjectUnreadable), "{path}");
    }
    assert_eq!(opened(&bench.at(".config")), Ok(()));
}
