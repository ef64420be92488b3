//! The reader itself: which tokens may follow each other, and which names a simple command may have.
//!
//! Deliberately not here: quotes and operators (`tokens`).

use super::names::{BUILTINS, CD, KEYWORDS};
use super::tokens::{Token, Tokens};
use super::{Line, Unread, Words};

/// The most simple commands of a line: 32. A person does not look through more of them.
const COMMANDS: usize = 32;

/// The most words of a simple command: 256, as many as a program without a shell is given.
const WORDS: usize = 256;

/// Reads a line for bash, which reads none of its own files and is not interactive.
///
/// # Errors
/// The first reason for which it is not understood.
pub fn read(line: &str) -> Result<Line, Unread> {
    let mut tokens = Tokens::of(line);
    let (mut commands, mut words) = (Vec::new(), Words::new());
    let mut must_follow = false; // A command must, after an operator that joins two.
    while let Some(token) = tokens.next()? {
        match token {
            Token::Word { text, assigns } => {
                if words.is_empty() && assigns {
                    return Err(Unread::Assignment);
                }
                if words.is_empty() {
                    named(&text)?;
                }
                words.push(text);
                must_follow = false;
            }
            // Before its program a command may have other words than it seems.
            Token::Redirection if words.is_empty() => return Err(Unread::Redirection),
            Token::Redirection => {}
            Token::Newline if words.is_empty() => {}
            Token::Semicolon | Token::Joins if words.is_empty() => return Err(Unread::Operator),
            Token::Newline | Token::Semicolon => commands.push(simple(&mut words)?),
            Token::Joins => {
                commands.push(simple(&mut words)?);
                must_follow = true;
            }
        }
        if commands.len() > COMMANDS || words.len() > WORDS {
            return Err(Unread::Size);
        }
    }
    if must_follow {
        return Err(Unread::Operator);
    }
    if !words.is_empty() {
        commands.push(simple(&mut words)?);
    }
    if (1..=COMMANDS).contains(&commands.len()) { Ok(Line { commands }) } else { Err(Unread::Size) }
}

/// A name that a simple command may have.
fn named(name: &str) -> Result<(), Unread> {
    let is_of_program = |c: char| c.is_ascii_alphanumeric() || "_-.+/@".contains(c);
    if KEYWORDS.contains(&name) {
        Err(Unread::Keyword)
    } else if BUILTINS.contains(&name) {
        Err(Unread::Builtin)
    } else if !name.starts_with(|c: char| c.is_ascii_alphanumeric() || "_./".contains(c))
        || !name.chars().all(is_of_program)
    {
        Err(Unread::Name)
    } else {
        Ok(())
    }
}

/// The words of a simple command that has ended.
fn simple(words: &mut Words) -> Result<Words, Unread> {
    let words = std::mem::take(words);
    let first_argument = words.get(1).map(String::as_str).unwrap_or_default();
    match words.first().map(String::as_str).unwrap_or_default() {
        CD if words.len() != 2 || !is_inside(first_argument) => Err(Unread::Folder),
        "printf" if first_argument.starts_with('-') => Err(Unread::Builtin),
        _ => Ok(words),
    }
}

/// True for a path from a folder to one below it.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && !path.starts_with(['/', '-']) && path.split('/').all(|name| name != "..")
}
