//! What a model was sent in one call, for a person to read.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{ModelTuning, RequestId};

/// The request of a model call, or a page of its messages. It is rebuilt from the turn's journal: requests are kept nowhere else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SentRequest {
    pub request_id: RequestId,
    /// The number of the call in its turn, from 1; write prompts count too.
    pub call: u32,
    /// Calls that the turn has made so far.
    pub calls: u32,
    pub endpoint: String,
    pub model: String,
    /// How it was asked to answer, where the person set it.
    pub tuning: ModelTuning,
    /// The names of the tools on offer; none when they were withheld.
    pub tools: Vec<String>,
    /// Bytes of the descriptions of the tools.
    #[ts(type = "number")]
    pub tools_bytes: u64,
    /// Bytes of the text of all messages.
    #[ts(type = "number")]
    pub bytes: u64,
    /// How many messages it has.
    pub count: u32,
    /// So many messages at its beginning are those of the call before it, or, in the first call of a turn, those that the session gave it.
    pub same: u32,
    /// Messages that the call before it had, or, in the first call of a turn, those that the session gave it.
    pub before: u32,
    /// Bytes of the text of the first `same` messages.
    #[ts(type = "number")]
    pub same_bytes: u64,
    /// The message that the call before it had in the place `same`, where it had one: from there on a provider's cache did not hold (P12).
    pub changed: Option<SentMessage>,
    /// The tools on offer are not those of the call before it. In the first call of a turn that is not known.
    pub tools_changed: bool,
    /// The number of the first message in this page, from 0.
    pub from: u32,
    pub messages: Vec<SentMessage>,
}

/// A message of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SentMessage {
    /// As the provider of the turn took it (R1).
    pub role: SentRole,
    /// Orion said it, in whichever role.
    pub orions: bool,
    /// At most 64 KiB of it.
    pub text: String,
    /// Bytes of the whole text.
    #[ts(type = "number")]
    pub bytes: u64,
    /// The model's reasoning, where it was sent back (P9).
    pub reasoning: Option<String>,
    pub calls: Vec<SentCall>,
    /// The call whose result it is, in the role `tool`.
    pub call_id: Option<String>,
}

/// The role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum SentRole {
    System,
    User,
    Assistant,
    Tool,
}

/// A call in a message of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SentCall {
    pub id: String,
    pub name: String,
    /// JSON.
    pub arguments: String,
}
