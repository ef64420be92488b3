//! The parts of a call that a rule's pattern is matched against (A1).

use serde_json::{Map, Value};

use crate::quoting::{shown, unquoted};
use crate::signature::project_relative;

/// A part of a call that a pattern is matched against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Project-relative; the root is `.`.
    Path(String),
    /// A path that is shown quoted, as it is; U+FFFD stands for what is not UTF-8.
    Quoted(String),
    /// A path that leads out of the project. The ToolRunner refuses it.
    Outside,
    /// All arguments as RFC 8785 writes them, of a call that names no path.
    Arguments(String),
}

impl Subject {
    pub(super) fn of_path(path: &Value, root: &str) -> Self {
        let Some(path) = path.as_str() else { return Self::Outside };
        if let Some(path) = unquoted(path) {
            return Self::Quoted(String::from_utf8_lossy(&path).into_owned());
        }
        match project_relative(path, root) {
            Ok(normal) if normal.is_empty() => Self::Path(".".to_owned()),
            Ok(normal) if shown(normal.as_bytes()) == normal => Self::Path(normal),
            Ok(normal) => Self::Quoted(normal),
            Err(_) => Self::Outside,
        }
    }

    pub(crate) fn of_all(arguments: &Map<String, Value>) -> Self {
        Self::Arguments(match serde_json_canonicalizer::to_string(arguments) {
            Ok(text) => text,
            // RFC 8785 has no form for a number beyond 64-bit floats; its text is still exact.
            Err(_) => Value::Object(arguments.clone()).to_string(),
        })
    }
}
