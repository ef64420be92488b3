//! Going back to an earlier message of a session (A10).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{ErrorInfo, RequestId, Sha256};

/// What a rewind does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum RewoundChange {
    /// Its earlier content is put back.
    Restored,
    /// It is gone, and comes back.
    Created,
    /// It was not there at that moment.
    Removed,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct RewoundFile {
    /// Of the project.
    pub path: String,
    /// Null where the file stays as it is.
    pub change: Option<RewoundChange>,
    /// Why it stays as it is.
    pub error: Option<ErrorInfo>,
}

/// What going back to the message of a turn would change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct RewindPreview {
    pub request_id: RequestId,
    /// Turns that would leave the path, and stay as a branch (T9).
    pub turns: u32,
    /// In the order of their paths.
    pub files: Vec<RewoundFile>,
    /// Of the files as they are and as they would be. A rewind names it, so that nothing is changed that nobody has seen.
    pub digest: Sha256,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct RewoundWrite {
    pub request_id: RequestId,
    pub write: u32,
}

/// A rewind, or its undoing, as it came out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Rewind {
    /// The turn whose message it went back to.
    pub request_id: RequestId,
    /// The conversation went back as well.
    pub conversation: bool,
    /// It was undone.
    pub undone: bool,
    pub files: Vec<RewoundFile>,
    /// The writes that it undid, and that undoing it brings back.
    pub writes: Vec<RewoundWrite>,
}
