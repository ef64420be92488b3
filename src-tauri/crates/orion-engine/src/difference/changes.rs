//! Which lines of two texts differ.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_deadline};

use super::lines::Lines;

/// Lines of both texts between their common beginning and end that are compared one by one; more of them count as one
/// change, since numbering them alone would take longer than a difference may. So many cost at most some 100 MB meanwhile.
const MOST_LINES: usize = 1 << 20;

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

/// What differs, in order, with at least one common line between two changes. Numbering the lines takes time by their bytes,
/// comparing the numbers up to `limit`.
pub(super) fn between(old: &Lines, new: &Lines, limit: Duration) -> Vec<Change> {
    let (before, after) = common(old.text(), new.text());
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
    let (old_numbers, new_numbers) = numbered(old.each(olds), new.each(news));
    let deadline = Instant::now().checked_add(limit);
    let (old_all, new_all) = (0..old_numbers.len(), 0..new_numbers.len());
    let ops = capture_diff_deadline(Algorithm::Myers, &old_numbers, old_all, &new_numbers, new_all, deadline);
    read(&ops, &old_numbers, &new_numbers, first).unwrap_or_else(|| vec![whole])
}

/// A number for each line, the same for the same line. The map's hash is keyed, so no text can make it slow.
fn numbered<'a>(
    olds: impl Iterator<Item = (usize, &'a str)>,
    news: impl Iterator<Item = (usize, &'a str)>,
) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let old = olds
        .map(|(_, line)| {
            let next = numbers.len() as u32;
            *numbers.entry(line).or_insert(next)
        })
        .collect();
    let new = news.map(|(_, line)| numbers.get(line).copied().unwrap_or(NOT_IN_OLD)).collect();
    (old, new)
}

/// The changes that the operations tell of, `first` lines further on. What they call equal goes into a file that is
/// written, so it is compared here: none when it is not, or when a line is left out.
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
fn common(old: &str, new: &str) -> (usize, usize) {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let same = alike(old, new);
    if same == old.len() && same == new.len() {
        return (same, 0);
    }
    let before = old[..same].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let same = alike_backwards(&old[before..], &new[before..]);
    let begins = |text: &[u8]| text.len() - same == before || text[text.len() - same - 1] == b'\n';
    let after = match (begins(old), begins(new)) {
        (true, true) => same,
        _ => {
            let tail = &old[old.len() - same..];
            tail.iter().position(|&byte| byte == b'\n').map_or(0, |end| tail.len() - end - 1)
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
