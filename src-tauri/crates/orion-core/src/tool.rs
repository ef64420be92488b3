//! Tools as the turn sees them: how they are described, and how a run of one ended.

mod set;

use orion_protocol::{ErrorInfo, Permission, Question, Sha256, ToolInfo, ToolStatus, WriteOperation};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use set::ToolSet;

/// The tool through which a model writes a file (W1).
pub const WRITE_PLAN_BEGIN: &str = "write_plan_begin";

/// The tool that lists a folder: what came with a message through it is a folder.
pub const LIST_FILES: &str = "list_files";

/// The tool that says what kind of file something is, and how large.
pub const FILE_INFO: &str = "file_info";

/// Tools whose results are names and sizes, and nothing of what is in a file. They are known by their names, since the tools in a journal say
/// no more of themselves (T8).
const NAMES_ALONE: [&str; 2] = [LIST_FILES, FILE_INFO];

/// What running a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// It only reads. It is on offer in plan mode (A1), and may run a second time without harm (A5).
    Reads,
    /// It changes something.
    Mutates,
    /// It opens a write session (W1). That changes nothing yet: a person is asked about the write (W6).
    OpensWrite,
}

impl ToolKind {
    #[must_use]
    pub fn only_reads(self) -> bool {
        matches!(self, Self::Reads)
    }
}

/// A tool on offer in a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments: an object with `properties`. A property's `default` is filled in before a call is
    /// compared or run, and one with `"format": "path"` is brought to project-relative form (D1).
    pub parameters: Value,
    pub kind: ToolKind,
    pub permission: Permission,
    /// How often it may run in a turn (T4); none where only the turn's budget limits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_per_turn: Option<u32>,
}

impl ToolSpec {
    /// The names of the arguments that are paths.
    pub fn path_arguments(&self) -> impl Iterator<Item = &str> {
        let properties = self.parameters.get("properties").and_then(Value::as_object);
        let paths = properties.into_iter().flatten().filter(|(_, schema)| schema["format"] == "path");
        paths.map(|(name, _)| name.as_str())
    }

    /// The paths that a call names, in these arguments.
    pub(crate) fn paths<'a>(&'a self, arguments: &'a Map<String, Value>) -> impl Iterator<Item = &'a str> {
        self.path_arguments().filter_map(|name| arguments.get(name)?.as_str())
    }

    /// Whether its result may have something of the files below the folder that it is called for. A tool that is not known may.
    pub(crate) fn looks_into_files(&self) -> bool {
        !NAMES_ALONE.contains(&self.name.as_str())
    }
}

impl From<&ToolSpec> for ToolInfo {
    fn from(spec: &ToolSpec) -> Self {
        Self {
            name: spec.name.clone(),
            description: spec.description.clone(),
            read_only: spec.kind.only_reads(),
            permission: spec.permission,
            max_per_turn: spec.max_per_turn,
            parameters: spec.parameters.clone(),
        }
    }
}

/// How a tool call ended, as the ToolRunner reports it. One type for success and failure (R2).
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
    /// The one file whose bytes alone it was made from (X6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<SourceFile>>,
    /// The write session that the call opens (W1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens: Option<Box<Opening>>,
    /// The person is asked this: what they make of it is the result of the call (A8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<Vec<Question>>,
    /// What a person should know about the project's ignore files; said once in a turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// The file that a result was read from, as it was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceFile {
    /// As it was named, project-relative: a link may lead elsewhere by now.
    pub path: String,
    /// SHA-256 of all its bytes.
    pub sha256: Sha256,
    /// Its size. Another size tells without reading that the file has changed; the same size tells nothing.
    pub bytes: u64,
}

/// A write session that may begin, with the facts about its target (W1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Opening {
    /// Project-relative, as it is shown.
    pub path: String,
    /// The file's real place, project-relative, when `path` leads there through a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub real: Option<String>,
    pub operation: WriteOperation,
    /// What the model wants to do, in its own words.
    pub intent: String,
    /// Size of the present file in bytes; null when there is none.
    pub bytes: Option<u64>,
    /// The file holds U+FFFD already, so the content may (W5).
    pub has_replacement: bool,
    /// The control characters that the file holds already, so the content may (W5).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub controls: String,
    /// The end line of strict mode (W3); null for `DONE`.
    pub nonce: Option<String>,
}

impl Opening {
    /// The paths that change when it is written.
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
