//! Deleting a session: what was said in it is searched in every byte of the data folder, before and after.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::iter::successors;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use orion_engine::Engine;
use orion_protocol::{Answer, DraftOf, Op, Outcome, Project, Query, Sha256};
use orion_providers::Providers;
use orion_store::Store;
use serde_json::json;
use sha2::Digest;
use support::{Script, found, within};

use super::writes::begin;
use super::{Desk, json as parsed, ran};
use crate::driver_desk::{options, tuning};

const CANARY: &str = "the canary sings at dawn";

/// A word of the message alone, so the index has it from this session alone. FTS5 stores the end of a word whose beginning it shares with the
/// one before.
const WORD: &str = "quetzalpfiff";
const ITS_END: &str = "etzalpfiff";

/// A session in which a person, a tool, the model and three proposals, two of them replaced, said the canary.
struct Said {
    desk: Desk,
    session: String,
    request: String,
}

impl Said {
    fn new() -> Self {
        let desk = Desk::new();
        desk.project.write("secret.txt", format!("{CANARY} in a file\n"));
        let report = said(&desk, 300);
        Self { desk, session: report.0, request: report.1 }
    }

    fn data(&self) -> PathBuf {
        self.desk.home.path().join("data")
    }

    fn delete(&self) -> Command {
        self.desk.orion(&["sessions", "delete", &self.session, "--json"])
    }

    /// Nothing that only the session held is left: not what was said, not its ids.
    fn is_gone(&self, when: &str) {
        let left = [CANARY, ITS_END, &self.session, &self.request].map(|text| found(&self.data(), text));
        assert_eq!(left, [0, 0, 0, 0], "{when}");
    }
}

