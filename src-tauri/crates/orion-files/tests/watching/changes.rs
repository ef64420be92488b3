//! The watcher on real files (D3).

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use orion_core::tool::Seen;
use orion_files::watcher::{Watch, WatchLimits};
use orion_protocol::WatchState;
use tokio::sync::mpsc::Receiver;

use crate::bench::Bench;

/// Far more than any change takes to be seen.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Watching {
    watch: Watch,
    changes: Receiver<Vec<Seen>>,
}

impl Watching {
    /// Waits until the watch is on.
    pub(crate) async fn of(bench: &Bench, limits: WatchLimits) -> (Self, WatchState) {
        let (watch, changes) = Watch::start(&bench.project, limits);
        let mut watching = Self { watch, changes };
        let state = watching.until(|state| *state != WatchState::Starting).await;
        (watching, state)
    }

    pub(crate) async fn until(&mut self, wanted: impl FnMut(&WatchState) -> bool) -> WatchState {
        let mut states = self.watch.state();
        tokio::time::timeout(PATIENCE, states.wait_for(wanted))
            .await
            .expect("the state comes")
            .unwrap()
            .clone()
    }

    /// Gathers changes until all of these were seen; the rest is returned.
    pub(crate) async fn see(&mut self, wanted: &[&str]) -> BTreeSet<String> {
        let mut missing: BTreeSet<String> = wanted.iter().map(|path| (*path).to_owned()).collect();
        let mut others = BTreeSet::new();
        while !missing.is_empty() {
            let batch = tokio::time::timeout(PATIENCE, self.changes.recv()).await;
            let batch = batch.unwrap_or_else(|_| panic!("not seen: {missing:?}")).expect("the watch is on");
            for change in batch {
                let (Seen::Path(path) | Seen::Tree(path)) = change;
                if !missing.remove(&path) {
                    others.insert(path);
                }
            }
        }
        others
    }
}

pub(crate) fn limits() -> WatchLimits {
    WatchLimits::default()
}

#[tokio::test]
async fn creating_modifying_renaming_and_deleting_are_seen() {
    let bench = Bench::with([("src/a.rs", "a"), ("src/deep/b.rs", "b")]);
    let (mut watching, state) = Watching::of(&bench, limits()).await;
    assert_eq!(state, WatchState::Watching);
    bench.write("src/new.rs", "new");
    watching.see(&["src/new.rs"]).await;
    bench.write("src/deep/b.rs", "changed");
    watching.see(&["src/deep/b.rs"]).await;
    fs::rename(bench.at("src/a.rs"), bench.at("src/c.rs")).unwrap();
    watching.see(&["src/a.rs", "src/c.rs"]).await;
    fs::remove_file(bench.at("src/c.rs")).unwrap();
    watching.see(&["src/c.rs"]).await;
}

#[cfg(unix)]
#[tokio::test]
async fn what_changed_between_the_start_and_the_first_walk_is_told() {
    // D3. A time to come stands for a change that the walk comes too late for.
    for changed in ["src/deep/b.rs", "src/deep", ""] {
        let bench = Bench::with([("src/a.rs", "a"), ("src/deep/b.rs", "b")]);
        let later = std::time::SystemTime::now() + Duration::from_secs(3_600);
        fs::File::open(bench.at(changed)).unwrap().set_modified(later).unwrap();
        let (mut watching, state) = Watching::of(&bench, limits()).await;
        assert_eq!(state, WatchState::Watching);
        assert_eq!(watching.changes.try_recv(), Ok(vec![Seen::Tree(String::new())]), "{changed:?}");
    }
    let bench = Bench::with([("src/a.rs", "a")]);
    let (mut watching, _) = Watching::of(&bench, limits()).await;
    assert_eq!(watching.changes.try_recv(), Err(tokio::sync::mpsc::error::TryRecvError::Empty));
}

#[tokio::test]
async fn folders_that_appear_are_watched_from_then_on() {
    let bench = Bench::empty();
    let (mut watching, _) = Watching::of(&bench, limits()).await;
    fs::create_dir_all(bench.at("x/y/z")).unwrap();
    watching.see(&["x"]).await;
    bench.write("x/y/z/file", "1");
    watching.see(&["x/y/z/file"]).await;
    fs::rename(bench.at("x/y"), bench.at("moved")).unwrap();
    watching.see(&["x/y", "moved"]).await;
    bench.write("moved/z/file", "22");
    watching.see(&["moved/z/file"]).await;
    fs::remove_dir_all(bench.at("moved")).unwrap();
    watching.see(&["moved"]).await;
    bench.write("moved/again", "3");
    watching.see(&["moved"]).await;
    bench.write("moved/again", "44");
    watching.see(&["moved/again"]).await;
}

// Windows renames no folder that is open.
#[cfg(unix)]
#[tokio::test]
async fn a_project_that_is_deleted_or_moved_turns_the_watch_off() {
    for end in [
        |bench: &Bench| fs::remove_dir_all(bench.at("")),
        |bench: &Bench| fs::rename(bench.at(""), bench.at("").with_extension("moved")),
    ] {
        let bench = Bench::with([("a", "")]);
        let (mut watching, _) = Watching::of(&bench, limits()).await;
        end(&bench).unwrap();
        let state = watching.until(|state| matches!(state, WatchState::Off(_))).await;
        assert_eq!(state, WatchState::Off("The folder was deleted or moved.".into()));
        while watching.changes.recv().await.is_some() {}
        let _ = fs::remove_dir_all(bench.at("").with_extension("moved"));
    }
}

#[tokio::test]
async fn many_changes_at_once_are_told_as_one_of_everything() {
    let bench = Bench::empty();
    for i in 0..100 {
        bench.write(format!("folder/f{i}"), "");
    }
    // Two already count as many, since a slow disk spreads the changes over several batches.
    let (mut watching, _) = Watching::of(&bench, WatchLimits { told: 1, ..limits() }).await;
    fs::remove_dir_all(bench.at("folder")).unwrap();
    let mut told = BTreeSet::new();
    while !told.contains("") {
        let batch = tokio::time::timeout(PATIENCE, watching.changes.recv()).await;
        let batch = batch.unwrap_or_else(|_| panic!("only {told:?}")).unwrap();
        told.extend(batch.into_iter().map(|(Seen::Path(path) | Seen::Tree(path))| path));
    }
}

// Windows removes and renames no folder that is open, and to look at a file is to open its folder.
#[tokio::test]
async fn folders_can_be_renamed_and_removed_while_their_changes_come_in() {
    let bench = Bench::empty();
    let (_watching, _) = Watching::of(&bench, limits()).await;
    for round in 0..50 {
        let (from, to) = (bench.at(format!("from{round}")), bench.at(format!("to{round}")));
        for file in 0..20 {
            bench.write(format!("from{round}/deep/f{file}"), "");
        }
        fs::rename(from, &to).unwrap();
        fs::remove_dir_all(&to).unwrap();
    }
}

#[tokio::test]
async fn dropping_the_watch_ends_its_thread() {
    let bench = Bench::empty();
    let (watching, _) = Watching::of(&bench, limits()).await;
    let Watching { watch, mut changes } = watching;
    drop(watch);
    let end = tokio::time::timeout(PATIENCE, changes.recv()).await;
    assert_eq!(end, Ok(None));
}
