//! The command line as people and scripts use it: the built program, with a home of its own and nothing of the
//! environment.

mod aftermath;
mod answering;
mod apart;
mod approvals;
mod asking;
mod attaching;
mod branches;
#[cfg(target_os = "linux")]
mod chat;
#[cfg(target_os = "linux")]
mod checks;
mod checks_of_turn;
#[cfg(target_os = "linux")]
mod command_changes;
#[cfg(target_os = "linux")]
mod command_changes_killed;
#[cfg(target_os = "linux")]
mod command_changes_tracked;
mod commands;
#[cfg(target_os = "linux")]
mod commands_without_box;
mod compacting;
mod comparing;
mod comparing_copies;
mod continuing;
mod deletion;
#[cfg(target_os = "linux")]
mod doctor;
mod doors;
mod endpoints;
mod ends;
mod exporting;
mod exporting_forks;
mod forking;
mod hanging;
mod held;
#[cfg(unix)]
mod interrupted;
mod journals;
#[cfg(target_os = "linux")]
mod killed;
mod limits;
mod lists;
mod locating;
mod manual;
mod mistakes;
#[cfg(unix)]
mod older;
mod output;
mod pausing;
mod permissions;
mod queue;
mod raw;
mod reading_again;
mod remembering;
mod repeating;
mod resuming;
mod rewinding;
mod room;
mod search;
mod secrecy;
mod sending;
mod sent;
mod stats;
mod strict;
mod summing_up;
mod taking_out;
#[cfg(target_os = "linux")]
mod terminal;
mod tracing;
mod visible;
mod waiting;
mod writes;
mod writes_changed;
mod writes_killed;
mod writes_torn;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{Folder, ScriptedModel, binary};

/// A home, a data folder and a project for one test.
#[derive(Debug)]
struct Desk {
    home: Folder,
    project: Folder,
}

/// What one run came to.
#[derive(Debug, PartialEq)]
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Desk {
    fn new() -> Self {
        Self::with_settings("")
    }

    /// With this `config.toml`.
    fn with_settings(settings: &str) -> Self {
        Self {
            home: Folder::with([("config/config.toml", settings)]),
            project: Folder::with([("notes.txt", "The answer is 42.\n"), ("src/main.c", "int main;\n")]),
        }
    }

    fn orion(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary("orion"));
        command.env_clear().args(arguments).current_dir(self.project.path()).stdin(Stdio::null());
        let home = self.home.path();
        command
            .env("HOME", &home)
            .env("ORION_CONFIG_DIR", home.join("config"))
            .env("ORION_DATA_DIR", home.join("data"))
            // Each box is a message of its own, which is easier to read in a test (R1).
            .env("ORION_RESULTS_AS", "system");
        // Without it Windows has no sockets.
        command.envs(std::env::var_os("SystemRoot").map(|folder| ("SystemRoot", folder)));
        // Nothing of a test leaves this computer, whatever address it is for.
        command.env("HTTPS_PROXY", "http://127.0.0.1:1");
        command
    }

    /// `orion run` on a scripted model.
    fn run(&self, model: &ScriptedModel, arguments: &[&str]) -> Command {
        let mut command = self.orion(&["run", "--base-url", &model.base_url(), "--model", "scripted"]);
        command.args(arguments);
        command
    }
}

/// Runs a command to its end.
fn ran(command: &mut Command) -> Ran {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

/// T5: a turn replays as it was recorded.
fn replays(desk: &Desk, request: &str) {
    let replayed = ran(&mut desk.orion(&["replay", request]));
    assert_eq!(replayed.code, Some(0), "T5: {}{}", replayed.stdout, replayed.stderr);
}

/// How a command ends that calls no model.
fn refused(desk: &Desk, arguments: &[&str]) -> (Option<i32>, String) {
    let Ran { code, stderr, .. } = ran(desk.orion(arguments).args(["--base-url", "http://127.0.0.1:9/v1"]));
    (code, stderr)
}

/// A run under way, with its standard output.
fn started(command: &mut Command) -> (Child, BufReader<ChildStdout>) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    (child, stdout)
}

/// The end of a run whose standard output was taken: its exit code and standard error.
fn ended(mut child: Child) -> (Option<i32>, String) {
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    (child.wait().unwrap().code(), stderr)
}

fn line(stdout: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    line
}

/// Waits until the journal on the disk has this text (J1).
fn journalled(desk: &Desk, text: &str) {
    let write_ahead_log = desk.home.path().join("data/orion.db-wal");
    let deadline = Instant::now() + Duration::from_secs(90);
    loop {
        let bytes = fs::read(&write_ahead_log).unwrap_or_default();
        if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
            return;
        }
        assert!(Instant::now() < deadline, "the content does not reach the journal");
        std::thread::yield_now();
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}