/// Says it all, in a session of its own: its id and that of its turn. The file changes twice under the write, so that two proposals
/// are replaced; the third waits.
fn said(desk: &Desk, lines: usize) -> (String, String) {
    let content: String = (0..lines).map(|line| format!("{CANARY} in line {line} of a proposal\n")).collect();
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "secret.txt"})).end("tool_calls"))
        .turn(|t| t.call("write_plan_begin", begin("notes.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text(&format!("{content}DONE")).end("stop"))
        .start();
    let told = ran(&mut desk.run(&model, &["--json", &format!("Say that {CANARY} with a {WORD}.")]));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    model.finish();
    let report = parsed(&told.stdout);
    let id = |name: &str| report[name].as_str().unwrap().to_owned();
    let request = id("requestId");
    let session = id("sessionId");
    for message in ["waits", "waits too", "was removed"] {
        let queued = ran(&mut desk.orion(&["queue", &session, &format!("{CANARY}, {message}")]));
        assert_eq!(queued.code, Some(0), "{}", queued.stderr);
    }
    for change in [&["--move", "3", "1"][..], &["--remove", "1"]] {
        assert_eq!(ran(desk.orion(&["queue", &session]).args(change)).code, Some(0));
    }
    for version in ["second", "third"] {
        desk.project.write("notes.txt", format!("{CANARY}, the {version} base\n"));
        let asked = ran(&mut desk.orion(&["approve", &request]));
        assert_eq!(asked.code, Some(3), "the file changed: {}", asked.stderr);
    }
    (id("sessionId"), request)
}

#[tokio::test]
async fn no_byte_of_a_draft_is_left_after_its_session_or_its_project() {
    const DRAFT: &str = "the draft that nobody sends";
    let said = Said::new();
    let store = Store::open(&said.data()).await.unwrap();
    let session_id = said.session.parse().unwrap();
    let project_id = store.session(session_id).await.unwrap().project_id;
    for of in [DraftOf::Session { session_id }, DraftOf::Project { project_id }] {
        // Each wording is longer than the one before, so that the row moves about in its page.
        for words in 1..40 {
            store.save_draft(of, format!("{DRAFT} {}", "again ".repeat(words * 7))).await.unwrap();
        }
    }
    store.close().await.unwrap();
    assert!(found(&said.data(), DRAFT) >= 2);
    assert_eq!(ran(&mut said.delete()).code, Some(0));
    let store = Store::open(&said.data()).await.unwrap();
    assert!(store.draft(DraftOf::Project { project_id }).await.unwrap().is_some());
    assert_eq!(store.draft(DraftOf::Session { session_id }).await, Ok(None));
    store.forget_project(project_id).await.unwrap();
    assert_eq!(store.reclaim().await, Ok(orion_store::Reclaimed::All));
    store.close().await.unwrap();
    assert_eq!(found(&said.data(), DRAFT), 0);
}

#[tokio::test]
async fn no_byte_that_only_a_forgotten_project_held_is_in_the_data_folder() {
    let said = Said::new();
    let log = said.data().join("logs/orion.log");
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    fs::write(&log, format!("WARN turn{{session_id={}}}: of notes.txt\n", said.session)).unwrap();
    assert!(found(&said.data(), CANARY) > 300);
    let home = said.desk.home.path();
    let engine = Engine::open(options(&home, "http://127.0.0.1:9/v1", Arc::new(Providers::new(tuning()))));
    let engine = engine.await.unwrap();
    let Answer::State { state } = engine.query(Query::State).await.unwrap() else { panic!() };
    let [Project { project_id, .. }] = state.projects.as_slice() else { panic!("{:?}", state.projects) };
    let project_id = *project_id;
    let forgotten = engine.submit(Op::ForgetProject { project_id }).await;
    assert_eq!(forgotten, Ok(Outcome::Deleted { remains: None }));
    engine.close().await.unwrap();
    said.is_gone("after the project was forgotten");
    let of_project = [said.desk.project.path().display().to_string(), project_id.to_string()];
    assert_eq!(of_project.map(|text| found(&said.data(), &text)), [0, 0]);
}

#[test]
fn no_byte_of_a_fork_is_left_after_the_fork_and_the_session_that_it_comes_from() {
    // T9: whichever goes first, the other one keeps its own.
    let desk = Desk::new();
    desk.project.write("secret.txt", format!("{CANARY} in a file\n"));
    for fork_first in [true, false] {
        let model = Script::new()
            .turn(|t| t.text(&format!("{CANARY}, it says.")).end("stop"))
            .turn(|t| t.call("read_file", json!({"path": "secret.txt"})).end("tool_calls"))
            .turn(|t| t.text("Done.").end("stop"))
            .start();
        let first = parsed(&ran(&mut desk.run(&model, &["--json", "Say it."])).stdout);
        let session = first["sessionId"].as_str().unwrap().to_owned();
        let second =
            parsed(&ran(&mut desk.run(&model, &["--session", &session, "--json", "Read it."])).stdout);
        model.finish();
        let request = second["requestId"].as_str().unwrap();
        let fork = parsed(&ran(&mut desk.orion(&["fork", request, "--phase", "3", "--json"])).stdout);
        let data = desk.home.path().join("data");
        let mut ids = [session, fork["sessionId"].as_str().unwrap().to_owned()];
        ids.rotate_left(usize::from(fork_first));
        for (id, is_left) in ids.iter().zip([true, false]) {
            let told = ran(&mut desk.orion(&["sessions", "delete", id]));
            assert_eq!(told.code, Some(0), "{}", told.stderr);
            assert_eq!(found(&data, CANARY) > 0, is_left, "fork first: {fork_first}");
        }
        assert_eq!(ids.map(|id| found(&data, &id)), [0, 0], "fork first: {fork_first}");
    }
}

#[test]
fn no_byte_that_only_a_deleted_session_held_is_in_the_data_folder() {
    let said = Said::new();
    // Another session goes on, and a line of the log names this one.
    let model = Script::new().turn(|t| t.text("Hello.").end("stop")).start();
    assert_eq!(ran(&mut said.desk.run(&model, &["Hello."])).code, Some(0));
    model.finish();
    let log = said.data().join("logs/orion.log");
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    let others = "WARN of another session\n";
    fs::write(&log, format!("WARN turn{{session_id={}}}: of notes.txt\n{others}", said.session)).unwrap();
    assert!(found(&said.data(), CANARY) > 300);
    let search = || parsed(&ran(&mut said.desk.orion(&["sessions", "--search", WORD, "--json"])).stdout);
    assert_eq!(search().as_array().unwrap().len(), 2, "the title and the message");

    let deleted = ran(&mut said.delete());
    assert_eq!(deleted.code, Some(0), "{}", deleted.stderr);
    assert_eq!(parsed(&deleted.stdout), json!({"sessionId": said.session, "remains": null}));
    said.is_gone("after the deletion");
    assert_eq!(search(), json!([]));
    let kept = fs::read_to_string(&log).unwrap();
    assert_eq!(kept.trim_start(), others);
    let listed = parsed(&ran(&mut said.desk.orion(&["sessions", "--json"])).stdout);
    assert_eq!(listed.as_array().unwrap().len(), 1);
    let again = ran(&mut said.delete());
    assert_eq!((again.code, again.stdout.as_str()), (Some(1), ""));
    assert!(
        again.stderr.starts_with("orion: There is no such session: it may have been deleted."),
        "{}",
        again.stderr
    );
}

// X4: neither an entry that is in force nor one that was undone outlives its session.
#[test]
fn no_byte_of_a_compaction_outlives_its_session() {
    let desk = Desk::new();
    desk.project.write("secret.txt", format!("{CANARY} in a file\n"));
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "secret.txt"})).end("tool_calls"))
        .turn(|t| t.text(&"Quite a long answer. ".repeat(100)).end("stop"))
        .turn(|t| t.text(&format!("First, {CANARY}.")).end("stop"))
        .turn(|t| t.text(&format!("Second, {CANARY}.")).end("stop"))
        .turn(|t| t.text("Hello.").end("stop"))
        .start();
    let address = model.base_url();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "Read it."])).stdout);
    let [session, request] = ["sessionId", "requestId"].map(|id| report[id].as_str().unwrap().to_owned());
    let compact = |flags: &[&str]| {
        let done = ran(&mut desk.orion(&[&["compact", &session], flags].concat()));
        assert_eq!(done.code, Some(0), "{}", done.stderr);
    };
    let endpoint = ["--base-url", &address, "--model", "scripted"];
    compact(&endpoint);
    compact(&["--undo"]);
    compact(&endpoint);
    let go_on = ran(&mut desk.run(&model, &["--session", &session, "Go on."]));
    assert_eq!(go_on.code, Some(0), "{}", go_on.stderr);
    model.finish();
    let said = Said { desk, session, request };
    let before =
        [format!("First, {CANARY}"), format!("Second, {CANARY}")].map(|text| found(&said.data(), &text));
    assert!(before.iter().all(|times| *times > 0), "{before:?}");
    assert_eq!(ran(&mut said.delete()).code, Some(0));
    said.is_gone("after the deletion");
}

