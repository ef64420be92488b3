//! Figures of turns, one by one (J5). What they come to in groups is in `stats`.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{CallId, Mode, ProjectId, RequestId, Route, SessionId, StatsRow, StopReason, TurnStatus, Usd};

/// Which turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum FiguresOf {
    Everything,
    Project { project_id: ProjectId },
    Session { session_id: SessionId },
}

/// What one turn came to, by its report. What nobody counted is null, never 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct TurnFigures {
    pub request_id: RequestId,
    pub session_id: SessionId,
    pub project_id: ProjectId,
    /// Milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub started_at_ms: i64,
    /// What the person wrote, 200 characters at most.
    pub text: String,
    pub route: Route,
    pub mode: Mode,
    pub model: String,
    pub status: TurnStatus,
    pub stop_reason: StopReason,
    /// Tool phases.
    pub cycles: u32,
    pub tool_runs: u32,
    /// Repeated calls that were refused (D2).
    pub duplicates_refused: u32,
    /// Model calls, those of write sessions included.
    pub model_calls: u32,
    pub retries: u32,
    pub prompt_tokens: Option<u32>,
    /// Those of the prompt tokens that came from the provider's cache.
    pub cached_tokens: Option<u32>,
    pub completion_tokens: Option<u32>,
    pub reasoning_tokens: Option<u32>,
    /// Null where the price is not known (T7).
    pub cost_usd: Option<Usd>,
    /// From its beginning to its end, in milliseconds, time in which it waited included.
    #[ts(type = "number")]
    pub duration_ms: u64,
    /// How long of it the turn waited for a person, in milliseconds.
    #[ts(type = "number")]
    pub waited_ms: u64,
}

/// What took long in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SlowCall {
    pub request_id: RequestId,
    /// The model of a model call, or the tool of a tool call.
    pub name: String,
    /// Of a model call: its number in the turn, from 1, as [`crate::Query::Sent`] takes it.
    pub call: Option<u32>,
    /// Of a tool call.
    pub tool_call_id: Option<CallId>,
    /// Milliseconds. Time in which a tool call waited for a person is not part of it.
    #[ts(type = "number")]
    pub duration_ms: u64,
}

/// Figures of the turns that have ended; compactions are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Figures {
    /// In the order they began. Of more than 5,000 the latest.
    pub turns: Vec<TurnFigures>,
    /// Of all turns, by route and model: what `orion stats` prints.
    pub totals: Vec<StatsRow>,
    /// The 20 calls that took longest, the longest first.
    pub slowest: Vec<SlowCall>,
    /// Turns that run, wait or were interrupted: not counted.
    pub unfinished: u32,
    /// Turns whose report cannot be read: not counted.
    pub unreadable: u32,
}
