//! What content may not hold (W5): U+FFFD and control characters that the target does not have, markup of a tool call.
//!
//! Tab, line feed and carriage return are never faults. A carriage return without a line feed is the line end of some files,
//! and content is written to the byte (W8); the preview shows it. NEL (U+0085) is a control character like the others in its
//! range. A string cannot hold a lone surrogate: decoding the model's response has already turned it into U+FFFD.
//!
//! Markup is what models were trained to write around their calls, and what a server should have removed from the text. It is
//! recognised by its beginning. A file about such markup holds the same text, so the person decides.
//!
//! One pass over the text, 64 bytes at a time, looks for characters; a second looks for markup. Deliberately not here: what
//! happens to faults (the turn), and characters that the target's encoding does not have (`orion-files`).

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem;
use orion_protocol::{FaultKind, WriteFault};

use super::excerpt;
use crate::leak::{FIRST, MARKUP, Place};

/// The most faults that are listed. All go to the model in one batch (W5), and more would only fill its context.
pub const MAX_FAULTS: usize = 50;

/// How far the end of a tag is looked for, in bytes, to say what it was.
const MAX_TAG: usize = 100;

/// How many bytes are checked together for a character that may be a fault.
const STRIDE: usize = 64;

/// Markup that content is checked for (W5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Markup {
    /// The beginnings that were known first: those of turns that began before the others were.
    First,
    All,
}

/// Building one never fails: the patterns are few and short.
fn search(beginnings: &[(&str, Place)]) -> Option<AhoCorasick> {
    let texts = beginnings.iter().map(|(text, _)| text);
    AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(texts).ok()
}

static FIRST_SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| search(&MARKUP[..FIRST]));
static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| search(&MARKUP));

impl Markup {
    fn search(self) -> Option<&'static AhoCorasick> {
        match self {
            Self::First => FIRST_SEARCH.as_ref(),
            Self::All => SEARCH.as_ref(),
        }
    }
}

/// Characters that content may have although they would be faults elsewhere: the target has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allowed {
    /// U+FFFD.
    pub replacement: bool,
    /// A bit for each control character: U+0000 to U+001F, then U+007F to U+009F.
    controls: u128,
}

impl Allowed {
    /// None of them, as in a new file.
    pub const NOTHING: Self = Self { replacement: false, controls: 0 };

    /// U+FFFD or not, and these control characters.
    #[must_use]
    pub fn new(replacement: bool, controls: &str) -> Self {
        let controls = controls.chars().filter_map(bit).fold(0, |all, bit| all | bit);
        Self { replacement, controls }
    }

    /// What the text of the target allows.
    #[must_use]
    pub fn by(target: &str) -> Self {
        let characters = || faulty_characters(target, Self::default());
        Self {
            replacement: memmem::find(target.as_bytes(), "\u{fffd}".as_bytes()).is_some(),
            controls: characters()
                .filter_map(|(_, character, _)| bit(character))
                .fold(0, |all, bit| all | bit),
        }
    }

    /// The control characters that are allowed, each once.
    #[must_use]
    pub fn controls(self) -> String {
        ('\0'..='\u{9f}').filter(|&character| self.has(character)).collect()
    }

    /// Whether this character is a fault, and of which kind.
    #[must_use]
    pub fn fault(self, character: char) -> Option<FaultKind> {
        match character {
            '\t' | '\n' | '\r' => None,
            '\u{fffd}' => (!self.replacement).then_some(FaultKind::Replacement),
            other => (other.is_control() && !self.has(other)).then_some(FaultKind::Control),
        }
    }

    fn has(self, character: char) -> bool {
        bit(character).is_some_and(|bit| self.controls & bit != 0)
    }
}

/// The bit of a control character; none for any other.
fn bit(character: char) -> Option<u128> {
    let at = match u32::from(character) {
        at @ 0..=0x1f => at,
        at @ 0x7f..=0x9f => at - 0x7f + 0x20,
        _ => return None,
    };
    Some(1 << at)
}

/// All that is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faults {
    /// The first [`MAX_FAULTS`], by their places.
    pub list: Vec<WriteFault>,
    /// How many there are beyond the list.
    pub more: u64,
}

impl Faults {
    /// Of all faults, by their places.
    #[must_use]
    pub fn of(mut list: Vec<WriteFault>) -> Self {
        let more = list.len().saturating_sub(MAX_FAULTS) as u64;
        list.truncate(MAX_FAULTS);
        Self { list, more }
    }

    /// With one more, which stands first.
    #[must_use]
    pub fn and(mut self, fault: WriteFault) -> Self {
        self.list.insert(0, fault);
        let Self { list, more } = Self::of(self.list);
        Self { list, more: self.more + more }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.more + self.list.len() as u64
    }
}

