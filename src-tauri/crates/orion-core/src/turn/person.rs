//! The parts of a reply that a person cannot say, and the reasons why a question does not take one (A1, A3).

use orion_protocol::ApprovalId;
use serde::{Deserialize, Serialize};

use super::Approved;

/// The part of a reply that a person cannot say. It is made before the machine takes the reply, since that has no randomness and no disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Supplied {
    #[default]
    Nothing,
    /// The id of an approval that is to be kept (A1).
    Approval { approval_id: ApprovalId },
    /// The file as the person approved it (W6).
    File { approved: Approved },
}

impl Supplied {
    pub(super) fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }

    pub(super) fn approval_id(&self) -> Option<ApprovalId> {
        match self {
            Self::Approval { approval_id } => Some(*approval_id),
            Self::Nothing | Self::File { .. } => None,
        }
    }
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
    /// The question names no rule that an approval of it could be kept as.
    NotKept,
    /// Files alone are held: the exact line is kept at most, and for its session (C3).
    LineAlone,
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
