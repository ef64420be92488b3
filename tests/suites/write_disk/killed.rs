//! `kill -9` at each system call of a change, and of the recovery after it.

use super::scene::{SCENES, Scene, Stage};
use super::strace::run;

/// The system calls that change something on the disk, and those between them at which a death could differ.
const CALLS: [&str; 11] = [
    "write",
    "fsync",
    "fchmod",
    "renameat2",
    "renameat",
    "linkat",
    "unlinkat",
    "mkdirat",
    "openat2",
    "read",
    "close",
];

/// Those after which the disk is another one, in a change and in its recovery.
const CHANGES: [&str; 4] = ["fsync", "renameat2", "renameat", "unlinkat"];

/// Kills at the first, second, third … call until one run is not killed; true of each run is what `after` asserts.
fn at_each(scene: Scene, call: &str, mut after: impl FnMut(&Stage, &str)) -> u32 {
    for number in 1.. {
        let stage = Stage::new(scene);
        let ended = run(&stage, "perform", &[format!("{call}:signal=KILL:when={number}")]);
        if !ended.killed {
            return number - 1;
        }
        after(&stage, &format!("killed at {call} {number}"));
    }
    0
}

fn deaths(name: &str) -> Vec<(&'static str, u32)> {
    let scene = *SCENES.iter().find(|scene| scene.name == name).unwrap();
    CALLS
        .into_iter()
        // Where it fails anyway, it cannot be killed too.
        .filter(|call| !(scene.simple && *call == "renameat2"))
        .map(|call| (call, at_each(scene, call, |stage, when| stage.recover(when))))
        .collect()
}

/// So many deaths there were at the calls that change something: the test is about all of them.
fn changing(deaths: &[(&'static str, u32)]) -> Vec<(&'static str, u32)> {
    deaths
        .iter()
        .copied()
        .filter(|(call, times)| *times > 0 && !["openat2", "read", "close"].contains(call))
        .collect()
}

#[test]
fn a_file_whose_writer_is_killed_at_any_call_is_whole_and_nothing_else_stays() {
    let all = deaths("replace");
    // The last write says how it ended.
    assert_eq!(
        changing(&all),
        [("write", 2), ("fsync", 3), ("fchmod", 1), ("renameat2", 1), ("unlinkat", 1)]
    );
}

#[test]
fn a_file_that_is_appended_to_is_whole_too_though_a_part_of_the_new_may_be_the_old() {
    let all = deaths("append");
    assert_eq!(
        changing(&all),
        [("write", 2), ("fsync", 3), ("fchmod", 1), ("renameat2", 1), ("unlinkat", 1)]
    );
}

#[test]
fn a_new_file_whose_writer_is_killed_at_any_call_is_there_whole_or_not_at_all() {
    let all = deaths("create");
    assert_eq!(changing(&all), [("write", 2), ("fsync", 4), ("renameat2", 1), ("mkdirat", 2)]);
}

#[test]
fn a_file_whose_removal_is_killed_at_any_call_is_there_whole_or_not_at_all() {
    let all = deaths("remove");
    assert_eq!(changing(&all), [("write", 1), ("fsync", 1), ("renameat2", 1), ("unlinkat", 1)]);
}

#[test]
fn a_file_system_without_exchange_tears_no_file_either() {
    let all = deaths("replace simply");
    assert_eq!(changing(&all), [("write", 2), ("fsync", 3), ("fchmod", 1), ("renameat", 1)]);
    let all = deaths("create simply");
    assert_eq!(changing(&all), [("write", 2), ("fsync", 3), ("linkat", 1), ("unlinkat", 1), ("mkdirat", 1)]);
}

#[test]
fn a_recovery_that_is_killed_at_any_call_is_made_good_by_the_next() {
    let mut deaths = 0;
    for &scene in SCENES.iter().take(orion_thorough::cases(2, SCENES.len())) {
        for call in CHANGES {
            if scene.simple && call == "renameat2" {
                continue;
            }
            let runs = at_each(scene, call, |_, _| {});
            for (number, of_recovery) in (1..=runs).flat_map(|n| CHANGES.map(|call| (n, call))) {
                for again in 1.. {
                    let stage = Stage::new(scene);
                    run(&stage, "perform", &[format!("{call}:signal=KILL:when={number}")]);
                    let when = format!("killed at {call} {number}, then at {of_recovery} {again}");
                    let ended = run(&stage, "recover", &[format!("{of_recovery}:signal=KILL:when={again}")]);
                    stage.recover(&when);
                    if !ended.killed {
                        break;
                    }
                    deaths += 1;
                }
            }
        }
    }
    assert!(deaths > 10, "{deaths}");
}
