//! The order of a caller: a program, its place and its limits; and the word on its end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use orion_protocol::{CommandEnd, CommandNetwork};

use crate::host::Host;

/// A program to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A line for `/bin/bash`, which reads none of its own files.
    Line(String),
    /// A program and its arguments, without a shell.
    Argv(Vec<String>),
}

/// The bounds of one run (C4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub time: Duration,
    /// Bytes of output; a command that writes more is ended at once.
    pub output_bytes: u64,
    /// Processes at one time, and threads count as such.
    pub processes: u32,
    /// Bytes of memory, of each process and of all together.
    pub memory_bytes: u64,
    /// Bytes that stay free on the disk of the project.
    pub free_bytes: u64,
}

const GIB: u64 = 1 << 30;

impl Default for Limits {
    /// The numbers of C4: two minutes, 1 GiB of output, 512 processes, 4 GiB of memory, and 1 GiB of the disk stays free.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(120),
            output_bytes: GIB,
            processes: 512,
            memory_bytes: 4 * GIB,
            free_bytes: GIB,
        }
    }
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    pub program: Program,
    /// The folder that it runs in, absolute or from the project; it is in the project.
    pub cwd: PathBuf,
    /// Names of variables that are let through besides those of the list ([`crate::withheld`]).
    pub env: Vec<String>,
    pub limits: Limits,
    /// The hosts that it may reach from a box. Outside of one nothing keeps it from any.
    pub hosts: Vec<Host>,
}

/// The files of this computer that a box has besides the system's own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// The project's folder, absolute.
    pub project: PathBuf,
    /// A folder of Orion's own, which stands where the person's home is.
    pub home: PathBuf,
    /// Files and folders of the project that are read-only, from the project; each exists. `.git` and `.orion` are added by this crate.
    pub read_only: Vec<PathBuf>,
    /// Files and folders of the project that are closed, from the project; each exists.
    pub masked: Vec<PathBuf>,
    /// Other readable paths, absolute: toolchains (`toolchains`) and what the person added.
    pub also_readable: Vec<PathBuf>,
}

/// A path without links.
pub(crate) fn real(path: &Path) -> Result<PathBuf, String> {
    std::fs::canonicalize(path).map_err(|error| format!("{} cannot be used: {error}", path.display()))
}

/// The folder of a command, without links; it must be in the project, whose path has none.
pub(crate) fn within(project: &Path, cwd: &Path) -> Result<PathBuf, String> {
    let cwd = real(&project.join(cwd))?;
    match cwd.starts_with(project) {
        true => Ok(cwd),
        false => Err(format!("{} is not in the project", cwd.display())),
    }
}

/// The place of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Box(Layout),
    /// Without a box: it has no network and none of the person's files but the project, where nothing can be hidden or kept read-only.
    FilesOnly(Layout),
    /// Nothing holds it, but it ends with everything that it started (C5).
    Outside {
        project: PathBuf,
    },
}

/// A command that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    pub ended: CommandEnd,
    /// The reason for which it was not started.
    pub why: Option<String>,
    pub duration: Duration,
    /// Bytes of its output.
    pub bytes: u64,
    /// Names of processes that still ran when the command itself had ended (C5).
    pub left_running: Vec<String>,
    /// Names of those that could not be ended, outside of a box: another user's, or such as the kernel holds.
    pub remaining: Vec<String>,
    /// Ports on which something of it still listened then.
    pub ports: Vec<u16>,
    /// The hosts that it asked for from a box. None is offered here.
    pub network: CommandNetwork,
}

impl Ran {
    pub(crate) fn not_started(why: impl Into<String>) -> Self {
        Self {
            ended: CommandEnd::NotStarted,
            why: Some(why.into()),
            duration: Duration::ZERO,
            bytes: 0,
            left_running: Vec::new(),
            remaining: Vec::new(),
            ports: Vec::new(),
            network: CommandNetwork::default(),
        }
    }
}
