//! The words between the library and the helper: one line of JSON with a task on the helper's standard input, and lines of JSON with reports on
//! its standard error.
//!
//! Both are of one build, so nothing here has a version. Names of files travel as `OsString`: they need not be UTF-8.

use std::ffi::OsString;

use orion_protocol::CommandEnd;
use serde::{Deserialize, Serialize};

/// The helper's place in the empty root of a box.
pub const INSIDE: &str = "/run/orion-sandbox";

/// The argument with which the helper is started where nothing holds the command.
pub const OUTSIDE: &str = "outside";

/// The port of the box's loopback on which Orion's proxy is.
pub const PROXY_PORT: u16 = 3128;

/// After the task, this line ends everything at once; the end of the input ends it gently.
pub const AT_ONCE: &str = "now";

/// The time that a command has between SIGTERM and SIGKILL, in milliseconds (C4).
pub const GRACE_MS: u64 = 2_000;

/// The time for which what a command started outside is killed, round after round, before the helper names what it could not end, in milliseconds (C5).
pub const ENDING_MS: u64 = 10_000;

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Task {
    Run(RunTask),
    Probe(ProbeTask),
}

/// A command to run.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunTask {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
    pub cwd: OsString,
    /// The folders whose disks must stay free.
    pub on_disk: Vec<OsString>,
    pub time_ms: u64,
    pub processes: u32,
    pub memory_bytes: u64,
    pub free_bytes: u64,
    /// The helper hands over a socket for Orion's proxy before the command starts.
    pub proxy: bool,
    /// The paths that must be in the box, or must not be, before the command starts.
    pub expected: Vec<Expected>,
    /// The files of a command that runs without a box and is held all the same. None in a box, and where nothing holds it.
    pub grants: Option<Grants>,
}

/// The files that a command may use where no box hides the others, each without a link in its path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grants {
    /// Folders that are read, written and run from.
    pub writable: Vec<OsString>,
    /// Files and folders that are read and run from.
    pub readable: Vec<OsString>,
    /// Devices that are read and written.
    pub devices: Vec<OsString>,
    /// A folder that the helper makes before the command and removes after it. The command writes there, too.
    pub temporary: OsString,
    /// The newest interface of Landlock that is used, by its number.
    pub abi: i32,
}

/// A path as it was when the box was planned. Another command may have put something else there in the meantime.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    pub path: OsString,
    pub device: u64,
    pub inode: u64,
    pub seen: Seen,
}

/// The command's view of such a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    Writable,
    ReadOnly,
    /// Something else covers it.
    Covered,
}

/// The attempts of the helper to get out of its box.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProbeTask {
    /// Files outside of the box, with a secret that nobody must be able to read.
    pub canaries: Vec<OsString>,
    /// Files that must not be made: outside, and in `.git`. None is there before.
    pub written: Vec<OsString>,
    /// A file that can be written, or the measure says nothing: in the project.
    pub writable: OsString,
    /// A port of 127.0.0.1 on which something listens outside.
    pub port: u16,
    /// An abstract socket on which something listens outside, and one with a path.
    pub abstract_socket: String,
    pub path_socket: OsString,
    /// A process outside, by its number and the time of its start.
    pub process: u32,
    pub process_started: u64,
    /// The files that the attempts are granted where there is no box.
    pub grants: Option<Grants>,
}

/// An attempt that succeeded, and must not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Escape {
    Home,
    Write,
    Kernel,
    Network,
    Socket,
    Vsock,
    Process,
    /// A signal reaches a process outside.
    Signal,
    Detached,
    /// Not an escape: the project cannot be written, so the other results mean nothing.
    Project,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Report {
    /// The box is as it was planned, and the command starts now. Its time begins.
    Starting,
    NotStarted {
        why: String,
    },
    /// The command has ended. `left_running` ended with it, and `remaining` did not.
    Ended {
        ended: CommandEnd,
        left_running: Vec<String>,
        remaining: Vec<String>,
        ports: Vec<u16>,
    },
    Probed {
        escapes: Vec<Escape>,
    },
}

/// The ports on which something listens, with the number of each socket, by a table as of /proc/net/tcp (proc_net(5), `tcp` in the kernel's documentation).
#[must_use]
pub fn listeners(table: &str) -> Vec<(u16, u64)> {
    /// `TCP_LISTEN` of the kernel's tcp_states.h.
    const LISTEN: &str = "0A";
    let listener = |line: &str| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let (local, state, inode) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
        let port = u16::from_str_radix(local.rsplit_once(':')?.1, 16).ok()?;
        (*state == LISTEN).then(|| Some((port, inode.parse().ok()?)))?
    };
    table.lines().skip(1).filter_map(listener).collect()
}

/// The ports alone.
#[must_use]
pub fn listening(table: &str) -> Vec<u16> {
    listeners(table).into_iter().map(|(port, _)| port).collect()
}

/// When a process started, by its line of /proc/PID/stat: field 22 of proc_pid_stat(5), in ticks since the computer started.
#[must_use]
pub fn started(line: &str) -> Option<u64> {
    line.rsplit_once(") ")?.1.split(' ').nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{listeners, listening, started};

    const TABLE: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1F91 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0000000000000000 100 0 0 10 0
   2: 00000000000000000000000001000000:0016 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 9 1
   3: nonsense
";

    #[test]
    fn only_what_listens_is_a_port() {
        assert_eq!(listening(TABLE), [8080, 22]);
        assert_eq!(listeners(TABLE), [(8080, 4711), (22, 9)]);
        assert_eq!(listening(""), Vec::<u16>::new());
    }

    #[test]
    fn a_process_with_brackets_in_its_name_started_when_it_did() {
        let line = "7 (a) b) c) S 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 25 5 1 0 98765 1 2 3";
        assert_eq!(started(line), Some(98765));
        assert_eq!(started("7"), None);
    }
}
