//! The part of a block before its arguments: tokens, tags, and the words between them, one of which is the name of the tool.
//!
//! A decision depends on a beginning of the block alone, so it is the same however the text was cut into chunks.

/// The longest head, in bytes. Kimi's with a name of 128 bytes (`merge::MAX_NAME`) has 215.
pub(super) const LONGEST: usize = 256;

/// The most words in a head. `function` and a name are two; a sentence about calls has more.
const WORDS: usize = 6;

/// A head as far as it has come.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Head<'a> {
    /// More of it is to come.
    Open,
    /// This is no call.
    Nothing,
    Found(Found<'a>),
}

/// A whole head.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found<'a> {
    /// The words in it. The name is among them, unless the body has it.
    pub(super) words: Vec<&'a str>,
    pub(super) kind: Kind,
    /// The place at which the body begins: in code and braces, the name before them.
    pub(super) at: usize,
}

/// The kind of a body, and how it ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// A JSON object or list. It ends where its brackets close.
    Json,
    /// Tags with keys and values, up to the first of these.
    Tags(Vec<String>),
    /// `[name(key='value')]`, up to a bracket with which it can be read.
    List,
    /// `name(key='value')`, up to a parenthesis with which it can be read.
    Code,
    /// `call:name{key:value}`, up to a brace with which it can be read.
    Braces,
}

impl Kind {
    /// The texts at which the body may end.
    pub(super) fn ends(&self) -> Vec<&str> {
        match self {
            Self::Json => Vec::new(),
            Self::Tags(ends) => ends.iter().map(String::as_str).collect(),
            Self::List => vec!["]"],
            Self::Code => vec![")"],
            Self::Braces => vec!["}"],
        }
    }
}

/// A token of MiniMax M3 that stands before each of its tags.
pub(super) const MINIMAX: &str = "]<]minimax[>[";
/// The beginning of a call of Kimi K3.
const KIMI: &str = "<|open|>call tool=";

/// Finds the head of a block.
pub(super) fn find(block: &str) -> Head<'_> {
    let text = &block[..block.floor_char_boundary(LONGEST)];
    match (Scan { text, at: 0, words: Vec::new() }).run() {
        Head::Open if block.len() > LONGEST => Head::Nothing,
        head => head,
    }
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    words: Vec<&'a str>,
}

/// A step of the scan: the head goes on, or is known.
enum Step<'a> {
    Skip(usize),
    Is(Head<'a>),
}

