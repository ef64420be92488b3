//! The programs of which no rule is kept, and how many words a rule for another one needs (C1).
//!
//! A rule is a prefix of words, so it must not cover what runs the words after it as another program: it would cover every program. Such programs,
//! subcommands and options are in tables. A program that is in none is taken to do with its words what its name says. Deliberately not here: where
//! a program is found (`orion-engine`), and what a line runs (`command_line`).

use std::fmt;

use super::subcommands::{
    FALLING_BACK, FIRST_OPTIONS_THAT_RUN, NAMING_SCRIPTS, OPTIONS_THAT_RUN, SETS_VARIABLE,
    SUBCOMMANDS_THAT_RUN, WITHOUT_DASH, WITHOUT_SHORTENED,
};
use super::tables::{INTERPRETERS, WITH_SUBCOMMANDS, WRAPPERS};

/// The reason for which no rule is kept for a simple command. The end of a sentence that begins with its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Never {
    /// Its name is a path: what lies there may be anything.
    Path,
    /// A shell or an interpreter.
    Interprets,
    /// It runs its words as a program.
    RunsWords,
    /// An option stands where its subcommand is needed, or nothing does.
    NoSubcommand,
}

impl fmt::Display for Never {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "is named by a path, so it may be any program",
            Self::Interprets => "runs any program that it is given",
            Self::RunsWords => "runs what stands after it",
            Self::NoSubcommand => "needs a subcommand right after it, for a rule",
        })
    }
}

/// The name without the number of a version: `python3.11` is `python`, and `gcc-12` is `gcc`.
fn without_version(name: &str) -> &str {
    match name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-')) {
        "" => name,
        plain => plain,
    }
}

/// True if a table has the program, by its name or without the number of a version.
fn is_in(table: &[&str], name: &str) -> bool {
    table.contains(&name) || table.contains(&without_version(name))
}

/// The words that a table has for a program.
fn of<'a>(table: &[(&str, &'a [&'a str])], name: &str) -> &'a [&'a str] {
    let found = table.iter().find(|(program, _)| *program == name || *program == without_version(name));
    found.map_or(&[], |(_, words)| words)
}

/// The fewest words of this simple command that a rule can be kept as.
///
/// # Errors
/// The reason for which none is kept.
pub fn least_words(words: &[String]) -> Result<usize, Never> {
    let name = words.first().map(String::as_str).unwrap_or_default();
    if name.contains('/') {
        return Err(Never::Path);
    }
    if is_in(INTERPRETERS, name) || name.starts_with("ld-linux") {
        return Err(Never::Interprets);
    }
    if is_in(WRAPPERS, name) || runs_by_option(words) {
        return Err(Never::RunsWords);
    }
    if !is_in(WITH_SUBCOMMANDS, name) {
        return Ok(1);
    }
    let Some(subcommand) = words.get(1).map(String::as_str) else { return Err(Never::NoSubcommand) };
    let is_word = |word: &str| !word.is_empty() && !word.starts_with(['-', '+']) && !word.contains('=');
    if !is_word(subcommand) {
        // The subcommand may be any word after it.
        let runs = words[1..].iter().any(|word| is_subcommand_that_runs(name, word));
        return Err(if runs { Never::RunsWords } else { Never::NoSubcommand });
    }
    if is_subcommand_that_runs(name, subcommand) {
        return Err(Never::RunsWords);
    }
    let named = match (of(NAMING_SCRIPTS, name).contains(&subcommand), words.get(2)) {
        (true, Some(script)) if is_word(script) => 2,
        (true, _) => return Err(Never::NoSubcommand),
        (false, _) => 1,
    };
    match FALLING_BACK.contains(&name) {
        true if FALLING_BACK.contains(&words[named].as_str()) => Err(Never::RunsWords),
        true => least_words(&words[named..]).map(|least| named + least),
        false => Ok(named + 1),
    }
}

/// True if a program runs what stands after this subcommand, which may be shortened.
fn is_subcommand_that_runs(program: &str, subcommand: &str) -> bool {
    let is_shortened = subcommand.len() > 1 && !WITHOUT_SHORTENED.contains(&program);
    let all = of(SUBCOMMANDS_THAT_RUN, program);
    all.iter().any(|it| *it == subcommand || (is_shortened && it.starts_with(subcommand)))
}

/// True where an option of the program runs another one.
fn runs_by_option(words: &[String]) -> bool {
    let name = words.first().map(String::as_str).unwrap_or_default();
    let options = of(OPTIONS_THAT_RUN, name);
    let has_first = words.get(1).is_some_and(|word| word.starts_with('-'));
    let first = if has_first { of(FIRST_OPTIONS_THAT_RUN, name) } else { &[] };
    let sets = is_in(SETS_VARIABLE, name);
    words.iter().enumerate().skip(1).any(|(at, word)| {
        let has_dash = !(at == 1 && WITHOUT_DASH.contains(&name) && !word.starts_with('-'));
        (sets && word.contains('='))
            || options.iter().chain(first).any(|option| is_option(word, option, has_dash))
    })
}

/// True if a word is this option: as it is, with its value, shortened, or a short one among others.
fn is_option(word: &str, option: &str, has_dash: bool) -> bool {
    let named = word.split('=').next().unwrap_or_default();
    if let Some(option) = option.strip_prefix('=') {
        word.starts_with(option)
    } else if option.starts_with("--") {
        named == option || (named.len() > 2 && option.starts_with(named))
    } else if option.len() == 2 {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        (is_short || !has_dash) && word.contains(&option[1..])
    } else {
        word.starts_with(option)
    }
}

/// True where a program may run this other one by its name, as it knows no such subcommand or script.
pub(super) fn may_fall_back_to(program: &str, words: &[String]) -> bool {
    words.split_first().is_some_and(|(name, more)| {
        FALLING_BACK.contains(&name.as_str()) && more.iter().any(|it| it == program)
    })
}

/// True for a simple command that may run another one: a rule that asks or denies cannot be checked on it. One that has no subcommand right after it
/// runs none, unless another word of it may be one that does.
pub(super) fn may_run_another(words: &[String]) -> bool {
    matches!(least_words(words), Err(Never::Path | Never::Interprets | Never::RunsWords))
}
