//! A disk that does not answer: a stop takes effect all the same (A4). strace lets calls of the program hang, or the kernel itself, at a
//! file system that nobody serves.
#![cfg(target_os = "linux")]

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use orion_engine::Engine;
use orion_protocol::{Answer, Op, Outcome, Query, RequestId};
use orion_providers::Providers;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use support::{Fate, Folder, Gate, Script, within};

use super::writes::writer;
use super::{Desk, ended, json as parsed, line, ran, started};
use crate::driver_desk::{self, options, tuning};

/// How long a call hangs, in microseconds: 10 minutes, longer than any test.
const HANGS: &str = "delay_enter=600000000";

/// The calls with which a file is looked at.
const LOOKS: &str = "openat,openat2,statx,newfstatat,read";

/// How soon a stopped program ends: a second, and the time that a busy machine takes. What hangs here hangs longer than any test.
const SOON: Duration = Duration::from_secs(20);

/// strace at work on a program: its calls of a kind that have to do with these paths hang.
///
/// A thread that hangs so is held by strace also when its program has ended: neither its exit code nor the end of its output is to be had
/// before strace is gone.
struct Hanging {
    strace: Child,
    log: PathBuf,
}

impl Hanging {
    fn of(child: &Child, calls: &str, paths: &[PathBuf], log: PathBuf) -> Self {
        let mut strace = Command::new("strace");
        strace.args(["--follow-forks", "--output"]).arg(&log);
        for path in paths {
            strace.arg("--trace-path").arg(path);
        }
        strace.arg(format!("--inject={calls}:{HANGS}")).arg(format!("--attach={}", child.id()));
        let spawned = strace.stdin(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut strace =
            spawned.unwrap_or_else(|error| panic!("strace: {error}; install the Debian package strace"));
        let mut said = BufReader::new(strace.stderr.take().unwrap());
        let mut first = String::new();
        while !first.contains("attached") {
            first.clear();
            assert!(said.read_line(&mut first).unwrap() > 0, "strace may not trace here");
        }
        // It has stopped each thread, and follows one from where it lets it go on: back to where it slept.
        let threads = || fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
        wait("strace to follow each thread", || threads().all(|it| state(&it.unwrap().path()) == Some('S')));
        Self { strace, log }
    }

    /// Waits until a call hangs.
    fn reached(&self, call: &str) {
        wait("a call to hang", || fs::read_to_string(&self.log).unwrap_or_default().contains(call));
    }

    /// Waits until the program has ended, and lets go of it. Says how long that took.
    fn until_ended(self, child: &Child) -> Duration {
        let began = Instant::now();
        until_ended(child);
        began.elapsed()
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        // Where it has ended by itself there is nothing to kill.
        let _ = self.strace.kill();
        let _ = self.strace.wait();
    }
}

/// A disk that answers nobody: the kernel waits for the program that serves it, and none does.
struct Unserved {
    folder: PathBuf,
    /// As long as it is open the kernel waits.
    _kernel: File,
}

impl Unserved {
    fn at(folder: PathBuf) -> Self {
        let kernel = OpenOptions::new().read(true).write(true).open("/dev/fuse").expect("/dev/fuse, as root");
        let mut mount = Command::new("mount");
        mount.args(["-i", "-t", "fuse", "-o", "fd=0,rootmode=40000,user_id=0,group_id=0", "orion-tests"]);
        let output = mount.arg(&folder).stdin(kernel.try_clone().unwrap()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "this test mounts a disk and so must run as root: {said}");
        Self { folder, _kernel: kernel }
    }

    /// Waits until a thread of a program waits for it.
    fn reached(&self, child: &Child) {
        let waits_in = |thread: PathBuf| fs::read_to_string(thread.join("wchan")).unwrap_or_default();
        let threads = || fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
        wait("a thread to hang", || threads().any(|it| waits_in(it.unwrap().path()).contains("fuse")));
    }
}

impl Drop for Unserved {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.folder).status();
    }
}

/// Waits until a program has ended by itself.
fn until_ended(child: &Child) {
    let leader = PathBuf::from(format!("/proc/{0}/task/{0}", child.id()));
    wait("the program to end", || state(&leader) == Some('Z'));
}

/// The state of a thread: `S` while it sleeps, `Z` when it has ended.
fn state(thread: &Path) -> Option<char> {
    let stat = fs::read_to_string(thread.join("stat")).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}

fn wait(what: &str, mut came: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(90);
    while !came() {
        assert!(Instant::now() < deadline, "waited for {what}");
        std::thread::yield_now();
    }
}

fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

/// Reads events until one has this text in it.
fn until(stdout: &mut BufReader<ChildStdout>, text: &str) {
    loop {
        let event = line(stdout);
        assert!(!event.is_empty(), "the run ended before {text}");
        if event.contains(text) {
            return;
        }
    }
}

