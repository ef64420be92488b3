//! One run of the helper: its task goes in, output comes out in pieces, and its reports say how it ended (C4, C5).
//!
//! Dropping the future closes the helper's input, and the helper then ends everything. Deliberately not here: with which arguments it is started.

use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::time::{Duration, Instant};

use orion_protocol::{CommandEnd, CommandNetwork};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::Command;
use tokio::sync::oneshot;
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;

use crate::handed::{handed, line};
use crate::places::Ran;
use crate::spawning::spawn;
use crate::wire::{AT_ONCE, ENDING_MS, GRACE_MS, Report, Task};

/// Bytes of output that are read at once.
const PIECE: usize = 64 * 1024;
/// Bytes of reports that are kept. The longest has a few dozen names.
const REPORTS: usize = 64 * 1024;
/// The time beyond its grace that an end may take before the helper itself is killed. It takes a moment, unless the computer is very busy.
const SLACK: Duration = Duration::from_secs(3);
/// The time that setting a box up may take. It takes a few hundredths of a second, unless the computer is very busy.
const SETTING_UP: Duration = Duration::from_secs(20);
/// The time for which output is waited for after the helper has ended: outside of a box, something may have escaped it and hold the pipe.
const DRAINED: Duration = Duration::from_millis(300);
/// Bytes that may lie in a pipe when its writers have ended, and are read however late it is: the most that an ordinary user can have in one (pipe(7)).
const PIPE: usize = 1 << 20;

/// The times of one run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    /// The time of the task itself, which begins when its box is set up.
    pub(crate) task: Duration,
    /// The time that everything has to end, when the task's own is over.
    end: Duration,
}

impl Times {
    pub(crate) fn in_box(task: Duration) -> Self {
        Self { task, end: Duration::from_millis(GRACE_MS) + SLACK }
    }

    /// Outside, the kernel does not end everything at once.
    pub(crate) fn outside(task: Duration) -> Self {
        Self { end: Duration::from_millis(GRACE_MS + ENDING_MS) + SLACK, task }
    }
}

/// The outcome of a run of the helper.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) reports: Vec<Report>,
    /// Other words of it or of `bwrap`.
    pub(crate) complaint: String,
    pub(crate) bytes: u64,
    /// More output came than may.
    pub(crate) flooded: bool,
    pub(crate) stopped: bool,
    /// The helper did not end by itself when all its times were over.
    pub(crate) overdue: bool,
    /// Nothing held the output pipe when the helper had ended.
    pub(crate) output_ended: bool,
}

/// Starts the helper with its task, and follows it to its end. `proxy` is given the socket that it hands over.
pub(crate) async fn follow(
    mut helper: Command,
    task: &Task,
    times: Times,
    most: u64,
    mut output: impl FnMut(&[u8]) + Send,
    mut proxy: Option<oneshot::Sender<OwnedFd>>,
    stop: CancellationToken,
) -> std::io::Result<Said> {
    let mut order = serde_json::to_vec(task)?;
    order.push(b'\n');
    // `bwrap` shows its environment to the command, in /proc/1/environ.
    helper.env_clear().current_dir("/");
    let (own, of_helper) = line()?;
    helper.stdin(of_helper).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn(helper).await?;
    let (mut input, mut out, mut err) = (Some(own), child.stdout.take(), child.stderr.take());
    let mut sent = 0;
    let mut said = Said {
        reports: Vec::new(),
        complaint: String::new(),
        bytes: 0,
        flooded: false,
        stopped: false,
        overdue: false,
        output_ended: false,
    };
    let (mut piece, mut report, mut reports) = (vec![0; PIECE], vec![0; 4096], Vec::new());
    let mut killed_at = Instant::now() + SETTING_UP + times.task + times.end;
    let (mut is_starting, mut has_ended, mut drained) = (false, false, 0);
    while !has_ended || out.is_some() || err.is_some() {
        // A busy computer may let this go on long after it could: what was written in time is read first.
        let may_read = Instant::now() < killed_at || (has_ended && drained < PIPE);
        tokio::select! {
            biased;
            () = stop.cancelled(), if !said.stopped => {
                said.stopped = true;
                input = None;
                killed_at = killed_at.min(Instant::now() + times.end);
            }
            _ = child.wait(), if !has_ended => {
                has_ended = true;
                killed_at = Instant::now() + DRAINED;
            }
            lined = on_line(&mut input, &order[sent..]), if sent < order.len() || proxy.is_some() => match lined {
                Lined::Fed(written) => sent += written,
                // Before the command starts: nothing of it can come first. Whoever does not wait any more has no use for it.
                Lined::Handed(socket) => {
                    let _ = proxy.take().zip(socket).map(|(proxy, socket)| proxy.send(socket));
                }
            },
            read = some(&mut err, &mut report) => match read {
                0 => err = None,
                read => {
                    let room = REPORTS.saturating_sub(reports.len());
                    reports.extend_from_slice(&report[..read.min(room)]);
                    if !is_starting && parsed(&reports).0.contains(&Report::Starting) {
                        is_starting = true;
                        killed_at = killed_at.min(Instant::now() + times.task + times.end);
                    }
                }
            },
            read = some(&mut out, &mut piece), if may_read => match read {
                0 => out = None,
                read => {
                    let left = most.saturating_sub(said.bytes);
                    said.bytes += read as u64;
                    drained += if has_ended { read } else { 0 };
                    if !said.flooded {
                        output(&piece[..usize::try_from(left).map_or(read, |left| left.min(read))]);
                    }
                    if said.bytes > most && !said.flooded {
                        said.flooded = true;
                        killed_at = killed_at.min(Instant::now() + times.end);
                        if let Some(mut input) = input.take() {
                            let _ = input.write_all(format!("{AT_ONCE}\n").as_bytes()).await;
                        }
                    }
                }
            },
            () = sleep_until(killed_at.into()) => {
                if has_ended {
                    break;
                }
                said.overdue = true;
                let _ = child.start_kill();
                killed_at = Instant::now() + times.end;
            }
        }
    }
    said.output_ended = out.is_none();
    (said.reports, said.complaint) = parsed(&reports);
    Ok(said)
}

