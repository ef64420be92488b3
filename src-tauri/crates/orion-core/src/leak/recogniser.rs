//! Finds calls in a text that streams in: constant work per byte, whatever the chunks.
//!
//! Text that may be the beginning of a block is held back, and looked at again when more of it has come. It is shorter than the longest beginning. All other
//! text, which nearly all of an answer is, passes as it came. A block is held until it is closed and the line that it ends in has
//! nothing else, or until it has 64 KiB. Then it is text.

use std::sync::Arc;

use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, MatchKind};

use super::beginnings::{MARKUP, Place, named};
use super::body::{self, name_among};
use super::head::{self, Found, Head, Kind};
use super::pairs::Pairs;
use super::place::{InText, may_begin};
use super::{LeakedCall, start};
use crate::nesting::Nesting;
use crate::tool::ToolSet;

/// The most bytes of a block that are held. Arguments that are longer are the content of a file, which travels otherwise (W1).
const HELD: usize = 64 * 1024;

/// The most places of a block at which it is tried whether it ends there: a text in it may have as many brackets.
const ENDS: usize = 256;

/// A part of the text, in its order.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    Text(String),
    Block(Block),
}

/// A stretch of markup.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// As the model wrote it.
    pub text: String,
    pub read: Read,
}

/// A block, as it was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Read {
    Call(LeakedCall),
    /// It is not closed, or cannot be read as a call. `name` is that of a tool on offer, where it has one.
    Broken {
        name: Option<String>,
    },
}

/// The beginnings of blocks, with those that need a name of these tools.
#[derive(Debug, Clone)]
pub struct Beginnings(Arc<Table>);

#[derive(Debug)]
struct Table {
    automaton: Option<NFA>,
    /// The beginnings, by their numbers in the automaton.
    all: Vec<(String, Place)>,
    pairs: Pairs,
    /// Bytes of the longest beginning.
    longest: usize,
    tools: ToolSet,
}

impl Beginnings {
    /// The beginnings of calls to these tools.
    #[must_use]
    pub fn of(tools: ToolSet) -> Self {
        let fixed = MARKUP.iter().filter(|(_, place)| *place != Place::Inside);
        let all: Vec<(String, Place)> =
            fixed.map(|(text, place)| ((*text).to_owned(), *place)).chain(named(&tools)).collect();
        let texts = || all.iter().map(|(text, _)| text.as_str());
        // More patterns than an automaton takes is no set of tools that a provider takes: then no block is found.
        let automaton = NFA::builder().match_kind(MatchKind::Standard).build(texts()).ok();
        let pairs = Pairs::of(texts());
        let longest = texts().map(str::len).max().unwrap_or(0);
        Self(Arc::new(Table { automaton, all, pairs, longest, tools }))
    }
}

/// The beginnings in a text.
enum End {
    /// One of them is whole.
    Whole,
    /// None is whole, and what the text ends with may be one.
    Begun,
    /// There is none.
    Text,
}

impl Table {
    /// Looks for beginnings in a text, only where a pair of bytes may begin one.
    fn ends(&self, text: &str) -> End {
        let Some(automaton) = &self.automaton else { return End::Whole };
        let Ok(start) = automaton.start_state(Anchored::No) else { return End::Whole };
        let mut rest = text.as_bytes();
        while let Some(at) = self.pairs.find(rest) {
            let mut state = start;
            let mut bytes = rest[at..].iter();
            loop {
                let Some(byte) = bytes.next() else { return End::Begun };
                state = automaton.next_state(Anchored::No, state, *byte);
                if automaton.is_match(state) {
                    return End::Whole;
                }
                if state == start {
                    break;
                }
            }
            rest = bytes.as_slice();
        }
        if rest.last().is_some_and(|last| self.pairs.may_begin(&[*last])) { End::Begun } else { End::Text }
    }

    /// The place in a text from which on it may be a beginning that is not whole yet; its end where there is none. `last` is the character before the text.
    fn begun(&self, text: &str, last: Option<char>) -> usize {
        let from = text.len().saturating_sub(self.longest);
        let begins_at = |at: &usize| {
            let Some(rest) = text.get(*at..) else { return false };
            let last = text[..*at].chars().next_back().or(last);
            let is_begun = |(beginning, _): &(String, Place)| {
                beginning.len() > rest.len() && beginning.starts_with(rest)
            };
            self.pairs.may_begin(rest.as_bytes())
                && rest.chars().next().is_some_and(|first| may_begin(last, first))
                && (rest.len() == 1 || self.all.iter().any(is_begun))
        };
        (from..text.len()).find(begins_at).unwrap_or(text.len())
    }
}