/// What came after that: the events to the end.
fn rest(mut stdout: BufReader<ChildStdout>) -> Vec<serde_json::Value> {
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    rest.lines().map(parsed).collect()
}

/// A run whose model says `script` up to a gate, and then asks for notes.txt, which hangs.
fn stopped_at_a_look(script: Script, gate: &Gate, calls: &str) {
    let desk = Desk::new();
    let model = script.start();
    let (child, mut stdout) = started(&mut desk.run(&model, &["--events", "What is the answer?"]));
    until(&mut stdout, "Now. ");
    let log = desk.home.path().join("calls");
    let notes = [desk.project.path().join("notes.txt"), PathBuf::from("notes.txt")];
    let hanging = Hanging::of(&child, calls, &notes, log);
    gate.open();
    hanging.reached("notes.txt");
    interrupt(&child);
    let took = hanging.until_ended(&child);
    was_stopped(&desk, child, stdout, took);
}

/// A run that was stopped has shown and saved its end, soon.
fn was_stopped(desk: &Desk, child: Child, stdout: BufReader<ChildStdout>, took: Duration) {
    let events = rest(stdout);
    let (code, stderr) = ended(child);
    assert_eq!(code, Some(130), "{stderr}");
    assert!(took < SOON, "it took {took:?}");
    let last = events.last().expect("the end is shown");
    assert_eq!(last["event"]["type"], "stopped", "{stderr}");
    // T5
    let replayed = ran(&mut desk.orion(&["replay", last["requestId"].as_str().unwrap()]));
    assert_eq!(replayed.code, Some(0), "{}", replayed.stderr);
}

#[test]
fn a_stop_takes_effect_while_what_was_read_is_looked_at_again() {
    // D3: before the second call is judged a duplicate it is looked whether the file has changed.
    let gate = Gate::new();
    let read = json!({"path": "notes.txt"});
    let script = Script::new()
        .turn(|t| t.call("read_file", read.clone()).end("tool_calls"))
        .turn(|t| t.text("Now. ").hold(&gate).call("read_file", read.clone()).end("tool_calls"));
    stopped_at_a_look(script, &gate, LOOKS);
}

#[test]
fn a_stop_takes_effect_while_a_tool_hangs_as_it_opens_its_file() {
    let desk = Desk::new();
    let disk = desk.project.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let gate = Gate::new();
    let read = json!({"path": "disk/notes.txt"});
    let script =
        Script::new().turn(|t| t.text("Now. ").hold(&gate).call("read_file", read).end("tool_calls"));
    let model = script.start();
    let (child, mut stdout) = started(&mut desk.run(&model, &["--events", "What is the answer?"]));
    // From its first events on the program listens to Ctrl-C.
    until(&mut stdout, "Now. ");
    let disk = Unserved::at(disk);
    gate.open();
    disk.reached(&child);
    let began = Instant::now();
    interrupt(&child);
    until_ended(&child);
    let took = began.elapsed();
    drop(disk);
    was_stopped(&desk, child, stdout, took);
    model.finish();
}

// X6: so is a file that is compared with the result of an earlier turn.
#[test]
fn a_stop_takes_effect_while_a_file_is_compared_and_a_killed_comparison_is_made_again() {
    let desk = Desk::new();
    let disk = desk.project.path().join("disk");
    fs::create_dir(&disk).unwrap();
    fs::write(disk.join("notes.txt"), "alpha\n").unwrap();
    let (first, second) = (Gate::new(), Gate::new());
    let read = json!({"path": "disk/notes.txt"});
    let script = Script::new()
        .turn(|t| t.call("read_file", read.clone()).end("tool_calls"))
        .turn(|t| t.text("Alpha.").end("stop"))
        .turn(|t| t.text("Now. ").hold(&first).call("read_file", read.clone()).end("tool_calls"))
        .turn(|t| t.text("Now. ").hold(&second).call("read_file", read.clone()).end("tool_calls"))
        .turn(|t| t.call("read_file", read.clone()).end("tool_calls"))
        .turn(|t| t.text("Alpha still.").end("stop"));
    let model = script.start();
    let before = ran(&mut desk.run(&model, &["--json", "What is in it?"]));
    let session = parsed(&before.stdout)["sessionId"].as_str().unwrap().to_owned();
    let again = ["--session", &session, "--events", "And now?"];

    let (child, mut stdout) = started(&mut desk.run(&model, &again));
    until(&mut stdout, "Now. ");
    let unserved = Unserved::at(disk.clone());
    first.open();
    unserved.reached(&child);
    let began = Instant::now();
    interrupt(&child);
    until_ended(&child);
    let took = began.elapsed();
    drop(unserved);
    was_stopped(&desk, child, stdout, took);

    // A5: the process dies instead.
    let (mut child, mut stdout) = started(&mut desk.run(&model, &again));
    until(&mut stdout, "Now. ");
    let unserved = Unserved::at(disk);
    second.open();
    unserved.reached(&child);
    child.kill().unwrap();
    until_ended(&child);
    drop(unserved);
    child.wait().unwrap();
    let done = ran(&mut desk.run(&model, &["--session", &session, "--json", "And now?"]));
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let report = parsed(&done.stdout);
    assert_eq!((&report["reused"], &report["toolRuns"]), (&json!(1), &json!(0)), "the same comparison");
    model.finish();
}

