//! The checks of a project outside of a turn: those that the person set, those that the project proposes, and the script behind each (V1).
//!
//! Deliberately not here: a check and its run (`check`), and reading a script (`orion-engine`).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Check, CheckStatus, Sha256};

/// The script behind the line of a check: the parts of the project's own files that it runs, and those that run beside them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CheckScript {
    /// The digest of the line and of all parts, also of what is cut here.
    pub sha256: Sha256,
    /// Empty where the line runs no script of the project.
    #[serde(default)]
    pub parts: Vec<ScriptPart>,
}

/// One part of a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ScriptPart {
    /// The place that it is from, such as `package.json: scripts.test`.
    pub from: String,
    /// Its text, without what looks like a secret.
    pub text: String,
    /// There is more of it than is shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

impl CheckScript {
    /// The most bytes of all parts that are shown: 64 KiB.
    pub const SHOWN: usize = 64 * 1024;

    /// All of it is shown, so it can be accepted (A3).
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.parts.iter().all(|part| !part.cut)
    }
}

/// A check that the person accepted, as it stands now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct AcceptedCheck {
    pub check: Check,
    /// The script as the person accepted it.
    pub script: CheckScript,
    /// The script as it is now, where it is another one: the check does not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub changed: Option<CheckScript>,
    /// The end of its last run with this script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub last: Option<CheckStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub last_at_ms: Option<i64>,
    /// It runs at this moment, because the person asked for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub running: bool,
}

/// A check that a file of the project proposes. Nobody has accepted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ProposedCheck {
    pub check: Check,
    /// The file that it is from.
    pub from: String,
    pub script: CheckScript,
}

/// The checks of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ProjectChecks {
    /// In the person's order: [`Check::MOST`] at most.
    pub checks: Vec<AcceptedCheck>,
    /// Those of the project's files that are not among them: [`Check::MOST`] at most.
    pub proposed: Vec<ProposedCheck>,
    /// The proposals have been offered after a turn, and are not offered again.
    pub offered: bool,
    /// Checks run by themselves here: the setting `checks`.
    pub by_themselves: bool,
    pub bounds: CheckBounds,
}

/// The bounds of checks, for those who enter one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CheckBounds {
    /// The most checks of a project.
    pub most: u32,
    /// The seconds of a check for which none are set.
    pub seconds: u32,
    /// The most seconds of a check.
    pub most_seconds: u32,
}

impl CheckBounds {
    /// Those of [`Check`].
    pub const ALL: Self =
        Self { most: Check::MOST as u32, seconds: Check::SECONDS, most_seconds: Check::MOST_SECONDS };
}