/// The text of one response as far as it has come.
#[derive(Debug, Clone)]
pub struct Recogniser {
    beginnings: Beginnings,
    place: InText,
    state: State,
}

#[derive(Debug, Clone)]
enum State {
    /// Nothing but white space has come. What is held may be a call without a head.
    Start {
        held: String,
    },
    /// Text. What is held may be a beginning.
    Text {
        held: String,
    },
    Block(Box<Held>),
}

/// A block that is not over yet.
#[derive(Debug, Clone)]
struct Held {
    text: String,
    /// It counts only where it is all that the response has.
    alone: bool,
    stage: Stage,
    /// The places at which it was tried to read it.
    tried: usize,
}

#[derive(Debug, Clone)]
enum Stage {
    Head,
    /// JSON, followed up to this place.
    Json {
        at: usize,
        nesting: Nesting,
    },
    /// A body that ends with one of several texts, looked for from this place on.
    Until {
        from: usize,
    },
    /// The block ends here. What follows it in its line is awaited.
    Closed {
        end: usize,
        call: LeakedCall,
    },
}

/// The fate of a held block as far as it has come.
enum Turn {
    /// More of it is to come.
    Wait,
    /// It is text up to this place.
    Rejected { at: usize },
    /// It is a block up to this place.
    Ends { at: usize, read: Read },
}

impl Recogniser {
    /// A response begins.
    #[must_use]
    pub fn new(beginnings: Beginnings) -> Self {
        Self { beginnings, place: InText::default(), state: State::Start { held: String::new() } }
    }

    /// Takes in the text that comes next, where no block begins in it, as in nearly all of an answer. Then all that is left in `text` can be told: what was
    /// held is put before it, and what may be a beginning is cut off its end. False where `text` has to be pushed, as it is left.
    pub fn passes(&mut self, text: &mut String) -> bool {
        let State::Text { held } = &mut self.state else { return false };
        if !held.is_empty() {
            held.push_str(text);
            *text = std::mem::take(held);
        }
        let table = &self.beginnings.0;
        match table.ends(text) {
            End::Whole => return false,
            End::Begun => {
                let begun = table.begun(text, self.place.last());
                held.push_str(&text[begun..]);
                text.truncate(begun);
            }
            End::Text => {}
        }
        self.place.advance(text);
        true
    }

    /// Takes in the text that comes next. Pieces that can be told are added to `out`.
    pub fn push(&mut self, text: &str, out: &mut Vec<Piece>) {
        let mut rest = text.to_owned();
        while let Some(next) = self.take(rest, out) {
            rest = next;
        }
    }

    /// The response is over: what is held is told as it is.
    pub fn finish(&mut self, out: &mut Vec<Piece>) {
        loop {
            match std::mem::replace(&mut self.state, State::Text { held: String::new() }) {
                State::Start { held } | State::Text { held } => {
                    self.tell(&held, out);
                    break;
                }
                State::Block(block) => {
                    let Held { text, stage, .. } = *block;
                    let (end, read) = match stage {
                        Stage::Closed { end, call } => (end, Read::Call(call)),
                        _ => (text.len(), broken(&text, &self.beginnings.0.tools)),
                    };
                    out.push(Piece::Block(Block { text: text[..end].to_owned(), read }));
                    self.place.advance(&text[..end]);
                    self.push(&text[end..], out);
                }
            }
        }
    }

    /// Takes text. Returns the rest of it, where the state changed before its end.
    fn take(&mut self, text: String, out: &mut Vec<Piece>) -> Option<String> {
        match std::mem::replace(&mut self.state, State::Text { held: String::new() }) {
            State::Start { held } => self.take_start(held + &text, out),
            State::Text { held } => self.take_text(held + &text, out),
            State::Block(mut block) => {
                block.text.push_str(&text);
                self.take_block(block, out)
            }
        }
    }

    fn take_start(&mut self, held: String, out: &mut Vec<Piece>) -> Option<String> {
        match start::of(&held, &self.beginnings.0.tools) {
            start::Start::Open => {
                self.state = State::Start { held };
                None
            }
            start::Start::Nothing => Some(held),
            start::Start::Block { at, alone } => {
                self.tell(&held[..at], out);
                self.begin_block(held[at..].to_owned(), alone, out)
            }
        }
    }

