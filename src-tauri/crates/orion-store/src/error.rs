//! Errors of the database, and what a person can do about them.

use std::path::{Path, PathBuf};

use orion_protocol::{
    ApprovalId, CallId, Check, Code, ErrorInfo, ProjectId, QueuedId, RequestId, SessionId, Sha256,
};

/// What was being done when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Open,
    Migrate,
    Read,
    Write,
}

/// What SQLite reported, as far as a person can do something about it. It is taken from the result codes, never from
/// a text (J4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseErrorKind {
    /// The disk or the quota is full.
    Full,
    ReadOnly,
    /// The file is no database, or a damaged one.
    Corrupt,
    /// Another process held the database for longer than the busy timeout.
    Busy,
    /// The disk failed to read or write.
    Io,
    CannotOpen,
    /// A rule of the schema was broken: a defect of Orion.
    Constraint,
    Other,
}

/// Cloned to each of the writers that shared a failed commit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error("the folder {path} cannot be used: {cause}")]
    Folder { path: PathBuf, cause: String },
    #[error("{path} is no file")]
    NoFile { path: PathBuf },
    #[error("SQLite {found} is too old")]
    SqliteVersion { found: String },
    #[error("the database has schema {found}, this version knows {known}")]
    Schema { found: i64, known: i64 },
    #[error("the database has schema {found}, of before the first version, and its Orion runs")]
    Older { found: i64 },
    #[error("{act:?} failed: {detail}")]
    Database { act: Act, kind: DatabaseErrorKind, detail: String },
    #[error("a stored value cannot be read: {detail}")]
    Value { detail: String },
    #[error("the store is closed")]
    Closed,
    #[error("project {0} is unknown")]
    ProjectUnknown(ProjectId),
    #[error("session {0} is unknown")]
    SessionUnknown(SessionId),
    #[error("turn {0} is unknown")]
    TurnUnknown(RequestId),
    #[error("tool call {0} is unknown")]
    CallUnknown(CallId),
    #[error("nothing is kept under {0}")]
    BodyUnknown(Sha256),
    #[error("no approval {0} is kept")]
    ApprovalUnknown(ApprovalId),
    #[error("no check is named {0}")]
    CheckUnknown(String),
    #[error("a check is named {0} already")]
    CheckExists(String),
    #[error("the project has as many checks as it can have")]
    ChecksFull,
    #[error("session {0} has a running turn")]
    TurnActive(SessionId),
    #[error("another message of this name came first")]
    MessageKnown,
    #[error("turn {0} was interrupted, and not all that was said in it is kept")]
    BrokeOff(RequestId),
    #[error("session {0} was imported")]
    SessionImported(SessionId),
    #[error("session {0}, or a turn of it, is here already")]
    SessionExists(SessionId),
    #[error("{bytes} bytes, and at most {most} are taken")]
    TooLarge { bytes: u64, most: u64 },
    #[error("turn {0} is not running")]
    TurnOver(RequestId),
    #[error("session {0} has nothing to compact")]
    NothingToCompact(SessionId),
    #[error("message {0} is not queued")]
    NotQueued(QueuedId),
    #[error("the queue of session {0} is full")]
    QueueFull(SessionId),
    #[error("the next turn is not given the context of turn {0}")]
    ContextNotInForce(RequestId),
}

impl StoreError {
    pub(crate) fn folder(path: &Path, cause: &std::io::Error) -> Self {
        Self::Folder { path: path.to_owned(), cause: cause.to_string() }
    }

    pub(crate) fn value(cause: impl std::fmt::Display) -> Self {
        Self::Value { detail: cause.to_string() }
    }

    pub(crate) fn database(act: Act, error: &sqlx::Error) -> Self {
        match error {
            sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => Self::Closed,
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => Self::value(error),
            _ => Self::Database { act, kind: DatabaseErrorKind::of(error), detail: error.to_string() },
        }
    }

