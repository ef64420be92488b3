//! What a preview offers to remove from the content. Nothing is removed unasked (W8).
//!
//! Models talk around a file: `Sure, here is the file:` before it, a fence around it, `Let me know if …` after it. But a file
//! may itself begin with prose or a fence, and end with one, and a wrong offer is accepted sooner or later. So:
//!
//! - **Preamble**: the first non-blank line, or one of the five after it, *announces* a file, and every line before it is
//!   talk. Talk begins like an answer (`Sure`, `Here is`, `I'll`). An announcement is talk that ends with `:` and names a
//!   file (`file`, `code`, `version` …, a file's name, a word in backticks). `Here is how to install it:` names none. Blank
//!   lines after the announcement belong to the preamble.
//! - **Fence**: the first non-blank line after the preamble is a fence opener. One of these holds: the fence ends with
//!   the last non-blank line; only a postamble follows its end; it is never closed. Inside of it, a fence with an info
//!   string opens another one. A file that begins with a fence and goes on after it has no fence around it. A fence
//!   around a file that itself opens a fence without an info string is not found.
//! - **Postamble** after the end of a fence: at most ten lines without a fence or heading. There must have been a preamble,
//!   or the lines must begin as if they spoke to the reader (`I've`, `Let me know`).
//! - **Postamble** without a fence: a last paragraph of one line that begins like the end of an answer (`Let me know if
//!   you`), or a last line that could only open a fence.
//! - **Characters**: control characters and U+FFFD, when the target had none (W5).
//!
//! All of this knows only English. Deliberately not here: markup of tool calls, since only a person can tell what belongs to
//! it.

use std::collections::BTreeMap;
use std::ops::Range;

use orion_protocol::{Removal, RemovalKind};

use super::excerpt;
use super::validate::{Allowed, faulty_characters};

/// A file is announced within this many lines; blank ones do not count.
const MAX_PREAMBLE: usize = 6;
/// The most lines after a fence that may still be addressed to the reader.
const MAX_POSTAMBLE: usize = 10;
/// The longest line of talk, in bytes.
const MAX_TALK: usize = 400;

/// How an answer begins.
const TALK: [&str; 24] = [
    "sure",
    "certainly",
    "of course",
    "absolutely",
    "okay",
    "ok",
    "great",
    "understood",
    "alright",
    "here is",
    "here's",
    "here’s",
    "here are",
    "below is",
    "below are",
    "i will",
    "i'll",
    "i’ll",
    "i have",
    "i've",
    "i’ve",
    "let me",
    "this is",
    "continuing",
];
/// What an announcement speaks of.
const FILES: [&str; 16] = [
    "file",
    "files",
    "content",
    "contents",
    "code",
    "version",
    "implementation",
    "script",
    "document",
    "module",
    "component",
    "configuration",
    "config",
    "page",
    "rest",
    "continuation",
];
/// How text that is addressed to the reader begins, after a fence.
const REMARK: [&str; 14] = [
    "let me know",
    "i have",
    "i've",
    "i’ve",
    "i made",
    "i added",
    "i changed",
    "i hope",
    "hope this",
    "feel free",
    "would you like",
    "is there anything",
    "if you need",
    "if you'd like",
];
/// How an answer ends, where there is no fence to tell it from the file.
const FAREWELL: [&str; 5] = [
    "let me know if you",
    "i hope this helps",
    "hope this helps",
    "is there anything else",
    "would you like me to",
];

