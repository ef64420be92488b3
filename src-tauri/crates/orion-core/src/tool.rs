//! Tools as the turn sees them: how they are described, and how a run of one ended.

mod arguments;
mod meant;
mod set;
mod subject;

use orion_protocol::{
    CommandRun, ErrorInfo, Permission, Question, Sha256, ToolInfo, ToolStatus, WriteOperation,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::image::Image;

pub use arguments::Arguments;
pub(crate) use meant::{NAMESPACES, folded};
pub use set::ToolSet;
pub(crate) use subject::Subject;

/// What running a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// It only reads. It is on offer in plan mode (A1), and may run a second time without harm (A5).
    Reads,
    /// It changes something.
    Mutates,
    /// It runs a command (C1): it changes whatever the command changes. Each call is looked at before it is judged.
    RunsCommands,
    /// It opens a write session (W1). That changes nothing yet: a person is asked about the write (W6).
    OpensWrite,
}

impl ToolKind {
    #[must_use]
    pub fn only_reads(self) -> bool {
        matches!(self, Self::Reads)
    }

    /// True if a run of it may have changed something, however it ended.
    #[must_use]
    pub fn mutates(self) -> bool {
        matches!(self, Self::Mutates | Self::RunsCommands)
    }
}

/// The part of the files below a folder that the result of a call for it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reveals {
    /// Their names and sizes alone.
    Names,
    /// Something of what is in them. A tool that does not say so may as well.
    #[default]
    Contents,
}

/// A tool on offer in a turn, as it describes itself, with what the settings say of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments: an object with `properties`. Its `$schema` says the draft; without one it is draft 7. A property's
    /// `default` is filled in before a call is compared or run (D1).
    pub parameters: Value,
    /// The arguments that are paths of the project: they are brought to project-relative form (D1), and rules are matched against them (A1).
    /// A tool that is not Orion's own has none: its server decides where its paths lead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The arguments that rules are matched against, as JSON; empty for the paths, or all where there is none (A1).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ruled: Vec<String>,
    /// The arguments that are no part of a call's signature (D1): they change nothing of what it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsigned: Vec<String>,
    pub kind: ToolKind,
    #[serde(default)]
    pub reveals: Reveals,
    /// The longest that a run takes, in milliseconds, where the settings do not say it. None for that of all tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u32>,
    /// The most bytes of a result that a model is given, where that is less than of other tools (R3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<u32>,
    pub permission: Permission,
    /// How often it may run in a turn (T4); none where only the turn's budget limits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_per_turn: Option<u32>,
}

impl ToolSpec {
    /// A tool without paths, within the bounds that hold for all. It may run unasked if it only reads, and may reveal what is in files.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Value,
        kind: ToolKind,
    ) -> Self {
        let permission = if kind.only_reads() { Permission::Allow } else { Permission::Ask };
        Self {
            name: name.into(),
            description: description.into(),
            parameters,
            paths: Vec::new(),
            ruled: Vec::new(),
            unsigned: Vec::new(),
            kind,
            reveals: Reveals::default(),
            time_ms: None,
            output_bytes: None,
            permission,
            max_per_turn: None,
        }
    }

    /// True if it does the same as this one, which a turn was begun with, in the ways that the turn relies on.
    #[must_use]
    pub fn acts_as(&self, begun: &Self) -> bool {
        self.kind == begun.kind && self.reveals == begun.reveals && self.paths == begun.paths
    }

    /// The paths that a call names, in these arguments.
    pub(crate) fn paths_in<'a>(&'a self, arguments: &'a Map<String, Value>) -> impl Iterator<Item = &'a str> {
        self.paths.iter().filter_map(|name| arguments.get(name)?.as_str())
    }

    /// True if its result may have something of the files below the folder that it is called for.
    pub(crate) fn looks_into_files(&self) -> bool {
        self.reveals == Reveals::Contents
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

/// The end of a tool call, as the ToolRunner reports it. One type for success and failure (R2).
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
    /// The image that is part of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<Box<Image>>,
    /// The files that the call changed: results that were made from them are no longer fresh (D3).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Seen>,
    /// What a person should know about the project's ignore files; said once in a turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The command that it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Box<CommandRun>>,
}

impl ToolOutcome {
    /// An outcome that says no more than how the call ended.
    #[must_use]
    pub fn ended(status: ToolStatus, summary: impl Into<String>) -> Self {
        Self {
            status,
            summary: summary.into(),
            body: String::new(),
            bytes: 0,
            cut: None,
            error: None,
            seen: Vec::new(),
            source: None,
            opens: None,
            asks: None,
            image: None,
            changed: Vec::new(),
            notices: Vec::new(),
            command: None,
        }
    }
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
        self.paths().cloned().map(Seen::Path).collect()
    }

    /// The same, as paths.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.path).chain(&self.real)
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
