//! The processes that a command started, as /proc has them: which there are, and which ports they listen on.
//!
//! Deliberately not here: the memory that they take (`memory`), and ending them (`ruling`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpid, kill_process};

/// Names and ports that are reported at most. A report is one line that a person reads.
const NAMED: usize = 32;

/// Whose processes are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// All that are seen: the box has a /proc of its own.
    Box,
    /// The descendants of this process. It is their sub-reaper, so it has those whose parents are gone too.
    Descendants,
}

/// One process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    parent: i32,
    pub(crate) name: String,
    threads: u32,
}

impl Whose {
    /// The processes of the command that still run.
    pub(crate) fn running(self) -> Vec<Process> {
        let own = getpid().as_raw_nonzero().get();
        let all = all();
        match self {
            Self::Box => all.into_iter().filter(|process| process.pid != own).collect(),
            Self::Descendants => descendants(own, all),
        }
    }

    /// The names of what runs, each as often as it runs.
    pub(crate) fn names(self) -> Vec<String> {
        self.running().into_iter().map(|process| process.name).take(NAMED).collect()
    }

    /// Processes and their threads, as the kernel counts them.
    pub(crate) fn tasks(self) -> u32 {
        self.running().iter().map(|process| process.threads).sum()
    }

    /// True if there may be as many processes as this, or more. It must take no time: a bomb leaves the helper little of the processor.
    pub(crate) fn may_have(self, most: u32, before: u32) -> bool {
        match self {
            Self::Box => pids().take(most as usize + 1).count() > most as usize,
            Self::Descendants => threads_of_all().is_some_and(|all| all.saturating_sub(before) >= most),
        }
    }

    /// Sends signals to each process, one by one: a signal to all would reach processes outside of a box. False if not one of them took any.
    pub(crate) fn signal(self, signals: &[Signal]) -> bool {
        let running = self.running();
        let mut may_obey = running.is_empty();
        for signal in signals {
            for pid in running.iter().filter_map(|process| Pid::from_raw(process.pid)) {
                may_obey |= kill_process(pid, *signal) != Err(Errno::PERM);
            }
        }
        may_obey
    }
}

/// The numbers of all processes that are seen.
fn pids() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Threads on the whole computer, by the fourth field of /proc/loadavg (proc_loadavg(5)).
pub(crate) fn threads_of_all() -> Option<u32> {
    let line = fs::read_to_string("/proc/loadavg").ok()?;
    line.split(' ').nth(3)?.split_once('/')?.1.parse().ok()
}

/// Every process that has not ended.
fn all() -> Vec<Process> {
    // A name may be no UTF-8.
    let line = |pid| fs::read(format!("/proc/{pid}/stat")).ok();
    pids().filter_map(|pid| process(&String::from_utf8_lossy(&line(pid)?))).collect()
}

/// A process by its line of /proc/PID/stat (proc_pid_stat(5)), unless it has ended and only waits to be reaped.
fn process(line: &str) -> Option<Process> {
    let (pid, rest) = line.split_once(" (")?;
    // A name may have brackets and spaces itself.
    let (name, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let threads = fields.get(17)?.parse().ok()?;
    // The first thread may have ended before the others.
    if matches!((*fields.first()?, threads), ("X", _) | ("Z", 0 | 1)) {
        return None;
    }
    Some(Process {
        pid: pid.parse().ok()?,
        parent: fields.get(1)?.parse().ok()?,
        name: name.to_owned(),
        threads,
    })
}

fn descendants(of: i32, all: Vec<Process>) -> Vec<Process> {
    let mut by_parent: BTreeMap<i32, Vec<Process>> = BTreeMap::new();
    for process in all {
        by_parent.entry(process.parent).or_default().push(process);
    }
    let (mut found, mut next) = (Vec::new(), vec![of]);
    while let Some(parent) = next.pop() {
        for process in by_parent.remove(&parent).unwrap_or_default() {
            next.push(process.pid);
            found.push(process);
        }
    }
    found
}

/// The ports on which something listens in this network namespace.
pub(crate) fn ports() -> Vec<u16> {
    let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
    let texts = tables.iter().filter_map(|table| fs::read_to_string(table).ok());
    let ports: BTreeSet<u16> = texts.flat_map(|text| orion_sandbox::wire::listening(&text)).collect();
    ports.into_iter().take(NAMED).collect()
}

/// The ports of the processes' own sockets, where the network namespace is everybody's.
pub(crate) fn ports_of(whose: Whose) -> Vec<u16> {
    let mut inodes = BTreeSet::new();
    for process in whose.running() {
        let Ok(folder) = fs::read_dir(format!("/proc/{}/fd", process.pid)) else { continue };
        for link in folder.flatten().filter_map(|entry| fs::read_link(entry.path()).ok()) {
            let inode = link.to_str().and_then(|text| text.strip_prefix("socket:[")?.strip_suffix(']'));
            inodes.extend(inode.and_then(|inode| inode.parse::<u64>().ok()));
        }
    }
    let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
    let texts = tables.iter().filter_map(|table| fs::read_to_string(table).ok());
    let listening = texts.flat_map(|text| orion_sandbox::wire::listeners(&text));
    let ports: BTreeSet<u16> =
        listening.filter(|(_, inode)| inodes.contains(inode)).map(|(port, _)| port).collect();
    ports.into_iter().take(NAMED).collect()
}
