//! Commands: the level of their sandbox, the question about one, and its end (C1–C6).
//!
//! Deliberately not here: running one, and finding the level out (`orion-sandbox`).

use std::fmt;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{CallId, ChangeReport, CommandChange, Sha256};

/// The completeness of a command's sandbox (C3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum SandboxLevel {
    /// Every attempt to get out of it failed when it was measured.
    Full,
    /// The command has no network and none of the person's files but the project; what a full one hides or keeps read-only there, this one cannot.
    FilesOnly,
    /// Nothing holds the command.
    None,
}

impl SandboxLevel {
    /// True if this holds a command as much as `other` does, or more.
    #[must_use]
    pub fn holds_as(self, other: Self) -> bool {
        let rank = |level| match level {
            Self::Full => 2,
            Self::FilesOnly => 1,
            Self::None => 0,
        };
        rank(self) >= rank(other)
    }
}

/// The end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum CommandEnd {
    Exited {
        code: i32,
    },
    Signalled {
        signal: i32,
    },
    /// Its time was up (C4).
    TimedOut,
    /// Its turn ended: a person stopped it (A4), or its seconds were used up (T7).
    Stopped,
    /// It had more memory than it may have (C4).
    Memory,
    /// It had more processes than it may have (C4).
    Processes,
    /// It wrote more output than it may write (C4).
    Flood,
    /// It left less of the disk than must stay free (C4).
    Disk,
    /// It could not be started.
    NotStarted,
    /// Orion does not know how it ended.
    Unknown,
}

/// Something that keeps the sandbox from being complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SandboxGap {
    /// One sentence for a person.
    pub gap: String,
    /// The commands that mend it, in their order.
    pub mends: Vec<String>,
}

/// A command that a person is asked about, as it would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CommandAsked {
    /// The line as a shell takes it; of a program and its arguments, each of them quoted where it must be.
    pub line: String,
    /// The simple commands of the line, in their order; empty where it is not understood (C1).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<SimpleCommand>,
    /// The reason for which the line is not understood: the end of a sentence that begins with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub unread: Option<String>,
    /// The folder that it runs in, project-relative; the root is `.`.
    pub folder: String,
    /// The model's own words on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reason: Option<String>,
    /// Seconds that it may take.
    pub seconds: u32,
    pub level: SandboxLevel,
    /// The things that keep the sandbox from being full; empty where it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<SandboxGap>,
    /// The folders of the person's home that it can read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
    /// The hosts that it may reach if it is allowed, each a name with or without a port (C2).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// The hosts that the package manager of its line usually needs, where the model named none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered_hosts: Vec<String>,
    /// It likely needs what the sandbox keeps from it, so running it outside is offered at first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_outside: bool,
    /// A person is asked although commands run without asking: this is why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub asks_since: Option<String>,
}

/// A simple command of a line: a program with its words (C1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SimpleCommand {
    /// As the program gets them; the first one names it.
    pub words: Vec<String>,
    pub rule: RuleFor,
}

/// The rule that a person can keep for a simple command (A1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum RuleFor {
    /// It only changes to a folder of the project, and needs none.
    NotNeeded,
    /// Its first words: so many at least.
    Prefix { least: u32 },
    /// No rule is kept. The end of a sentence that begins with the program.
    Never { why: String },
}

/// A command that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CommandRun {
    /// The line as a shell takes it.
    pub line: String,
    /// The folder that it ran in, project-relative; the root is `.`.
    pub folder: String,
    pub level: SandboxLevel,
    /// The person ran it outside the sandbox.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outside: bool,
    pub ended: CommandEnd,
    #[ts(type = "number")]
    pub duration_ms: u64,
    /// Bytes of its output, all of them.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Of all its output.
    pub sha256: Sha256,
    /// Bytes of output that are kept: the first and the last of them.
    #[ts(type = "number")]
    pub kept_bytes: u64,
    /// The names of the processes that it left running, which ended with it (C5).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_running: Vec<String>,
    /// The ports that something of it listened on at its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<u16>,
    /// The files that can run code later and that are new since, or changed: [`CommandRun::NAMED`] at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs_later: Vec<RunsLater>,
    /// There are more of these, or not all of the project could be looked through for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more_run_later: bool,
    /// The paths of the project that a full sandbox keeps as they are, and that this command made, changed or removed: [`CommandRun::NAMED`] at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unprotected: Vec<String>,
    /// There are more of these, or not all of them could be compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more_unprotected: bool,
    /// Its way to the network (C2). None where it asked for no host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub network: Option<Box<CommandNetwork>>,
    /// The files that it changed: [`CommandRun::CHANGES`] at most. First the links that lead out of the project, then the others in the order of their paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<CommandChange>,
    /// So many more changed that are not named.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(type = "number")]
    pub more_changed: u64,
    /// Not all of the project could be looked at before and after it: other files may have changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partly_compared: bool,
}

