//! What the person has set for a tool, as the settings window shows and changes it (A1, T4).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::Permission;

/// What calls of a tool may do that a pattern matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ToolRule {
    /// A glob over the path that a call names, or over its arguments as JSON.
    pub pattern: String,
    pub permission: Permission,
}

/// The person's settings for one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ToolSettings {
    pub tool: String,
    /// Null leaves it to the tool.
    pub permission: Option<Permission>,
    /// Milliseconds that one call may take; null leaves it to the tool.
    #[serde(default)]
    pub timeout_ms: Option<u32>,
    /// How often it may run in a turn; null where only the turn's budget limits it.
    pub max_per_turn: Option<u32>,
    /// The rule that counts most last.
    pub rules: Vec<ToolRule>,
}