// A4, T8
#[tokio::test]
async fn a_turn_that_no_process_runs_is_stopped_although_its_folder_hangs() {
    let model = writer().start();
    let desk = Desk::new();
    let waits = ran(&mut desk.run(&model, &["--json", "Make it 43."]));
    assert_eq!(waits.code, Some(3), "{}", waits.stderr);
    model.finish();
    let request_id: RequestId = parsed(&waits.stdout)["requestId"].as_str().unwrap().parse().unwrap();
    let options = options(&desk.home.path(), "http://127.0.0.1:9/v1", Arc::new(Providers::new(tuning())));
    let engine = Engine::open(options).await.unwrap();
    let disk = Unserved::at(desk.project.path());
    let began = Instant::now();
    let stopped = within("the stop", engine.submit(Op::StopTurn { request_id })).await;
    assert_eq!(stopped, Ok(Outcome::Done));
    assert!(began.elapsed() < SOON, "it took {:?}", began.elapsed());
    drop(disk);
    engine.close().await.unwrap();
    let ended = ran(&mut desk.orion(&["trace", &request_id.to_string()]));
    assert!(ended.stdout.contains("stopped"), "{}", ended.stdout);
}

/// A run that was interrupted so often while its database hangs: how it ended, and how long that took.
async fn stopped_at_a_commit(times: u32) -> (String, Duration) {
    let desk = Desk::new();
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("Now. ").hold(&gate).text("More. ").hang()).start();
    let (child, mut stdout) = started(&mut desk.run(&model, &["--events", "Talk."]));
    until(&mut stdout, "Now. ");
    let database = ["orion.db", "orion.db-wal"].map(|name| desk.home.path().join("data").join(name));
    let hanging = Hanging::of(&child, "fsync,fdatasync", &database, desk.home.path().join("calls"));
    gate.open();
    hanging.reached("sync(");
    interrupt(&child);
    // A4: what the turn has under way ends at once.
    assert_eq!(model.dropped(1).await.fate, Fate::Dropped);
    for _ in 1..times {
        interrupt(&child);
    }
    let took = hanging.until_ended(&child);
    let events = rest(stdout);
    let (code, stderr) = ended(child);
    assert_eq!(code, Some(130), "{stderr}");
    // J1: its end was not on the disk, so it was not shown.
    let ends = events.iter().filter(|it| it["event"]["type"] == "stopped").count();
    assert_eq!(ends, 0);
    // The next one has nothing to wait for.
    let sessions = ran(&mut desk.orion(&["sessions"]));
    assert_eq!(sessions.code, Some(0), "{}", sessions.stderr);
    (stderr, took)
}

#[tokio::test]
async fn a_stop_ends_the_process_although_the_database_hangs_and_says_what_may_be_lost() {
    let (said, took) = stopped_at_a_commit(1).await;
    assert!(said.contains("The disk does not answer, so Orion ends without it."), "{said}");
    assert!(took < SOON + SOON, "it took {took:?}");
}

#[tokio::test]
async fn a_second_stop_ends_the_process_at_once_although_the_database_hangs() {
    let (said, took) = stopped_at_a_commit(2).await;
    assert!(!said.contains("The disk does not answer"), "{said}");
    assert!(took < SOON, "it took {took:?}");
}

/// What the window shows first comes from the database and from memory.
#[tokio::test(flavor = "multi_thread")]
async fn the_state_of_everything_is_there_while_the_disk_of_a_project_hangs() {
    let desk = driver_desk::Desk::at("http://127.0.0.1:9/v1", Folder::empty()).await;
    let _disk = Unserved::at(desk.folder.path());
    // The first look at the folder hangs, and the next ones wait for it.
    for _ in 0..2 {
        let engine = desk.engine.clone();
        let asked = tokio::spawn(async move { engine.query(Query::State).await });
        let Answer::State { state } = within("the state", asked).await.unwrap().unwrap() else { panic!() };
        let [project] = state.projects.as_slice() else { panic!("{:?}", state.projects) };
        assert!(project.available, "it was there at the last look");
    }
}
