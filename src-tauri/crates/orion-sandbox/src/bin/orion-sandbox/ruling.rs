//! The life of a box: a task is read, a command is started and watched, and everything ends with it (C4, C5).
//!
//! As the first process of its box, the helper ends the box by ending itself. Outside, it ends each descendant.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use orion_protocol::CommandEnd;
use orion_sandbox::wire::{self, GRACE_MS, Report, RunTask, Task};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Signal, WaitOptions, getpid, set_dumpable_behavior, wait};

use crate::census::{self, Whose};
use crate::memory::Memory;
use crate::reporting::report;
use crate::{ending, layout, probe, proxy, starting, temporary};

/// The time between two glances at the number of processes. A bomb makes many within it, and each leaves less of the processor to
/// the helper. Of an ordinary user in a box the kernel counts them itself (C4).
const GLANCED: Duration = Duration::from_millis(20);
/// The time between two counts of processes with their threads (C4).
const COUNTED: Duration = Duration::from_millis(100);
/// The time between two looks at memory and the disk, which take longer (C4).
const WEIGHED: Duration = Duration::from_millis(500);
/// The time between telling processes to end and ending them (C4).
const GRACE: Duration = Duration::from_millis(GRACE_MS);
/// The time that a process that is about to end has, before it counts as left running.
const LEAVING: Duration = Duration::from_millis(50);

/// Something that happened.
#[derive(Debug)]
enum Event {
    /// The command itself ended.
    Ended(CommandEnd),
    /// Whoever ordered it wants it ended, or is gone.
    Stop { at_once: bool },
}

type Thread = Box<dyn FnOnce() + Send>;

pub(crate) fn main() -> ExitCode {
    // Before anything is started: no process of the box can read this one's memory, environment or files.
    if set_dumpable_behavior(DumpableBehavior::NotDumpable).is_err() {
        return refused("the helper cannot close itself to other processes".to_owned());
    }
    close_inherited();
    let argument = std::env::args().nth(1);
    let whose = match argument.as_deref() {
        Some(probe::DETACHING) => return probe::detaching(),
        Some(probe::LINGERING) => return probe::lingering(),
        Some(wire::OUTSIDE) => Whose::Descendants,
        None if getpid().is_init() => Whose::Box,
        _ => {
            report(&Report::NotStarted { why: "orion-sandbox is started by Orion, in a sandbox".to_owned() });
            return ExitCode::from(2);
        }
    };
    let mut input = BufReader::new(io::stdin());
    let mut line = String::new();
    let task = match input.read_line(&mut line) {
        Ok(_) => serde_json::from_str(&line),
        Err(_) => return ExitCode::FAILURE,
    };
    match task {
        Ok(Task::Run(task)) => run(&task, whose, input),
        Ok(Task::Probe(task)) => probe::run(&task, whose),
        Err(error) => refused(format!("the helper was given no task: {error}")),
    }
}

/// Closes whatever Orion was started with and knows nothing of, as a terminal's or a launcher's own files: `bwrap` passes them on.
fn close_inherited() {
    let Ok(folder) = std::fs::read_dir("/proc/self/fd") else { return };
    let open: Vec<i32> =
        folder.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for file in open.into_iter().filter(|file| *file > 2) {
        // One of them was the folder's, and is closed.
        let _ = nix::unistd::close(file);
    }
}

fn refused(why: String) -> ExitCode {
    report(&Report::NotStarted { why });
    ExitCode::FAILURE
}

