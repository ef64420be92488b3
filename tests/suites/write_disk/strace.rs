//! The process that changes the file, with strace between it and the kernel.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::scene::Stage;

/// What became of the process.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) killed: bool,
    /// True when strace did what it was asked to.
    pub(super) injected: bool,
    /// How the attempt ended, as the process said it. Empty when it did not come so far.
    pub(super) said: String,
    pub(super) log: String,
}

/// The process under strace, which is given `injections` such as `fsync:signal=KILL:when=2`.
pub(super) fn start(stage: &Stage, act: &str, injections: &[String]) -> Child {
    let mut command = Command::new("strace");
    // A call that is not to happen; of several for one system call the last would win.
    let simple = stage.scene.simple && !injections.iter().any(|one| one.starts_with("renameat2:"));
    let simple = simple.then(|| "renameat2:error=EINVAL".to_owned());
    for injection in injections.iter().chain(&simple) {
        command.arg(format!("--inject={injection}"));
    }
    command
        .args(["--trace=all", "--"])
        .arg(env!("CARGO_BIN_EXE_file-writer"))
        .args(stage.arguments(act))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("strace: {error}; install the Debian package strace"))
}

/// Runs it to its end.
pub(super) fn run(stage: &Stage, act: &str, injections: &[String]) -> Ended {
    let output = start(stage, act, injections).wait_with_output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(log.contains("execve("), "strace may not trace here:\n{log}");
    Ended {
        killed: output.status.signal() == Some(9),
        injected: log.contains("(INJECTED)"),
        said: String::from_utf8_lossy(&output.stdout).trim_end().to_owned(),
        log,
    }
}

/// Runs it, and calls `act` with the calls so far while it is stopped. True when it was, and how the attempt ended.
pub(super) fn stopped(stage: &Stage, injection: String, mut act: impl FnMut(&str)) -> (bool, String) {
    let mut child = start(stage, "perform", &[injection]);
    let mut stopped = false;
    let mut log = String::new();
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        log += &line.unwrap();
        if log.ends_with("--- stopped by SIGSTOP ---") {
            stopped = true;
            act(&log);
            kill_process(traced(child.id()), Signal::CONT).unwrap();
        }
    }
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    child.wait().unwrap();
    (stopped, said.trim_end().to_owned())
}

/// The only child of strace.
fn traced(strace: u32) -> Pid {
    let children = std::fs::read_to_string(format!("/proc/{strace}/task/{strace}/children")).unwrap();
    Pid::from_raw(children.trim().parse().unwrap()).unwrap()
}
