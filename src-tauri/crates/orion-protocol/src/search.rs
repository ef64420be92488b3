//! What a search for words finds: in all sessions, and in one (0050).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{CallId, RequestId, Session};

/// Where in a session words were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum FoundIn {
    Title,
    /// What a person wrote.
    Message,
    /// What a model said to it.
    Answer,
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ByteRange {
    /// In bytes of UTF-8, at the beginning of a character.
    pub from: u32,
    pub to: u32,
}

/// Words that were found in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Found {
    pub session: Session,
    /// The turn; null in a title.
    pub request_id: Option<RequestId>,
    pub found_in: FoundIn,
    /// When the turn began, or the session was last used.
    #[ts(type = "number")]
    pub at_ms: i64,
    /// The session's path leads through the turn (T9).
    pub on_path: bool,
    /// The words with some of what is around them, on one line.
    pub text: String,
    /// What of it was looked for.
    pub marks: Vec<ByteRange>,
}

/// What a search found: titles first, then the newest texts first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SearchPage {
    pub found: Vec<Found>,
    /// Where the next page begins; null after the last one.
    #[ts(type = "number | null")]
    pub next: Option<i64>,
    /// Something that was said is still being entered, the newest first: there may be more to find.
    pub filling: bool,
}

/// The part of a turn that a text stands in. `seq` is that of the event with which it begins, or, of a stream, of one up to its first chunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum FindPart {
    /// What the person wrote.
    Message,
    /// What the person wrote while the turn ran.
    Steered { seq: u32 },
    /// Text of the model.
    Text { seq: u32 },
    /// Its reasoning.
    Reasoning { seq: u32 },
    /// A call of a tool: its arguments or its result.
    Tool { tool_call_id: CallId },
}

/// A text that was found in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct FindHit {
    pub request_id: RequestId,
    pub part: FindPart,
    /// How often it stands in this part.
    pub times: u32,
}

/// What was found in turns of a session that follow one another, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct FindPage {
    pub hits: Vec<FindHit>,
    /// The turn to go on with; null at the end of the session.
    pub next: Option<RequestId>,
}
