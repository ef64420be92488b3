//! The patterns of rules: globs over the paths of a call, or over all its arguments if it names no path.

use std::borrow::Cow;
use std::fmt;

use globset::GlobBuilder;
use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use crate::tool::Subject;

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
    /// The pattern that names this and nothing else. None for a path that is quoted: a person could not read the pattern.
    pub(super) fn naming(subject: &Subject) -> Option<Self> {
        match subject {
            // `escape` leaves backslashes as they are.
            Subject::Path(text) | Subject::Arguments(text) => {
                Self::try_from(globset::escape(text).replace('\\', "\\\\")).ok()
            }
            Subject::Quoted(_) | Subject::Outside => None,
        }
    }

    /// The pattern that every call matches.
    pub(super) fn everything() -> Self {
        Self("**".to_owned())
    }

    /// It as it was written.
    pub(super) fn text(&self) -> &str {
        &self.0
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
