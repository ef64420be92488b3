//! Answers to what a turn waits for, and the approvals that were kept, as arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use orion_engine::Host;
use orion_protocol::{ApprovalId, KeptFor, RepeatsChoice, Reply};
use serde_json::{Map, Value};

#[derive(Debug, Args)]
pub(crate) struct ApproveFlags {
    /// The same as orion reject
    #[arg(long, conflicts_with_all = ["hunks", "despite_faults", "edit", "keep", "repeats", "host"])]
    pub(crate) reject: bool,
    /// Write only these hunks, by their numbers
    #[arg(long, value_name = "N,N", value_delimiter = ',', conflicts_with_all = ["edit", "keep"])]
    pub(crate) hunks: Option<Vec<u32>>,
    /// Write it although places in the content are wrong or in doubt
    #[arg(long, conflicts_with_all = ["edit", "keep"])]
    pub(crate) despite_faults: bool,
    /// Run the call with these arguments instead: a JSON object
    #[arg(long, value_name = "JSON", value_parser = object, conflicts_with = "keep")]
    pub(crate) edit: Option<Arguments>,
    /// Keep the approval: such a call then runs unasked; of a command, every one does in the sandbox, or its exact line does where that holds files
    /// alone. orion permissions lists what is kept
    #[arg(long, value_enum)]
    pub(crate) keep: Option<KeepArg>,
    /// With --keep: keep a rule of so many first words of each command of the line instead, 0 for none; without numbers as proposed
    #[arg(long, value_name = "N,N", value_delimiter = ',', num_args = 0.., requires = "keep")]
    pub(crate) words: Option<Vec<u32>>,
    /// Run the command outside the sandbox, this once
    #[arg(long, conflicts_with_all = ["reject", "hunks", "despite_faults", "edit", "keep", "repeats"])]
    pub(crate) outside: bool,
    /// Run the command with a way to this host, this once: NAME or NAME:PORT. Given again it names another; they take the place of those asked for
    #[arg(long, value_name = "HOST", value_parser = host, conflicts_with_all = ["hunks", "despite_faults", "edit", "keep", "outside", "repeats"])]
    pub(crate) host: Vec<Host>,
    /// What becomes of content that only repeats itself
    #[arg(long, value_name = "CHOICE", value_enum, conflicts_with_all = ["hunks", "despite_faults", "edit", "keep"])]
    pub(crate) repeats: Option<RepeatsArg>,
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arguments(Map<String, Value>);

fn object(text: &str) -> Result<Arguments, &'static str> {
    serde_json::from_str(text)
        .map(Arguments)
        .map_err(|_| r#"expected a JSON object with all arguments of the call, such as {"path":"a.txt"}"#)
}

fn host(text: &str) -> Result<Host, String> {
    Host::parse(text).map_err(|why| format!("it {why}"))
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum KeepArg {
    /// For this session
    Session,
    /// For every session in the project's folder
    Project,
}

impl From<KeepArg> for KeptFor {
    fn from(keep: KeepArg) -> Self {
        match keep {
            KeepArg::Session => Self::Session,
            KeepArg::Project => Self::Project,
        }
    }
}

impl ApproveFlags {
    /// The reply to a question about a call, or about a whole write.
    pub(crate) fn reply(&self) -> Reply {
        if self.outside {
            return Reply::AllowOutside;
        }
        match &self.edit {
            Some(Arguments(arguments)) => Reply::AllowEdited { arguments: arguments.clone() },
            None => Reply::Allow { keep: self.keep.map(KeptFor::from) },
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum RepeatsArg {
    /// The file may repeat itself: ask the model for the rest
    GoOn,
    /// Keep the first of the repeats, and look at what there is
    KeepOne,
    /// Write nothing
    Discard,
}

impl From<RepeatsArg> for RepeatsChoice {
    fn from(choice: RepeatsArg) -> Self {
        match choice {
            RepeatsArg::GoOn => Self::GoOn,
            RepeatsArg::KeepOne => Self::KeepOne,
            RepeatsArg::Discard => Self::Discard,
        }
    }
}

#[derive(Debug, Default, Args)]
pub(crate) struct RejectFlags {
    /// Why not; the model is told
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// End the turn too
    #[arg(long)]
    pub(crate) stop: bool,
}

impl RejectFlags {
    pub(crate) fn reply(&self) -> Reply {
        Reply::Reject { reason: self.reason.clone(), stop: self.stop }
    }
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct PermissionsArgs {
    #[command(subcommand)]
    pub(crate) act: Option<PermissionsAct>,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PermissionsAct {
    /// Take an approval back: Orion asks again
    Revoke(RevokeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RevokeArgs {
    /// The approval's id
    #[arg(value_parser = approval_id)]
    pub(crate) approval: ApprovalId,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

fn approval_id(text: &str) -> Result<ApprovalId, &'static str> {
    text.parse().map_err(|_| "expected the id of an approval; orion permissions lists them")
}
