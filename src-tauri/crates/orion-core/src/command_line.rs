//! The reader of command lines: which programs a line runs, and with exactly which words (C1).
//!
//! It reads a small part of what bash reads, and says of everything else that it is not understood. Of a line that it understands, bash runs no
//! program but those that were read, with the words that were read. So the reader takes what it knows and refuses what it does not know, never the
//! other way round. Deliberately not here: which of the programs may run (`permission`), and where a program is found (`orion-engine`).

mod names;
mod reader;
mod tokens;

use std::fmt;

pub use reader::read;

/// A line that was understood: its simple commands in their order, one at least.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub commands: Vec<Words>,
}

/// The words of a simple command as its program gets them, after the quotes are removed; the first one names the program.
pub type Words = Vec<String>;

/// The reason for which a line is not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unread {
    /// It has no command, or more than the reader takes.
    Size,
    /// A character that is invisible, or is no text.
    Invisible,
    /// A character outside of quotes that stands for nothing that is known here.
    Character,
    /// A quote without its end, or a backslash at the end of a line.
    Unclosed,
    /// `$` or a backtick: bash puts something else in their place.
    Expansion,
    /// `*`, `?` or `[`: bash puts names of files in their place.
    Glob,
    /// `{` or `}`.
    Brace,
    /// `~` where bash may put a home folder in its place.
    Tilde,
    /// `#`, which may begin a comment.
    Comment,
    /// `!`.
    History,
    /// `(` or `)`.
    Group,
    /// `&` alone: something is left running.
    Background,
    /// A redirection to something else than `/dev/null` and the other output.
    Redirection,
    /// An operator without a command beside it.
    Operator,
    /// `=` in the word that names the program.
    Assignment,
    /// A word of the shell's own language.
    Keyword,
    /// A program of the shell's own that may change what the words after it do.
    Builtin,
    /// A name that no program has.
    Name,
    /// `cd` to a place that may lie outside of the project.
    Folder,
}

/// The end of a sentence that begins with the line.
impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Size => "has no command, or too many",
            Self::Invisible => "has a character that cannot be seen",
            Self::Character => "has a special character without quotes",
            Self::Unclosed => "has a quote or a backslash without an end",
            Self::Expansion => "has `$` or a backtick, which stand for something else",
            Self::Glob => "has `*`, `?` or `[` without quotes, which stand for names of files",
            Self::Brace => "has a brace without quotes",
            Self::Tilde => "has `~` without quotes",
            Self::Comment => "has `#` without quotes",
            Self::History => "has `!` without quotes",
            Self::Group => "has a parenthesis without quotes",
            Self::Background => "leaves something running with `&`",
            Self::Redirection => "reads or writes a file by a redirection",
            Self::Operator => "has an operator without a command beside it",
            Self::Assignment => "sets a variable",
            Self::Keyword => "has a word of the shell's language",
            Self::Builtin => "has a command of the shell that may change what the others do",
            Self::Name => "names a program in a way that no program is named",
            Self::Folder => "changes to a folder that may be outside of the project",
        })
    }
}

impl Line {
    /// The text of a line that is read as these simple commands. None where there is none: bash would read it otherwise.
    #[must_use]
    pub fn text(commands: &[Words]) -> Option<String> {
        let text: Vec<String> = commands
            .iter()
            .map(|words| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
            .collect();
        let text = text.join("; ");
        read(&text).is_ok_and(|line| line.commands == commands).then_some(text)
    }
}

/// True for a simple command that only changes to a folder of the project.
#[must_use]
pub fn changes_folder(words: &[String]) -> bool {
    words.first().is_some_and(|name| name == names::CD)
}

/// True for a program that is a part of the shell: it is looked for nowhere.
#[must_use]
pub fn is_of_shell(name: &str) -> bool {
    names::PLAIN.contains(&name)
}

/// A word as a line has it, with quotes where they are needed.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./,:@%+=".contains(c);
    match word.chars().all(is_plain) && !word.is_empty() {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