    fn take_text(&mut self, text: String, out: &mut Vec<Piece>) -> Option<String> {
        let table = Arc::clone(&self.beginnings.0);
        let start = table
            .automaton
            .as_ref()
            .and_then(|automaton| Some((automaton, automaton.start_state(Anchored::No).ok()?)));
        let Some((automaton, mut state)) = start else {
            self.tell(&text, out);
            return None;
        };
        let last = self.place.last();
        // Told up to here.
        let mut told = 0;
        for (at, byte) in text.bytes().enumerate() {
            state = automaton.next_state(Anchored::No, state, byte);
            if !automaton.is_match(state) {
                continue;
            }
            let whole = (0..automaton.match_len(state))
                .map(|index| &table.all[automaton.match_pattern(state, index).as_usize()]);
            let Some((longest, place)) = whole.max_by_key(|(beginning, _)| beginning.len()) else { continue };
            let Some(begin) = (at + 1).checked_sub(longest.len()).filter(|begin| *begin >= told) else {
                continue;
            };
            self.tell(&text[told..begin], out);
            told = begin;
            let first = text[begin..].chars().next().unwrap_or_default();
            let counts = may_begin(self.place.last(), first)
                && match place {
                    Place::Token => self.place.is_plain(),
                    Place::Line | Place::Inside => self.place.begins_line() || self.place.ends_sentence(),
                };
            if counts {
                return self.begin_block(text[begin..].to_owned(), false, out);
            }
        }
        let held = table.begun(&text, last).max(told);
        self.tell(&text[told..held], out);
        self.state = State::Text { held: text[held..].to_owned() };
        None
    }

    fn begin_block(&mut self, text: String, alone: bool, out: &mut Vec<Piece>) -> Option<String> {
        self.take_block(Box::new(Held { text, alone, stage: Stage::Head, tried: 0 }), out)
    }

    fn take_block(&mut self, mut block: Box<Held>, out: &mut Vec<Piece>) -> Option<String> {
        // No more is looked at than is held, so that the chunks change nothing.
        let more = block.text.split_off(block.text.floor_char_boundary(HELD));
        match block.look(&self.beginnings.0.tools) {
            Turn::Wait if more.is_empty() => {
                self.state = State::Block(block);
                None
            }
            Turn::Wait => {
                self.tell(&block.text, out);
                Some(more)
            }
            Turn::Rejected { at } => {
                let rest = block.text.split_off(at);
                self.tell(&block.text, out);
                Some(rest + &more).filter(|rest| !rest.is_empty())
            }
            Turn::Ends { at, read } => {
                let rest = block.text.split_off(at);
                self.place.advance(&block.text);
                out.push(Piece::Block(Block { text: block.text, read }));
                Some(rest + &more).filter(|rest| !rest.is_empty())
            }
        }
    }

    fn tell(&mut self, text: &str, out: &mut Vec<Piece>) {
        if text.is_empty() {
            return;
        }
        self.place.advance(text);
        match out.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => out.push(Piece::Text(text.to_owned())),
        }
    }
}

/// A block that is no call, with the tool on offer that it names.
fn broken(text: &str, tools: &ToolSet) -> Read {
    let words = match head::find(text) {
        Head::Found(Found { words, .. }) => words,
        Head::Open | Head::Nothing => Vec::new(),
    };
    let offered = |name: &&str| tools.meant(name).is_some();
    let name = name_among(&words, tools).filter(offered).or_else(|| body::named_in(text).filter(offered));
    Read::Broken { name: name.map(str::to_owned) }
}

impl Held {
    fn rejected(&self) -> Turn {
        Turn::Rejected { at: self.text.chars().next().map_or(0, char::len_utf8) }
    }

    /// Looks at what has come since the last look.
    fn look(&mut self, tools: &ToolSet) -> Turn {
        loop {
            let turn = match &mut self.stage {
                Stage::Head => match head::find(&self.text) {
                    Head::Open => return Turn::Wait,
                    // What follows its first character may be a beginning. A head is short, so this is little work.
                    Head::Nothing => return self.rejected(),
                    Head::Found(Found { kind: Kind::Json, at, .. }) => {
                        self.stage = Stage::Json { at, nesting: Nesting::default() };
                        continue;
                    }
                    Head::Found(Found { at, .. }) => {
                        self.stage = Stage::Until { from: at };
                        continue;
                    }
                },
                Stage::Json { at, nesting } => {
                    let from = std::mem::replace(at, self.text.len());
                    match self.text.as_bytes()[from..].iter().position(|byte| nesting.step(*byte) == 0) {
                        None => Turn::Wait,
                        Some(offset) => self.close(from + offset + 1, tools),
                    }
                }
                Stage::Until { from } => {
                    let from = *from;
                    self.look_for_end(from, tools)
                }
                Stage::Closed { end, call } => return followed(&self.text, *end, self.alone, call),
            };
            match turn {
                Turn::Wait if matches!(self.stage, Stage::Closed { .. }) => {}
                turn => return turn,
            }
        }
    }

