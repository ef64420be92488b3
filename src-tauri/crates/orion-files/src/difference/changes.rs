//! Finds the lines in which two texts differ.

use std::collections::HashMap;
use std::ops::Range;

use orion_core::lines::Ending;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff};

use super::anchors;
use super::lines::Lines;

/// The most lines of both texts, between their common beginning and end, that are compared one by one. More of them
/// count as one change, since numbering them alone would take too long. This many take some 100 MB for a moment.
const MOST_LINES: usize = 1 << 20;

/// The least number of steps that the search takes for a line before it settles for what it has found. For texts of
/// up to 65,536 lines it is also the most; for longer ones the most is the square root of the number of lines
/// (`HEURISTIC_MIN_MAX_COST` of `similar`).
const STEPS: usize = 256;

/// How many lines together form an anchor in a stretch that is too long for the search. Single lines are tried first.
/// Then so many are taken together that lines that recur differ by the lines around them.
const ANCHORS: [usize; 2] = [1, 32];

/// The number of a line that is not in the old text, so it is equal to none of its lines.
const NOT_IN_OLD: u32 = u32::MAX;

/// A stretch of lines in place of another; either may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
    /// The first of its rows among all: those removed, then those added.
    pub(super) row: usize,
}

impl Change {
    pub(super) fn rows(&self) -> usize {
        self.old.len() + self.new.len()
    }
}

/// The changes in order, with at least one common line between two of them. Numbering the lines takes time by their
/// bytes. Comparing the numbers takes at most `work` steps; they are counted and not timed, so the result does not
/// depend on a clock.
pub(super) fn between(old: &Lines, new: &Lines, work: usize) -> Vec<Change> {
    let (before, after) = common(old, new);
    let first = old.at(before);
    let (old_end, new_end) = (old.at(old.text().len() - after), new.at(new.text().len() - after));
    let (olds, news) = (first..old_end, first..new_end);
    if olds.is_empty() && news.is_empty() {
        return Vec::new();
    }
    let whole = Change { old: olds.clone(), new: news.clone(), row: first };
    if olds.is_empty() || news.is_empty() || whole.rows() > MOST_LINES {
        return vec![whole];
    }
    let (old_numbers, new_numbers) = numbered(ended(old, olds), ended(new, news));
    let mut comparison = Comparison { old: &old_numbers, new: &new_numbers, work, ops: Vec::new() };
    comparison.compare(0..old_numbers.len(), 0..new_numbers.len(), &ANCHORS);
    read(&comparison.ops, &old_numbers, &new_numbers, first).unwrap_or_else(|| vec![whole])
}

/// Two texts by the numbers of their lines, and what is known of them so far.
struct Comparison<'a> {
    old: &'a [u32],
    new: &'a [u32],
    /// Steps that are left.
    work: usize,
    ops: Vec<DiffOp>,
}

impl Comparison<'_> {
    /// Compares two stretches. A stretch that is too long is divided at lines that occur once, and the parts are
    /// compared. A part that is still too long counts as changed as a whole.
    fn compare(&mut self, olds: Range<usize>, news: Range<usize>, anchors: &[usize]) {
        let (old_index, old_len, new_index, new_len) = (olds.start, olds.len(), news.start, news.len());
        let most = most_steps(old_len, new_len);
        if most <= self.work {
            self.work -= most;
            self.ops.extend(capture_diff(Algorithm::Myers, self.old, olds, self.new, news));
            return;
        }
        let Some((&width, further)) = anchors.split_first() else {
            self.ops.push(DiffOp::Replace { old_index, old_len, new_index, new_len });
            return;
        };
        let (mut old_at, mut new_at) = (old_index, new_index);
        for (old, new) in anchors::common(&self.old[olds.clone()], &self.new[news.clone()], width) {
            let (old, new) = (old_index + old, new_index + new);
            // It may overlap the one before.
            if old < old_at || new < new_at {
                continue;
            }
            self.compare(old_at..old, new_at..new, further);
            self.ops.push(DiffOp::Equal { old_index: old, new_index: new, len: width });
            (old_at, new_at) = (old + width, new + width);
        }
        self.compare(old_at..olds.end, new_at..news.end, further);
    }
}

/// Steps that comparing so many lines takes at most.
fn most_steps(old: usize, new: usize) -> usize {
    let lines = old.saturating_add(new);
    old.saturating_mul(new).min(lines.saturating_mul(lines.isqrt().max(STEPS)))
}

/// A line, and how many bytes of it are its end: a CR is an end in one text, and in another one a character.
type Ended<'a> = (&'a str, usize);