#[tokio::test]
async fn bodies_of_replaced_proposals_do_not_stay() {
    let said = Said::new();
    let store = Store::open(&said.data()).await.unwrap();
    let mut there = Vec::new();
    for version in ["The answer is 42.", "CANARY, the second base", "CANARY, the third base"] {
        let text = version.replace("CANARY", CANARY) + "\n";
        let sha256 = Sha256::from(<[u8; 32]>::from(sha2::Sha256::digest(text)));
        there.push(store.text(sha256).await.is_ok());
    }
    assert_eq!(there, [false, false, true]);
    store.close().await.unwrap();
}

/// A program that is not Orion and reads the database until it is told to let go.
struct Reader(Child);

impl Reader {
    fn start(data: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_database-reader"))
            .arg(data)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "reading\n");
        Self(child)
    }

    fn let_go(mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().unwrap().success());
    }
}

#[test]
fn while_another_program_reads_the_rest_stays_and_is_gone_once_it_lets_go() {
    let said = Said::new();
    let reader = Reader::start(&said.data());
    let deleted = ran(&mut said.delete());
    assert_eq!(deleted.code, Some(0), "{}", deleted.stderr);
    assert_eq!(parsed(&deleted.stdout)["remains"]["code"], "storage");
    assert_eq!(
        deleted.stderr,
        "Part of what was deleted is still on the disk, because another program reads Orion's database.\n\
         It is removed when that program closes the database, or when Orion starts next.\n"
    );
    assert!(found(&said.data(), CANARY) > 0);
    reader.let_go();
    // It was the last to close it.
    said.is_gone("after the reader let go");
}