/// The reports, and the lines that are none.
fn parsed(lines: &[u8]) -> (Vec<Report>, String) {
    let (mut reports, mut others) = (Vec::new(), Vec::new());
    for line in String::from_utf8_lossy(lines).lines() {
        match serde_json::from_str(line) {
            Ok(report) => reports.push(report),
            Err(_) => others.push(line.to_owned()),
        }
    }
    (reports, others.join("\n").trim().to_owned())
}

/// Something on the line with the helper.
enum Lined {
    /// Bytes of the task that were written. A helper that is gone says why, and counts as having read all.
    Fed(usize),
    /// The socket that the helper hands over, if it does.
    Handed(Option<OwnedFd>),
}

/// Writes the rest of the task, or takes what comes after it. Waits for ever where nothing can come any more.
async fn on_line(line: &mut Option<UnixStream>, rest: &[u8]) -> Lined {
    match line {
        Some(line) if rest.is_empty() => Lined::Handed(handed(line).await),
        Some(line) => Lined::Fed(line.write(rest).await.unwrap_or(rest.len())),
        None if rest.is_empty() => std::future::pending().await,
        None => Lined::Fed(rest.len()),
    }
}

/// Bytes that were read; none at the end. Waits for ever where nothing is left to be read.
async fn some(pipe: &mut Option<impl AsyncRead + Unpin>, piece: &mut [u8]) -> usize {
    match pipe {
        Some(pipe) => pipe.read(piece).await.unwrap_or(0),
        None => std::future::pending().await,
    }
}

impl Said {
    /// The end of a command, by what was said of it.
    pub(crate) fn ran(self, duration: Duration) -> Ran {
        let mut ran = Ran {
            ended: CommandEnd::Unknown,
            why: None,
            duration,
            bytes: self.bytes,
            left_running: Vec::new(),
            remaining: Vec::new(),
            ports: Vec::new(),
            network: CommandNetwork::default(),
        };
        let started = self.reports.contains(&Report::Starting);
        for report in self.reports {
            match report {
                Report::Ended { ended, left_running, remaining, ports } => {
                    (ran.ended, ran.left_running) = (ended, left_running);
                    (ran.remaining, ran.ports) = (remaining, ports);
                }
                Report::NotStarted { why } => (ran.ended, ran.why) = (CommandEnd::NotStarted, Some(why)),
                Report::Starting | Report::Probed { .. } => {}
            }
        }
        if self.flooded {
            ran.ended = CommandEnd::Flood;
        } else if ran.ended == CommandEnd::Unknown && self.stopped {
            ran.ended = CommandEnd::Stopped;
        } else if ran.ended == CommandEnd::Unknown && started && self.overdue {
            // All its time was over, and only the word on its end is missing.
            ran.ended = CommandEnd::TimedOut;
        } else if ran.ended == CommandEnd::Unknown && !started {
            ran.ended = CommandEnd::NotStarted;
            let silent = || "the sandbox ended before the command began, and said nothing".to_owned();
            ran.why =
                Some(self.complaint).filter(|complaint| !complaint.is_empty()).or_else(|| Some(silent()));
        }
        ran
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use orion_protocol::CommandEnd;
    use tokio::process::Command;
    use tokio_util::sync::CancellationToken;

    use super::{SETTING_UP, Times, follow};
    use crate::wire::{RunTask, Task};

    // C4
    #[tokio::test]
    async fn a_command_whose_box_takes_long_to_set_up_has_all_its_time_and_its_end_is_known() {
        // It takes longer to set up than its times, which are none, and then never ends: they are over once it has said that it starts, and not before.
        let mut helper = Command::new("/bin/sh");
        helper.args(["-c", "read -r task; sleep 0.2; echo \"$0\" >&2; exec cat"]);
        helper.arg(serde_json::to_string(&super::Report::Starting).unwrap());
        let task = Task::Run(RunTask {
            program: "true".into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            cwd: "/".into(),
            on_disk: Vec::new(),
            time_ms: 0,
            processes: 0,
            memory_bytes: 0,
            free_bytes: 0,
            proxy: false,
            expected: Vec::new(),
            grants: None,
        });
        let times = Times { task: Duration::ZERO, end: Duration::ZERO };
        let since = Instant::now();
        let said = follow(helper, &task, times, 0, |_| {}, None, CancellationToken::new()).await.unwrap();
        assert!(since.elapsed() < SETTING_UP, "its time was not over when it was");
        let ran = said.ran(since.elapsed());
        assert_eq!((ran.ended, ran.why), (CommandEnd::TimedOut, None));
    }
}
