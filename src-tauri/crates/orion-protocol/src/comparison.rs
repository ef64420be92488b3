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
    /// What the message is sent with: the route, plan mode, and the turn's own endpoint, model and budgets.
    pub options: TurnOptions,
}
