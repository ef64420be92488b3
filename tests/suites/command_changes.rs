//! Any history of a session with commands: what they do to files, what Orion writes, what other programs do in between, and what is undone. After each
//! step every file is what a model of the rules says, to the byte, or it is named (C6, W7, A10).
//!
//! The commands are changes of files between two looks at the project, as `run_command` takes them; real ones run in `cli/command_changes`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use orion_engine::Engine;
use orion_files::compared::{Before, Changed, ENTRIES};
use orion_files::workspace::{Budget, Private, Project};
use orion_protocol::{
    Answer, CallId, ChangesOf, FileChange, Op, Outcome, Query, RequestId, TurnIds, Undone, WriteOperation,
};
use orion_providers::Providers;
use orion_store::{
    Begin, NewCommandFile, NewTurn, Past, Record, Store, StoreError, StoredWrite, TurnJournal, WriteStage,
};
use proptest::prelude::*;
use support::Folder;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::driver_desk::{Desk, options, tuning};
use crate::rewind::{everything, files_back, preview, undo};

/// Names, some of them hostile: one that a terminal would turn round, one with a quote, one like a flag.
const FILES: [&str; 5] = ["a.txt", "deep/er/new.txt", "-rf \u{202e}gpj.sh", "quo\"te", "b.txt"];

const MOVED_AWAY: &str = "it was moved here, and its content is not kept elsewhere";

#[derive(Debug, Clone)]
enum Act {
    Write(usize, u8),
    Delete(usize),
    Move(usize, usize),
}

#[derive(Debug, Clone)]
enum Step {
    /// A turn with one command.
    Command(Vec<Act>),
    /// A turn with one write of Orion.
    Write(usize, u8),
    /// Another program.
    Foreign(Act),
    /// Another program puts a link in the place of a file.
    Link(usize),
    /// A turn is undone, counted from the last one: all of it, or one file.
    Undo(usize, Option<usize>),
    /// Going back to a turn, counted from the last one, and undoing that.
    Rewind(usize),
}

