//! Files and folders that a message names with `@`: `@src/main.rs`, `@src/main.rs:10-40`, `@"my notes.txt"`, `@docs/`.
//!
//! A name begins after space or an opening mark, so an e-mail address is not taken for one. Without quotes it ends at space, and marks of the
//! sentence at its end are not part of it. Within quotes, `\"` and `\\` stand for a quote and a backslash. The window has the same rules
//! (`ui/src/lib/model/mention.ts`). Deliberately not here: whether there is such a file (the engine).

/// A file or folder that a message names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// As it is written, without quotes.
    pub path: String,
    /// The first line, and the last one, counted from 1.
    pub lines: Option<(u64, u64)>,
    /// It stands in quotes: it is meant as a name, whether there is such a file or not.
    pub is_quoted: bool,
}

/// A name that is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// The byte where its `@` stands.
    pub from: usize,
    /// What is typed of the name.
    pub filter: String,
}

/// All that a message names, each once, in their order.
#[must_use]
pub fn mentions(text: &str) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let mut rest = text;
    let mut before = None;
    while let Some(at) = rest.find('@') {
        let (passed, from) = rest.split_at(at);
        let begins = begins_after(passed.chars().next_back().or(before));
        let name = from.strip_prefix('@').unwrap_or_default();
        let (mention, length) = if begins { mention(name) } else { (None, 0) };
        found.extend(mention.filter(|mention| !found.contains(mention)));
        rest = name.get(length..).unwrap_or_default();
        before = from.get(..=length).and_then(|it| it.chars().next_back());
    }
    found
}

/// The name that is typed at the end of a text.
#[must_use]
pub fn typed(before: &str) -> Option<Typed> {
    let from = before.rfind('@')?;
    let (passed, name) = before.split_at(from);
    let name = name.strip_prefix('@')?;
    if !begins_after(passed.chars().next_back()) {
        return None;
    }
    let filter = match name.strip_prefix('"') {
        Some(quoted) => match unquoted(quoted) {
            (filter, None) if !filter.contains('\n') => filter,
            _ => return None,
        },
        None if name.contains(char::is_whitespace) || of_lines(name).is_some() => return None,
        None => name.to_owned(),
    };
    Some(Typed { from, filter })
}

/// A path as a message names it.
#[must_use]
pub fn named(path: &str) -> String {
    let plain = !path.is_empty()
        && !path.contains(|c: char| c.is_whitespace() || c == '"')
        && !path.ends_with(ends_a_sentence)
        && of_lines(path).is_none();
    if plain { format!("@{path}") } else { format!("@\"{}\"", escaped(path)) }
}

/// A folder, to be typed on.
#[must_use]
pub fn folder(path: &str) -> String {
    match path.contains(|c: char| c.is_whitespace() || c == '"') {
        true => format!("@\"{}/", escaped(path)),
        false => format!("@{path}/"),
    }
}

fn escaped(path: &str) -> String {
    path.replace('\\', "\\\\").replace('"', "\\\"")
}

fn begins_after(before: Option<char>) -> bool {
    before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | '{' | '"' | '\'' | '`' | ',' | ';'))
}

fn ends_a_sentence(c: char) -> bool {
    matches!(c, '.' | ',' | ':' | ';' | '!' | '?' | ')' | ']' | '}' | '\'' | '`' | '"')
}

/// The name that a text begins with after its `@`, and how many bytes of the text it takes.
fn mention(text: &str) -> (Option<Mention>, usize) {
    if let Some(quoted) = text.strip_prefix('"') {
        let (path, Some(length)) = unquoted(quoted) else { return (None, 0) };
        let end = length + 1;
        let after: &str = text.get(end..).unwrap_or_default();
        let suffix = after.find(|c: char| !matches!(c, ':' | '-' | '0'..='9')).unwrap_or(after.len());
        let lines =
            after.get(..suffix).and_then(of_lines).and_then(|(at, lines)| (at == 0).then_some(lines)?);
        let length = if lines.is_some() { end + suffix } else { end };
        let is_name = !path.is_empty() && !path.contains('\n');
        return (is_name.then_some(Mention { path, lines, is_quoted: true }), length);
    }
    let word = text.split(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_end_matches(ends_a_sentence);
    let (path, lines) = match of_lines(word) {
        Some((at, Some(lines))) => (word.get(..at).unwrap_or_default(), Some(lines)),
        Some((_, None)) | None => (word, None),
    };
    let mention = Mention { path: path.to_owned(), lines, is_quoted: false };
    ((!path.is_empty()).then_some(mention), word.len())
}

/// What stands up to the closing quote, and the bytes up to and with it; none where it is not closed.
fn unquoted(text: &str) -> (String, Option<usize>) {
    let mut path = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        match (c, characters.peek()) {
            ('"', _) => return (path, Some(at + 1)),
            ('\\', Some((_, next @ ('"' | '\\')))) => {
                path.push(*next);
                characters.next();
            }
            _ => path.push(c),
        }
    }
    (path, None)
}

/// Where `:10`, `:10-40` or a beginning of it ends a word, and which lines that are; none while it is not whole, or makes no sense.
fn of_lines(word: &str) -> Option<(usize, Option<(u64, u64)>)> {
    let at = word.rfind(':')?;
    let suffix = word.get(at + 1..)?;
    let (first, last) = suffix.split_once('-').unwrap_or((suffix, suffix));
    if ![first, last].iter().all(|it| it.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let lines = first.parse().ok().zip(last.parse().ok()).filter(|(first, last)| *first > 0 && first <= last);
    Some((at, lines))
}
