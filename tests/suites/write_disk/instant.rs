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
        let (was_stopped, said) = stopped(&stage, format!("{call}:signal=STOP:when={number}"), |_| {
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

/// The second of two that write at the last instant, each as another file that takes its place.
const LATER: &[u8] = b"what somebody else wrote after that\n";

#[test]
fn of_two_that_write_at_the_last_instant_the_later_stays_and_the_earlier_is_kept() {
    let scene = SCENES[0];
    let write = |stage: &Stage, content: &[u8]| {
        let other = stage.root().join("other");
        fs::write(&other, content).unwrap();
        fs::rename(other, stage.file()).unwrap();
    };
    // Stopped after each call that closes a file: the first writes when the names are about to be exchanged.
    let each = || "close:signal=STOP:when=1+".to_owned();
    let (mut first, mut stops) = (0, 0);
    stopped(&Stage::new(scene), each(), |log| {
        stops += 1;
        if !log.contains("renameat2(") {
            first = stops;
        }
    });
    let mut kept = 0;
    for second in first + 1..=stops {
        let stage = Stage::new(scene);
        let (mut stop, mut replaced) = (0, None);
        let (_, said) = stopped(&stage, each(), |_| {
            stop += 1;
            if stop == first {
                write(&stage, THEIRS);
            } else if stop == second {
                replaced = stage.content();
                write(&stage, LATER);
            }
        });
        let when = format!("at {first} and {second} of {stops}: {said}");
        assert_eq!((stage.content().as_deref(), said.as_str()), (Some(LATER), "changed"), "{when}");
        let others: Vec<_> = stage.others().into_iter().map(|path| fs::read(path).unwrap()).collect();
        if replaced.as_deref() == Some(THEIRS) {
            assert!(others.is_empty(), "{when}: {others:?}");
        } else {
            assert_eq!(others, [THEIRS], "{when}");
            kept += 1;
        }
    }
    assert!(kept >= 2, "{kept} of {first}..{stops}");
}
