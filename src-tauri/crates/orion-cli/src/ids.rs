//! Ids of turns and sessions as they are typed, and what to say of anything else.

use orion_protocol::{Code, ErrorInfo, RequestId, SessionId};

pub(crate) fn session_id(text: &str) -> Result<SessionId, &'static str> {
    text.parse().map_err(|_| "expected the id of a session; orion sessions lists those of a project")
}

pub(crate) fn request_id(text: &str) -> Result<RequestId, &'static str> {
    text.parse().map_err(|_| "expected the id of a turn; it is in the last line that orion run prints")
}

pub(crate) fn any_id(text: &str) -> Result<uuid::Uuid, &'static str> {
    text.parse().map_err(|_| "expected the id of a turn or of a session")
}

/// The error of an id that is of nothing.
pub(crate) fn neither() -> ErrorInfo {
    ErrorInfo::new(
        Code::TurnUnknown,
        "There is neither a turn nor a session with this id: it may have been deleted.",
        "orion sessions lists the sessions of a project.",
    )
}
