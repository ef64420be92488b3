//! Trace spans (J2): the timeline of a turn, a view of its events.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{BatchId, Phase, ProjectId, RequestId, SessionId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum TraceKind {
    Turn,
    OrchestrationPhase,
    ModelCall,
    ToolRegistration,
    ToolCall,
    ToolResult,
    DuplicateToolCall,
    Approval,
    WriteSession,
    Compaction,
    Error,
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

/// One stretch of time in a turn. A span without an end is still running.
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
    /// Small facts: numbers, names, digests; never file content beyond 200 bytes a value, never a secret (J3).
    #[ts(type = "Record<string, unknown>")]
    pub attributes: serde_json::Map<String, serde_json::Value>,
}