fn act() -> impl Strategy<Value = Act> {
    let file = 0..FILES.len();
    prop_oneof![
        4 => (file.clone(), 0_u8..3).prop_map(|(file, text)| Act::Write(file, text)),
        2 => file.clone().prop_map(Act::Delete),
        1 => (file.clone(), file).prop_map(|(from, to)| Act::Move(from, to)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let file = 0..FILES.len();
    prop_oneof![
        6 => prop::collection::vec(act(), 1..4).prop_map(Step::Command),
        2 => (file.clone(), 0_u8..3).prop_map(|(file, text)| Step::Write(file, text)),
        2 => act().prop_map(Step::Foreign),
        1 => file.clone().prop_map(Step::Link),
        3 => (0_usize..4, prop::option::of(file)).prop_map(|(turn, file)| Step::Undo(turn, file)),
        2 => (0_usize..4).prop_map(Step::Rewind),
    ]
}

type Bytes = Option<Vec<u8>>;

/// A change of a file, as the model of the rules has it.
#[derive(Debug, Clone)]
struct Done {
    turn: RequestId,
    path: String,
    before: Bytes,
    after: Bytes,
    /// A link was there before or after, so it cannot be undone.
    known: bool,
    undone: bool,
}

struct Nothing;

impl Begin for Nothing {
    type Out = ();

    fn begin(&self, _: Past) -> Result<(Vec<Record>, ()), StoreError> {
        Ok((Vec::new(), ()))
    }
}

/// The turns here have no journal to replay: their database goes before the data folder does, which would look for it.
struct Unreplayed(PathBuf);

impl Drop for Unreplayed {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

struct Told {
    unreplayed: Unreplayed,
    desk: Desk,
    /// The same database, as another process has it.
    store: Store,
    project: Project,
    turns: Vec<RequestId>,
    done: Vec<Done>,
}

fn is_link(body: &[u8]) -> bool {
    body.starts_with(b"-> ")
}

fn budget() -> Budget {
    Budget::new(ENTRIES, Duration::from_secs(60), CancellationToken::new())
}

/// As a command's changes are kept.
fn kept(Changed { path, change, before, after, mode, kept, .. }: Changed) -> NewCommandFile {
    let (before, after) = if kept.is_some() { (None, None) } else { (before, after) };
    NewCommandFile { path: path.to_string(), change, before, after, mode, why: kept.map(str::to_owned) }
}

impl Told {
    async fn new() -> Self {
        let folder = Folder::with([("a.txt", "alpha\n"), ("b.txt", "beta\n")]);
        let project = Project::open(&folder.path(), &Private::none()).unwrap();
        let desk = Desk::at("http://127.0.0.1:9/v1", folder).await;
        let data = desk.data.path().join("data");
        let store = Store::open(&data).await.unwrap();
        Self {
            unreplayed: Unreplayed(data.join(orion_store::FILE_NAME)),
            desk,
            store,
            project,
            turns: Vec::new(),
            done: Vec::new(),
        }
    }

    fn act(&self, number: usize, act: &Act) {
        let at = |file: usize| self.desk.folder.path().join(FILES[file]);
        let clear = |file: usize| {
            fs::create_dir_all(at(file).parent().unwrap()).unwrap();
            let _ = fs::remove_file(at(file));
        };
        match *act {
            Act::Write(file, text) => {
                // In its place, so that number and permissions stay; a link is replaced.
                if at(file).is_symlink() {
                    clear(file);
                }
                fs::create_dir_all(at(file).parent().unwrap()).unwrap();
                fs::write(at(file), self.text(number, text)).unwrap();
            }
            Act::Delete(file) => clear(file),
            Act::Move(from, to) => {
                fs::create_dir_all(at(to).parent().unwrap()).unwrap();
                let _ = fs::rename(at(from), at(to));
            }
        }
    }

    fn text(&self, number: usize, text: u8) -> String {
        // Text 0 comes again and again, so that a file may be by chance what it was.
        format!("Text {text}, {}.\n", if text == 0 { 0 } else { number })
    }

    async fn begin(&mut self) -> TurnJournal {
        let ids = TurnIds {
            request_id: RequestId(Uuid::now_v7()),
            session_id: self.desk.session.session_id,
            project_id: self.desk.project.project_id,
        };
        self.turns.push(ids.request_id);
        let turn = NewTurn { ids, at_ms: 1, title: "?".into() };
        self.store.begin_turn(turn, Nothing).await.unwrap().0
    }

    fn now(&self) -> BTreeMap<String, Vec<u8>> {
        everything(&self.desk.folder)
    }

    async fn command(&mut self, number: usize, acts: &[Act]) {
        let journal = self.begin().await;
        let was = self.now();
        let before = Before::of(&self.project, &budget());
        acts.iter().for_each(|act| self.act(number, act));
        let compared = before.compared(&self.project, &budget());
        assert!(compared.is_whole);
        let is = self.now();
        let turn = journal.ids().request_id;
        let paths: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
        let changed = paths.into_iter().filter(|path| was.get(*path) != is.get(*path));
        let changed = changed.map(|path| {
            let (before, after) = (was.get(path).cloned(), is.get(path).cloned());
            let known = ![&before, &after].into_iter().flatten().any(|body| is_link(body));
            Done { turn, path: path.clone(), before, after, known, undone: false }
        });
        let mut changed: Vec<Done> = changed.collect();
        // A moved file stays where its old path cannot be put back.
        let moved_away = compared.files.iter().filter(|it| it.kept == Some(MOVED_AWAY));
        for path in moved_away.map(|it| it.path.to_string()) {
            let may_hang_on = |done: &Done| !done.known && done.before.is_some() && named(&done.path) != path;
            assert!(changed.iter().any(may_hang_on), "{path}: {changed:?}");
            changed.iter_mut().filter(|done| named(&done.path) == path).for_each(|done| done.known = false);
        }
        // Links out of the project come first.
        let is_link_now = |done: &Done| done.after.as_deref().is_some_and(is_link);
        changed.sort_by_key(|done| (!is_link_now(done), self.project.path(&named(&done.path)).unwrap()));
        let found: Vec<(String, Bytes, Bytes)> = compared
            .files
            .iter()
            .map(|it| (it.path.to_string(), it.before.clone(), it.after.clone()))
            .collect();
        let known = |done: &&Done| done.known;
        for done in changed.iter().filter(known) {
            let expected = (named(&done.path), done.before.clone(), done.after.clone());
            assert!(found.contains(&expected), "{expected:?} in {found:?}");
        }
        assert_eq!(found.len(), changed.len(), "{found:?} {changed:?}");
        self.done.extend(changed);
        let files = compared.files.into_iter().map(kept).collect();
        self.store.keep_command_files(turn, &CallId("call".into()), files).await.unwrap();
        journal.finish(Vec::new(), 2).await.unwrap();
    }

    async fn write(&mut self, number: usize, file: usize, text: u8) {
        let was = self.now();
        let before = was.get(FILES[file]).cloned();
        if before.as_deref().is_some_and(is_link) {
            return;
        }
        let mut journal = self.begin().await;
        let turn = journal.ids().request_id;
        self.act(number, &Act::Write(file, text));
        let after = self.text(number, text).into_bytes();
        let base_sha256 = match &before {
            Some(before) => Some(self.store.keep(turn, before.clone()).await.unwrap()),
            None => None,
        };
        let sha256 = self.store.keep(turn, after.clone()).await.unwrap();
        let write = StoredWrite {
            number: 1,
            path: named(FILES[file]),
            operation: WriteOperation::Overwrite,
            base_sha256,
            sha256,
            content_sha256: sha256,
            stage: WriteStage::Proposed,
            kept: None,
            leads_to: None,
            lines: None,
        };
        let moved = Record::WriteMoved { number: 1, stage: WriteStage::Written, sha256: None };
        journal.append(vec![Record::WriteProposed(write), moved]).await.await.unwrap();
        journal.finish(Vec::new(), 2).await.unwrap();
        let path = FILES[file].to_owned();
        self.done.push(Done { turn, path, before, after: Some(after), known: true, undone: false });
    }

    fn turn(&self, back: usize) -> Option<RequestId> {
        Some(self.turns[self.turns.len().checked_sub(back + 1)?])
    }

    async fn undo(&mut self, turn: RequestId, file: Option<usize>) {
        let mut expected = self.now();
        let mut named_errors = Vec::new();
        let of = |done: &&mut Done| {
            done.turn == turn && !done.undone && file.is_none_or(|file| done.path == FILES[file])
        };
        for done in self.done.iter_mut().rev().filter(of) {
            let is_there = done.known && expected.get(&done.path) == done.after.as_ref();
            if is_there {
                done.undone = true;
                match &done.before {
                    Some(before) => drop(expected.insert(done.path.clone(), before.clone())),
                    None => drop(expected.remove(&done.path)),
                }
            }
            named_errors.push((named(&done.path), !is_there));
        }
        let of = ChangesOf::Turn { request_id: turn };
        let op = Op::UndoChanges { of, path: file.map(|file| named(FILES[file])) };
        let undone = match self.desk.engine.submit(op).await {
            Ok(Outcome::Undone { writes }) => writes,
            Ok(other) => panic!("{other:?}"),
            Err(_) => Vec::new(),
        };
        let told = |it: Undone| (it.path, it.error.is_some());
        assert_eq!(undone.into_iter().map(told).collect::<Vec<_>>(), named_errors);
        assert_eq!(self.now(), expected);
    }

    /// The content of a file after going back to this turn; an error where the file is named instead.
    fn back(&self, turn: usize, path: &str, now: Option<&Vec<u8>>) -> Result<Bytes, ()> {
        let since = |done: &&Done| {
            let at = self.turns.iter().position(|turn| *turn == done.turn).unwrap();
            at >= turn && !done.undone && done.path == path
        };
        let done: Vec<&Done> = self.done.iter().filter(since).collect();
        let (Some(first), Some(last)) = (done.first(), done.last()) else { return Ok(now.cloned()) };
        let untouched = done.windows(2).all(|pair| pair[0].after == pair[1].before);
        let is_open = done.iter().all(|done| done.known) && !now.is_some_and(|body| is_link(body));
        let fits = now.is_none() || now == first.before.as_ref() || now == last.after.as_ref() && untouched;
        if is_open && fits { Ok(first.before.clone()) } else { Err(()) }
    }

    async fn rewind(&self, back: usize) {
        let Some(at) = self.turns.len().checked_sub(back + 1) else { return };
        let before = self.now();
        let seen = preview(&self.desk, self.turns[at]).await;
        assert_eq!(self.now(), before, "a preview changes nothing");
        if seen.files.is_empty() {
            return;
        }
        let rewind = files_back(&self.desk, self.turns[at]).await;
        let after = self.now();
        let kept: BTreeSet<String> =
            rewind.files.iter().filter(|it| it.change.is_none()).map(|it| it.path.clone()).collect();
        let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for path in paths {
            match self.back(at, path, before.get(path)) {
                Ok(body) => assert_eq!(after.get(path), body.as_ref(), "{path} after {:?}", rewind.files),
                Err(()) => {
                    assert_eq!(after.get(path), before.get(path));
                    assert!(kept.contains(&named(path)), "{path} is named: {:?}", rewind.files);
                }
            }
        }
        let undone = undo(&self.desk, self.turns[at]).await;
        assert!(undone.files.iter().all(|file| file.change.is_some()), "{:?}", undone.files);
        assert_eq!(self.now(), before, "an undo gives the bytes back");
    }

    async fn step(&mut self, number: usize, step: &Step) {
        match step {
            Step::Command(acts) => self.command(number, acts).await,
            Step::Write(file, text) => self.write(number, *file, *text).await,
            Step::Foreign(act) => self.act(number, act),
            Step::Link(file) => {
                self.act(number, &Act::Delete(*file));
                let at = self.desk.folder.path().join(FILES[*file]);
                #[cfg(unix)]
                std::os::unix::fs::symlink("/etc/hostname", at).unwrap();
                #[cfg(not(unix))]
                drop(at);
            }
            Step::Undo(back, file) => {
                if let Some(turn) = self.turn(*back) {
                    self.undo(turn, *file).await;
                }
            }
            Step::Rewind(back) => self.rewind(*back).await,
        }
    }
}

/// A path as results name it: quoted where it would deceive.
fn named(path: &str) -> String {
    orion_core::quoting::shown(path.as_bytes()).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: orion_thorough::cases(40, 500) as u32, failure_persistence: None, ..ProptestConfig::default() })]
    // C6, W7, A10
    #[test]
    fn after_any_history_each_file_is_as_the_rules_say_or_named(steps in prop::collection::vec(step(), 4..16)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let mut told = Told::new().await;
            for (number, step) in steps.iter().enumerate() {
                told.step(number, step).await;
            }
            told.store.close().await.unwrap();
            told.desk.engine.close().await.unwrap();
        });
    }
}

