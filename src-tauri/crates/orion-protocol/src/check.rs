//! Checks: the commands that a person set or accepted for a project, and the end of one run (V1–V3).
//!
//! Deliberately not here: running one, and reading a project's own proposals (`orion-engine`).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{CommandRun, Sha256};

/// A check of a project, as the person set it (V1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Check {
    /// Letters, digits and hyphens: [`Check::NAME`] at most.
    pub name: String,
    pub command: CheckCommand,
    /// Seconds after which it is ended.
    pub timeout_s: u32,
    /// The globs of the files that it is about; all files where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// It runs by itself after a turn that changed something.
    pub on: bool,
}

impl Check {
    /// The most checks of a project: 8. Each is a line that a person has judged.
    pub const MOST: usize = 8;
    /// The most characters of a name: 40.
    pub const NAME: usize = 40;
    /// The most seconds of a check: 600, as of a command.
    pub const MOST_SECONDS: u32 = 600;
    /// The seconds of a check for which none are set.
    pub const SECONDS: u32 = 300;
}

/// The command of a check: one shell line, or a program and its arguments, as `run_command` takes it (C1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(untagged)]
#[ts(export)]
pub enum CheckCommand {
    Line(String),
    Argv(Vec<String>),
}

/// The end of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum CheckStatus {
    /// It ran and ended with exit code 0.
    Passed,
    Failed,
    /// Its time was up, which says nothing about the code.
    TimedOut,
    /// It did not run (V3).
    Skipped,
    /// It was ended before its end.
    Stopped,
}

/// The reason for which a check did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum CheckSkipped {
    /// The script behind its line is another one than the person accepted.
    ScriptChanged,
    /// No sandbox holds it, so it does not run by itself.
    NoSandbox,
    /// The turn's seconds are used up (T7).
    Seconds,
    /// The turn's money is used up (T7).
    Cost,
    /// The person stopped the checks (A4).
    Stopped,
    /// It could not be started.
    NotStarted,
    /// The person has removed it, switched it off, or accepted another script since the turn began.
    NoLongerAccepted,
}

impl CheckStatus {
    /// In words, such as `timed out`.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::TimedOut => "timed out",
            Self::Skipped => "skipped",
            Self::Stopped => "stopped",
        }
    }
}

impl CheckSkipped {
    /// In words, such as `its script changed`.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::ScriptChanged => "its script changed",
            Self::NoSandbox => "no sandbox holds it",
            Self::Seconds => "the turn's time is used up",
            Self::Cost => "the turn's money is used up",
            Self::Stopped => "the checks were stopped",
            Self::NotStarted => "it could not be started",
            Self::NoLongerAccepted => "it was removed, switched off or accepted anew",
        }
    }
}

/// One run of a check, or the reason for which there was none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CheckRun {
    pub name: String,
    pub status: CheckStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub skipped: Option<CheckSkipped>,
    /// The digest of the line and of the script behind it, as they were.
    pub script_sha256: Sha256,
    /// The first 1 KiB and the last 7 KiB of its output, with the gap named.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
    /// The command that ran. None where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub command: Option<Box<CommandRun>>,
}

impl CheckRun {
    /// Its end on one line, such as `cargo-test: failed, exit code 101, 9.3 s`. `failed_before`: it had failed before the turn as well.
    #[must_use]
    pub fn words(&self, failed_before: bool) -> String {
        let mut words = format!("{}: {}", self.name, self.status.words());
        if let Some(why) = self.skipped {
            words.push_str(&format!(", {}", why.words()));
        }
        let failed = self.status == CheckStatus::Failed;
        if let Some(command) = &self.command {
            if failed {
                words.push_str(&format!(", {}", command.ended));
            }
            words.push_str(&format!(", {:.1} s", command.duration_ms as f64 / 1_000.0));
        }
        if failed && failed_before {
            words.push_str(", as before the turn");
        }
        words
    }
}

/// The evaluation of a turn by its checks (V3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Evaluation {
    /// Each check that applies ran, and passed in its last attempt.
    Passed,
    Failed,
    /// One did not run, or none did.
    Skipped,
}
