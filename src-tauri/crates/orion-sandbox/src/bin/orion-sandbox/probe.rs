//! Attempts to get out of the box in which this helper runs (C3). What succeeds is reported.
//!
//! Deliberately not here: what it means that one succeeds (`mends` of the library), and what waits outside for an attempt (`probing` there).

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use orion_sandbox::wire::{Escape, INSIDE, ProbeTask, Report};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketType};
use rustix::process::{Pid, test_kill_process};

use crate::census::Whose;
use crate::reporting::report;
use crate::{ending, files_only, filter, temporary};

/// The argument of a process that leaves its session, starts another and ends.
pub(crate) const DETACHING: &str = "detaching";
/// The argument of a process that stays.
pub(crate) const LINGERING: &str = "lingering";

/// A setting by which root would run a program outside (core(5)).
const KERNEL: &str = "/proc/sys/kernel/core_pattern";

/// Longer than any box that is measured.
const STAYS: Duration = Duration::from_secs(30);

pub(crate) fn run(task: &ProbeTask, whose: Whose) -> ExitCode {
    let task = task.clone();
    let temporary = task.grants.as_ref().map(|grants| PathBuf::from(&grants.temporary));
    if whose == Whose::Descendants && ending::adopt().is_err() {
        return ExitCode::FAILURE;
    }
    if let Some(Err(error)) = temporary.as_deref().map(temporary::make) {
        report(&Report::NotStarted { why: error.to_string() });
        return ExitCode::FAILURE;
    }
    // The filter is of one thread, as it is for a command.
    let tried = std::thread::spawn(move || {
        match &task.grants {
            Some(grants) => files_only::hold(grants),
            None => filter::apply(),
        }
        .map_err(|error| error.to_string())?;
        let detached = own().arg(DETACHING).stdin(Stdio::null()).stderr(Stdio::null()).status();
        match detached {
            Ok(status) if status.success() => Ok(attempts(&task)),
            Ok(status) => Err(format!("a detached process could not be started: {status}")),
            Err(error) => Err(format!("a detached process could not be started: {error}")),
        }
    });
    let tried = tried.join();
    // A box ends with this process.
    if whose == Whose::Descendants {
        ending::end_all(whose);
    }
    temporary.as_deref().into_iter().for_each(temporary::remove);
    match tried {
        Ok(Ok(escapes)) => report(&Report::Probed { escapes }),
        Ok(Err(why)) => report(&Report::NotStarted { why }),
        Err(_) => return ExitCode::FAILURE,
    }
    ExitCode::SUCCESS
}

fn attempts(task: &ProbeTask) -> Vec<Escape> {
    let is_boxed = task.grants.is_none();
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
    // Not by its content: that it is changed is seen outside, too.
    for path in &task.canaries {
        let _ = nix::unistd::truncate(Path::new(path), 0);
    }
    let tried = [
        (Escape::Home, task.canaries.iter().any(|path| fs::read(path).is_ok())),
        // Opened alone: should it succeed, nothing is changed.
        (Escape::Kernel, OpenOptions::new().write(true).open(KERNEL).is_ok()),
        (Escape::Project, !writes(&task.writable)),
        (Escape::Network, reaches()),
        (Escape::Socket, connects()),
        (Escape::Vsock, rustix::net::socket(AddressFamily::VSOCK, SocketType::STREAM, None).is_ok()),
        (Escape::Process, if is_boxed { is_seen(task) } else { is_open(task) }),
        (Escape::Signal, !is_boxed && is_reached(task)),
    ];
    tried.into_iter().filter(|(_, succeeded)| *succeeded).map(|(escape, _)| escape).collect()
}

/// True if this very process is seen; its number may be another's in here.
fn is_seen(task: &ProbeTask) -> bool {
    let line = fs::read_to_string(format!("/proc/{}/stat", task.process));
    line.is_ok_and(|line| orion_sandbox::wire::started(&line) == Some(task.process_started))
}

/// True if the environment, the files or the memory of the process can be had, where that it is there cannot be hidden.
fn is_open(task: &ProbeTask) -> bool {
    let of_process = |name: &str| format!("/proc/{}/{name}", task.process);
    fs::read(of_process("environ")).is_ok_and(|environ| !environ.is_empty())
        || fs::read(of_process("maps")).is_ok_and(|maps| !maps.is_empty())
        || fs::File::open(of_process("mem")).is_ok()
        || fs::read_link(of_process("fd/0")).is_ok()
        || fs::read_dir(of_process("root")).is_ok()
}

/// True if a signal that does nothing may be sent to the process.
fn is_reached(task: &ProbeTask) -> bool {
    let process = i32::try_from(task.process).ok().and_then(Pid::from_raw);
    process.is_some_and(|process| test_kill_process(process) != Err(Errno::PERM))
}

/// This program, where it is.
fn own() -> Command {
    Command::new(std::env::current_exe().unwrap_or_else(|_| INSIDE.into()))
}

/// Leaves the session and the parent, as a daemon does.
pub(crate) fn detaching() -> ExitCode {
    let left = rustix::process::setsid().is_ok();
    let started = own().arg(LINGERING).stdin(Stdio::null()).stderr(Stdio::null()).spawn().is_ok();
    if left && started { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Holds the output open, as a server would.
pub(crate) fn lingering() -> ExitCode {
    std::thread::sleep(STAYS);
    ExitCode::SUCCESS
}
