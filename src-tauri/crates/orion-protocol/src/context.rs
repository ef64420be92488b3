//! What fills a model's room, as a person sees it (X2, X3). Tokens are by Orion's own count.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{CallId, RequestId, Sha256, WindowSource};

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
    /// Of a turn: which one. Null where an earlier Orion kept it without.
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
