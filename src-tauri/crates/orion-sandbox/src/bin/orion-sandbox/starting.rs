//! Starting the command: its limits, its filter, and what it inherits, which is /dev/null and the output pipe alone.
//!
//! A thread of its own starts it, since the filter and the priority are of one thread and what it starts. Deliberately not here: the filter (`filter`).

use std::io;
use std::os::fd::AsFd;
use std::process::Stdio;

use orion_sandbox::wire::RunTask;
use process_wrap::std::{CommandWrap, ProcessSession};
use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit};

use crate::census::Whose;
use crate::{files_only, filter};

/// The niceness of a command: what a person works with gets more of the processor (C4).
const NICE: i32 = 5;

/// The kernel in which a limit on processes counts those of a user namespace alone (`ucounts`, Linux 5.14).
const COUNTS_NAMESPACES: (u32, u32) = (5, 14);

/// The processes that the kernel lets a command start beyond its bound: its threads are the helper's own as well, and a box that has too many
/// is ended, instead of being refused another one for ever.
const BEYOND: u64 = 64;

/// Starts the command, and has its process number.
pub(crate) fn start(task: &RunTask, whose: Whose) -> io::Result<i32> {
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    let errors = output.try_clone()?;
    let mut command = CommandWrap::with_new(&task.program, |command| {
        command
            .args(&task.arguments)
            .env_clear()
            .envs(task.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&task.cwd)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors);
    });
    // A command that signals its own group does not reach the helper, and the kernel shares the processor between sessions, not
    // processes: a bomb leaves the helper its half (sched(7), autogroups).
    command.wrap(ProcessSession);
    let (limits, is_box) = (limits(task, whose), whose == Whose::Box);
    let grants = task.grants.clone();
    let starting = move || {
        nice(NICE)?;
        for (resource, most) in limits {
            // Somebody may have set a lower one for this user.
            let most = getrlimit(resource).maximum.map_or(most, |highest| highest.min(most));
            setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
        }
        match &grants {
            Some(grants) => files_only::hold(grants)?,
            None if is_box => filter::apply()?,
            None => {}
        }
        command.spawn()
    };
    let thread = std::thread::Builder::new().name("starting".to_owned()).spawn(starting)?;
    let child = thread.join().map_err(|_| io::Error::other("starting the command failed"))??;
    // `Child` is dropped without being waited for: `ruling` reaps every process.
    i32::try_from(child.id()).map_err(io::Error::other)
}

/// The limits that the kernel keeps, for each process.
fn limits(task: &RunTask, whose: Whose) -> Vec<(Resource, u64)> {
    // Not the address space: Node.js and others reserve more of it than they ever use.
    let mut limits = vec![(Resource::Core, 0), (Resource::Data, task.memory_bytes)];
    if whose == Whose::Box && counts_namespaces() {
        limits.push((Resource::Nproc, u64::from(task.processes) + BEYOND));
    }
    limits
}

/// True if a limit on processes counts those of the box alone.
fn counts_namespaces() -> bool {
    let system = rustix::system::uname();
    let release = system.release().to_string_lossy().into_owned();
    let mut numbers = release.split(|sign: char| !sign.is_ascii_digit()).map(str::parse::<u32>);
    let (major, minor) = (numbers.next(), numbers.next());
    matches!((major, minor), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= COUNTS_NAMESPACES)
}
