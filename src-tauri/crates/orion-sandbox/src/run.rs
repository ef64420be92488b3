//! One run of the helper: its task goes in, output comes out in pieces, and its reports say how it ended (C4, C5).
//!
//! Dropping the future closes the helper's input, and the helper then ends everything. Deliberately not here: with which arguments it is started.

use std::process::Stdio;
use std::time::{Duration, Instant};

use orion_protocol::CommandEnd;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, Command};
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;

use crate::places::Ran;
use crate::spawning::spawn;
use crate::wire::{AT_ONCE, GRACE_MS, Report, Task};

/// Bytes of output that are read at once.
const PIECE: usize = 64 * 1024;
/// Bytes of reports that are kept. The longest has a few dozen names.
const REPORTS: usize = 64 * 1024;
/// The time beyond its grace that an end may take before the helper itself is killed.
const SLACK: Duration = Duration::from_millis(700);
/// The time for which output is waited for after the helper has ended: outside of a box, something may have escaped it and hold the pipe.
const DRAINED: Duration = Duration::from_millis(300);

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
    /// Nothing held the output pipe when the helper had ended.
    pub(crate) output_ended: bool,
}

/// Starts the helper with its task, and follows it to its end. `time` is what the task may take.
pub(crate) async fn follow(
    mut helper: Command,
    task: &Task,
    time: Duration,
    most: u64,
    mut output: impl FnMut(&[u8]) + Send,
    stop: CancellationToken,
) -> std::io::Result<Said> {
    let mut order = serde_json::to_vec(task)?;
    order.push(b'\n');
    // `bwrap` shows its environment to the command, in /proc/1/environ.
    helper.env_clear().current_dir("/");
    helper.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn(helper).await?;
    let (mut input, mut out, mut err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let mut sent = 0;
    let mut said = Said {
        reports: Vec::new(),
        complaint: String::new(),
        bytes: 0,
        flooded: false,
        stopped: false,
        output_ended: false,
    };
    let (mut piece, mut report, mut reports) = (vec![0; PIECE], vec![0; 4096], Vec::new());
    let grace = Duration::from_millis(GRACE_MS) + SLACK;
    let mut killed_at = Instant::now() + time + grace;
    let mut has_ended = false;
    while !has_ended || out.is_some() || err.is_some() {
        tokio::select! {
            written = feed(&mut input, &order[sent..]), if sent < order.len() => sent += written,
            read = some(&mut out, &mut piece) => match read {
                0 => out = None,
                read => {
                    let left = most.saturating_sub(said.bytes);
                    said.bytes += read as u64;
                    if !said.flooded {
                        output(&piece[..usize::try_from(left).map_or(read, |left| left.min(read))]);
                    }
                    if said.bytes > most && !said.flooded {
                        said.flooded = true;
                        killed_at = killed_at.min(Instant::now() + grace);
                        if let Some(mut input) = input.take() {
                            let _ = input.write_all(format!("{AT_ONCE}\n").as_bytes()).await;
                        }
                    }
                }
            },
            read = some(&mut err, &mut report) => match read {
                0 => err = None,
                read => {
                    let room = REPORTS.saturating_sub(reports.len());
                    reports.extend_from_slice(&report[..read.min(room)]);
                }
            },
            () = stop.cancelled(), if !said.stopped => {
                said.stopped = true;
                input = None;
                killed_at = killed_at.min(Instant::now() + grace);
            }
            _ = child.wait(), if !has_ended => {
                has_ended = true;
                killed_at = Instant::now() + DRAINED;
            }
            () = sleep_until(killed_at.into()) => {
                if has_ended {
                    break;
                }
                let _ = child.start_kill();
                killed_at += grace;
            }
        }
    }
    said.output_ended = out.is_none();
    for line in String::from_utf8_lossy(&reports).lines() {
        match serde_json::from_str(line) {
            Ok(report) => said.reports.push(report),
            Err(_) => said.complaint = format!("{}\n{line}", said.complaint).trim().to_owned(),
        }
    }
    Ok(said)
}

/// Bytes that were written. A helper that is gone says why, and counts as having read all.
async fn feed(input: &mut Option<ChildStdin>, rest: &[u8]) -> usize {
    match input {
        Some(input) => input.write(rest).await.unwrap_or(rest.len()),
        None => rest.len(),
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
            ports: Vec::new(),
        };
        let started = self.reports.contains(&Report::Started);
        for report in self.reports {
            match report {
                Report::Ended { ended, left_running, ports } => {
                    (ran.ended, ran.left_running, ran.ports) = (ended, left_running, ports);
                }
                Report::NotStarted { why } => (ran.ended, ran.why) = (CommandEnd::NotStarted, Some(why)),
                Report::Started | Report::Probed { .. } => {}
            }
        }
        if self.flooded {
            ran.ended = CommandEnd::Flood;
        } else if ran.ended == CommandEnd::Unknown && self.stopped {
            ran.ended = CommandEnd::Stopped;
        } else if ran.ended == CommandEnd::Unknown && !started {
            ran.ended = CommandEnd::NotStarted;
            let silent = || "the sandbox ended before the command began, and said nothing".to_owned();
            ran.why =
                Some(self.complaint).filter(|complaint| !complaint.is_empty()).or_else(|| Some(silent()));
        }
        ran
    }
}