/// A command's way to the network: the hosts that it reached, and those that it was refused (C2).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CommandNetwork {
    /// The granted hosts that it asked for, in the order of their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostUse>,
    /// The hosts that it asked for and that nobody granted: [`CommandNetwork::REFUSED`] at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// The hosts with which running it again is offered: those granted, those refused, and those that the same package manager will ask for next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<String>,
    /// It reached the most bytes that a command may receive or send, so nothing more went through (C4).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// A granted host that a command asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct HostUse {
    /// Its name as it was granted.
    pub host: String,
    pub connections: u32,
    /// Bytes that the command received.
    #[ts(type = "number")]
    pub bytes_in: u64,
    /// Bytes that it sent.
    #[ts(type = "number")]
    pub bytes_out: u64,
    /// The last reason for which no connection was made: the end of a sentence that begins with its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub failed: Option<String>,
}

impl CommandNetwork {
    /// The most hosts that a command can be granted: 8. A person judges each.
    pub const GRANTED: usize = 8;
    /// The most refused hosts that are named: 32.
    pub const REFUSED: usize = 32;

    /// True if it asked for no host at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty() && self.refused.is_empty() && !self.cut
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A file that can run code later, and that a command made or changed (C2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct RunsLater {
    /// Project-relative.
    pub path: String,
    /// The kind of file that it is, such as `a file from which git runs commands`.
    pub why: String,
    /// It was not there before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_new: bool,
    /// The content of a new one, by which it can be removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub sha256: Option<Sha256>,
}

/// The words in which a person and a model are told of it.
impl fmt::Display for CommandEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited { code } => write!(f, "exit code {code}"),
            Self::Signalled { signal } => write!(f, "ended by signal {signal}"),
            Self::TimedOut => f.write_str("timed out"),
            Self::Stopped => f.write_str("stopped"),
            Self::Memory => f.write_str("ended: too much memory"),
            Self::Processes => f.write_str("ended: too many processes"),
            Self::Flood => f.write_str("ended: too much output"),
            Self::Disk => f.write_str("ended: the disk was nearly full"),
            Self::NotStarted => f.write_str("not started"),
            Self::Unknown => f.write_str("ended in a way that is not known"),
        }
    }
}

impl CommandRun {
    /// The most files that are named: 32. A person does not read more of them, and they are part of the journal.
    pub const NAMED: usize = 32;

    /// The most changed files that are named: 200. They are part of the journal.
    pub const CHANGES: usize = 200;

    /// The files that it changed, as far as they are named, as the report of its turn has them.
    pub fn reported(&self, call: &CallId) -> impl Iterator<Item = ChangeReport> {
        self.changed.iter().map(|file| ChangeReport {
            tool_call_id: call.clone(),
            path: file.path.clone(),
            change: file.change,
            sha256: file.after,
        })
    }

    /// The words for what held it.
    #[must_use]
    pub fn held(&self) -> &'static str {
        match (self.outside, self.level) {
            (true, _) => "outside the sandbox",
            (false, SandboxLevel::Full) => "in the sandbox",
            (false, SandboxLevel::FilesOnly) => "in a sandbox for files alone",
            (false, SandboxLevel::None) => "without a sandbox",
        }
    }
}

impl CommandEnd {
    /// The exit code, where it ended by itself.
    #[must_use]
    pub fn code(self) -> Option<i32> {
        if let Self::Exited { code } = self { Some(code) } else { None }
    }

    /// True if it ran to its own end and reported no failure.
    #[must_use]
    pub fn succeeded(self) -> bool {
        self == Self::Exited { code: 0 }
    }
}

/// The output of a command as it is kept: the first 2 MiB and the last 6 MiB, cleaned for a reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CommandOutput {
    /// The beginning; all of it where nothing was left out. Bytes that are not UTF-8 are U+FFFD here, and escape sequences are taken out.
    pub start: String,
    /// Bytes after the beginning that are not kept.
    #[ts(type = "number")]
    pub left_out: u64,
    /// The end, after what is not kept.
    pub end: String,
}
