//! What differs where each folder is watched on its own: there may be more of them than can be watched, and those that
//! `.gitignore` hides are not. On macOS and Windows one watch sees everything.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use orion_files::watcher::WatchLimits;
use orion_protocol::WatchState;

use crate::bench::Bench;
use crate::changes::{Watching, limits};

fn polled() -> WatchLimits {
    WatchLimits { folders: 1, poll_every: Duration::from_millis(50), ..limits() }
}

#[tokio::test]
async fn reading_is_no_change_and_neither_is_the_repository_or_an_ignored_folder() {
    let bench = Bench::with([(".gitignore", "target/\n"), ("target/x", ""), (".git/index", ""), ("a", "a")]);
    let (mut watching, _) = Watching::of(&bench, limits()).await;
    fs::read(bench.at("a")).unwrap();
    bench.write("target/x", "built");
    bench.write(".git/index", "staged");
    bench.write("mark", "");
    assert_eq!(watching.see(&["mark"]).await, BTreeSet::new());
    // What is no longer ignored is watched.
    bench.write(".gitignore", "");
    watching.see(&[".gitignore"]).await;
    bench.write("target/x", "again");
    watching.see(&["target/x"]).await;
}

#[tokio::test]
async fn beyond_the_watch_limit_folders_are_looked_at_instead() {
    let bench = Bench::with([("a/one", "1"), ("b/two", "2")]);
    let (mut watching, state) = Watching::of(&bench, polled()).await;
    assert_eq!(
        state,
        WatchState::Polling(
            "This folder has more subfolders than can be watched. They are looked at every few seconds."
                .into()
        )
    );
    // What happened before the switch is not known: one change of everything.
    watching.see(&[""]).await;
    bench.write("b/two", "changed");
    watching.see(&["b/two"]).await;
    bench.write("c/new", "");
    watching.see(&["c", "c/new"]).await;
    fs::rename(bench.at("c/new"), bench.at("c/other")).unwrap();
    watching.see(&["c/new", "c/other"]).await;
    fs::remove_dir_all(bench.at("c")).unwrap();
    watching.see(&["c", "c/other"]).await;
}

#[tokio::test]
async fn looking_has_a_cap_and_says_so() {
    let bench = Bench::empty();
    for i in 0..20 {
        bench.write(format!("d{i:02}/file"), "");
    }
    let limits = WatchLimits { polled: 10, ..polled() };
    let (_watching, state) = Watching::of(&bench, limits).await;
    assert_eq!(
        state,
        WatchState::Polling(
            "This folder has more subfolders than can be watched. They are looked at every few seconds. Only the first 10 \
             files and folders are."
                .into()
        )
    );
}

#[tokio::test]
async fn reaching_the_limit_later_falls_back_too() {
    let bench = Bench::empty();
    let (mut watching, state) = Watching::of(&bench, polled()).await;
    assert_eq!(state, WatchState::Watching);
    fs::create_dir(bench.at("second")).unwrap();
    watching.until(|state| matches!(state, WatchState::Polling(_))).await;
    bench.write("second/file", "");
    watching.see(&["second/file"]).await;
}