/// Looks for faults (W5). Takes time in the length of the text.
#[must_use]
pub fn validate(text: &str, allowed: Allowed, markup: Markup) -> Faults {
    let characters = faulty_characters(text, allowed).map(|(at, character, kind)| Found {
        at,
        end: at + character.len_utf8(),
        kind,
    });
    let markup = markup.search().into_iter().flat_map(|search| search.find_iter(text)).map(|found| Found {
        at: found.start(),
        end: tag_end(text, found.end()),
        kind: FaultKind::Markup,
    });
    let (mut found, more_characters) = first(characters);
    let (markup, more_markup) = first(markup);
    found.extend(markup);
    found.sort_by_key(|found| found.at);
    let more = more_characters + more_markup + found.len().saturating_sub(MAX_FAULTS);
    found.truncate(MAX_FAULTS);
    let mut cursor = Cursor { at: 0, line: 1, column: 1 };
    let list = found.into_iter().map(|found| found.described(text, &mut cursor)).collect();
    Faults { list, more: more as u64 }
}

/// The fault of a content that does not come to its end, where it stops.
#[must_use]
pub fn unfinished(content: &str, why: &str) -> WriteFault {
    let mut cursor = Cursor { at: 0, line: 1, column: 1 };
    cursor.go_to(content, content.len());
    WriteFault {
        kind: FaultKind::Incomplete,
        line: cursor.line,
        column: cursor.column,
        what: why.to_owned(),
        context: excerpt::around(content, content.len()),
    }
}

/// The characters that are faults, with their places.
pub(super) fn faulty_characters(
    text: &str,
    allowed: Allowed,
) -> impl Iterator<Item = (usize, char, FaultKind)> {
    suspects(text.as_bytes()).filter_map(move |at| {
        let character = text.get(at..)?.chars().next()?;
        Some((at, character, allowed.fault(character)?))
    })
}

struct Found {
    at: usize,
    end: usize,
    kind: FaultKind,
}

/// The first [`MAX_FAULTS`], and how many there are beyond them.
fn first(mut all: impl Iterator<Item = Found>) -> (Vec<Found>, usize) {
    let list = all.by_ref().take(MAX_FAULTS).collect();
    (list, all.count())
}

/// Where a tag ends whose beginning ends at `from`: with `>`, if that is near, and on the same line.
fn tag_end(text: &str, from: usize) -> usize {
    if text[..from].ends_with(['>', ']']) {
        return from;
    }
    let near = &text.as_bytes()[from..text.len().min(from + MAX_TAG)];
    match memchr::memchr2(b'>', b'\n', near) {
        Some(end) if near[end] == b'>' => from + end + 1,
        _ => from,
    }
}

impl Found {
    fn described(self, text: &str, cursor: &mut Cursor) -> WriteFault {
        cursor.go_to(text, self.at);
        let what = match self.kind {
            FaultKind::Markup => excerpt::line(&text[self.at..self.end]),
            _ => text[self.at..self.end].chars().map(|c| format!("U+{:04X}", u32::from(c))).collect(),
        };
        WriteFault {
            kind: self.kind,
            line: cursor.line,
            column: cursor.column,
            what,
            context: excerpt::around(text, self.at),
        }
    }
}

/// A place in a text that only goes forward.
struct Cursor {
    at: usize,
    line: u32,
    column: u32,
}

impl Cursor {
    fn go_to(&mut self, text: &str, at: usize) {
        let way = &text[self.at..at];
        let line_ends = memchr::memchr_iter(b'\n', way.as_bytes()).count();
        let last_line = way.rsplit('\n').next().unwrap_or_default();
        let characters = clamped(last_line.chars().count());
        self.column = if line_ends == 0 {
            self.column.saturating_add(characters)
        } else {
            characters.saturating_add(1)
        };
        self.line = self.line.saturating_add(clamped(line_ends));
        self.at = at;
    }
}

fn clamped(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Where a character may begin that is a fault.
fn suspects(text: &[u8]) -> impl Iterator<Item = usize> {
    let places = text.chunks(STRIDE).enumerate();
    places.filter(|(_, bytes)| bytes.iter().fold(false, |any, &byte| any | is_suspect(byte))).flat_map(
        |(at, bytes)| {
            let suspects = bytes.iter().enumerate().filter(|(_, byte)| is_suspect(**byte));
            suspects.map(move |(offset, _)| at * STRIDE + offset)
        },
    )
}

/// Whether a character that is a fault begins with this byte. Without branches, so that many are looked at in one step.
fn is_suspect(byte: u8) -> bool {
    /// The first byte of U+0080 to U+00BF, and that of U+F000 to U+FFFF.
    const C1: u8 = 0xc2;
    const REPLACEMENT: u8 = 0xef;
    let control = (byte < b' ') & (byte != b'\t') & (byte != b'\n') & (byte != b'\r');
    control | (byte == 0x7f) | (byte == C1) | (byte == REPLACEMENT)
}
