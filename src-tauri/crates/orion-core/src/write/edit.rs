//! Applying the blocks of an edit to the old text.
//!
//! Each search text must be in the file exactly once, as whole lines. Only white space at the ends of lines, and the line
//! ends themselves, may differ. All blocks are searched for in the old text, so their order does not matter, and no two may
//! touch the same lines. Everything else stays as it is, to the byte.
//!
//! A new line takes the line end of the line that it replaces, also CR alone where that ends the lines of the file. When there are more new lines than old ones, the rest take
//! that of the last old line. If the last line of the file has no line end, its replacement has none either. If that line
//! is removed and nothing replaces it, the line before it keeps its line end.
//!
//! For the search, each line of the search texts gets a number, and the file becomes the numbers of its lines, four bytes
//! each. Finding lines is then finding bytes, and `memmem` needs time linear in the length of the file, whatever the lines are.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;
use orion_protocol::{FaultKind, WriteFault};

use super::blocks::Block;
use super::nearest;
use super::validate::MAX_FAULTS;
use crate::lines::Ending;

/// The most blocks of one edit. Each is searched for in the whole file; with more changes than this the file is
/// better written anew.
const MAX_BLOCKS: usize = 1_000;
/// The most places that are named of a search text that is in the file more than once.
const MAX_PLACES: usize = 5;
/// Bytes of a line's number.
const WIDTH: usize = 4;

/// The old text with all blocks applied.
///
/// # Errors
///
/// A fault for each block that cannot be: [`FaultKind::BlockMissing`], [`FaultKind::BlockAmbiguous`],
/// [`FaultKind::BlockOverlaps`], or [`FaultKind::BlockMalformed`] when the search text is empty and the file is not, or when there are
/// more than 1,000 blocks. The context of the first 50 are lines of the file with their numbers.
pub fn apply(old: &str, blocks: &[Block<'_>]) -> Result<String, Vec<WriteFault>> {
    if let Some(block) = blocks.get(MAX_BLOCKS) {
        let what = "there are more than 1,000 blocks; write the whole file instead".to_owned();
        return Err(vec![fault(FaultKind::BlockMalformed, block, what, String::new())]);
    }
    let mut places = Vec::new();
    let mut faults = Vec::new();
    let mut missing = Vec::new();
    let lines = Lines::of(old, blocks);
    for (at, block) in blocks.iter().enumerate() {
        let number = at + 1;
        let found = lines.places_of(block.search);
        match found.as_slice() {
            _ if block.search.is_empty() && !old.is_empty() => {
                let what = format!("block {number} has no search text, which only an empty file allows");
                faults.push((fault(FaultKind::BlockMalformed, block, what, String::new()), Vec::new()));
            }
            [] if !block.search.is_empty() => missing.push((number, block)),
            [] => places.push((0..0, number, block)),
            [place] => places.push((place.clone(), number, block)),
            several => {
                let what = format!(
                    "the search text of block {number} is in the file more than once, at lines {}",
                    named(several)
                );
                // The line before tells the places apart.
                let context = several.iter().map(|place| place.start.saturating_sub(1)..place.start + 1);
                let context = context.take(MAX_PLACES).collect();
                faults.push((fault(FaultKind::BlockAmbiguous, block, what, String::new()), context));
            }
        }
    }
    let searches: Vec<_> = missing.iter().take(MAX_FAULTS).map(|(_, block)| block.search).collect();
    let contexts = nearest::contexts(old, &searches).into_iter().chain(std::iter::repeat(String::new()));
    for ((number, block), context) in missing.iter().zip(contexts) {
        let what = format!("the search text of block {number} is not in the file");
        faults.push((fault(FaultKind::BlockMissing, block, what, context), Vec::new()));
    }
    places.sort_by_key(|(place, ..)| place.start);
    for pair in places.windows(2) {
        let [(one, first, _), (other, second, block)] = pair else { continue };
        if other.start < one.end || other.start == one.start {
            let what = format!("block {second} replaces lines that block {first} replaces");
            let context = std::iter::once(other.start..one.end.min(other.end)).collect();
            faults.push((fault(FaultKind::BlockOverlaps, block, what, String::new()), context));
        }
    }
    if faults.is_empty() {
        return Ok(replaced(old, &places));
    }
    faults.sort_by_key(|(fault, _)| fault.line);
    Err(with_contexts(old, faults))
}

/// The faults, the first 50 with the lines of the file that these places have as their context.
fn with_contexts(old: &str, faults: Vec<(WriteFault, Vec<Range<usize>>)>) -> Vec<WriteFault> {
    let places: Vec<_> = faults.iter().take(MAX_FAULTS).flat_map(|(_, places)| places.clone()).collect();
    // None is left for a fault beyond them.
    let mut listings = nearest::listings(old, &places).into_iter();
    let with_context = |(fault, places): (WriteFault, Vec<Range<usize>>)| match places.len() {
        0 => fault,
        count => {
            WriteFault { context: listings.by_ref().take(count).collect::<Vec<_>>().join("\n…\n"), ..fault }
        }
    };
    faults.into_iter().map(with_context).collect()
}

fn fault(kind: FaultKind, block: &Block<'_>, what: String, context: String) -> WriteFault {
    WriteFault { kind, line: block.line, column: 1, what, context }
}

/// The numbers of the lines where these places begin, as a person writes them.
fn named(places: &[Range<usize>]) -> String {
    let mut numbers: Vec<_> =
        places.iter().take(MAX_PLACES).map(|place| (place.start + 1).to_string()).collect();
    let last =
        if places.len() > MAX_PLACES { "others".to_owned() } else { numbers.pop().unwrap_or_default() };
    format!("{} and {last}", numbers.join(", "))
}

/// The file as the numbers of its lines.
struct Lines<'a> {
    numbers: HashMap<&'a str, u32>,
    file: Vec<u8>,
}

