//! How much of a message repeats the end of the buffer (W4).
//!
//! A model that is asked to go on where its text stopped often begins a little earlier: at the beginning of the line that
//! was cut; a few lines earlier; with a fence opener and then those lines; or at the top of the file. In all these cases the
//! message begins with a text `T` that the buffer ends with. `T` is dropped, and so is a fence opener on a line of its own
//! before it.
//!
//! But a file may rightly repeat itself, and text that is dropped wrongly is lost. So a repetition counts only in two cases:
//!
//! 1. **It is long and distinctive.** `T` has at least 24 characters, is nowhere else in the last 64 KiB of the buffer, and
//!    is not periodic (one text twice or more, such as `0, 0, 0, 0, `). Rows of a table, closing brackets and other text that
//!    recurs never pass. At most one length of `T` passes: a shorter `T` is the beginning of the longer one, so the buffer would
//!    hold it in a second place.
//! 2. **A line was begun again.** The buffer stops in the middle of a line that has at least 3 characters other than white
//!    space. `T` begins at the start of a non-blank line: that line, or an earlier one. A model hardly ever means to put the
//!    beginning of a line right into the middle of that line. The case does not count when the file does just that: when
//!    `T` is periodic (`---`), or when `T` twice in a row is in the last 64 KiB (`| yes | yes `). Of several such `T` the
//!    shortest is taken, since it cannot lose what a longer one would keep.
//!
//! The first case takes precedence. Two mistakes remain. A repetition too short to be told from content stays in the file,
//! where the preview marks the seam. And a long text that is meant to stand twice in a row is taken for a repetition when the
//! message was cut exactly between the two.
//!
//! Only the first 16 KiB of a message are held back and compared. The rest is compared as it comes, however long it is, in
//! two cases: all 16 KiB are in the last 64 KiB of the buffer at exactly one place; or they are the beginning of the buffer
//! and nowhere in its last 64 KiB. `T` is then judged by those first 16 KiB.
//!
//! Deliberately not here: a text that differs in a single byte from what was there. It is no repetition; both stay.

use std::ops::Range;

use memchr::memmem;

/// The most bytes of a message that are held back until it is known whether they repeat. 16 KiB: a model that goes on rarely repeats more
/// than a screenful.
pub(super) const WINDOW: usize = 16 * 1024;
/// How far back a text is looked for, in bytes before the buffer's end. 64 KiB: four times [`WINDOW`], so that a text that recurs in the
/// file is seen to recur.
const LOOK_BACK: usize = 64 * 1024;
/// A text of at least this many characters, found nowhere else, is taken as a repetition. Shorter ones may be alike by chance.
const LONG: usize = 24;
/// With this many characters, white space not counted, the beginning of a line can be recognised. Fewer are often brackets alone.
const RECOGNISABLE: usize = 3;
/// The longest fence opener with its line end, in bytes: Markdown's info strings are words such as `typescript`.
const MAX_OPENER: usize = 64;
/// A message of at least this many bytes that is nothing but the beginning of the buffer counts as the file begun
/// again. A shorter one may be a part that only looks like the beginning. About a screenful.
const BEGUN_AGAIN: usize = 1024;

/// The stretch of the buffer that a message has repeated so far, while it may still repeat all that follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inside {
    /// Bytes of the fence opener before it.
    pub(super) lead: usize,
    /// The part of the buffer that the message has repeated so far.
    pub(super) place: Range<usize>,
}

/// Whether a message that begins with `start` may be inside the buffer, so that more of it must be seen.
pub(super) fn is_open(buffer: &str, start: &str) -> bool {
    leads(start).any(|lead| {
        let start = &start.as_bytes()[lead..];
        memmem::find(look_back(buffer), start).is_some() || buffer.as_bytes().starts_with(start)
    })
}

/// Where in the buffer the whole of `window`, the first [`WINDOW`] bytes of a message, is; none when that is not one place.
pub(super) fn inside(buffer: &str, window: &str) -> Option<Inside> {
    leads(window).find_map(|lead| {
        let text = &window.as_bytes()[lead..];
        let recent = look_back(buffer);
        let start = match memmem::find(recent, text) {
            Some(at) if memmem::find(&recent[at + 1..], text).is_some() => return None,
            Some(at) => buffer.len() - recent.len() + at,
            None if buffer.as_bytes().starts_with(text) => 0,
            None => return None,
        };
        let place = start..start + text.len();
        (!is_periodic(text.len(), &borders(text))).then_some(Inside { lead, place })
    })
}