// C6
#[tokio::test]
async fn each_changed_file_is_listed_with_its_difference_for_the_command_the_turn_and_the_session() {
    let mut told = Told::new().await;
    told.command(1, &[Act::Write(0, 1), Act::Write(1, 1), Act::Delete(4)]).await;
    let turn = told.turns[0];
    let all = [
        ChangesOf::Command { request_id: turn, tool_call_id: CallId("call".into()) },
        ChangesOf::Turn { request_id: turn },
        ChangesOf::Session { session_id: told.desk.session.session_id },
    ];
    for of in all {
        let Answer::Changes { files } =
            told.desk.engine.query(Query::Changes { of: of.clone() }).await.unwrap()
        else {
            panic!()
        };
        let listed: Vec<_> =
            files.iter().map(|it| (it.path.as_str(), it.created, it.removed, it.commands)).collect();
        let expected =
            [("a.txt", false, false, 1), ("b.txt", false, true, 1), ("deep/er/new.txt", true, false, 1)];
        assert_eq!(listed, expected);
        for (path, added, removed) in [("a.txt", 1, 1), ("b.txt", 0, 1), ("deep/er/new.txt", 1, 0)] {
            let query = Query::Change { of: of.clone(), path: path.into() };
            let Answer::Change { difference } = told.desk.engine.query(query).await.unwrap() else {
                panic!()
            };
            let is = (difference.added, difference.removed, difference.changed_since);
            assert_eq!(is, (added, removed, false), "{path}");
        }
    }
    let other = ChangesOf::Command { request_id: turn, tool_call_id: CallId("other".into()) };
    let Answer::Changes { files } = told.desk.engine.query(Query::Changes { of: other }).await.unwrap()
    else {
        panic!()
    };
    assert_eq!(files, []);
}