    /// True when a rule of uniqueness refused the statement.
    pub(crate) fn is_constraint(&self) -> bool {
        matches!(self, Self::Database { kind: DatabaseErrorKind::Constraint, .. })
    }
}

impl DatabaseErrorKind {
    /// SQLite's primary result code is the low byte of the extended one (sqlite.org/rescode.html).
    fn of(error: &sqlx::Error) -> Self {
        if let sqlx::Error::Io(_) = error {
            return Self::Io;
        }
        let code = error.as_database_error().and_then(|e| e.code()).and_then(|c| c.parse::<u32>().ok());
        match code.map(|c| c & 0xff) {
            Some(5 | 6) => Self::Busy,
            Some(8) => Self::ReadOnly,
            Some(10) => Self::Io,
            Some(11 | 26) => Self::Corrupt,
            Some(13) => Self::Full,
            Some(3 | 14 | 23) => Self::CannotOpen,
            Some(19) => Self::Constraint,
            _ => Self::Other,
        }
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Full => ("The disk is full.", "Free some space, then send the message again."),
            Self::ReadOnly => (
                "Orion's data folder cannot be written to.",
                "Give yourself write permission on it, or choose another data folder.",
            ),
            Self::Corrupt => (
                "Orion's database is damaged.",
                "Move orion.db out of the data folder, or put a backup in its place, then start Orion again.",
            ),
            Self::Busy => ("Another program is using Orion's database.", "Close it, then try again."),
            Self::Io => {
                ("The disk failed while Orion was using its database.", "Check the disk, then try again.")
            }
            Self::CannotOpen => (
                "Orion's database cannot be opened.",
                "Check that the data folder exists and that you may write to it.",
            ),
            Self::Constraint | Self::Other => (
                "Orion's database refused a change.",
                "Start Orion again. If the error comes back, report it with the log file.",
            ),
        }
    }
}