fn run(task: &RunTask, whose: Whose, input: impl BufRead + Send + 'static) -> ExitCode {
    if let Err(path) = layout::check(&task.expected) {
        return refused(format!("{} changed while the sandbox was set up", path.to_string_lossy()));
    }
    if whose == Whose::Descendants
        && let Err(error) = ending::adopt()
    {
        return refused(format!("the helper cannot hold the processes of the command: {error}"));
    }
    let temporary = task.grants.as_ref().map(|grants| Path::new(&grants.temporary));
    if let Some(Err(error)) = temporary.map(temporary::make) {
        return refused(format!("the command can have no folder for temporary files: {error}"));
    }
    if task.proxy
        && let Err(error) = proxy::hand_over()
    {
        return refused(format!("the helper cannot open the way to the network: {error}"));
    }
    let (events, happens) = channel();
    let (started, child) = channel();
    let reaped = events.clone();
    // Before the command: it may take all processes that the kernel lets the box have.
    let threads: [(&str, Thread); 2] = [
        ("reaping", Box::new(move || child.recv().map_or((), |child| reap(child, &reaped)))),
        ("listening", Box::new(move || listen(input, &events))),
    ];
    for (name, thread) in threads {
        if let Err(error) = std::thread::Builder::new().name(name.to_owned()).spawn(thread) {
            return refused(format!("the helper cannot watch the command: {error}"));
        }
    }
    // Before it: a box that ends in between has perhaps run it.
    report(&Report::Starting);
    let bounds = Bounds::of(task, whose);
    match starting::start(task, whose) {
        Ok(child) => {
            let _ = started.send(child);
        }
        Err(error) => {
            temporary.into_iter().for_each(temporary::remove);
            return refused(format!("{} cannot be started: {error}", task.program.to_string_lossy()));
        }
    }
    let mut listened = Vec::new();
    let ended = watch(bounds, &happens, &mut listened);
    let (left_running, ports) = match ended {
        CommandEnd::Exited { .. } | CommandEnd::Signalled { .. } => left(whose),
        _ => (Vec::new(), listened),
    };
    let remaining = if whose == Whose::Descendants { ending::end_all(whose) } else { Vec::new() };
    let left_running = without(left_running, &remaining);
    temporary.into_iter().for_each(temporary::remove);
    report(&Report::Ended { ended, left_running, remaining, ports });
    // In a box, the kernel ends everything else now.
    std::process::exit(match ended {
        CommandEnd::Exited { code } => code,
        CommandEnd::Signalled { signal } => 128 + signal,
        _ => 1,
    })
}

/// Reaps every process that ends, and tells when it was the command.
fn reap(child: i32, events: &Sender<Event>) {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == child => {
                let ended = match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => CommandEnd::Exited { code },
                    (None, Some(signal)) => CommandEnd::Signalled { signal },
                    (None, None) => continue,
                };
                let _ = events.send(Event::Ended(ended));
            }
            Ok(_) | Err(Errno::INTR) => {}
            // Nothing is left.
            Err(_) => break,
        }
    }
}

/// Waits for the end of the input, or the line that ends everything at once.
fn listen(mut input: impl BufRead, events: &Sender<Event>) {
    let mut line = String::new();
    let at_once = input.read_line(&mut line).is_ok() && line.trim_end() == wire::AT_ONCE;
    let _ = events.send(Event::Stop { at_once });
}

/// The bounds of a command on what it may take at one time (C4), and when each was looked at.
struct Bounds<'a> {
    task: &'a RunTask,
    whose: Whose,
    /// Threads of the whole computer, before the command was one of them.
    before: u32,
    memory: Memory,
    counted: Instant,
    weighed: Instant,
}

impl<'a> Bounds<'a> {
    /// Those of a command that is about to start.
    fn of(task: &'a RunTask, whose: Whose) -> Self {
        Self {
            task,
            whose,
            before: census::threads_of_all().unwrap_or(u32::MAX),
            memory: Memory::of(whose),
            counted: Instant::now(),
            weighed: Instant::now(),
        }
    }

    /// The end by a bound that is passed. Each is looked at when it is time to.
    fn passed(&mut self) -> Option<CommandEnd> {
        let (task, whose) = (self.task, self.whose);
        let may_be_too_many = whose.may_have(task.processes, self.before);
        if may_be_too_many && whose == Whose::Box {
            return Some(CommandEnd::Processes);
        }
        if may_be_too_many || self.counted.elapsed() >= COUNTED {
            if whose.tasks() >= task.processes {
                return Some(CommandEnd::Processes);
            }
            self.counted = Instant::now();
        }
        if self.weighed.elapsed() >= WEIGHED {
            if self.memory.exceeds(task.memory_bytes) {
                return Some(CommandEnd::Memory);
            }
            let free = |folder: &OsString| {
                let disk = rustix::fs::statvfs(folder.as_os_str());
                disk.map_or(u64::MAX, |disk| disk.f_bavail.saturating_mul(disk.f_frsize))
            };
            if task.on_disk.iter().any(|folder| free(folder) < task.free_bytes) {
                return Some(CommandEnd::Disk);
            }
            self.weighed = Instant::now();
        }
        None
    }
}