// W7
#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_put_back_may_do_what_it_could_before() {
    use std::os::unix::fs::PermissionsExt;
    let mut told = Told::new().await;
    let at = told.desk.folder.path().join("a.txt");
    fs::set_permissions(&at, fs::Permissions::from_mode(0o750)).unwrap();
    told.command(1, &[Act::Delete(0)]).await;
    let mode = || fs::metadata(&at).unwrap().permissions().mode() & 0o7777;
    // By a rewind, which is undone, and by an undo.
    let turn = told.turns[0];
    files_back(&told.desk, turn).await;
    assert_eq!(mode(), 0o750);
    undo(&told.desk, turn).await;
    assert!(!at.exists());
    told.undo(turn, None).await;
    assert_eq!(mode(), 0o750);
}

// W7
#[tokio::test]
async fn permissions_that_a_command_changed_keep_no_write_from_being_undone() {
    let mut told = Told::new().await;
    told.write(1, 0, 1).await;
    let turn = told.turns[0];
    let permissions = |path: &str| NewCommandFile {
        path: path.into(),
        change: FileChange::Mode,
        before: None,
        after: None,
        mode: Some(0o644),
        why: Some("its permissions alone changed".into()),
    };
    let files = ["a.txt", "b.txt"].map(permissions).to_vec();
    told.store.keep_command_files(turn, &CallId("call".into()), files).await.unwrap();
    let of = ChangesOf::Turn { request_id: turn };
    let Answer::Changes { files } = told.desk.engine.query(Query::Changes { of: of.clone() }).await.unwrap()
    else {
        panic!()
    };
    let listed: Vec<_> = files.iter().map(|it| (it.path.as_str(), it.kept.is_some())).collect();
    assert_eq!(listed, [("a.txt", false), ("b.txt", true)]);
    let undone = told.desk.engine.submit(Op::UndoChanges { of, path: None }).await.unwrap();
    let Outcome::Undone { writes } = undone else { panic!("{undone:?}") };
    let mut undone: Vec<_> = writes.into_iter().map(|it| (it.path, it.error.is_some())).collect();
    undone.sort();
    assert_eq!(undone, [("a.txt".to_owned(), false), ("b.txt".to_owned(), true)]);
}