// The window goes on while a command runs: each waits for the other's transactions.
#[tokio::test(flavor = "multi_thread")]
async fn a_window_removes_what_another_process_could_not() {
    let said = Said::new();
    let options =
        options(&said.desk.home.path(), "http://127.0.0.1:9/v1", Arc::new(Providers::new(tuning())));
    let window = Engine::open(options).await.unwrap();
    window.watch_neighbours().await;
    let reader = Reader::start(&said.data());
    let deleted = ran(&mut said.delete());
    assert_eq!(parsed(&deleted.stdout)["remains"]["code"], "storage");
    assert!(found(&said.data(), CANARY) > 0);
    // The window is open, so this is not the last one to close the database.
    reader.let_go();
    within("the window to remove the rest", async {
        while found(&said.data(), CANARY) + found(&said.data(), &said.request) > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    said.is_gone("while the window is open");
    window.close().await.unwrap();
}

#[test]
fn what_a_reader_that_was_killed_left_goes_with_the_next_start() {
    let said = Said::new();
    let mut reader = Reader::start(&said.data());
    assert_eq!(ran(&mut said.delete()).code, Some(0));
    reader.0.kill().unwrap();
    reader.0.wait().unwrap();
    assert!(found(&said.data(), CANARY) > 0);
    assert_eq!(ran(&mut said.desk.orion(&["sessions"])).code, Some(0));
    said.is_gone("after the next start");
}

/// The database's files, to be put back as they were.
fn saved(data: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path());
    let database = files.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("orion.db"));
    database.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn put_back(data: &Path, files: &[(PathBuf, Vec<u8>)]) {
    for (path, _) in saved(data) {
        fs::remove_file(path).unwrap();
    }
    for (path, bytes) in files {
        fs::write(path, bytes).unwrap();
    }
}

#[test]
fn a_deletion_that_is_killed_anywhere_leaves_everything_or_after_the_next_start_nothing() {
    let said = Said::new();
    let files = saved(&said.data());
    let log = said.data().join("logs/orion.log");
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    let mut ends = BTreeSet::new();
    // Of the calls that write there are too many for each of them.
    for (call, next) in [("fsync,fdatasync", 1_u32), ("ftruncate", 1), ("pwrite64", 2)] {
        let numbers = successors(Some(1_u32), |number| Some(if next == 1 { number + 1 } else { number * 2 }));
        for (died, number) in numbers.enumerate() {
            put_back(&said.data(), &files);
            fs::write(&log, format!("WARN {}\n", said.request)).unwrap();
            let told = ran(&mut killed(&said, &format!("{call}:signal=KILL:when={number}")));
            let listed = parsed(&ran(&mut said.desk.orion(&["sessions", "--json"])).stdout);
            let there = !listed.as_array().unwrap().is_empty();
            if there {
                assert_eq!(told.code, None, "{}", told.stderr);
                let diff = ran(&mut said.desk.orion(&["diff", &said.request]));
                assert_eq!(diff.code, Some(0), "everything is there: {}", diff.stderr);
                assert!(diff.stdout.contains(&format!("-{CANARY}, the third base")), "{}", diff.stdout);
            } else {
                said.is_gone(&format!("killed at {call} {number}"));
            }
            if told.code.is_some() {
                assert!(died > 0, "{call}");
                break;
            }
            ends.insert(there);
        }
    }
    assert_eq!(ends.len(), 2, "it was killed both before the deletion was through and after");
}

/// The deletion under strace, which does this at a call that has to do with the database.
fn killed(said: &Said, injection: &str) -> Command {
    let delete = said.delete();
    let mut traced = Command::new("strace");
    traced.args(["--follow-forks", "--quiet=all"]);
    for name in ["orion.db", "orion.db-wal"] {
        traced.arg("--trace-path").arg(said.data().join(name));
    }
    traced.arg(format!("--inject={injection}"));
    traced.arg("--").arg(delete.get_program()).args(delete.get_args());
    let environment = delete.get_envs().filter_map(|(name, value)| Some((name, value?)));
    traced.env_clear().envs(environment).env("PATH", std::env::var_os("PATH").unwrap());
    traced.current_dir(said.desk.project.path());
    traced
}
