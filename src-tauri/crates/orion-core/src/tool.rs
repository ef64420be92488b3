//! Tools as the turn sees them: their description, and what running one came to.

use orion_protocol::{ErrorInfo, Permission, ToolStatus, WriteOperation};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The one tool through which a model writes a file (W1). The turn itself acts on what it opens.
pub const WRITE_PLAN_BEGIN: &str = "write_plan_begin";

/// A tool on offer in a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments: an object with `properties`. A property's `default` is filled in before a call is
    /// compared or run, and one with `"format": "path"` is brought to project-relative form (D1).
    pub parameters: Value,
    pub read_only: bool,
    pub permission: Permission,
}

/// What a tool call came to, as the ToolRunner reports it. Typed whether it worked or not (R2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolOutcome {
    pub status: ToolStatus,
    /// One line for a person, such as `212 lines`.
    pub summary: String,
    /// What the model reads; already cut to the byte limit on a character boundary (R3).
    pub body: String,
    /// Size before it was cut.
    pub bytes: u64,
    /// What was cut and how to read on; null when nothing was (R3).
    pub cut: Option<String>,
    pub error: Option<ErrorInfo>,
    /// What the result depends on in the project: a change there makes its call fresh again (D3).
    pub seen: Vec<Seen>,
    /// The write session that the call opens (W1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens: Option<Box<Opening>>,
}

/// A write session that may begin: what was found out about its target (W1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Opening {
    /// Project-relative, as it is shown.
    pub path: String,
    /// Where the file itself is, project-relative, when `path` leads there through a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub real: Option<String>,
    pub operation: WriteOperation,
    /// What the model wants with it, in its own words.
    pub intent: String,
    /// Size of the file as it is; null when there is none.
    pub bytes: Option<u64>,
    /// The file holds U+FFFD already, so the content may (W5).
    pub has_replacement: bool,
    /// The end line of strict mode (W3); null for `DONE`.
    pub nonce: Option<String>,
}

impl Opening {
    /// What changes when it is written.
    pub(crate) fn changed(&self) -> Vec<Seen> {
        std::iter::once(&self.path).chain(&self.real).cloned().map(Seen::Path).collect()
    }
}

/// A part of the project that a tool looked at, project-relative with `/`; the root is the empty string.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// This file or folder alone; for a folder, the names directly in it.
    Path(String),
    /// Everything below this folder.
    Tree(String),
}