/// Watches the command until it has ended, or has to end. In the second case it has had its time to do so. `listened`: the ports of one whose time is up.
fn watch(mut bounds: Bounds<'_>, happens: &Receiver<Event>, listened: &mut Vec<u16>) -> CommandEnd {
    let began = Instant::now();
    let time = Duration::from_millis(bounds.task.time_ms);
    loop {
        let left = time.saturating_sub(began.elapsed());
        match happens.recv_timeout(left.min(GLANCED)) {
            Ok(Event::Ended(ended)) => return ended,
            Ok(Event::Stop { at_once: true }) => return CommandEnd::Stopped,
            Ok(Event::Stop { at_once: false }) => return gently(bounds, happens, CommandEnd::Stopped, GRACE),
            Err(RecvTimeoutError::Disconnected) => return CommandEnd::Unknown,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if began.elapsed() >= time {
            *listened = ports(bounds.whose);
            return gently(bounds, happens, CommandEnd::TimedOut, GRACE);
        }
        if let Some(ended) = bounds.passed() {
            return ended;
        }
    }
}

/// Tells every process to end, and waits until they have or their time is up. One that passes a bound in the meantime has no more time (C4).
fn gently(
    mut bounds: Bounds<'_>,
    happens: &Receiver<Event>,
    ended: CommandEnd,
    grace: Duration,
) -> CommandEnd {
    let until = Instant::now() + grace;
    // One that was halted cannot end before it goes on.
    bounds.whose.signal(&[Signal::TERM, Signal::CONT]);
    while Instant::now() < until && !bounds.whose.running().is_empty() && bounds.passed().is_none() {
        if let Ok(Event::Stop { at_once: true }) = happens.recv_timeout(ending::ROUND) {
            break;
        }
    }
    ended
}

/// The processes that the command left running: those that still run a moment later, too.
fn left(whose: Whose) -> (Vec<String>, Vec<u16>) {
    if whose.running().is_empty() {
        return (Vec::new(), Vec::new());
    }
    std::thread::sleep(LEAVING);
    (whose.names(), ports(whose))
}

/// The ports on which something of the command listens.
fn ports(whose: Whose) -> Vec<u16> {
    match whose {
        Whose::Box => census::ports().into_iter().filter(|port| *port != wire::PROXY_PORT).collect(),
        Whose::Descendants => census::ports_of(whose),
    }
}

/// These names, each as often as it is not among the others.
fn without(mut names: Vec<String>, others: &[String]) -> Vec<String> {
    for other in others {
        if let Some(at) = names.iter().position(|name| name == other) {
            names.remove(at);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    use orion_protocol::CommandEnd;
    use orion_sandbox::wire::RunTask;

    use super::{Bounds, WEIGHED, gently};
    use crate::census::Whose;

    // C4
    #[test]
    fn a_command_that_takes_too_much_memory_after_it_was_told_to_end_has_no_more_time() {
        let deaf = "trap '' TERM; echo ready; exec cat";
        let mut command = Command::new("sh");
        command.args(["-c", deaf]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut command = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(command.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        let task = RunTask {
            program: "sh".into(),
            arguments: vec!["-c".into(), deaf.into()],
            environment: Vec::new(),
            cwd: "/".into(),
            on_disk: Vec::new(),
            time_ms: u64::MAX,
            processes: u32::MAX,
            memory_bytes: 0,
            free_bytes: 0,
            proxy: false,
            expected: Vec::new(),
            grants: None,
        };
        let mut bounds = Bounds::of(&task, Whose::Descendants);
        bounds.weighed = Instant::now().checked_sub(WEIGHED).unwrap();
        let ((_events, happens), grace) = (channel(), Duration::from_mins(5));
        let since = Instant::now();
        let ended = gently(bounds, &happens, CommandEnd::Stopped, grace);
        assert!(ended == CommandEnd::Stopped && since.elapsed() < grace, "{ended:?}");
        assert_eq!(command.try_wait().unwrap(), None, "it ended by itself");
        command.kill().unwrap();
        command.wait().unwrap();
    }
}
