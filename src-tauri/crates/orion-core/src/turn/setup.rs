//! Everything a turn is given before it starts. With the inputs it determines all that follows (T5).

use std::sync::Arc;

use orion_protocol::{Bounds, Mode, Policy, TurnIds};
use serde::{Deserialize, Serialize};

use crate::model::{Message, Profile};
use crate::tool::{ToolKind, ToolSpec};

/// The fixed part of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnSetup {
    pub ids: TurnIds,
    /// Milliseconds since the Unix epoch.
    pub at_ms: i64,
    pub policy: Policy,
    pub mode: Mode,
    pub profile: Profile,
    /// The endpoint's name.
    pub endpoint: String,
    pub model: String,
    /// The project's folder, absolute: an absolute path below it is made relative (D1).
    pub project_root: String,
    /// Fences the boxes of this turn (R1); random, at least 64 bits.
    pub nonce: String,
    /// The tools on offer, already those of the mode (A1).
    pub tools: Arc<[ToolSpec]>,
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

    pub(super) fn tool(&self, name: &str) -> Option<&ToolSpec> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// The tool that opens write sessions.
    pub(super) fn opens_writes(&self) -> Option<&ToolSpec> {
        self.tools.iter().find(|tool| tool.kind == ToolKind::OpensWrite)
    }
}
