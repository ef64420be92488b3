//! What fills a model's room, as a person sees it, what left a conversation, and what stands in its place (X2, X3, X4). Tokens are by
//! Orion's own count.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{CallId, RequestId, Sha256, ToolStatus, WindowSource, WriteOperation, WriteStatus};

/// What the next message of a session would be sent with, before anything is cut for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ContextView {
    /// The endpoint's name.
    pub endpoint: String,
    pub model: String,
    /// Tokens of the model's window; null where none is known, and nothing is cut then.
    pub window: Option<u32>,
    /// Where that number comes from.
    pub window_source: Option<WindowSource>,
    /// Tokens of the window that are left for the answer.
    pub answer: u32,
    /// Tokens that a request may have.
    #[ts(type = "number")]
    pub room: u64,
    /// Tokens of the next request, without its message.
    #[ts(type = "number")]
    pub tokens: u64,
    /// The provider has counted a request of this session for this model. Else a token is taken to have 4 bytes.
    pub counted: bool,
    pub parts: Vec<ContextPart>,
    /// What would leave before the next message is sent; null when nothing would.
    pub cut: Option<ContextLoss>,
    /// What the next message takes out or pins, as it is kept with the session.
    #[serde(default)]
    pub edits: Vec<ContextEdit>,
}

/// What leaves when a conversation is cut to fit (X3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ContextLoss {
    /// Results whose body would leave, of so many that have one.
    pub results: u32,
    pub of_results: u32,
    /// Messages that would leave, of so many.
    pub messages: u32,
    pub of_messages: u32,
    /// The session has turns that are too far back to be read.
    pub earlier: bool,
    /// False when it is too long even so: the message would be refused with `context_too_long`.
    pub fits: bool,
}

/// One part of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ContextPart {
    pub kind: ContextKind,
    /// Of a turn: which one.
    pub request_id: Option<RequestId>,
    /// Of a turn: the beginning of the person's message.
    pub text: String,
    /// How many tools, or how many messages of a turn.
    pub count: u32,
    #[ts(type = "number")]
    pub bytes: u64,
    #[ts(type = "number")]
    pub tokens: u64,
    /// Of a turn: all of it is pinned.
    pub pinned: bool,
    /// The results in a turn; they are in its bytes and tokens.
    pub boxes: Vec<ContextBox>,
}

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum ContextKind {
    /// Orion's own words at the beginning, and what has changed since.
    System,
    /// The project's AGENTS.md.
    Instructions,
    /// The descriptions of the tools on offer.
    Tools,
    /// What was said in one turn.
    Turn,
}

/// The result of a call in the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ContextBox {
    pub tool_call_id: CallId,
    pub name: String,
    #[ts(type = "unknown")]
    pub arguments: serde_json::Value,
    pub sha256: Sha256,
    #[ts(type = "number")]
    pub bytes: u64,
    #[ts(type = "number")]
    pub tokens: u64,
    /// Its body has left the conversation.
    pub emptied: bool,
    /// A person has pinned it: no cut takes it out.
    pub pinned: bool,
}

/// What a person does by hand to the conversation before the next message (X3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum ContextEdit {
    /// Takes the body of a result out.
    EmptyBox { request_id: RequestId, tool_call_id: CallId },
    /// Takes a turn out, with all that was said in it.
    RemoveTurn { request_id: RequestId },
    /// Pins a result, or takes its pin off.
    PinBox { request_id: RequestId, tool_call_id: CallId, pinned: bool },
    /// Pins all that was said in a turn, or takes the pins off.
    PinTurn { request_id: RequestId, pinned: bool },
}

impl ContextEdit {
    /// Whether it takes something out.
    #[must_use]
    pub fn takes_out(&self) -> bool {
        matches!(self, Self::EmptyBox { .. } | Self::RemoveTurn { .. })
    }
}

/// What a turn is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Purpose {
    /// To answer a message.
    #[default]
    Answer,
    /// To put an entry in the place of the conversation so far (X4).
    Compact,
}

impl Purpose {
    pub(crate) fn answers(&self) -> bool {
        matches!(self, Self::Answer)
    }
}

/// Why the conversation was cut (X).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum CutCause {
    /// The next call would have filled more than 80 % of the room (X3).
    Full,
    /// The provider said that the request is too long (X5).
    Refused,
    /// A person took something out or put it back (X3).
    Person,
    /// The first bytes of the request had to change, for another model, mode or set of tools. Nothing left (X1).
    Changed,
}

/// A result whose body left the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CutBox {
    /// The turn that it is of.
    pub request_id: RequestId,
    pub tool_call_id: CallId,
    /// Bytes that left.
    #[ts(type = "number")]
    pub bytes: u64,
}

/// Messages that left the conversation, of turns that follow each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CutTurns {
    /// The first of the turns.
    pub first: RequestId,
    /// The last of them; the first where there is one.
    pub last: RequestId,
    pub turns: u32,
    pub messages: u32,
    #[ts(type = "number")]
    pub bytes: u64,
}

/// What stands in the place of a part of the conversation (X4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Entry {
    /// Fences the summary in what a model is given (R1).
    pub nonce: String,
    /// What was aimed at and found: the model's text, or a person's.
    pub summary: String,
    /// A person wrote the summary.
    pub edited: bool,
    /// What was done, by the journal; oldest first.
    pub facts: Vec<Fact>,
}

/// One thing that was done, by the journal. A command with its exit code, and a question to the person, will be variants of their own.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Fact {
    /// A tool was called.
    Call {
        name: String,
        /// As JSON; of long ones the beginning.
        arguments: String,
        /// Null where the call did not end.
        status: Option<ToolStatus>,
        /// SHA-256 of the result.
        sha256: Option<Sha256>,
    },
    /// A file was to be written.
    Write {
        path: String,
        operation: WriteOperation,
        /// Null where the write session did not end.
        status: Option<WriteStatus>,
        /// SHA-256 of the file as it was written.
        sha256: Option<Sha256>,
        #[ts(type = "number | null")]
        bytes: Option<u64>,
        /// Hunks that the person rejected.
        rejected_hunks: Vec<u32>,
        /// The person changed the content.
        revised: bool,
    },
    /// A person said yes or no.
    Decision {
        /// The tool that asked.
        name: String,
        /// What it asked.
        summary: String,
        granted: bool,
    },
}

/// Whether the entry of a compaction is what a model is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum EntryState {
    /// The next turn is given it. It can be edited and undone.
    InForce,
    /// A later cut or compaction has taken its place.
    Replaced,
    /// A person undid the compaction.
    Undone,
}

/// The entry of a compaction as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct EntryView {
    /// The turn that made it.
    pub request_id: RequestId,
    pub state: EntryState,
    pub entry: Entry,
    /// Word for word what a model is given.
    pub text: String,
}
