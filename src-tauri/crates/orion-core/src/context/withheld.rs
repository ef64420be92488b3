//! What a person took out of a session: a call that would bring it back asks first (X6).
//!
//! Deliberately not here: asking (`turn::withheld`).

use orion_protocol::{ContextEdit, Signature};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::item::{About, Item};
use crate::tool::{Arguments, ToolSet, ToolSpec};

/// A result that a person took out, by its call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Withheld {
    pub signature: Signature,
    /// What it was about, project-relative.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

impl Withheld {
    /// What these edits take out of a history: single results, and all results of a turn. `tools` tell which arguments are paths.
    #[must_use]
    pub fn by(edits: &[ContextEdit], history: &[Item], tools: &ToolSet) -> Vec<Self> {
        let taken = |item: &&Item| edits.iter().any(|edit| takes_out(edit, item));
        history.iter().filter(taken).filter_map(|item| Self::of(item, tools)).collect()
    }

    /// A result that a person takes out or edits; none where the item is no box.
    pub(crate) fn of(item: &Item, tools: &ToolSet) -> Option<Self> {
        let Some(About::Box(of)) = &item.about else { return None };
        let (name, arguments) = item.boxed_call().unwrap_or_default();
        let arguments: Map<String, Value> = serde_json::from_str(arguments).unwrap_or_default();
        let named = tools.get(name).into_iter().flat_map(|tool| tool.paths_in(&arguments)).map(str::to_owned);
        let mut paths: Vec<String> =
            of.source.iter().map(|source| source.path.clone()).chain(named).collect();
        paths.sort_unstable();
        paths.dedup();
        Some(Self { signature: of.signature.clone(), paths })
    }

    /// Whether a call would bring it back: the same call, one that names the same path, or one that looks into the files of a folder above it.
    #[must_use]
    pub fn covers(&self, tool: &ToolSpec, arguments: &Arguments, signature: &Signature) -> bool {
        let is_held = |path: &str| {
            self.paths
                .iter()
                .any(|held| is_same(held, path) || (tool.looks_into_files() && is_below(held, path)))
        };
        self.signature == *signature || arguments.paths().any(is_held)
    }
}

/// Those of earlier edits that take something out which is in this history all the same: their turn did not come to its end, or the history is
/// that of another branch.
#[must_use]
pub fn undone(edits: &[ContextEdit], history: &[Item]) -> Vec<ContextEdit> {
    edits.iter().filter(|edit| history.iter().any(|item| takes_out(edit, item))).cloned().collect()
}

fn takes_out(edit: &ContextEdit, item: &Item) -> bool {
    match edit {
        ContextEdit::EmptyBox { request_id, tool_call_id } => {
            item.turn == Some(*request_id) && item.whole_box().is_some_and(|of| of.call == *tool_call_id)
        }
        ContextEdit::RemoveTurn { request_id } => item.turn == Some(*request_id),
        ContextEdit::PinBox { .. } | ContextEdit::PinTurn { .. } => false,
    }
}

/// Letter case does not tell names apart: on some systems it is the same file.
fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

fn is_below(path: &str, folder: &str) -> bool {
    let (path, folder) = (path.to_lowercase(), folder.to_lowercase());
    folder == "." || path.strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'))
}