impl<'a> Scan<'a> {
    fn run(mut self) -> Head<'a> {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start().len();
            match self.step() {
                Step::Skip(bytes) => self.at += bytes,
                Step::Is(head) => return head,
            }
        }
    }

    fn step(&mut self) -> Step<'a> {
        let rest = &self.text[self.at..];
        match rest.chars().next() {
            None => Step::Is(Head::Open),
            Some('{') => self.found(Kind::Json),
            Some('[') => self.bracket(rest),
            Some(']') => skip_all(rest, MINIMAX),
            Some('<') => self.tag(rest),
            Some('`') => match (rest.starts_with("```"), rest.find('\n')) {
                (true, Some(end)) => Step::Skip(end + 1),
                (true, None) => Step::Is(Head::Open),
                (false, _) => skip_all(rest, "```"),
            },
            // A quote stands in no head: it ends the text that quotes one.
            Some('"' | '\'') => Step::Is(Head::Nothing),
            Some(_) => self.word(rest),
        }
    }

    fn found(&mut self, kind: Kind) -> Step<'a> {
        let words = std::mem::take(&mut self.words);
        Step::Is(Head::Found(Found { words, kind, at: self.at }))
    }

    /// A list of JSON or of calls, or a token such as `[ARGS]`.
    fn bracket(&mut self, rest: &'a str) -> Step<'a> {
        let inner = rest[1..].trim_start();
        let word = inner.find(|c: char| !is_of_name(c)).map(|end| &inner[..end]);
        match (inner.chars().next(), word) {
            (None, _) => Step::Is(Head::Open),
            (Some('{'), _) => self.found(Kind::Json),
            (Some(first), None) if is_of_name(first) => Step::Is(Head::Open),
            (Some(_), Some(word)) if !word.is_empty() => match &inner[word.len()..] {
                after if after.starts_with('(') => self.found(Kind::List),
                after if after.starts_with(']') && is_token(word) => Step::Skip(rest.len() - after.len() + 1),
                _ => Step::Is(Head::Nothing),
            },
            _ => Step::Is(Head::Nothing),
        }
    }

    fn tag(&mut self, rest: &'a str) -> Step<'a> {
        if rest.starts_with(KIMI) {
            return self.found(Kind::Tags(vec!["<|close|>call<|sep|>".to_owned()]));
        }
        if KIMI.starts_with(rest) {
            return Step::Is(Head::Open);
        }
        let Some(end) = rest.find('>') else { return Step::Is(Head::Open) };
        let tag = &rest[1..end];
        if let Some(Call { name, ends }) = call_tag(tag) {
            let body = rest[end + 1..].trim_start();
            self.words = vec![name];
            return match body.chars().next() {
                None => Step::Is(Head::Open),
                Some('{') => {
                    self.at += rest.len() - body.len();
                    self.found(Kind::Json)
                }
                Some(_) => {
                    self.at += end + 1;
                    self.found(Kind::Tags(ends))
                }
            };
        }
        // GLM and its kin: the name stands in the tag of the call, which may have no arguments.
        let has_name = !self.words.is_empty();
        if tag.starts_with("arg_key") || (has_name && tag.starts_with("/tool_call")) {
            let ends = ["</tool_call>", "</tool_call:opensource>"];
            return self.found(Kind::Tags(ends.map(str::to_owned).to_vec()));
        }
        Step::Skip(end + 1)
    }

    fn word(&mut self, rest: &'a str) -> Step<'a> {
        let ends = |c: char| c.is_whitespace() || "<[{(`".contains(c);
        let Some(end) = rest.find(ends) else { return Step::Is(Head::Open) };
        let word = &rest[..end];
        let name = word.trim_start_matches('>');
        if self.words.len() == WORDS {
            return Step::Is(Head::Nothing);
        }
        self.words.push(name.strip_prefix("to=").unwrap_or(name));
        match &rest[end..] {
            after if after.starts_with('(') => self.found(Kind::Code),
            after if after.starts_with('{') && word.starts_with("call:") => self.found(Kind::Braces),
            _ => Step::Skip(end),
        }
    }
}

/// Skips a fixed token, or waits for the rest of it.
fn skip_all<'a>(rest: &str, token: &str) -> Step<'a> {
    if rest.starts_with(token) {
        Step::Skip(token.len())
    } else if token.starts_with(rest) {
        Step::Is(Head::Open)
    } else {
        Step::Is(Head::Nothing)
    }
}

/// A tag that begins a call.
struct Call<'a> {
    name: &'a str,
    ends: Vec<String>,
}

/// `function=name`, `function name="name"`, `invoke name="name"`; the last with a prefix in most families.
fn call_tag(tag: &str) -> Option<Call<'_>> {
    if let Some(name) = tag.strip_prefix("function=") {
        // Some models leave the inner end out.
        let ends = vec!["</function>".to_owned(), "</tool_call>".to_owned()];
        return Some(Call { name: name.trim_matches(['"', '\'', ' ']), ends });
    }
    let (element, attributes) = tag.split_once(char::is_whitespace)?;
    if element != "function" && !element.ends_with("invoke") {
        return None;
    }
    Some(Call { name: attribute(attributes, "name")?, ends: vec![format!("</{element}>")] })
}

/// The value of an attribute in a tag.
pub(super) fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let after = attributes.split_once(name)?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    after[1..].split_once(quote).map(|(value, _)| value)
}

/// A character of a tool's name.
fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || "_.-:".contains(character)
}

/// A word that stands in brackets as a control token.
fn is_token(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}
