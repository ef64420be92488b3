//! The report of a turn: one type for every channel (J5). A field that is not known is null, never left out.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{
    BatchId, Bounds, CallId, ChangeReport, Channel, CheckSkipped, CheckStatus, ErrorInfo, Evaluation, Mode,
    Phase, ProjectId, RequestId, Route, SessionId, Sha256, Signature, Usage, Usd, WriteOperation,
    WriteStatus,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum TurnStatus {
    Completed,
    Stopped,
    Failed,
    Waiting,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum StopReason {
    Answered,
    BudgetExhausted,
    DuplicatesExhausted,
    Length,
    /// The answer ended for a reason that Orion does not know, so it may not be complete (P10).
    Unknown,
    ContentFilter,
    /// The model gave no answer, also when it was asked once more (P7).
    Empty,
    Approval,
    /// The model asks the person (A8).
    Clarification,
    Paused,
    Stopped,
    Error,
}

/// Which bound of a turn was reached (T7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Exhausted {
    /// The last answer was cut off at its limit.
    Tokens,
    Seconds,
    Cost,
    Cycles,
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum ToolStatus {
    Ok,
    /// It ran and failed, or its arguments were wrong.
    Failed,
    /// Its permission is `deny`, or the person said no.
    Denied,
    TimedOut,
    Cancelled,
    /// Refused before it ran: the same call already ran in this turn (D2).
    Duplicate,
    /// Its arguments never parsed; never run (P6).
    Malformed,
    /// Not run: the file has not changed since an earlier call read it (X6).
    Reused,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct PhaseReport {
    pub phase: Phase,
    pub tool_batch_id: Option<BatchId>,
    #[ts(type = "number | null")]
    pub duration_ms: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ToolCallReport {
    pub tool_call_id: CallId,
    pub tool_batch_id: Option<BatchId>,
    pub name: String,
    pub signature: Option<Signature>,
    /// Null while it runs or waits.
    pub status: Option<ToolStatus>,
    #[ts(type = "number | null")]
    pub duration_ms: Option<u64>,
    /// The model wrote it into its text.
    #[serde(default)]
    pub leaked: bool,
}

/// A file that the turn wrote, or was to write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct WriteReport {
    pub path: String,
    pub operation: WriteOperation,
    /// Null when nothing was written.
    pub sha256: Option<Sha256>,
    #[ts(type = "number | null")]
    pub bytes: Option<u64>,
    /// Null while the session is open.
    pub status: Option<WriteStatus>,
}

/// One attempt of a check after a turn that changed something (V3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CheckReport {
    pub name: String,
    /// As a shell takes it.
    pub command: String,
    pub status: CheckStatus,
    /// Null where it did not end by itself.
    pub exit_code: Option<i32>,
    /// Null where it did not run.
    #[ts(type = "number | null")]
    pub duration_ms: Option<u64>,
    /// Tool phases begun before it.
    pub cycle: u32,
    /// From 1; 2 after the repair (V2).
    pub attempt: u32,
    /// SHA-256 of all its output; null where it did not run.
    pub output_sha256: Option<Sha256>,
    /// It had failed in its last run before the turn.
    pub failed_before: bool,
    /// The reason for which it did not run; null where it did.
    pub reason: Option<CheckSkipped>,
}

/// The report of a turn (J5), the same in the window, on the command line and over HTTP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct TurnReport {
    pub request_id: RequestId,
    pub session_id: SessionId,
    pub project_id: ProjectId,
    /// The turn that it follows (T9); null for the first of a session.
    pub parent_request_id: Option<RequestId>,
    pub route: Route,
    pub mode: Mode,
    pub model: String,
    pub status: TurnStatus,
    pub phase_reached: Phase,
    pub stop_reason: StopReason,
    /// The whole text the assistant showed in this turn; what was streamed before a failure too.
    pub answer: String,
    pub cycles: u32,
    pub tool_runs: u32,
    /// Reads that an earlier box answered (X6).
    pub reused: u32,
    pub duplicates_refused: u32,
    pub model_calls: u32,
    /// Model calls of write sessions; they are not among `model_calls`, as in the bounds.
    pub write_prompts: u32,
    pub retries: u32,
    /// Messages that a person wrote while the turn ran, and that the model was given in it (A9).
    pub steered: u32,
    /// Null where no bound was reached.
    pub exhausted: Option<Exhausted>,
    pub bounds: Bounds,
    pub usage: Usage,
    /// By the provider's own counts, else by Orion's estimates. Null where the price is not known.
    pub cost_usd: Option<Usd>,
    #[ts(type = "number")]
    pub duration_ms: u64,
    /// One line for people; null for a turn of a version that told none, as the next three.
    #[serde(default)]
    pub summary: Option<String>,
    /// The code that the command line ends with after such a turn ([`crate::Exit`]).
    #[serde(default)]
    pub exit_code: Option<u8>,
    /// The channel that the turn was begun in.
    #[serde(default)]
    pub channel: Option<Channel>,
    /// The project's name when the turn began.
    #[serde(default)]
    pub project_name: Option<String>,
    pub phases: Vec<PhaseReport>,
    pub tool_calls: Vec<ToolCallReport>,
    pub writes: Vec<WriteReport>,
    /// The files that its commands changed: [`TurnReport::CHANGES`] at most.
    #[serde(default)]
    pub changes: Vec<ChangeReport>,
    /// The evaluation by its checks (V3). Null where none is set.
    #[serde(default)]
    pub evaluation: Option<Evaluation>,
    /// Every attempt, in order. Null where none is set.
    pub checks: Option<Vec<CheckReport>>,
    pub error: Option<ErrorInfo>,
}

impl TurnReport {
    /// The most files of commands that a report names: 200, as the result of one command does.
    pub const CHANGES: usize = crate::CommandRun::CHANGES;
}
