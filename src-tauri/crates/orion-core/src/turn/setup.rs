//! Everything that a turn is given before it starts. Together with the inputs it determines all that follows (T5).

use orion_protocol::{Bounds, Mode, Policy, RequestId, TurnIds};
use serde::{Deserialize, Serialize};

use crate::model::{Message, ModelNumbers, Profile};
use crate::tool::ToolSet;

/// The version of the machine. A journal names the one that wrote it, and a later one is not resumed (T8). It changes only with a decision
/// record: when a journal that was recorded would come to other events, or when what is sent to a model changes in a turn under way.
/// 1: journals that do not name it (decision 0013).
pub const MACHINE: u32 = 2;

/// The fixed part of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnSetup {
    pub ids: TurnIds,
    /// The turn that this one follows (T9); none for the first of a session.
    #[serde(default)]
    pub parent: Option<RequestId>,
    /// Milliseconds since the Unix epoch.
    pub at_ms: i64,
    pub policy: Policy,
    pub mode: Mode,
    pub profile: Profile,
    #[serde(default)]
    pub numbers: ModelNumbers,
    /// The endpoint's name.
    pub endpoint: String,
    pub model: String,
    /// The project's folder, absolute: an absolute path below it is made relative (D1).
    pub project_root: String,
    /// Fences the boxes of this turn (R1); random, at least 64 bits.
    pub nonce: String,
    /// The tools on offer, already those of the mode (A1).
    pub tools: ToolSet,
    pub system: String,
    /// The session so far, oldest first.
    pub history: Vec<Message>,
    /// What the user wrote.
    pub text: String,
}

impl TurnSetup {
    /// The most this turn can cost (T4).
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        Bounds::of(&self.policy)
    }
}
