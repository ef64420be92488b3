//! The tasks, and one run of one of them: `orion run --events` in a project of its own, with a limit on the clock.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use wait_timeout::ChildExt;

use crate::judge::{self, WAITS};

/// The limits of a turn (T7): a small model takes minutes for a thousand tokens where the machine is slow.
const LIMITS: [&str; 4] = ["--max-seconds", "90", "--max-output-tokens", "1024"];

/// For one task, whatever the model does: the 90 s of its turn, and time for the rest.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// Bytes that are kept of each stream of a task.
const KEPT: u64 = 64 << 20;

pub(crate) struct Task {
    pub(crate) name: &'static str,
    /// One turn each, in one session.
    messages: &'static [&'static str],
    options: &'static [&'static str],
}

const fn task(
    name: &'static str,
    messages: &'static [&'static str],
    options: &'static [&'static str],
) -> Task {
    Task { name, messages, options }
}

pub(crate) const TASKS: &[Task] = &[
    task("no tool", &["Answer in one word: what is the capital of France?"], &[]),
    task("list", &["List the files of this project."], &[]),
    task("read", &["Read notes.txt and tell me what it says."], &[]),
    task("read what is not there", &["Read missing.txt and tell me what it says."], &[]),
    task("search", &["Search the files of this project for the word lantern."], &[]),
    task("plan mode", &["Which of the files here is the longest?"], &["--mode", "plan"]),
    task("unified route", &["List the files, then read each of them."], &["--route", "unified"]),
    task("write", &["Create the file hello.txt. Its content is: Hello, world."], &["--approve-writes"]),
    task("write, rejected", &["Create the file hello.txt. Its content is: Hello, world."], &[]),
    task("loop", &["Read notes.txt again and again. Never stop reading it."], &["--max-cycles", "8"]),
    task("long answer", &["Write a story of ten thousand words about a lighthouse."], &[]),
    task("repetition", &["Write the line `color: red;` again and again, for ever."], &[]),
    task(
        "conversation",
        &[
            "Create the file hello.txt. Its content is: Hello, world.",
            "Tell me about lighthouses in a hundred words.",
            "Create the file lamp.css. Its content is a rule for the class lamp with five properties.",
            "Read notes.txt and tell me what it says.",
            "Which files have you created so far?",
        ],
        &["--approve-writes"],
    ),
];

const FILES: [(&str, &str); 3] = [
    ("notes.txt", "The lantern stands in the hall.\nIt needs oil on Fridays.\n"),
    ("src/main.css", "body { color: black; }\n"),
    ("README.md", "# A house\n\nNotes about a house with a lantern.\n"),
];

/// What came out of one turn of a task.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// The tokens that its first request was to have, by Orion's count (X2). None in a new session, which has no count to go by.
    pub(crate) expected: Option<u64>,
    /// The lines of events.
    pub(crate) events: String,
    pub(crate) stderr: String,
    /// None where the process was killed, by the limit too.
    pub(crate) exit_code: Option<i32>,
    pub(crate) took: Duration,
}

/// The program, which `cargo xtask real` puts beside this one.
pub(crate) fn orion() -> Result<PathBuf> {
    let here = std::env::current_exe().context("this program does not know where it is")?;
    let orion = here.with_file_name(format!("orion{EXE_SUFFIX}"));
    ensure!(orion.is_file(), "{} is missing: cargo xtask real builds it", orion.display());
    Ok(orion)
}

/// Runs the turns of a task to their ends. A write that waits for a person is rejected, and the turn goes on.
pub(crate) fn run(task: &Task, orion: &Path, address: &str, model: &str) -> Result<Vec<Run>> {
    let place = tempfile::tempdir().context("no temporary folder")?;
    let (project, data) = (place.path().join("project"), place.path().join("data"));
    for (name, text) in FILES {
        let path = project.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&project)).context("the project cannot be made")?;
        fs::write(path, text).context("the project cannot be made")?;
    }
    let command = |word: &str| {
        let mut command = Command::new(orion);
        command.args([word, "--base-url", address]).arg("--data-dir").arg(&data);
        command
    };
    let mut runs = Vec::new();
    let mut session: Option<String> = None;
    for message in task.messages {
        let mut ask = command("run");
        ask.args(["--events", "--model", model])
            .arg("--project")
            .arg(&project)
            .args(LIMITS)
            .args(task.options);
        let expected = match &session {
            Some(session) => {
                ask.arg("--continue");
                let shown = within(command("context").args(["--json", "--model", model, session]), LIMIT)?;
                // A token of the message is taken to have 4 bytes.
                judge::tokens(&shown.events).map(|tokens| tokens + message.len() as u64 / 4)
            }
            None => None,
        };
        let began = Instant::now();
        let mut run = within(ask.arg(message), LIMIT)?;
        while run.exit_code == Some(WAITS)
            && let Some(ids) = judge::ids(&run.events)
        {
            let mut answer = command("approve");
            let left = LIMIT.saturating_sub(began.elapsed());
            let next = within(answer.args(["--events", "--reject", &ids.request]), left)?;
            run = Run { events: run.events + &next.events, stderr: run.stderr + &next.stderr, ..next };
        }
        session = judge::ids(&run.events).map(|ids| ids.session);
        runs.push(Run { took: began.elapsed(), expected, ..run });
    }
    Ok(runs)
}

/// Runs a command, and kills it at the limit. What it wrote until then is kept.
fn within(command: &mut Command, limit: Duration) -> Result<Run> {
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().with_context(|| format!("{command:?} did not start"))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (out, err) = (std::thread::spawn(move || text(out)), std::thread::spawn(move || text(err)));
    // The process may close its output and go on, so its end is what counts.
    let status = child.wait_timeout(limit).context("the end of a task cannot be seen")?;
    if status.is_none() {
        child.kill().context("a task cannot be killed")?;
        child.wait().context("the end of a task cannot be seen")?;
    }
    let (events, stderr) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
    let exit_code = status.and_then(|status| status.code());
    Ok(Run { events, stderr, exit_code, ..Run::default() })
}

/// What a stream says until its end. What is beyond `KEPT` is lost, and the process sees a closed pipe.
fn text(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        // What came before an error is kept.
        _ = stream.by_ref().take(KEPT).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_closes_its_output_and_does_not_end_is_killed_at_the_limit() {
        let began = Instant::now();
        let script = "echo one; exec >/dev/null 2>&1; exec tail -f /dev/null";
        let run = within(Command::new("sh").args(["-c", script]), Duration::from_millis(300)).unwrap();
        assert_eq!((run.events.as_str(), run.exit_code), ("one\n", None));
        // The wait counts whole milliseconds, and drops what is left of the last one.
        assert!(began.elapsed() >= Duration::from_millis(299));
    }

    #[test]
    fn a_task_that_ends_has_its_output_and_exit_code() {
        let run = within(Command::new("sh").args(["-c", "echo one; echo two >&2; exit 4"]), LIMIT).unwrap();
        assert_eq!((run.events.as_str(), run.stderr.as_str(), run.exit_code), ("one\n", "two\n", Some(4)));
    }
}
