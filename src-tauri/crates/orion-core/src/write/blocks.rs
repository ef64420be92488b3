//! The content of an edit as search/replace blocks (W1).
//!
//! ```text
//! <<<<<<< SEARCH
//! lines as they are in the file
//! =======
//! lines to take their place, or none
//! >>>>>>> REPLACE
//! ```
//!
//! A marker is a line of its own that begins in its first column; white space may follow it. The three markers of a block
//! have the same number of signs, 7 or more. So a block whose markers have 8 signs can hold lines with 7. Text outside of
//! blocks is no part of the edit (`Here are the changes:`, a fence). But a line there that begins like a marker is a fault:
//! a typing error must not lose a block.
//!
//! Deliberately not here: whether the search text is in the file (`edit`).

use orion_protocol::{FaultKind, WriteFault};

use super::excerpt;

/// The fewest signs of a marker, as in git's conflict markers.
const MIN_SIGNS: usize = 7;
/// A line outside of a block that has at least this many signs was meant to be a marker.
const NEARLY: usize = 5;

/// One replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    /// Of its first marker, from 1, in the content.
    pub line: u32,
    /// Whole lines with their line ends; empty when there are none.
    pub search: &'a str,
    /// Whole lines with their line ends; empty when there are none.
    pub replace: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Search,
    Divider,
    Replace,
}

/// Which marker a line is, and how many signs it has.
fn marker(line: &str) -> Option<(Sign, usize)> {
    let line = line.trim_end();
    [(Sign::Search, '<', " SEARCH"), (Sign::Divider, '=', ""), (Sign::Replace, '>', " REPLACE")]
        .into_iter()
        .find_map(|(sign, mark, word)| {
            let signs = line.strip_suffix(word)?;
            (signs.len() >= MIN_SIGNS && signs.chars().all(|c| c == mark)).then_some((sign, signs.len()))
        })
}

/// Whether a text has a line that was meant to begin or end a block.
pub(super) fn are_meant(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim();
        [('<', "SEARCH"), ('>', "REPLACE")].into_iter().any(|(mark, word)| {
            line.chars().take_while(|&c| c == mark).count() >= NEARLY && line.ends_with(word)
        })
    })
}

fn is_nearly_a_marker(line: &str) -> bool {
    ['<', '=', '>']
        .into_iter()
        .any(|mark| line.trim_start().chars().take_while(|&c| c == mark).count() >= NEARLY)
}

/// Where the reader is: outside of a block, or in one of its two parts.
#[derive(Clone, Copy)]
enum Part<'a> {
    Outside,
    Search { line: u32, signs: usize, start: usize },
    Replace { line: u32, signs: usize, search: &'a str, start: usize },
}

/// The blocks in their order.
///
/// # Errors
///
/// [`FaultKind::BlockMalformed`] for each marker that is missing or too many, and when there is no block.
pub fn parse(content: &str) -> Result<Vec<Block<'_>>, Vec<WriteFault>> {
    let mut blocks = Vec::new();
    let mut faults = Vec::new();
    let mut part = Part::Outside;
    let mut at = 0;
    for (number, text) in (1u32..).zip(content.split_inclusive('\n')) {
        let mut fault = |what: &str| faults.push(malformed(number, what, text));
        let next = at + text.len();
        part = match (part, marker(text)) {
            (Part::Outside, Some((Sign::Search, signs))) => Part::Search { line: number, signs, start: next },
            (Part::Outside, _) => {
                if is_nearly_a_marker(text) {
                    fault("a line like a marker outside of a block, which begins with <<<<<<< SEARCH");
                }
                Part::Outside
            }
            (Part::Search { line, signs, start }, Some((sign, same))) if same == signs => match sign {
                Sign::Divider => Part::Replace { line, signs, search: &content[start..at], start: next },
                Sign::Search => {
                    fault("a block begins, but the one before it has no =======");
                    Part::Search { line: number, signs, start: next }
                }
                Sign::Replace => {
                    fault("a block ends that has no =======");
                    Part::Outside
                }
            },
            (Part::Replace { line, signs, search, start }, Some((sign, same))) if same == signs => match sign
            {
                Sign::Replace => {
                    blocks.push(Block { line, search, replace: &content[start..at] });
                    Part::Outside
                }
                Sign::Search => {
                    fault("a block begins, but the one before it has no >>>>>>> REPLACE");
                    Part::Search { line: number, signs, start: next }
                }
                Sign::Divider => {
                    fault(
                        "a second ======= in one block; if the text has such lines, give all markers of the block more signs",
                    );
                    part
                }
            },
            (Part::Search { .. } | Part::Replace { .. }, _) => part,
        };
        at = next;
    }
    match part {
        Part::Outside if blocks.is_empty() && faults.is_empty() => {
            faults.push(malformed(1, "there is no block, which begins with <<<<<<< SEARCH", content));
        }
        Part::Outside => {}
        Part::Search { line, .. } | Part::Replace { line, .. } => {
            faults.push(malformed(line, "the content ends before this block does", "<<<<<<< SEARCH"));
        }
    }
    if faults.is_empty() { Ok(blocks) } else { Err(faults) }
}

/// The content reduced to the lines that the blocks insert, each at its place; none when the content cannot be
/// divided into blocks.
#[must_use]
pub fn put_in(content: &str) -> Option<String> {
    let blocks = parse(content).ok()?;
    let lines = |text: &str| text.split_inclusive('\n').count();
    let mut text = String::with_capacity(content.len());
    let mut at = 1;
    for Block { line, search, replace } in blocks {
        // Behind the first marker, the search text and the second marker.
        let first = line as usize + 2 + lines(search);
        text.extend(std::iter::repeat_n('\n', first - at));
        text.push_str(replace);
        at = first + lines(replace);
    }
    Some(text)
}

fn malformed(line: u32, what: &str, text: &str) -> WriteFault {
    let kind = FaultKind::BlockMalformed;
    WriteFault { kind, line, column: 1, what: what.into(), context: excerpt::line(text) }
}
