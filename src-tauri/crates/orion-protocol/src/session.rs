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
    pub imported: bool,
    /// The person keeps it at the top of its project.
    pub pinned: bool,
    /// The person put it away: lists have it only when they are asked for it. A message in it brings it back.
    pub archived: bool,
    /// What its latest turn came to; null while it has none.
    pub happened: Option<Happened>,
    pub spent: SessionSpent,
    /// Lines that its writes added and removed, without those that were undone; none where there are none, or they are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub lines: Option<ChangedLines>,
}

/// Lines that were added and removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ChangedLines {
    #[ts(type = "number")]
    pub added: u64,
    #[ts(type = "number")]
    pub removed: u64,
}

/// What the latest turn of a session came to, for a line in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Happened {
    Running,
    /// It waits for a person.
    Waiting,
    /// Its process ended.
    Interrupted,
    Answered,
    /// It was a compaction: a summary took the place of what had been said.
    Summarized,
    /// It was answered, and these files were written and not undone.
    Wrote {
        files: u32,
    },
    /// It was answered, and of the files that it was to write none was: what it wrote failed or was not finished.
    NotWritten,
    /// It was answered, and the person rejected all that it was to write.
    Rejected,
    /// The model gave no answer.
    Empty,
    /// The answer ended before it was complete, or may have.
    CutOff,
    Stopped,
    Failed,
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
