//! The tokens of a line: words without their quotes, operators, and redirections that change nothing on the disk.
//!
//! Deliberately not here: the order in which they may stand (`reader`).

use std::iter::Peekable;
use std::str::Chars;

use super::Unread;
use crate::invisible::turns_direction;

/// A token of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word {
        text: String,
        /// It has `=` outside of quotes.
        assigns: bool,
    },
    /// To `/dev/null`, or from one output to the other.
    Redirection,
    /// `;`
    Semicolon,
    Newline,
    /// `&&`, `||` or `|`: a command follows, if need be on the next line.
    Joins,
}

/// Everything that may be redirected to without a change on the disk.
const NOWHERE: &str = "/dev/null";

/// The tokens of a line.
pub(super) struct Tokens<'a> {
    rest: Peekable<Chars<'a>>,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(line: &'a str) -> Self {
        Self { rest: line.chars().peekable() }
    }

    /// The next token; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Token>, Unread> {
        while self.rest.next_if(|c| is_blank(*c)).is_some() {}
        let Some(first) = self.rest.peek().copied() else { return Ok(None) };
        let token = match first {
            '\n' | ';' => {
                self.rest.next();
                if first == ';' { Token::Semicolon } else { Token::Newline }
            }
            '|' => self.joins('|')?,
            '&' => self.after_and()?,
            '>' => self.redirection(true)?,
            '<' => return Err(Unread::Redirection),
            _ => self.word()?,
        };
        Ok(Some(token))
    }

    /// `|` or `||`.
    fn joins(&mut self, sign: char) -> Result<Token, Unread> {
        self.rest.next();
        self.rest.next_if_eq(&sign);
        match self.rest.peek() {
            Some('&') => Err(Unread::Redirection), // `|&`
            Some('|') => Err(Unread::Operator),
            _ => Ok(Token::Joins),
        }
    }

    /// `&&` or `&>`.
    fn after_and(&mut self) -> Result<Token, Unread> {
        self.rest.next();
        match self.rest.peek() {
            Some('&') => {
                self.rest.next();
                match self.rest.peek() {
                    Some('&' | '|' | '>') => Err(Unread::Operator),
                    _ => Ok(Token::Joins),
                }
            }
            Some('>') => self.redirection(false),
            _ => Err(Unread::Background),
        }
    }

    /// From its `>` on. `to_output` where it may be one to the other output.
    fn redirection(&mut self, to_output: bool) -> Result<Token, Unread> {
        self.rest.next();
        let is_append = self.rest.next_if_eq(&'>').is_some();
        let target = match self.rest.peek() {
            Some('&') if to_output && !is_append => {
                self.rest.next();
                let target = self.target();
                return if matches!(target.as_str(), "1" | "2") {
                    Ok(Token::Redirection)
                } else {
                    Err(Unread::Redirection)
                };
            }
            _ => {
                while self.rest.next_if(|c| is_blank(*c)).is_some() {}
                self.target()
            }
        };
        if target == NOWHERE { Ok(Token::Redirection) } else { Err(Unread::Redirection) }
    }

    /// The characters up to what ends a word, whatever they are.
    fn target(&mut self) -> String {
        let mut target = String::new();
        while let Some(c) = self.rest.next_if(|c| !is_blank(*c) && !"\n;|&<>()".contains(*c)) {
            target.push(c);
        }
        target
    }

    fn word(&mut self) -> Result<Token, Unread> {
        let (mut text, mut assigns, mut is_number) = (String::new(), false, true);
        let mut before = None; // The character before, where it is outside of quotes.
        while let Some(c) = self.rest.peek().copied() {
            if is_blank(c) || "\n;|&".contains(c) {
                break;
            }
            if c == '>' {
                // A number of an output, and nothing else, belongs to its redirection.
                let is_output = is_number && matches!(text.as_str(), "1" | "2");
                return if is_output { self.redirection(true) } else { Err(Unread::Redirection) };
            }
            self.rest.next();
            is_number &= c.is_ascii_digit();
            match c {
                '\'' => self.single(&mut text)?,
                '"' => self.double(&mut text)?,
                '\\' => text.push(self.escaped()?),
                '~' if !before
                    .is_some_and(|before: char| before.is_ascii_alphanumeric() || "~^".contains(before)) =>
                {
                    return Err(Unread::Tilde);
                }
                _ => {
                    unquoted(c)?;
                    assigns |= c == '=';
                    text.push(c);
                }
            }
            before = (!matches!(c, '\'' | '"' | '\\')).then_some(c);
        }
        Ok(Token::Word { text, assigns })
    }

    fn single(&mut self, text: &mut String) -> Result<(), Unread> {
        loop {
            match self.rest.next().ok_or(Unread::Unclosed)? {
                '\'' => return Ok(()),
                c => text.push(in_quotes(c)?),
            }
        }
    }

    fn double(&mut self, text: &mut String) -> Result<(), Unread> {
        loop {
            match self.rest.next().ok_or(Unread::Unclosed)? {
                '"' => return Ok(()),
                '$' | '`' => return Err(Unread::Expansion),
                '\\' => match self.rest.next().ok_or(Unread::Unclosed)? {
                    '\n' => return Err(Unread::Unclosed), // The line goes on, and bash removes both.
                    c @ ('$' | '`' | '"' | '\\') => text.push(c),
                    c => {
                        text.push('\\');
                        text.push(in_quotes(c)?);
                    }
                },
                c => text.push(in_quotes(c)?),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, Unread> {
        match self.rest.next() {
            None | Some('\n') => Err(Unread::Unclosed),
            Some(c) => in_quotes(c),
        }
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// A character that stands for itself in quotes, and that a person can see.
fn in_quotes(c: char) -> Result<char, Unread> {
    let is_hidden = (c.is_control() && !matches!(c, '\t' | '\n'))
        || (c.is_whitespace() && !c.is_ascii())
        || is_ignorable(c)
        || turns_direction(c)
        || c == char::REPLACEMENT_CHARACTER;
    if is_hidden { Err(Unread::Invisible) } else { Ok(c) }
}

/// True for Unicode's `Default_Ignorable_Code_Point` (17.0) without the controls of direction, and for the characters of interlinear annotation. The table
/// is fixed: a line in a journal is judged as it was when the turn ran, whichever Unicode a library knows (T5).
fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// A character that stands for itself without quotes.
fn unquoted(c: char) -> Result<(), Unread> {
    match c {
        '$' | '`' => Err(Unread::Expansion),
        '*' | '?' | '[' | ']' => Err(Unread::Glob),
        '{' | '}' => Err(Unread::Brace),
        '(' | ')' => Err(Unread::Group),
        '#' => Err(Unread::Comment),
        '!' => Err(Unread::History),
        '<' | '>' => Err(Unread::Redirection),
        '_' | '-' | '.' | '/' | ',' | ':' | '@' | '%' | '+' | '=' | '^' | '~' => Ok(()),
        _ if c.is_ascii_alphanumeric() => Ok(()),
        _ if !c.is_ascii() && in_quotes(c)?.is_alphanumeric() => Ok(()),
        _ if c.is_control() => Err(Unread::Invisible),
        _ => Err(Unread::Character),
    }
}
