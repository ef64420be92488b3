//! Comparing both routes on one message (P2, T9).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{RequestId, Route, Session, TurnOptions};

/// A message that is to be sent once by each route, each time in a session of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Comparison {
    /// The turn whose message it is.
    pub request_id: RequestId,
    pub text: String,
    pub sides: Vec<ComparedSide>,
}

/// One of the sessions. Nothing has begun in it: `start_turn` sends the message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ComparedSide {
    pub route: Route,
    /// It has what the turn was given of its own session, and nothing that came later.
    pub session: Session,
    /// The copy of the project that it works in; null where that is the project itself.
    pub copy: Option<String>,
    /// What the message is sent with: the route, the turn's own endpoint, model and budgets, and plan mode where it works in the project.
    pub options: TurnOptions,
}

/// How large a copy of a project is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CopySize {
    #[ts(type = "number")]
    pub files: u64,
    #[ts(type = "number")]
    pub bytes: u64,
    /// Links, files that are none, and files that could not be opened: they are not copied.
    #[ts(type = "number")]
    pub left_out: u64,
}
