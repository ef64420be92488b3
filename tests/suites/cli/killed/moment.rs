//! The moment at which a command is killed, and what it had shown by then.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// No command takes as long as this, on however busy a machine.
const DEADLINE: Duration = Duration::from_secs(120);

/// Random numbers that a seed repeats (SplitMix64).
#[derive(Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn of(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Less than this.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.number() % bound
    }

    /// True once in so many times.
    pub(super) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub(super) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        let count = u64::try_from(all.len()).unwrap();
        all[usize::try_from(self.below(count)).unwrap()]
    }

    /// A moment of a command that prints events, or of one that prints little.
    pub(super) fn moment(&mut self, prints: bool) -> Moment {
        let lines = if prints { self.below(16) } else { 0 };
        // Short pauses are as frequent as long ones.
        let bits = self.below(13);
        let micros = self.below(1 << bits);
        match self.below(8) {
            0 => Moment::Never,
            1 | 2 => Moment::Commit { calls: 1 + self.below(if prints { 60 } else { 20 }) },
            _ if prints => Moment::Line { lines, micros },
            _ => Moment::Line { lines: 0, micros: self.below(120_000) },
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Moment {
    /// After so many lines of output, and a little later.
    Line {
        lines: u64,
        micros: u64,
    },
    /// As it makes the n-th call that writes to the journal's file or flushes it.
    Commit {
        calls: u64,
    },
    Never,
}

/// What became of a command.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) killed: bool,
    pub(super) code: Option<i32>,
    /// The whole lines that it printed.
    pub(super) shown: Vec<String>,
    pub(super) stderr: String,
}

impl Moment {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Line { .. } => "after a line",
            Self::Commit { .. } => "in a commit",
            Self::Never => "never",
        }
    }

    /// Runs the command, and kills it at this moment if it comes that far. `log` is SQLite's write-ahead log.
    pub(super) fn kills(self, command: &Command, log: &Path) -> Ended {
        match self {
            Self::Never => Running::of(again(command)).ended(),
            Self::Commit { calls } => Running::of(traced(command, log, calls)).ended(),
            Self::Line { lines, micros } => {
                let mut running = Running::of(again(command));
                if running.printed(lines) {
                    pass(Duration::from_micros(micros));
                    // It may have ended by itself.
                    _ = running.child.kill();
                }
                running.ended()
            }
        }
    }
}

/// Lets time pass that is shorter than a thread can be sure to sleep.
pub(super) fn pass(time: Duration) {
    let until = Instant::now() + time;
    while Instant::now() < until {
        std::thread::yield_now();
    }
}

fn again(command: &Command) -> Command {
    let mut again = Command::new(command.get_program());
    again.args(command.get_args());
    like(again, command)
}

/// The same environment and folder.
fn like(mut new: Command, command: &Command) -> Command {
    new.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    new.current_dir(command.get_current_dir().unwrap()).stdin(Stdio::null());
    new
}

fn traced(command: &Command, log: &Path, calls: u64) -> Command {
    let mut traced = Command::new("strace");
    traced.args(["--follow-forks", "--quiet=all", "--output=/dev/null"]);
    traced.arg("--trace-path").arg(log).arg("--trace=pwrite64,fdatasync,fsync");
    traced.arg(format!("--inject=pwrite64,fdatasync,fsync:signal=KILL:when={calls}"));
    traced.arg("--").arg(command.get_program()).args(command.get_args());
    let mut traced = like(traced, command);
    traced.env("PATH", std::env::var_os("PATH").unwrap());
    traced
}

/// A command whose output is read as it comes.
struct Running {
    child: Child,
    lines: Receiver<String>,
    shown: Vec<String>,
    name: String,
}

impl Running {
    fn of(mut command: Command) -> Self {
        let name = format!("{command:?}");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            // The last line may be cut in two.
            while matches!(stdout.read_line(&mut line), Ok(1..)) && line.ends_with('\n') {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        Self { child, lines, shown: Vec::new(), name }
    }

    /// Whether it printed so many lines.
    fn printed(&mut self, lines: u64) -> bool {
        (0..lines).all(|_| self.line())
    }

    fn line(&mut self) -> bool {
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => {
                self.shown.push(line);
                true
            }
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => false,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                _ = self.child.kill();
                panic!("{} says nothing for {DEADLINE:?}; it said {:?}", self.name, self.shown)
            }
        }
    }

    fn ended(mut self) -> Ended {
        while self.line() {}
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let status = self.child.wait().unwrap();
        Ended { killed: status.signal() == Some(9), code: status.code(), shown: self.shown, stderr }
    }
}
