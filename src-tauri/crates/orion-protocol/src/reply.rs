//! The replies of a person to a pending question, and the answer that comes of one (A1, A2, A3, A6, A8, P11).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::{
    ApprovalId, EditedCall, EditedResult, KeptFor, KeptRule, QuestionsAnswer, RepeatsChoice, ResultEdit,
};

/// A person's reply to a pending question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Reply {
    /// Runs the call, or writes the whole proposal.
    Allow {
        /// Keeps the approval, as the rule that the question names.
        keep: Option<KeptFor>,
    },
    /// Runs the command, and keeps a rule: so many first words of each of its simple commands, in their order; 0 for none of one (C1).
    AllowWords { keep: KeptFor, words: Vec<u32> },
    /// Runs the command outside the sandbox, this once (C3).
    AllowOutside,
    /// Runs the call with these arguments instead of its own (A3).
    AllowEdited {
        #[ts(type = "Record<string, unknown>")]
        arguments: Map<String, Value>,
    },
    /// Writes a part of the proposal, or one with faults left in it (W5, W6).
    Write {
        /// The numbers of the hunks to write; null for all.
        hunks: Option<Vec<u32>>,
        /// The person has seen the remaining faults and wants the file written anyway.
        despite_faults: bool,
    },
    /// Does not run the call, or writes nothing. Of content that only repeats itself, a plain one discards it.
    Reject {
        /// Why not, for the model (A6).
        reason: Option<String>,
        /// Ends the turn too.
        stop: bool,
    },
    /// Chooses what becomes of content that only repeats itself (P11).
    Choose { choice: RepeatsChoice },
    /// Answers the questions of the model, or says that they are not answered (A8).
    Answer { answer: QuestionsAnswer },
    /// Resumes a paused turn. The model is given its results as the person leaves them (A2).
    Resume { edits: Vec<ResultEdit> },
}

impl Reply {
    /// A plain no.
    pub const NO: Self = Self::Reject { reason: None, stop: false };
    /// A plain yes.
    pub const YES: Self = Self::Allow { keep: None };

    /// A reply that needs no more than what was recorded: it says no (T8).
    #[must_use]
    pub fn refuses(&self) -> bool {
        match self {
            Self::Reject { .. } | Self::Choose { choice: RepeatsChoice::Discard } => true,
            Self::Answer { answer } => !matches!(answer, QuestionsAnswer::Answered { .. }),
            Self::Allow { .. }
            | Self::AllowWords { .. }
            | Self::AllowOutside
            | Self::AllowEdited { .. }
            | Self::Write { .. }
            | Self::Choose { .. }
            | Self::Resume { .. } => false,
        }
    }
}

/// The answer that a question was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Given {
    Allowed {
        /// The call ran with other arguments than the model gave.
        edited: Option<EditedCall>,
        kept: Option<KeptRule>,
        /// The command ran outside the sandbox (C3).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        outside: bool,
    },
    Rejected {
        reason: Option<String>,
        /// The person ended the turn.
        stopped: bool,
    },
    /// No person was asked: an approval that was kept answered.
    Kept {
        approval_id: ApprovalId,
        /// The others, where several allowed the commands of one line.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also: Vec<ApprovalId>,
    },
    Chosen {
        choice: RepeatsChoice,
    },
    Answered {
        answer: QuestionsAnswer,
    },
    /// The pause ended, with what the person did to its results, in the order in which they gave it.
    Resumed {
        edited: Vec<EditedResult>,
    },
}

impl Given {
    /// A plain no.
    pub const NO: Self = Self::Rejected { reason: None, stopped: false };
    /// A plain yes.
    pub const YES: Self = Self::Allowed { edited: None, kept: None, outside: false };

    /// True where a call or a write was allowed, false where it was rejected; none of an answer to something else.
    #[must_use]
    pub fn granted(&self) -> Option<bool> {
        match self {
            Self::Allowed { .. } | Self::Kept { .. } => Some(true),
            Self::Rejected { .. } => Some(false),
            Self::Chosen { .. } | Self::Answered { .. } | Self::Resumed { .. } => None,
        }
    }
}