/// The part of a line that must match.
fn key(line: &str) -> &str {
    line.trim_end()
}

/// A number as bytes, of which only the first has its highest bit set. So a search never matches across the border of
/// two numbers. The content of an edit has fewer lines than 2^27.
fn bytes(number: u32) -> [u8; WIDTH] {
    [3, 2, 1, 0].map(|place| {
        let bits = (number >> (7 * place)) as u8 % 128;
        if place == 3 { bits + 128 } else { bits }
    })
}

impl<'a> Lines<'a> {
    fn of(old: &str, blocks: &[Block<'a>]) -> Self {
        let mut numbers = HashMap::new();
        for line in blocks.iter().flat_map(|block| block.search.split_inclusive('\n')) {
            // 0 is every line that is in no search text.
            let next = numbers.len() as u32 + 1;
            numbers.entry(key(line)).or_insert(next);
        }
        let number = |line| numbers.get(key(line)).copied().unwrap_or_default();
        let file = Ending::of(old).split(old).flat_map(|line| bytes(number(line))).collect();
        Self { numbers, file }
    }

    /// Which lines of the file a search text is, from 0; one place more than are named, at most.
    fn places_of(&self, search: &str) -> Vec<Range<usize>> {
        let numbers = search.split_inclusive('\n').filter_map(|line| self.numbers.get(key(line)));
        let wanted: Vec<u8> = numbers.flat_map(|&number| bytes(number)).collect();
        let mut places = Vec::new();
        let mut from = 0;
        while !wanted.is_empty() && places.len() <= MAX_PLACES {
            let Some(at) = memmem::find(&self.file[from..], &wanted) else { break };
            let start = (from + at) / WIDTH;
            places.push(start..start + wanted.len() / WIDTH);
            from += at + WIDTH;
        }
        places
    }
}

/// The text with these lines replaced, which are in order.
fn replaced(old: &str, places: &[(Range<usize>, usize, &Block<'_>)]) -> String {
    let added: usize = places.iter().map(|(.., block)| block.replace.len()).sum();
    let mut text = String::with_capacity(old.len() + added);
    let ending = Ending::of(old);
    let mut lines = ending.split(old).enumerate().peekable();
    let mut before = "";
    for (place, _, block) in places {
        while let Some((_, line)) = lines.next_if(|(at, _)| *at < place.start) {
            text.push_str(line);
            before = ending.end_of(line);
        }
        let mut ends = Vec::new();
        while let Some((_, line)) = lines.next_if(|(at, _)| *at < place.end) {
            ends.push(ending.end_of(line));
        }
        push_lines(&mut text, block.replace, &ends, before);
        before = ends.last().copied().unwrap_or(before);
    }
    text.extend(lines.map(|(_, line)| line));
    text
}

/// The replacement, with the line ends of the lines whose place it takes; `before` is that of the line before them.
fn push_lines(text: &mut String, replacement: &str, ends: &[&str], before: &str) {
    let mut lines = replacement.split_inclusive('\n').enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let own = Ending::Lf.end_of(line);
        text.push_str(&line[..line.len() - own.len()]);
        let is_last = lines.peek().is_none();
        let end = match ends.last() {
            // Only the file's last line can be without a line end, and then what takes its place is too.
            Some(open) if is_last && open.is_empty() => open,
            last => ends.get(at).or(last).copied().unwrap_or(own),
        };
        if end.is_empty() && !is_last {
            let above = ends.iter().rev().nth(1).copied().unwrap_or(before);
            text.push_str(if above.is_empty() { own } else { above });
        } else {
            text.push_str(end);
        }
    }
}
