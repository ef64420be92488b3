//! What a person can answer to a question, beyond yes or no (A1, A3, A6).

use orion_protocol::{ApprovalId, KeptFor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer {
    Allowed {
        /// The approval is kept, as the rule that the question named (A1).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keep: Option<Keep>,
        /// The call runs with these arguments (A3).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<Map<String, Value>>,
    },
    Rejected {
        /// For the model (A6).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The turn ends as well.
        stops: bool,
    },
}

impl Answer {
    pub(super) fn allows(&self) -> bool {
        matches!(self, Self::Allowed { .. })
    }
}

/// An approval that is to be kept. Its pattern follows from what is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Keep {
    pub approval_id: ApprovalId,
    pub kept_for: KeptFor,
}

/// Why a question does not take an answer (A1, A2, A3). Nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// A path of the changed arguments leads out of the project.
    Outside,
    /// The rules deny the call with these arguments.
    Denied,
    /// The turn already has the result of a call with these arguments (D2).
    Repeats,
    /// A write has no arguments that could be changed.
    NoCall,
    /// The question is not one that Orion asks by default, or the arguments were changed as well.
    NotKept,
    /// Nothing was asked that takes such an answer: the turn is paused, or the question is another one.
    NotAsked,
    /// A question has no answer, or more than one, or one that it does not take (A8).
    NoAnswer,
    /// The results that the pause shows are other ones (A2).
    NoResult,
    /// A summary is one call, so it is not paused (A2).
    NotPaused,
    /// Nor is it given another message (A9).
    NotSteered,
}
