//! Errors of the disk at each system call of a change.

use std::path::PathBuf;

use super::scene::{SCENES, Scene, Stage};
use super::strace::{Ended, run};

const CALLS: [&str; 9] =
    ["write", "fsync", "fchmod", "renameat2", "unlinkat", "mkdirat", "openat2", "read", "statx"];
/// Of these only that the disk fails.
const LOOKS: [&str; 2] = ["read", "statx"];
const ERRORS: [&str; 4] = ["EIO", "ENOSPC", "EACCES", "EROFS"];

/// How often an attempt ended in which way.
#[derive(Debug, Default, PartialEq, Eq)]
struct Ends {
    failed: u32,
    written: u32,
    unknown: u32,
}

fn check(stage: &Stage, ended: &Ended, when: &str, ends: &mut Ends) {
    let name = stage.scene.name;
    let left = ended.said.contains("left its temporary file");
    let new = stage.is_new(when);
    match ended.said.split([' ', ':']).next().unwrap_or_default() {
        "failed" => {
            ends.failed += 1;
            assert!(!new, "{name}, {when}: {}", ended.said);
            assert!(
                left || !stage.has_folders() || stage.scene.base.is_some(),
                "{name}, {when}: folders stay"
            );
        }
        "written" => {
            ends.written += 1;
            assert!(new, "{name}, {when}: {}", ended.said);
        }
        "unknown" => ends.unknown += 1,
        // The process had not begun, or could not say how it ended.
        "" => {}
        _ => panic!("{name}, {when}: {}\n{}", ended.said, ended.log),
    }
    if !left && !ended.said.is_empty() {
        assert_eq!(stage.others(), Vec::<PathBuf>::new(), "{name}, {when}: {}", ended.said);
    }
    stage.recover(when);
}

fn errors(scene: Scene) -> Ends {
    let mut ends = Ends::default();
    for call in CALLS {
        for error in ERRORS {
            // The other errors take the same ways, so they are for those who have the time.
            if error != "EIO" && (LOOKS.contains(&call) || !orion_thorough::is_whole()) {
                continue;
            }
            // Once, and from then on.
            for repeat in ["", "+"] {
                if repeat == "+" && error != "EIO" {
                    continue;
                }
                for number in 1.. {
                    let stage = Stage::new(scene);
                    let when = format!("{error} at {call} {number}{repeat}");
                    let ended =
                        run(&stage, "perform", &[format!("{call}:error={error}:when={number}{repeat}")]);
                    check(&stage, &ended, &when, &mut ends);
                    if !ended.injected {
                        break;
                    }
                }
            }
        }
    }
    ends
}

fn ends(name: &str) -> Ends {
    errors(*SCENES.iter().find(|scene| scene.name == name).unwrap())
}

#[test]
fn an_error_at_any_call_of_a_replacement_leaves_the_old_file_or_the_new() {
    let ends = ends("replace");
    // Unknown is only what cannot be read after the names were exchanged.
    assert!(ends.failed > 15 && ends.written > 10 && ends.unknown > 0, "{ends:?}");
}

#[test]
fn an_error_at_any_call_of_a_creation_leaves_no_file_or_the_new() {
    let ends = ends("create");
    assert!(ends.failed > 15 && ends.written > 5, "{ends:?}");
}

#[test]
fn an_error_at_any_call_of_a_removal_leaves_the_file_or_none() {
    let ends = ends("remove");
    assert!(ends.failed > 5 && ends.written > 5 && ends.unknown > 0, "{ends:?}");
}
