//! The files that a command changed (C6).
//!
//! Deliberately not here: the command itself (`command`), and putting a file back (the engine).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{CallId, Sha256};

/// A change of a file by a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum FileChange {
    /// It was not there before.
    Created,
    /// Its content is another one, or something else has its name now.
    Changed,
    Removed,
    /// Its permissions alone are other ones.
    Mode,
}

/// A file that a command changed, by its path: a file that was moved is one that was removed and one that was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CommandChange {
    /// Project-relative.
    pub path: String,
    pub change: FileChange,
    /// SHA-256 before; none where it was not there, or its content is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub before: Option<Sha256>,
    /// SHA-256 after; none where it is gone, or its content is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub after: Option<Sha256>,
    /// Lines that came, and lines that went, where both contents are text and small.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub added: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub removed: Option<u64>,
    /// The reason for which it cannot be undone; none where it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub kept: Option<String>,
    /// A link that leads out of the project.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leads_out: bool,
}

/// A file that a command of a turn changed, as the report of the turn has it (J5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ChangeReport {
    pub tool_call_id: CallId,
    pub path: String,
    pub change: FileChange,
    /// Null where the file is gone, or its content is not known.
    pub sha256: Option<Sha256>,
}
