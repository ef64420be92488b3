//! Trace spans (J2): the timeline of a turn, a view of its journal.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{BatchId, CallId, Phase, ProjectId, RequestId, Route, SessionId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum TraceKind {
    Turn,
    OrchestrationPhase,
    ModelCall,
    ToolRegistration,
    /// One call of a tool, with its result. A read that an earlier result answered is one too (X6).
    ToolCall,
    /// A result without a call that ran. The result of a call that ran is in its [`TraceKind::ToolCall`].
    ToolResult,
    /// A moment: a repeated call was refused (D2).
    DuplicateToolCall,
    /// A moment: calls of a response were not run, since it may have no more of them, or none (P4, P8).
    CallsBlocked,
    /// The turn waits for a person's answer, about a call or a write. A moment where a kept approval gave it.
    Approval,
    /// The turn waits for a person to resume it (A2).
    Pause,
    /// The turn waits for the answers to the model's questions (A8).
    Question,
    /// A moment: a person gave the turn a message, or it went back to the queue (A9).
    Steer,
    /// From the first prompt for a file's content to what became of it. Its corrections and its preview are moments of this kind below it.
    WriteSession,
    Compaction,
    Command,
    Check,
    /// A moment: something left the conversation, or its first bytes changed (X1, X3).
    ContextCut,
    /// A moment: a person stopped the turn (A4), or the process that ran it died (A5).
    Stop,
    /// A moment: something went wrong. With the name `retrying`: a model call failed and is tried again; the pause before the next try is a
    /// part of the call.
    Error,
}

/// What a part of a model call was spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum CallPartKind {
    /// Until the server has begun its answer: connection, request, headers.
    Connecting,
    /// From then on, to the first piece of the answer. From the beginning of the call, where nobody said when the server had begun.
    FirstToken,
    Reasoning,
    Text,
    /// The model writes a tool call.
    Arguments,
    /// The pause before the next try.
    Backoff,
}

/// A part of a model call. The parts of a call follow one another without a gap, from its start to its end. One of a kind can come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CallPart {
    pub kind: CallPartKind,
    /// Milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub start_ms: i64,
    /// Milliseconds since the Unix epoch; null in the last part of a call that runs.
    #[ts(type = "number | null")]
    pub end_ms: Option<i64>,
    /// Bytes of text, reasoning or arguments that came in it.
    #[ts(type = "number")]
    pub bytes: u64,
    /// The try that it belongs to, from 1. A pause belongs to the try that follows it.
    pub attempt: u32,
}

/// How fast the answer of a model call came. Its pieces are recorded together (J1), so a step of less than 250 ms says little.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct StreamRate {
    /// Where the first step begins, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub start_ms: i64,
    /// The length of a step, in milliseconds.
    #[ts(type = "number")]
    pub step_ms: u64,
    /// Bytes of text, reasoning and arguments that came in each step; 64 steps at most.
    #[ts(type = "Array<number>")]
    pub bytes: Vec<u64>,
}

/// What a span points to, outside of its own turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum LinkKind {
    /// The turn that this one follows in its session (T9).
    Follows,
    /// The turn of another session that this session begins with (T9).
    Fork,
    /// The turn whose result answered this call (X6).
    Reused,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SpanLink {
    pub kind: LinkKind,
    pub request_id: RequestId,
    /// The call in that turn, where it is one that is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_call_id: Option<CallId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum SpanStatus {
    Running,
    Ok,
    Refused,
    Failed,
    Stopped,
}

/// One stretch of time in a turn. A span without an end is still running. A moment ends when it starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct TraceSpan {
    pub request_id: RequestId,
    pub session_id: SessionId,
    pub project_id: ProjectId,
    /// Unique in the turn, from 1, in the order of their starts. 1 is the turn itself.
    pub span_id: u32,
    /// Null for the turn itself.
    pub parent_id: Option<u32>,
    pub kind: TraceKind,
    pub name: String,
    /// Milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub start_ms: i64,
    #[ts(type = "number | null")]
    pub end_ms: Option<i64>,
    pub phase: Phase,
    pub tool_batch_id: Option<BatchId>,
    pub status: SpanStatus,
    /// The route of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub route: Option<Route>,
    /// Of a tool call: its id in the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_call_id: Option<CallId>,
    /// Of a tool call: its canonical signature (D1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub signature: Option<String>,
    /// The file or folder that a tool call or a write session is about, as it was named: 200 bytes at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    /// Of a model call: its number in the turn, from 1, as [`crate::Query::Sent`] takes it. Calls for the content of a file count too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub call: Option<u32>,
    /// Of a model call: when the first byte of its answer came, in milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub first_byte_ms: Option<i64>,
    /// Of a model call: what its time was spent on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<CallPart>>")]
    pub parts: Vec<CallPart>,
    /// Of a model call that has brought something. While it runs, the last step may lag behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub stream: Option<StreamRate>,
    /// How long of it the turn has waited for a person, in milliseconds; left out where it has not.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(optional, type = "number")]
    pub waited_ms: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<SpanLink>>")]
    pub links: Vec<SpanLink>,
    /// Small facts: numbers, names, digests; never file content beyond 200 bytes a value, never a secret (J3).
    #[ts(type = "Record<string, unknown>")]
    pub attributes: serde_json::Map<String, serde_json::Value>,
}

impl TraceSpan {
    /// The turn does nothing in it but wait for a person.
    #[must_use]
    pub fn waits(&self) -> bool {
        matches!(self.kind, TraceKind::Approval | TraceKind::Pause | TraceKind::Question)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
