//! What a person chooses for one turn.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{ContextEdit, Mode, Route, TurnLimits};

/// Choices for one turn; what is null comes from the project's and the user's settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export)]
pub struct TurnOptions {
    pub mode: Option<Mode>,
    pub route: Option<Route>,
    /// An endpoint's name.
    pub endpoint: Option<String>,
    pub model: Option<String>,
    /// Tokens of the model's window (X2).
    pub window: Option<u32>,
    pub limits: TurnLimits,
    /// What is taken out of the conversation, or pinned, before this message (X3).
    pub edits: Vec<ContextEdit>,
}