/// What can be taken out of this content, by its places.
#[must_use]
pub fn offers(text: &str, allowed: Allowed) -> Vec<Removal> {
    let layout = Layout::of(text);
    let offer = |kind, range: &Range<usize>, shown: String| {
        (range.start, Removal { kind, line: line_of(text, range.start), text: shown })
    };
    let mut offers = Vec::new();
    if let Some(range) = &layout.preamble {
        offers.push(offer(RemovalKind::Preamble, range, excerpt::all(&text[range.clone()])));
    }
    if let Some((opener, closer)) = &layout.fence {
        let shown = format!("{} … {}", text[opener.clone()].trim_end(), text[closer.clone()].trim_end());
        offers.push(offer(RemovalKind::Fence, opener, excerpt::all(&shown)));
    }
    if let Some(range) = &layout.postamble {
        let said = text[range.clone()].trim_start_matches(['\r', '\n']);
        offers.push(offer(RemovalKind::Postamble, range, excerpt::all(said)));
    }
    let mut characters = BTreeMap::new();
    for (_, character, _) in faulty_characters(text, allowed) {
        *characters.entry(character).or_insert(0usize) += 1;
    }
    if let Some((at, ..)) = faulty_characters(text, allowed).next() {
        let counted: Vec<_> = characters
            .iter()
            .map(|(character, times)| format!("{times} × U+{:04X}", u32::from(*character)))
            .collect();
        offers.push(offer(RemovalKind::Characters, &(at..at), excerpt::all(&counted.join(", "))));
    }
    offers.sort_by_key(|(at, _)| *at);
    offers.into_iter().map(|(_, offer)| offer).collect()
}

/// The content without these; what is not in it is not taken out.
#[must_use]
pub fn remove(text: &str, kinds: &[RemovalKind], allowed: Allowed) -> String {
    let layout = Layout::of(text);
    let (opener, closer) = layout.fence.unzip();
    let taken = [
        (RemovalKind::Preamble, layout.preamble),
        (RemovalKind::Fence, opener),
        (RemovalKind::Fence, closer),
        (RemovalKind::Postamble, layout.postamble),
    ];
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for (_, range) in taken.into_iter().filter(|(kind, _)| kinds.contains(kind)) {
        if let Some(range) = range {
            kept.push_str(&text[from..range.start]);
            from = range.end;
        }
    }
    kept.push_str(&text[from..]);
    if kinds.contains(&RemovalKind::Characters) {
        kept.retain(|character| allowed.fault(character).is_none());
    }
    kept
}

/// What is around the file, in the order of the text.
#[derive(Debug, Default)]
struct Layout {
    preamble: Option<Range<usize>>,
    /// The fence's first line and its last; that one is empty when the fence has no end.
    fence: Option<(Range<usize>, Range<usize>)>,
    postamble: Option<Range<usize>>,
}

impl Layout {
    fn of(text: &str) -> Self {
        let preamble = preamble(text);
        let start = after_blank_lines(text, preamble.as_ref().map_or(0, |range| range.end));
        if let Some((opener, closer)) = fence_at(text, start) {
            let after = closer.end..text.len();
            let said = text[after.clone()].trim();
            if said.is_empty() {
                return Self { preamble, fence: Some((opener, closer)), postamble: None };
            }
            if is_postamble(said, preamble.is_some()) {
                return Self { preamble, fence: Some((opener, closer)), postamble: Some(after) };
            }
        }
        let postamble = farewell(text).or_else(|| stray_fence(text)).filter(|range| range.start >= start);
        Self { preamble, fence: None, postamble }
    }
}

fn preamble(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    for _ in 0..MAX_PREAMBLE {
        at = after_blank_lines(text, at);
        let line = text[at..].split_inclusive('\n').next()?;
        at += line.len();
        if !is_talk(line) {
            return None;
        }
        if is_announcement(line) {
            return Some(0..after_blank_lines(text, at));
        }
    }
    None
}

fn is_talk(line: &str) -> bool {
    line.len() <= MAX_TALK && begins_with(line, &TALK)
}

/// Whether talk speaks of a file that is to follow.
fn is_announcement(line: &str) -> bool {
    let line = line.trim().trim_end_matches('*');
    let mut words =
        line.split(|c: char| !c.is_alphanumeric() && c != '.').map(|word| word.trim_end_matches('.'));
    let speaks_of_one = |word: &str| word.contains('.') || FILES.contains(&word.to_lowercase().as_str());
    line.ends_with(':') && (line.contains('`') || words.any(speaks_of_one))
}

