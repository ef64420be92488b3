//! Somebody else writes the file while it is being changed, at every instant that there is.

use std::fs;
use std::path::PathBuf;

use super::scene::{SCENES, Scene, Stage};
use super::strace::stopped;

const THEIRS: &[u8] = b"what somebody else wrote\n";

/// How somebody else writes a file.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// Into the file itself, as many editors do.
    InPlace,
    /// As another file that takes its place, as others do.
    Rename,
}

/// Stops the writer after each of its calls and writes the file meanwhile. Theirs came last or was put back: it is there.
fn at_each(scene: Scene, call: &str, way: Way) -> u32 {
    for number in 1.. {
        let stage = Stage::new(scene);
        let when = format!("{}, {way:?} at {call} {number}", scene.name);
        let (was_stopped, said) = stopped(&stage, format!("{call}:signal=STOP:when={number}"), || {
            fs::create_dir_all(stage.file().parent().unwrap()).unwrap();
            match way {
                Way::InPlace => fs::write(stage.file(), THEIRS).unwrap(),
                Way::Rename => {
                    let other = stage.root().join("other");
                    fs::write(&other, THEIRS).unwrap();
                    fs::rename(other, stage.file()).unwrap();
                }
            }
        });
        if !was_stopped {
            return number - 1;
        }
        assert_eq!(stage.content().as_deref(), Some(THEIRS), "{when}: {said}");
        assert_eq!(stage.others(), Vec::<PathBuf>::new(), "{when}: {said}");
        assert!(said == "changed" || said == "written", "{when}: {said}");
    }
    0
}

fn at_all(scene: &str) {
    let scene = *SCENES.iter().find(|one| one.name == scene).unwrap();
    for way in [Way::InPlace, Way::Rename] {
        let instants: u32 =
            ["statx", "close", "fsync", "renameat2"].into_iter().map(|call| at_each(scene, call, way)).sum();
        assert!(instants > 20, "{instants}");
    }
}

#[test]
fn what_somebody_else_writes_while_a_file_is_replaced_is_never_lost() {
    at_all("replace");
}

#[test]
fn what_somebody_else_writes_while_a_file_is_created_is_never_lost() {
    at_all("create");
}

#[test]
fn what_somebody_else_writes_while_a_file_is_removed_is_never_lost() {
    at_all("remove");
}
