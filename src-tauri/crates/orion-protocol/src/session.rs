//! A session as the lists have it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{ProjectId, SessionId, Usd};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Session {
    pub session_id: SessionId,
    pub project_id: ProjectId,
    /// The first words of its first message, until it is renamed.
    pub title: String,
    #[ts(type = "number")]
    pub created_at_ms: i64,
    #[ts(type = "number")]
    pub updated_at_ms: i64,
    pub turns: u32,
    /// It was imported from a file: it can be read and replayed, and not continued.
    #[serde(default)]
    pub imported: bool,
    pub spent: SessionSpent,
}

/// What the turns of a session have cost, and their tokens, by their reports. A turn counts once it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SessionSpent {
    /// Of the turns whose cost is known; null when there is none.
    pub cost_usd: Option<Usd>,
    /// How many turns these are. With fewer than the session has, the cost is a part of the whole.
    pub priced_turns: u32,
    #[ts(type = "number")]
    pub prompt_tokens: u64,
    #[ts(type = "number")]
    pub completion_tokens: u64,
}

/// A place in a list of sessions. The list has the latest activity first, and of sessions of the same moment the
/// smaller id first. The place does not depend on the session from which it was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SessionPlace {
    #[ts(type = "number")]
    pub updated_at_ms: i64,
    pub session_id: SessionId,
}

impl Session {
    #[must_use]
    pub fn place(&self) -> SessionPlace {
        SessionPlace { updated_at_ms: self.updated_at_ms, session_id: self.session_id }
    }
}
