//! Attempts to get out of the box in which this helper runs (C3). What succeeds is reported.
//!
//! Deliberately not here: what it means that one succeeds (`mends` of the library), and what waits outside for an attempt (`probing` there).

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixStream};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use orion_sandbox::wire::{Escape, INSIDE, ProbeTask, Report};
use rustix::net::{AddressFamily, SocketType};

use crate::filter;
use crate::reporting::report;

/// The argument of a process that leaves its session, starts another and ends.
pub(crate) const DETACHING: &str = "detaching";
/// The argument of a process that stays.
pub(crate) const LINGERING: &str = "lingering";

/// A setting by which root would run a program outside (core(5)).
const KERNEL: &str = "/proc/sys/kernel/core_pattern";

/// Longer than any box that is measured.
const STAYS: Duration = Duration::from_secs(30);

pub(crate) fn run(task: &ProbeTask) -> ExitCode {
    let task = task.clone();
    // The filter is of one thread, as it is for a command.
    let tried = std::thread::spawn(move || {
        filter::apply().map_err(|error| error.to_string())?;
        let detached =
            Command::new(INSIDE).arg(DETACHING).stdin(Stdio::null()).stderr(Stdio::null()).status();
        match detached {
            Ok(status) if status.success() => Ok(attempts(&task)),
            Ok(status) => Err(format!("a detached process could not be started: {status}")),
            Err(error) => Err(format!("a detached process could not be started: {error}")),
        }
    });
    match tried.join() {
        Ok(Ok(escapes)) => report(&Report::Probed { escapes }),
        Ok(Err(why)) => report(&Report::NotStarted { why }),
        Err(_) => return ExitCode::FAILURE,
    }
    ExitCode::SUCCESS
}

fn attempts(task: &ProbeTask) -> Vec<Escape> {
    let writes = |path: &std::ffi::OsString| {
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .is_ok_and(|mut file| file.write_all(b"x").is_ok())
    };
    let reaches = || {
        let listener = SocketAddr::from((Ipv4Addr::LOCALHOST, task.port));
        TcpStream::connect_timeout(&listener, Duration::from_millis(500)).is_ok()
    };
    let connects = || {
        let by_name = UnixAddr::from_abstract_name(&task.abstract_socket);
        by_name.and_then(|name| UnixStream::connect_addr(&name)).is_ok()
            || UnixStream::connect(&task.path_socket).is_ok()
    };
    // Such a file may be made in the box itself, as below its own /tmp: whether it is outside, is seen there.
    for path in &task.written {
        let _ = writes(path);
    }
    let tried = [
        (Escape::Home, task.canaries.iter().any(|path| fs::read(path).is_ok())),
        // Opened alone: should it succeed, nothing is changed.
        (Escape::Kernel, OpenOptions::new().write(true).open(KERNEL).is_ok()),
        (Escape::Project, !writes(&task.writable)),
        (Escape::Network, reaches()),
        (Escape::Socket, connects()),
        (Escape::Vsock, rustix::net::socket(AddressFamily::VSOCK, SocketType::STREAM, None).is_ok()),
        (Escape::Process, is_seen(task.process, task.process_started)),
    ];
    tried.into_iter().filter(|(_, succeeded)| *succeeded).map(|(escape, _)| escape).collect()
}

/// True if this very process is seen; its number may be another's in here.
fn is_seen(process: u32, started: u64) -> bool {
    let line = fs::read_to_string(format!("/proc/{process}/stat"));
    line.is_ok_and(|line| orion_sandbox::wire::started(&line) == Some(started))
}

/// Leaves the session and the parent, as a daemon does.
pub(crate) fn detaching() -> ExitCode {
    let left = rustix::process::setsid().is_ok();
    let started =
        Command::new(INSIDE).arg(LINGERING).stdin(Stdio::null()).stderr(Stdio::null()).spawn().is_ok();
    if left && started { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Holds the output open, as a server would.
pub(crate) fn lingering() -> ExitCode {
    std::thread::sleep(STAYS);
    ExitCode::SUCCESS
}