fn ended(lines: &Lines, range: Range<usize>) -> impl Iterator<Item = Ended<'_>> {
    lines.each(range).map(|(_, line)| (line, lines.ending().end_of(line).len()))
}

/// A number for each line, the same for the same line. The map's hash is keyed, so no text can make it slow.
fn numbered<'a>(
    olds: impl Iterator<Item = Ended<'a>>,
    news: impl Iterator<Item = Ended<'a>>,
) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: HashMap<Ended<'_>, u32> = HashMap::new();
    let old = olds
        .map(|line| {
            let next = numbers.len() as u32;
            *numbers.entry(line).or_insert(next)
        })
        .collect();
    let new = news.map(|line| numbers.get(&line).copied().unwrap_or(NOT_IN_OLD)).collect();
    (old, new)
}

/// The changes that the operations describe, with `first` added to their rows. Lines that they call equal go into a
/// file that is written, so they are compared here. None when two of them differ, or when a line is missing.
fn read(ops: &[DiffOp], old: &[u32], new: &[u32], first: usize) -> Option<Vec<Change>> {
    let mut changes: Vec<Change> = Vec::new();
    let (mut old_at, mut new_at, mut row) = (0, 0, first);
    for op in ops {
        let (tag, olds, news) = op.as_tag_tuple();
        if (olds.start, news.start) != (old_at, new_at) {
            return None;
        }
        (old_at, new_at) = (olds.end, news.end);
        if tag == DiffTag::Equal {
            if old.get(olds.clone())? != new.get(news)? {
                return None;
            }
            row += olds.len();
            continue;
        }
        let here = Change {
            old: first + olds.start..first + olds.end,
            new: first + news.start..first + news.end,
            row,
        };
        row += here.rows();
        match changes.last_mut() {
            Some(last) if last.old.end == here.old.start && last.new.end == here.new.start => {
                last.old.end = here.old.end;
                last.new.end = here.new.end;
            }
            _ if here.rows() > 0 => changes.push(here),
            _ => {}
        }
    }
    (old_at == old.len() && new_at == new.len()).then_some(changes)
}

/// Bytes of the whole lines that both texts begin with, and of those that both end with.
fn common(old: &Lines, new: &Lines) -> (usize, usize) {
    if old.ending() != new.ending() {
        return (0, 0);
    }
    let is_cr = old.ending() == Ending::Cr;
    // A line ends before this place.
    let ends = |text: &[u8], at: usize| match text[at - 1] {
        b'\n' => true,
        b'\r' => is_cr && text.get(at) != Some(&b'\n'),
        _ => false,
    };
    let (old, new) = (old.text().as_bytes(), new.text().as_bytes());
    let same = alike(old, new);
    if same == old.len() && same == new.len() {
        return (same, 0);
    }
    let before = (1..=same).rev().find(|&at| ends(old, at) && ends(new, at)).unwrap_or_default();
    let same = alike_backwards(&old[before..], &new[before..]);
    let begins = |text: &[u8]| text.len() - same == before || ends(text, text.len() - same);
    let after = match (begins(old), begins(new)) {
        (true, true) => same,
        _ => {
            let first = (old.len() - same + 1..=old.len()).find(|&at| ends(old, at));
            first.map_or(0, |at| old.len() - at)
        }
    };
    (before, after)
}

/// Compared this many bytes at a time, and one by one only where they differ.
const BLOCK: usize = 4096;

fn alike(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    blocks + a[blocks..].iter().zip(&b[blocks..]).take_while(|(a, b)| a == b).count()
}

fn alike_backwards(a: &[u8], b: &[u8]) -> usize {
    let blocks =
        a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    let (a, b) = (&a[..a.len() - blocks], &b[..b.len() - blocks]);
    blocks + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_that_are_not_true_of_the_lines_are_not_believed() {
        let equal = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
        let (old, new) = ([1, 2, 3], [1, 2, 4]);
        assert_eq!(read(&[equal(0, 0, 3)], &old, &new, 0), None, "3 is not 4");
        assert_eq!(read(&[equal(0, 0, 2)], &old, &new, 0), None, "the last line is left out");
        assert_eq!(read(&[equal(0, 0, 1), equal(2, 1, 1)], &old, &new, 0), None, "a line is passed over");
        assert_eq!(read(&[equal(0, 0, 4)], &old, &new, 0), None, "there is no fourth line");
        let delete = DiffOp::Delete { old_index: 2, old_len: 1, new_index: 2 };
        let insert = DiffOp::Insert { old_index: 3, new_index: 2, new_len: 1 };
        let change = Change { old: 12..13, new: 12..13, row: 12 };
        assert_eq!(read(&[equal(0, 0, 2), delete, insert], &old, &new, 10), Some(vec![change]));
    }
}
