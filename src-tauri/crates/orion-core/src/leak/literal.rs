//! Values as code writes them: Python's literals, of which JSON is nearly a part. Models write them by hand, so quotes in a text may stand as they are.

use serde_json::{Map, Number, Value};

/// Brackets in brackets that are read. Arguments have few.
pub(super) const DEPTH: usize = 32;

/// The value that a whole text writes.
pub(super) fn value(text: &str) -> Option<Value> {
    let mut reader = Reader::of(text);
    let value = reader.value(0)?;
    reader.space();
    reader.rest().is_empty().then_some(value)
}

/// Reads a text from left to right.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Takes this, after white space. False where something else comes.
    pub(super) fn take(&mut self, token: &str) -> bool {
        self.space();
        let is_next = self.rest().starts_with(token);
        if is_next {
            self.at += token.len();
        }
        is_next
    }

    /// A name: letters, digits, and what stands between them in names of tools.
    pub(super) fn name(&mut self) -> Option<&'a str> {
        self.space();
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && !"_.-".contains(c)).unwrap_or(rest.len());
        self.at += end;
        Some(&rest[..end]).filter(|name| !name.is_empty())
    }

    /// Takes all up to this.
    pub(super) fn until(&mut self, end: &str) -> Option<&'a str> {
        let (text, _) = self.rest().split_once(end)?;
        self.at += text.len();
        Some(text)
    }

    pub(super) fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEPTH {
            return None;
        }
        self.space();
        match self.rest().chars().next()? {
            '"' | '\'' => self.string().map(Value::String),
            '[' => self.list("[", "]", depth),
            '(' => self.list("(", ")", depth),
            '{' => self.object(depth),
            _ => self.word(),
        }
    }

    fn list(&mut self, open: &str, close: &str, depth: usize) -> Option<Value> {
        self.take(open).then_some(())?;
        let mut list = Vec::new();
        while !self.take(close) {
            list.push(self.value(depth + 1)?);
            if !self.take(",") {
                self.take(close).then_some(())?;
                break;
            }
        }
        Some(Value::Array(list))
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.take("{").then_some(())?;
        let mut object = Map::new();
        while !self.take("}") {
            let Value::String(key) = self.value(depth + 1)? else { return None };
            self.take(":").then_some(())?;
            object.insert(key, self.value(depth + 1)?);
            if !self.take(",") {
                self.take("}").then_some(())?;
                break;
            }
        }
        Some(Value::Object(object))
    }

    /// A number, or a word for a value.
    fn word(&mut self) -> Option<Value> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && !"+-._".contains(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        let value = match word {
            "True" | "true" => Value::Bool(true),
            "False" | "false" => Value::Bool(false),
            "None" | "null" => Value::Null,
            number => Value::Number(
                number.parse::<Number>().ok().or_else(|| Number::from_f64(number.parse().ok()?))?,
            ),
        };
        self.at += end;
        Some(value)
    }

    /// A string. A quote that no end of a value follows is one of its characters.
    fn string(&mut self) -> Option<String> {
        let rest = self.rest();
        let quote = rest.chars().next()?;
        let triple = quote.to_string().repeat(3);
        let (skip, raw) = match rest.starts_with(&triple) && rest.len() >= 6 {
            true => (3, rest[3..].split_once(&triple)?.0),
            false => (1, until(&rest[1..], quote)?),
        };
        self.at += skip + raw.len() + skip;
        Some(unescaped(raw, quote))
    }
}

/// The text up to the quote that ends it.
fn until(text: &str, quote: char) -> Option<&str> {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            character if character == quote => {
                let after = text[at + 1..].trim_start();
                if after.is_empty() || after.starts_with([',', ')', ']', '}', ':']) {
                    return Some(&text[..at]);
                }
            }
            _ => {}
        }
    }
    None
}

/// A text without the escapes that Python knows. Another backslash stands for itself.
fn unescaped(raw: &str, quote: char) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('\\') => text.push('\\'),
            Some(next) if next == quote => text.push(next),
            Some(next) => text.extend(['\\', next]),
            None => text.push('\\'),
        }
    }
    text
}
