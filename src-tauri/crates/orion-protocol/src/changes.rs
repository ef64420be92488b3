//! All files that a turn, a session or a command has written.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{CallId, DiffHunk, RequestId, RewoundWrite, SessionId, Sha256};

/// Whose changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum ChangesOf {
    Turn {
        request_id: RequestId,
    },
    Session {
        session_id: SessionId,
    },
    /// One command.
    Command {
        request_id: RequestId,
        tool_call_id: CallId,
    },
}

/// A file that was written, and not put back since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ChangedFile {
    /// Of the project.
    pub path: String,
    /// It was not there before the first write.
    pub created: bool,
    /// Oldest first.
    pub writes: Vec<RewoundWrite>,
    /// Commands that changed it.
    #[serde(default)]
    pub commands: u32,
    /// It is not there after the last of these changes.
    #[serde(default)]
    pub removed: bool,
    /// The reason for which it cannot be put back; null where it can.
    #[serde(default)]
    pub kept: Option<String>,
    /// SHA-256 of the file before the first write and after the last: names the difference.
    pub digest: Sha256,
}

/// The difference of a file before the first write and after the last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct FileDifference {
    pub path: String,
    pub digest: Sha256,
    #[ts(type = "number")]
    pub added: u64,
    #[ts(type = "number")]
    pub removed: u64,
    pub hunks: Vec<DiffHunk>,
    #[ts(type = "number")]
    pub rows: u64,
    /// The file no longer holds what was written last: it cannot be undone as it is.
    pub changed_since: bool,
}