/// Whether the line begins with one of these, and not with a longer word.
fn begins_with(line: &str, beginnings: &[&str]) -> bool {
    let line = line.trim_start_matches(['*', '>', ' ']);
    beginnings.iter().any(|beginning| {
        line.get(..beginning.len()).is_some_and(|start| start.eq_ignore_ascii_case(beginning))
            && !line[beginning.len()..].starts_with(char::is_alphanumeric)
    })
}

fn is_postamble(said: &str, announced: bool) -> bool {
    let lines = || said.lines().filter(|line| !line.trim().is_empty());
    let is_talk = |line: &str| line.len() <= MAX_TALK && !line.starts_with('#') && fence_line(line).is_none();
    lines().nth(MAX_POSTAMBLE).is_none() && lines().all(is_talk) && (announced || begins_with(said, &REMARK))
}

/// A last paragraph of one line that ends an answer, with the blank lines before it.
fn farewell(text: &str) -> Option<Range<usize>> {
    let (before, line) = text.trim_end().rsplit_once('\n')?;
    let is_paragraph = before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    let end = after_line_end(text, before.trim_end().len());
    (is_paragraph && line.len() <= MAX_TALK && begins_with(line, &FAREWELL)).then_some(end..text.len())
}

/// A last line that could only open a fence.
fn stray_fence(text: &str) -> Option<Range<usize>> {
    let end = text.trim_end().rfind('\n')? + 1;
    let (_, _, info) = fence_line(&text[end..])?;
    let mut fences = Fences::default();
    text[..end].split_inclusive('\n').for_each(|line| fences.read(line));
    (info.is_empty() && fences.0.is_empty()).then_some(end..text.len())
}

/// The fence that begins at this place, with its first and its last line.
fn fence_at(text: &str, start: usize) -> Option<(Range<usize>, Range<usize>)> {
    let opener = text[start..].split_inclusive('\n').next().filter(|line| !line.starts_with([' ', '\t']))?;
    let mut fences = Fences::default();
    fences.read(opener);
    if fences.0.is_empty() {
        return None;
    }
    let mut at = start + opener.len();
    for line in text[at..].split_inclusive('\n') {
        fences.read(line);
        if fences.0.is_empty() {
            return Some((start..start + opener.len(), at..at + line.len()));
        }
        at += line.len();
    }
    Some((start..start + opener.len(), text.len()..text.len()))
}

/// The fences that are open, the innermost last: their sign, and how many of it.
#[derive(Default)]
struct Fences(Vec<(char, usize)>);

impl Fences {
    fn read(&mut self, line: &str) {
        let Some((mark, signs, info)) = fence_line(line) else { return };
        match self.0.last() {
            Some((open, _)) if *open != mark => {}
            Some((_, least)) if info.is_empty() => {
                if signs >= *least {
                    self.0.pop();
                }
            }
            _ => self.0.push((mark, signs)),
        }
    }
}

/// Sign, number of signs and info string of a line that is a fence, wherever it is indented.
fn fence_line(line: &str) -> Option<(char, usize, &str)> {
    let line = line.trim();
    let mark = line.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
    let info = line.trim_start_matches(mark);
    let signs = line.len() - info.len();
    (signs >= 3 && !info.contains('`')).then_some((mark, signs, info))
}

/// Where the first line begins at or after this line that is not blank.
fn after_blank_lines(text: &str, at: usize) -> usize {
    let blank = text[at..].split_inclusive('\n').take_while(|line| line.trim().is_empty());
    at + blank.map(str::len).sum::<usize>()
}

fn after_line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

fn line_of(text: &str, at: usize) -> u32 {
    let line_ends = memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count();
    u32::try_from(line_ends + 1).unwrap_or(u32::MAX)
}
