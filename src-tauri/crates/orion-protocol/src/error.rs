//! The one error type of the wire (J4): a code from one enum, a sentence for a person, what can be done.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{ProjectId, RequestId, SessionId, TurnIds};

/// What went wrong, for programs. Nothing in Orion decides by the text of a message (J4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Code {
    // The model's endpoint
    Authentication,
    /// Refused for what the key may do, for where the request comes from, or by a firewall: a new key would not help.
    AccessDenied,
    RateLimited,
    Overloaded,
    ContextTooLong,
    BadRequest,
    ModelUnknown,
    /// A message has an image, and the model takes none, as far as Orion knows.
    TakesNoImages,
    Connection,
    IdleTimeout,
    CutOff,
    Malformed,
    ResponseTooLarge,
    NoEndpoint,
    /// Plain HTTP to another computer, which the person has not confirmed.
    Unencrypted,
    // Tools
    ToolUnknown,
    ToolArguments,
    ToolDenied,
    ToolTimeout,
    ToolFailed,
    PathOutside,
    PathIgnored,
    PathNotFound,
    PathWrongKind,
    FileBinary,
    FileUnreadable,
    PatternInvalid,
    // Writing
    /// `create`, and there is a file.
    FileExists,
    /// The file is not the one that was previewed.
    FileChanged,
    /// The file cannot be written: it has hard links elsewhere, or an encoding that cannot be kept.
    FileUnwritable,
    /// The disk refused.
    WriteFailed,
    /// The disk failed after the rename.
    WriteUnknown,
    /// A write session is open and has to be finished first.
    WriteOpen,
    WriteUnknownSession,
    /// An answer to something that has changed since.
    ApprovalStale,
    /// An answer to something that no longer waits: it was answered, or its turn went on or ended.
    NotWaiting,
    /// No approval with this id is kept (A1).
    ApprovalUnknown,
    /// Faults are left in the content, and the person has not agreed to them.
    WriteFaulty,
    /// What was done cannot be undone or changed any more: the file no longer holds what was written, or something has taken its place.
    UndoStale,
    // The turn
    RouteDisabled,
    TurnActive,
    /// The session's turn waits for a person; its id is in the error.
    TurnWaiting,
    TurnUnknown,
    TurnOver,
    /// The conversation has nothing that a summary could stand for (X4).
    NothingToCompact,
    /// What the model sent cannot stand for the conversation (X4).
    SummaryUnusable,
    /// Another version of Orion wrote the turn, or its journal was changed: it is not what this version makes of it (T8).
    OtherVersion,
    /// The turn is over, or its session has gone on without it (A5).
    NotResumable,
    Stopped,
    Interrupted,
    // Everything else
    SessionUnknown,
    /// An imported session is not continued.
    SessionReadOnly,
    /// A session that is to be imported is here already.
    SessionExists,
    /// The file is no export, or not a whole one, or not what it says.
    ExportInvalid,
    /// A newer Orion made the export.
    ExportVersion,
    ExportTooLarge,
    ProjectUnknown,
    ProjectUnreadable,
    ConfigInvalid,
    KeychainUnavailable,
    Storage,
    StorageVersion,
    Usage,
    Unknown,
    Internal,
}

/// An error as every channel shows it (J4): where it happened, what happened, what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, thiserror::Error)]
#[error("{message}")]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ErrorInfo {
    pub code: Code,
    /// One sentence for a person: what happened.
    pub message: String,
    /// One sentence for a person: what can be done. Null when nothing can.
    pub action: Option<String>,
    /// True when the same request may succeed later without a change.
    pub retryable: bool,
    /// What the other side said, cut to 2,000 bytes; never a secret.
    pub detail: Option<String>,
    /// The seconds a provider asked to wait (`Retry-After`), where it did.
    pub retry_after_s: Option<u32>,
    pub request_id: Option<RequestId>,
    pub session_id: Option<SessionId>,
    pub project_id: Option<ProjectId>,
}

impl ErrorInfo {
    /// An error with what happened and what to do; not retryable, no detail, no ids.
    pub fn new(code: Code, message: impl Into<String>, action: impl Into<String>) -> Self {
        let action: String = action.into();
        Self {
            code,
            message: message.into(),
            action: (!action.is_empty()).then_some(action),
            retryable: false,
            detail: None,
            retry_after_s: None,
            request_id: None,
            session_id: None,
            project_id: None,
        }
    }

    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// Adds what the other side said, cut to 2,000 bytes on a character boundary.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        let mut detail: String = detail.into();
        if detail.len() > 2_000 {
            let end = (0..=2_000).rev().find(|&i| detail.is_char_boundary(i)).unwrap_or(0);
            detail.truncate(end);
            detail.push('…');
        }
        self.detail = (!detail.is_empty()).then_some(detail);
        self
    }

    #[must_use]
    pub fn of_turn(mut self, ids: TurnIds) -> Self {
        self.request_id = Some(ids.request_id);
        self.session_id = Some(ids.session_id);
        self.project_id = Some(ids.project_id);
        self
    }
}
