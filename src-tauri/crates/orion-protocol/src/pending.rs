//! The one question that a turn waits with (A7).
//!
//! Deliberately not here: which events open and close it (`event/questions`), and what a person can say to it (`reply`).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{
    AskedBy, BatchId, CallId, CommandAsked, PauseCause, PausedResult, Question, RepeatsChoice, ResumeCost,
    Sha256, StopReason,
};

/// The question that a turn waits with. Only a person can answer it, and nothing goes on before they do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Pending {
    /// SHA-256 of the exact thing that is asked about. A reply names it (A3).
    pub digest: Sha256,
    pub of: PendingOf,
}

/// The thing that a person is asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum PendingOf {
    /// May this call of a tool run?
    Call {
        tool_call_id: CallId,
        name: String,
        /// Its arguments as JSON.
        summary: String,
        /// The one whose word makes Orion ask.
        by: AskedBy,
        /// The pattern that an approval of this would be kept as (A1); null where keeping it would change nothing.
        keeps: Option<String>,
        /// The command that it would run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        command: Option<Box<CommandAsked>>,
    },
    /// Is the proposal of the `write_ready` before it to be written (W6)?
    Write {
        write: u32,
        path: String,
        /// The call that opened the session.
        tool_call_id: CallId,
        name: String,
        /// The path, and how many lines are added and removed.
        summary: String,
        by: AskedBy,
        keeps: Option<String>,
    },
    /// A choice for content that only repeats itself (P11). The digest is of the session and its content so far.
    Repeats {
        write: u32,
        path: String,
        /// The repeated stretch, cut to 200 characters.
        stretch: String,
        /// The times that it came in a row.
        #[ts(type = "number")]
        times: u64,
        /// Bytes of the content so far, and how many of them are left with the first of the repeats alone.
        #[ts(type = "number")]
        bytes: u64,
        #[ts(type = "number")]
        once_bytes: u64,
        /// The choices: half an edit cannot be shown, so nothing of it can be kept.
        choices: Vec<RepeatsChoice>,
    },
    /// Answers to the questions of this call (A8).
    Questions { tool_call_id: CallId, questions: Vec<Question> },
    /// The turn is paused until a person resumes it (A2).
    Pause {
        cause: PauseCause,
        /// The tool phase that it paused after.
        batch: Option<BatchId>,
        /// The results that the model is given next, for the person to edit or to drop.
        results: Vec<PausedResult>,
        costs: ResumeCost,
    },
}

impl PendingOf {
    /// The reason why a turn that waits with it has stopped for now (J5).
    #[must_use]
    pub fn stop_reason(&self) -> StopReason {
        match self {
            Self::Call { .. } | Self::Write { .. } | Self::Repeats { .. } => StopReason::Approval,
            Self::Questions { .. } => StopReason::Clarification,
            Self::Pause { .. } => StopReason::Paused,
        }
    }

    /// A yes or a no answers it, and a no may have a reason and end the turn (A6).
    #[must_use]
    pub fn is_yes_or_no(&self) -> bool {
        match self {
            Self::Call { .. } | Self::Write { .. } => true,
            Self::Repeats { .. } | Self::Questions { .. } | Self::Pause { .. } => false,
        }
    }

    /// The sentence that tells a person why their session takes no message.
    #[must_use]
    pub fn in_session(&self) -> String {
        let asks = match self {
            Self::Call { name, .. } => format!("it asks whether {name} may run"),
            Self::Write { path, .. } => format!("it asks about a write of {path}"),
            Self::Repeats { path, .. } => {
                format!("it asks what becomes of {path}, whose content only repeats itself")
            }
            Self::Questions { .. } => "the model asks you something".to_owned(),
            Self::Pause { .. } => {
                return "This session is paused: it waits for you to resume it.".to_owned();
            }
        };
        format!("This session waits for you: {asks}.")
    }
}