    /// The brackets of the body are closed.
    fn close(&mut self, end: usize, tools: &ToolSet) -> Turn {
        let Head::Found(found) = head::find(&self.text) else { return self.rejected() };
        match body::read(&self.text, &found, end, tools) {
            Some(call) => {
                self.stage = Stage::Closed { end, call };
                Turn::Wait
            }
            None if self.alone => Turn::Rejected { at: end },
            None => Turn::Ends { at: end, read: broken(&self.text[..end], tools) },
        }
    }

    fn look_for_end(&mut self, from: usize, tools: &ToolSet) -> Turn {
        let Head::Found(found) = head::find(&self.text) else { return self.rejected() };
        let ends = found.kind.ends();
        let longest = ends.iter().map(|end| end.len()).max().unwrap_or(1);
        let mut from = from;
        loop {
            let first = ends
                .iter()
                .filter_map(|end| {
                    let at = memchr::memmem::find(&self.text.as_bytes()[from..], end.as_bytes())?;
                    Some((from + at + end.len(), from + at))
                })
                .min();
            let Some((end, begin)) = first else {
                let next = self.text.len().saturating_sub(longest - 1).max(from);
                self.stage = Stage::Until { from: self.text.floor_char_boundary(next) };
                return Turn::Wait;
            };
            if let Some(call) = body::read(&self.text, &found, end, tools) {
                self.stage = Stage::Closed { end, call };
                return Turn::Wait;
            }
            self.tried += 1;
            if self.tried > ENDS {
                return Turn::Ends { at: end, read: Read::Broken { name: None } };
            }
            from = begin + 1;
        }
    }
}

/// A closed block is one if nothing but markup and white space follows it in the line in which its markup ends. Where it has to be all there is, that holds for
/// all that follows.
fn followed(text: &str, end: usize, alone: bool, call: &LeakedCall) -> Turn {
    /// Bytes that are looked at after a block: more white space and closing tags than any family has.
    const LOOKED_AT: usize = 1_024;
    let after = &text[end..];
    if alone {
        let is_between = |c: char| c.is_whitespace() || ";,`".contains(c);
        let rest = after.trim_start_matches(is_between);
        return match rest.chars().next() {
            _ if after.len() - rest.len() > LOOKED_AT => Turn::Rejected { at: end },
            None | Some('{' | '[' | '<') => Turn::Wait,
            Some(_) => Turn::Rejected { at: end },
        };
    }
    match Follows::of(&after[..after.floor_char_boundary(LOOKED_AT)]) {
        Follows::Nothing if after.len() < LOOKED_AT => Turn::Wait,
        Follows::Text => Turn::Rejected { at: end },
        Follows::Nothing | Follows::More => Turn::Ends { at: end, read: Read::Call(call.clone()) },
    }
}

/// The part of a text that follows a closed block.
enum Follows {
    /// It may still be anything.
    Nothing,
    /// Text in the same line: the block is quoted.
    Text,
    /// Another line, or markup that begins something else.
    More,
}

impl Follows {
    fn of(mut after: &str) -> Self {
        let mut in_line = true;
        // A control token came last, and what follows it directly may be a part of further markup.
        let mut after_token = false;
        loop {
            let rest = after.trim_start_matches([' ', '\t']);
            let Some(first) = rest.chars().next() else { return Self::Nothing };
            if after_token && rest.len() == after.len() && first.is_alphanumeric() {
                return Self::More;
            }
            after = match first {
                '\n' | '\r' => {
                    in_line = false;
                    &rest[1..]
                }
                '<' => match closing(rest) {
                    Closing::Tag(bytes) => {
                        in_line = true;
                        after_token = !rest.starts_with("</");
                        &rest[bytes..]
                    }
                    Closing::Open => return Self::Nothing,
                    Closing::Other => return Self::More,
                },
                '[' | ']' | '>' | '`' if in_line => return Self::More,
                _ => return if in_line { Self::Text } else { Self::More },
            };
        }
    }
}

/// A tag that ends something, or a control token.
enum Closing {
    Tag(usize),
    /// It is not whole yet.
    Open,
    Other,
}

fn closing(text: &str) -> Closing {
    /// The longest such tag, in bytes: `<|tool_call_argument_begin|>` has 28, those of DeepSeek 3 for each bar.
    const LONGEST: usize = 64;
    let inside = &text[1..text.floor_char_boundary(LONGEST)];
    match inside.split_once('>') {
        Some((tag, _)) if tag.contains(char::is_whitespace) => Closing::Other,
        Some((tag, _)) if tag.starts_with(['/', '|', '｜']) || tag.ends_with(['|', '｜']) => {
            Closing::Tag(tag.len() + 2)
        }
        None if text.len() < LONGEST && !inside.contains(char::is_whitespace) => Closing::Open,
        _ => Closing::Other,
    }
}