// W7
#[tokio::test]
async fn an_undoing_that_broke_off_is_completed_at_the_next_start_and_touches_nothing_else() {
    for content in [None, Some("alpha\n"), Some("Mine.\n")] {
        let mut told = Told::new().await;
        told.command(1, &[Act::Write(0, 1)]).await;
        let turn = told.turns[0];
        // As a process leaves it that dies in the middle: begun, and the disk not touched, or all done, or changed by somebody else.
        assert!(told.store.begin_undoing_command_file(turn, 1).await.unwrap());
        if let Some(content) = content {
            told.desk.folder.write("a.txt", content);
        }
        let Told { desk, store, unreplayed: _unreplayed, .. } = told;
        store.close().await.unwrap();
        drop(store);
        desk.engine.close().await.unwrap();
        let connector = Arc::new(Providers::new(tuning()));
        let engine =
            Engine::open(options(&desk.data.path(), "http://127.0.0.1:9/v1", connector)).await.unwrap();
        let expected = content.unwrap_or("alpha\n");
        assert_eq!(desk.folder.read("a.txt"), expected.as_bytes());
        let of = ChangesOf::Turn { request_id: turn };
        let Answer::Changes { files } = engine.query(Query::Changes { of }).await.unwrap() else { panic!() };
        assert_eq!(files.len(), usize::from(expected != "alpha\n"), "it is undone, or still to be undone");
    }
}

// W7
#[tokio::test]
async fn what_is_deleted_with_its_session_leaves_no_content() {
    let mut told = Told::new().await;
    told.command(1, &[Act::Write(0, 1)]).await;
    let Told { desk, store, unreplayed: _unreplayed, .. } = told;
    let sha256 = orion_files::writing::sha256(b"alpha\n");
    assert_eq!(store.body(sha256).await.unwrap(), b"alpha\n");
    let op = Op::DeleteSession { session_id: desk.session.session_id };
    desk.engine.submit(op).await.unwrap();
    assert_eq!(store.body(sha256).await.unwrap_err(), StoreError::BodyUnknown(sha256));
}
