//! Why phases end, and why calls do not run.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Why a phase ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum PhaseCause {
    /// The model finished its text.
    Answered,
    /// The model called a tool (P4).
    ToolCall,
    /// A call's arguments never parsed (P6).
    MalformedCall,
    /// The answer was cut off at its limit, by the provider or by Orion (T7).
    Length,
    ContentFilter,
    /// It has no answer (P7).
    Empty,
    /// The provider ended the answer for a reason Orion does not know (P10).
    Unknown,
    /// All calls of the tool phase have their outcome.
    ToolsDone,
    /// All checks of the check phase have their end (V1).
    ChecksDone,
    /// The turn's seconds or money were used up (T7).
    LimitReached,
    /// A person paused the turn, and the response was dropped (A2).
    Paused,
    Stopped,
    Failed,
    Interrupted,
}

/// Why calls of a response were not run (P4, P8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum CallReason {
    /// The tool phase runs no more than its policy allows.
    OverPhaseLimit,
    /// Tools were withheld: this was the final answer.
    FinalAnswer,
    /// A write session is open: its messages are content (W2).
    WriteOpen,
    /// The response was cut off because it only repeated itself (P11).
    RepeatedItself,
}
