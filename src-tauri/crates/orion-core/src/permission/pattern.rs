//! The patterns of rules: globs over the paths of a call, or over all its arguments if it names no path.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use globset::GlobBuilder;
use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use crate::tool::Subject;

/// A glob: `*` and `?` stay within a name, `**` does not, `[…]` and `{a,b}` choose, `\` takes the next character as it is.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern {
    text: String,
    /// Its forms, each compiled when it is first needed. Copies share them, so a turn compiles each once.
    forms: Arc<[OnceLock<Option<Regex>>; 4]>,
}

/// A kind of text that a pattern is compiled for.
#[derive(Debug, Clone, Copy)]
enum Form {
    Arguments,
    Path,
    /// A path where letter case does not count.
    AnyCase,
    /// The same for a path in lower case.
    LowerCase,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.text).finish()
    }
}

/// The text is no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a pattern")]
pub struct BadPattern;

impl TryFrom<String> for Pattern {
    type Error = BadPattern;

    fn try_from(text: String) -> Result<Self, BadPattern> {
        // The longest path of Linux; a pattern may be as long as the path that it names.
        if !(1..=4_096).contains(&text.len()) {
            return Err(BadPattern);
        }
        // It is only read here: many patterns of a list are never matched, and an expression takes much more time and memory.
        let glob = expression(&text, true, false).ok_or(BadPattern)?;
        regex_syntax::ParserBuilder::new().utf8(false).build().parse(&glob).map_err(|_| BadPattern)?;
        Ok(Self::new(text))
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.text
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Pattern {
    fn new(text: String) -> Self {
        Self { text, forms: Arc::default() }
    }

    /// One of its forms. None where it has none.
    fn form(&self, form: Form) -> Option<&Regex> {
        let compile = || match form {
            Form::Arguments => compiled(&self.text, false, false),
            Form::Path => compiled(&self.text, true, false),
            Form::AnyCase => compiled(&self.text, true, true),
            Form::LowerCase => compiled(&self.text.to_lowercase(), true, true),
        };
        self.forms.get(form as usize)?.get_or_init(compile).as_ref()
    }

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
        Self::new("**".to_owned())
    }

    /// It as it was written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// True if it names this file of the project, letter for letter.
    pub(crate) fn names_file(&self, path: &str) -> bool {
        self.matches(&Subject::Path(path.to_owned()), false)
    }

    /// Whether it names what a call is about. A path that leads out of the project has no name here: no pattern matches it.
    pub(super) fn matches(&self, subject: &Subject, ignores_case: bool) -> bool {
        let (text, is_path) = match subject {
            Subject::Path(path) | Subject::Quoted(path) => (with_slashes(path), true),
            Subject::Arguments(text) => (Cow::Borrowed(text.as_str()), false),
            Subject::Outside => return false,
        };
        let any_case = is_path && ignores_case;
        let matched =
            |form: Form, text: &str| self.form(form).is_some_and(|glob| glob.is_match(text.as_bytes()));
        match (is_path, any_case) {
            (false, _) => matched(Form::Arguments, &text),
            (true, false) => matched(Form::Path, &text),
            // `compiled` knows the case of ASCII alone. In lower case a class such as `[A-_]` is another one, or none. So either counts.
            (true, true) => matched(Form::AnyCase, &text) || matched(Form::LowerCase, &text.to_lowercase()),
        }
    }
}

/// On Windows a backslash separates the names of a path. globset's own matcher takes it for a `/` in every text there, so in arguments too.
fn with_slashes(path: &str) -> Cow<'_, str> {
    if cfg!(windows) { Cow::Owned(path.replace('\\', "/")) } else { Cow::Borrowed(path) }
}

/// The glob as the text of an expression over bytes.
fn expression(glob: &str, is_path: bool, any_case: bool) -> Option<String> {
    let mut builder = GlobBuilder::new(glob);
    builder.literal_separator(is_path).backslash_escape(true).case_insensitive(any_case);
    Some(builder.build().ok()?.regex().to_owned())
}

fn compiled(glob: &str, is_path: bool, any_case: bool) -> Option<Regex> {
    RegexBuilder::new(&expression(glob, is_path, any_case)?).dot_matches_new_line(true).build().ok()
}
