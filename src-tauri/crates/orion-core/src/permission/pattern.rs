//! Patterns, and the part of a call that they are matched against: its normalized paths, or all its arguments if it names no path.

use std::borrow::Cow;
use std::fmt;

use globset::GlobBuilder;
use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::quoting::{shown, unquoted};
use crate::signature::project_relative;
use crate::tool::ToolSpec;

/// A glob: `*` and `?` stay within a name, `**` does not, `[…]` and `{a,b}` choose, `\` takes the next character as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern(String);

/// The text is no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a pattern")]
pub struct BadPattern;

impl TryFrom<String> for Pattern {
    type Error = BadPattern;

    fn try_from(text: String) -> Result<Self, BadPattern> {
        match compiled(&text, true, false) {
            // The longest path of Linux; a pattern may be as long as the path that it names.
            Some(_) if (1..=4_096).contains(&text.len()) => Ok(Self(text)),
            _ => Err(BadPattern),
        }
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Pattern {
    /// The pattern that names this text alone.
    fn exactly(text: &str) -> Option<Self> {
        // `escape` leaves backslashes as they are.
        Self::try_from(globset::escape(text).replace('\\', "\\\\")).ok()
    }

    /// Whether it names what a call is about. A path that leads out of the project has no name here: no pattern matches it.
    pub(super) fn matches(&self, subject: &Subject, ignores_case: bool) -> bool {
        let (text, is_path) = match subject {
            Subject::Path(path) | Subject::Quoted(path) => (with_slashes(path), true),
            Subject::Arguments(text) => (Cow::Borrowed(text.as_str()), false),
            Subject::Outside => return false,
        };
        let any_case = is_path && ignores_case;
        let matched = |glob: &str, text: &str| {
            compiled(glob, is_path, any_case).is_some_and(|glob| glob.is_match(text.as_bytes()))
        };
        // `compiled` knows the case of ASCII alone. In lower case a class such as `[A-_]` is another one, or none. So either counts.
        matched(&self.0, &text) || (any_case && matched(&self.0.to_lowercase(), &text.to_lowercase()))
    }
}

/// On Windows a backslash separates the names of a path. globset's own matcher takes it for a `/` in every text there, so in arguments too.
fn with_slashes(path: &str) -> Cow<'_, str> {
    if cfg!(windows) { Cow::Owned(path.replace('\\', "/")) } else { Cow::Borrowed(path) }
}

/// The glob as an expression over bytes.
fn compiled(glob: &str, is_path: bool, any_case: bool) -> Option<Regex> {
    let mut builder = GlobBuilder::new(glob);
    builder.literal_separator(is_path).backslash_escape(true).case_insensitive(any_case);
    RegexBuilder::new(builder.build().ok()?.regex()).dot_matches_new_line(true).build().ok()
}

/// What a pattern is matched against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
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
    /// What a call with these normalized arguments is about: one subject at least.
    pub(super) fn of(tool: &ToolSpec, arguments: &Map<String, Value>, root: &str) -> Vec<Self> {
        let subjects: Vec<Self> = tool
            .path_arguments()
            .filter_map(|name| arguments.get(name))
            .map(|path| path.as_str().map_or(Self::Outside, |path| Self::of_path(path, root)))
            .collect();
        if !subjects.is_empty() {
            return subjects;
        }
        let text = match serde_json_canonicalizer::to_string(arguments) {
            Ok(text) => text,
            // RFC 8785 has no form for a number beyond 64-bit floats; its text is still exact.
            Err(_) => Value::Object(arguments.clone()).to_string(),
        };
        vec![Self::Arguments(text)]
    }

    fn of_path(path: &str, root: &str) -> Self {
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

    pub(super) fn is_outside(&self) -> bool {
        matches!(self, Self::Outside)
    }

    /// The pattern that names this and nothing else. None for a path that is quoted: a person could not read the pattern.
    pub(super) fn exactly(&self) -> Option<Pattern> {
        match self {
            Self::Path(path) => Pattern::exactly(path),
            Self::Arguments(text) => Pattern::exactly(text),
            Self::Quoted(_) | Self::Outside => None,
        }
    }
}