impl From<StoreError> for ErrorInfo {
    fn from(error: StoreError) -> Self {
        let detail = error.to_string();
        match error {
            StoreError::Folder { path, cause } => Self::new(
                Code::Storage,
                format!("The data folder {} cannot be used.", path.display()),
                "Check that it is a folder you may write to, or choose another.",
            )
            .with_detail(cause),
            StoreError::NoFile { path } => Self::new(
                Code::Storage,
                format!("{} is not a file.", path.display()),
                "Orion keeps its data in a file of this name: move away what is there, then start Orion again.",
            ),
            StoreError::SqliteVersion { found } => Self::new(
                Code::StorageVersion,
                format!("SQLite {found} can damage its files; Orion needs 3.51.3 or newer."),
                "Use a build of Orion with its own SQLite.",
            ),
            StoreError::Schema { .. } => Self::new(
                Code::StorageVersion,
                "The data folder was used by a newer Orion.",
                "Update Orion, or choose another data folder.",
            )
            .with_detail(detail),
            StoreError::Older { .. } => Self::new(
                Code::StorageVersion,
                "An earlier Orion has its data open here, which this one does not use.",
                "Close it, or choose another data folder.",
            )
            .with_detail(detail),
            StoreError::Database { kind, .. } => {
                let (message, action) = kind.words();
                let info = Self::new(Code::Storage, message, action).with_detail(detail);
                if matches!(kind, DatabaseErrorKind::Busy | DatabaseErrorKind::Full) {
                    info.retryable()
                } else {
                    info
                }
            }
            StoreError::Value { .. } => {
                Self::new(Code::Storage, "A stored record cannot be read.", "Update Orion, then try again.")
                    .with_detail(detail)
            }
            StoreError::Closed => Self::new(Code::Storage, "Orion is closing.", "Start Orion again."),
            StoreError::ProjectUnknown(_) => {
                Self::new(Code::ProjectUnknown, "This project is not in Orion.", "Open its folder again.")
                    .with_detail(detail)
            }
            StoreError::SessionUnknown(_) => Self::new(
                Code::SessionUnknown,
                "There is no such session: it may have been deleted.",
                "Choose another one, or start a new one.",
            )
            .with_detail(detail),
            StoreError::TurnUnknown(_) => Self::new(
                Code::TurnUnknown,
                "There is no such turn: its session may have been deleted.",
                "Check the id of the turn.",
            )
            .with_detail(detail),
            StoreError::BodyUnknown(_) => Self::new(
                Code::Storage,
                "Stored content is no longer there.",
                "Ask the model to send it again.",
            )
            .with_detail(detail),
            StoreError::CallUnknown(_) => {
                Self::new(Code::TurnUnknown, "This tool call is not recorded.", "").with_detail(detail)
            }
            StoreError::ApprovalUnknown(_) => Self::new(
                Code::ApprovalUnknown,
                "No such approval is kept: it may have been revoked.",
                "orion permissions lists those that are kept.",
            )
            .with_detail(detail),
            StoreError::CheckUnknown(name) => Self::new(
                Code::Usage,
                format!("name: this project has no check {name}."),
                "Look which checks there are.",
            ),
            StoreError::CheckExists(name) => Self::new(
                Code::Usage,
                format!("name: this project has a check {name} already."),
                "Choose another name.",
            ),
            StoreError::ChecksFull => Self::new(
                Code::Usage,
                format!("name: a project has {} checks at most.", Check::MOST),
                "Remove one first.",
            ),
            StoreError::TurnActive(_) => Self::new(
                Code::TurnActive,
                "This session already has a running turn.",
                "Wait for it to end, or stop it.",
            )
            .with_detail(detail),
            StoreError::MessageKnown => Self::new(
                Code::Usage,
                "Another message came by this name just now.",
                "Send it again to be told of its turn.",
            )
            .with_detail(detail),
            StoreError::BrokeOff(_) => Self::new(
                Code::TurnActive,
                "A turn before this one was interrupted just now.",
                "Send the message again.",
            )
            .with_detail(detail),
            StoreError::TurnOver(_) => {
                Self::new(Code::TurnOver, "This turn is over.", "").with_detail(detail)
            }
            StoreError::SessionImported(session_id) => read_only(session_id),
            StoreError::SessionExists(_) => Self::new(
                Code::SessionExists,
                "This session, or a turn of it, is in Orion already.",
                "Open it there, or delete it first.",
            )
            .with_detail(detail),
            StoreError::TooLarge { .. } => Self::new(
                Code::ExportTooLarge,
                "This session is too large for one file.",
                "Export it without the contents of files, or one of its turns.",
            )
            .with_detail(detail),
            StoreError::NothingToCompact(_) => Self::new(
                Code::NothingToCompact,
                "There is nothing to compact: this conversation has nothing that a summary could replace.",
                "Send a message first.",
            )
            .with_detail(detail),
            StoreError::NotQueued(_) => Self::new(
                Code::NotWaiting,
                "This message is no longer in the queue: it was sent or removed.",
                "Look at the session, or send it again.",
            )
            .with_detail(detail),
            StoreError::QueueFull(_) => Self::new(
                Code::Usage,
                "The queue has as many messages as it takes.",
                "Remove one, or send this message later.",
            )
            .with_detail(detail),
            StoreError::ContextNotInForce(_) => Self::new(
                Code::UndoStale,
                "This compaction can no longer be changed: something else stands in its place, or it was undone.",
                "Undo what came later first.",
            )
            .with_detail(detail),
        }
    }
}

fn read_only(session_id: SessionId) -> ErrorInfo {
    let message = "This session was imported from a file, so it can be read and replayed, and not continued.";
    let error = ErrorInfo::new(Code::SessionReadOnly, message, "Start a new session in a project.");
    ErrorInfo { session_id: Some(session_id), ..error }
}

/// The error of a statement that reads.
pub(crate) fn reading(error: sqlx::Error) -> StoreError {
    StoreError::database(Act::Read, &error)
}

/// The error of a statement that writes.
pub(crate) fn writing(error: sqlx::Error) -> StoreError {
    StoreError::database(Act::Write, &error)
}