/// Whether a whole message is nothing but the beginning of the buffer: the file was begun again, and cut before there was
/// anything new.
pub(super) fn is_begun_again(buffer: &str, message: &str) -> bool {
    leads(message).any(|lead| message.len() - lead >= BEGUN_AGAIN && buffer.starts_with(&message[lead..]))
}

/// Bytes at the beginning of a message that repeat the end of the buffer, a fence opener before them included. Of the message
/// no more than [`WINDOW`] bytes matter.
pub(super) fn repeated(buffer: &str, message: &str) -> usize {
    let after = |lead: usize| match longest_that_counts(buffer, &message.as_bytes()[lead..]) {
        0 => 0,
        bytes => lead + bytes,
    };
    leads(message).map(after).max().unwrap_or(0)
}

fn longest_that_counts(buffer: &str, message: &[u8]) -> usize {
    let borders = borders(message);
    let longest = meeting(buffer.as_bytes(), message, &borders);
    if longest > 0 && !is_periodic(longest, &borders) && is_distinctive(buffer, longest) {
        return longest;
    }
    line_begun_again(buffer, longest, &borders)
}

/// Length of the text of the second case; 0 when there is none.
fn line_begun_again(buffer: &str, longest: usize, borders: &[usize]) -> usize {
    let bytes = buffer.as_bytes();
    let cut = bytes.len() - memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
    let mut shortest = 0;
    let mut length = longest;
    while length > 0 && length >= cut {
        let start = bytes.len() - length;
        if start == 0 || bytes[start - 1] == b'\n' {
            shortest = length;
        }
        length = borders[length - 1];
    }
    let text = &bytes[bytes.len() - shortest..];
    let is_blank = text.split(|&byte| byte == b'\n').next().is_none_or(|line| line.trim_ascii().is_empty());
    let counts = !is_blank
        && is_recognisable(&buffer[bytes.len() - cut..])
        && !is_periodic(shortest, borders)
        && memmem::find(look_back(buffer), &text.repeat(2)).is_none();
    if counts { shortest } else { 0 }
}

fn is_recognisable(line: &str) -> bool {
    line.chars().filter(|c| !c.is_whitespace()).nth(RECOGNISABLE - 1).is_some()
}

/// Whether the last `length` bytes are long and nowhere else.
fn is_distinctive(buffer: &str, length: usize) -> bool {
    let text = &buffer[buffer.len() - length..];
    let recent = look_back(buffer);
    text.chars().nth(LONG - 1).is_some()
        && memmem::find(recent, text.as_bytes()) == Some(recent.len() - length)
}

/// Where the repeated text may begin in a message: at once, or after a fence opener.
fn leads(message: &str) -> impl Iterator<Item = usize> {
    [0, opener(message)].into_iter()
}

/// Length of a fence opener on a line of its own at the beginning of a message, with its line end; 0 when there is none.
fn opener(message: &str) -> usize {
    let bytes = &message.as_bytes()[..message.len().min(MAX_OPENER)];
    let marks = |mark: u8| bytes.iter().take_while(|&&byte| byte == mark).count();
    let (ticks, tildes) = (marks(b'`'), marks(b'~'));
    match memchr::memchr(b'\n', bytes) {
        Some(end) if tildes >= 3 => end + 1,
        Some(end) if ticks >= 3 && !bytes[ticks..end].contains(&b'`') => end + 1,
        _ => 0,
    }
}

fn look_back(buffer: &str) -> &[u8] {
    &buffer.as_bytes()[buffer.len().saturating_sub(LOOK_BACK)..]
}

/// Whether a text of this length consists of a shorter text, at least two whole times.
fn is_periodic(length: usize, borders: &[usize]) -> bool {
    let period = length - borders[length - 1];
    period * 2 <= length
}

/// The prefix function: for each beginning of the text, the length of the longest shorter one with which it also ends.
fn borders(text: &[u8]) -> Vec<usize> {
    let mut borders = vec![0; text.len()];
    for at in 1..text.len() {
        borders[at] = longer(text, &borders, borders[at - 1], text[at]);
    }
    borders
}

/// Length of the longest beginning of `text` with which `buffer` ends (Knuth, Morris, Pratt).
fn meeting(buffer: &[u8], text: &[u8], borders: &[usize]) -> usize {
    let reach = &buffer[buffer.len().saturating_sub(text.len())..];
    reach.iter().fold(0, |matched, &byte| longer(text, borders, matched, byte))
}

/// A match of `matched` bytes, after one byte more.
fn longer(text: &[u8], borders: &[usize], mut matched: usize, byte: u8) -> usize {
    loop {
        match text.get(matched) {
            Some(&next) if next == byte => return matched + 1,
            _ if matched == 0 => return 0,
            _ => matched = borders[matched - 1],
        }
    }
}
