//! Pausing a turn, and what a person does to results before the model is given them (A2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{CallId, Sha256};

/// When a running turn is to pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
#[ts(export)]
pub enum PauseRequest {
    /// After each of its tool phases from now on, or no longer.
    AfterTools { on: bool },
    /// Once: before its next model call, after the step that runs.
    Next,
    /// At once: the model's response is dropped, and what came of it is kept. What is no response, such as a tool, comes to its end first.
    Now,
}

/// Why a turn is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum PauseCause {
    /// It pauses after each tool phase.
    AfterTools,
    /// A person asked for a pause after the step.
    Requested,
    /// A person paused it at once: a response was dropped.
    Now,
}

/// What it costs to resume a paused turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum ResumeCost {
    Nothing,
    /// A step: the response that was dropped is asked for again, from where it stopped.
    Step,
    /// One of the prompts of the write session.
    WritePrompt,
    /// The response was the last one of the turn: resuming ends the turn with what came of it.
    EndsTurn,
}

/// A result that the model has not been given yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct PausedResult {
    pub tool_call_id: CallId,
    pub name: String,
    /// Of the text that the model would be given.
    #[ts(type = "number")]
    pub bytes: u64,
}

/// What a person does to a result before the model is given it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum ResultEdit {
    /// The model is given this text in the place of the result.
    Replace { tool_call_id: CallId, text: String },
    /// The model is told of the call and its status alone.
    Drop { tool_call_id: CallId },
}

impl ResultEdit {
    #[must_use]
    pub fn tool_call_id(&self) -> &CallId {
        match self {
            Self::Replace { tool_call_id, .. } | Self::Drop { tool_call_id } => tool_call_id,
        }
    }
}

/// A result that a person edited or dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct EditedResult {
    pub tool_call_id: CallId,
    /// SHA-256 of the result as the tool gave it.
    pub original_sha256: Sha256,
    /// SHA-256 and size of what the model was given in its place; null where the result was dropped.
    pub sha256: Option<Sha256>,
    #[ts(type = "number | null")]
    pub bytes: Option<u64>,
}
