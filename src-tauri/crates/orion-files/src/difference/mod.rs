//! The difference that a write would make: the lines of the present file against those of the new one (W6).
//!
//! A [`Difference`] holds the two texts and the places where they differ, and no copy of a line. Rows are rendered when
//! they are asked for, so a file of 50 MB costs little more than its own bytes. Deliberately not here: reading and
//! writing files, encodings (the texts are decoded), and approval.

mod anchors;
mod changes;
mod characters;
mod edited;
mod lines;
mod long_lines;
mod row;
mod rows;
mod unified;
mod words;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use orion_core::write::Stretch;
use orion_protocol::DiffHunk;

pub use characters::mark;
pub use edited::with_line_ends;

use changes::Change;
use lines::Lines;

/// The most steps that a comparison of lines may take; what is not compared by then counts as changed as a whole. 64
/// Mi take at most half of the second in which a difference has to open. Steps are counted and not timed, so that two
/// texts have the same hunks wherever and whenever they are compared: a person names hunks by their numbers (A3).
pub const MOST_WORK: usize = 1 << 26;

/// Unchanged lines around a hunk, as in a unified diff.
const CONTEXT: usize = 3;

/// What is there before the write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Text,
    /// Not text: there are no lines to show, only this size in bytes.
    Binary(u64),
}

/// The difference of two texts by lines (`orion_core::lines`).
#[derive(Debug)]
pub struct Difference {
    old: Lines,
    new: Lines,
    before: Before,
    /// In their order, with at least one unchanged line between two of them.
    changes: Vec<Change>,
    /// Which changes make a hunk: those with no more than twice the context between them.
    hunks: Vec<Range<usize>>,
    /// Bytes of the new text before each seam, ascending.
    seams: Vec<usize>,
}

impl Difference {
    /// Compares two texts. `old` is none when there is no file yet. `seams` are positions in `new`, in bytes.
    pub fn of(old: Option<Arc<str>>, new: Arc<str>, seams: &[usize]) -> Self {
        Self::within(MOST_WORK, old, new, seams)
    }

    /// The same with another limit of work. If the limit is reached, the difference is still correct, only larger
    /// than it could be.
    pub fn within(work: usize, old: Option<Arc<str>>, new: Arc<str>, seams: &[usize]) -> Self {
        let before = if old.is_some() { Before::Text } else { Before::Nothing };
        let (old, new) = (Lines::of(old.unwrap_or_default()), Lines::of(new));
        let changes = changes::between(&old, &new, work);
        let hunks = grouped(&changes);
        let mut seams = seams.to_vec();
        seams.sort_unstable();
        seams.dedup();
        Self { old, new, before, changes, hunks, seams }
    }

    /// A text that replaces a binary file of this many bytes.
    pub fn replacing(bytes: u64, new: Arc<str>, seams: &[usize]) -> Self {
        Self { before: Before::Binary(bytes), ..Self::of(None, new, seams) }
    }

    /// The size of a replaced file that is not text, and whose content is therefore not shown.
    pub fn replaced_bytes(&self) -> Option<u64> {
        match self.before {
            Before::Binary(bytes) => Some(bytes),
            Before::Nothing | Before::Text => None,
        }
    }

    pub fn hunks(&self) -> Vec<DiffHunk> {
        (0..self.hunks.len()).map(|at| self.hunk(at)).collect()
    }

    /// Lines that are only in the new text.
    pub fn added(&self) -> u64 {
        self.changes.iter().map(|change| change.new.len() as u64).sum()
    }

    /// Lines that are only in the old text.
    pub fn removed(&self) -> u64 {
        self.changes.iter().map(|change| change.old.len() as u64).sum()
    }

    /// The text before, if it is text.
    pub fn before(&self) -> Option<&str> {
        (self.before == Before::Text).then(|| self.old.text())
    }

    /// Lines of the text before.
    pub fn old_lines(&self) -> u64 {
        self.old.count() as u64
    }

    /// The changed lines, with those that stay before them (W9).
    pub fn stretches(&self) -> impl Iterator<Item = Stretch<'_>> {
        let mut stays = 0;
        self.changes.iter().map(move |Change { old, new, .. }| {
            let kept = self.old.slice(stays..old.start);
            stays = old.end;
            let line = u32::try_from(new.start + 1).unwrap_or(u32::MAX);
            Stretch {
                kept,
                old: self.old.slice(old.clone()),
                new: self.new.slice(new.clone()),
                line,
                apart: false,
            }
        })
    }

    /// The old text with these hunks applied and no others. A number that no hunk has is ignored. All hunks give the
    /// new text and none of them the old one, byte for byte.
    pub fn accept(&self, numbers: &[u32]) -> String {
        let mut text = String::with_capacity(self.old.text().len().max(self.new.text().len()));
        let wanted: HashSet<u32> = numbers.iter().copied().collect();
        let mut done = 0;
        for (at, hunk) in self.hunks.iter().enumerate() {
            if !wanted.contains(&number(at)) {
                continue;
            }
            for change in &self.changes[hunk.clone()] {
                text.push_str(self.old.slice(done..change.old.start));
                text.push_str(self.new.slice(change.new.clone()));
                done = change.old.end;
            }
        }
        text.push_str(self.old.slice(done..self.old.count()));
        text
    }

    fn hunk(&self, at: usize) -> DiffHunk {
        let (first, last) = (self.hunks[at].start, self.hunks[at].end - 1);
        let before = first.checked_sub(1).map_or(0, |at| self.changes[at].old.end);
        let after = self.changes.get(last + 1).map_or(self.old.count(), |change| change.old.start);
        let (first, last) = (&self.changes[first], &self.changes[last]);
        let lead = CONTEXT.min(first.old.start - before);
        let trail = CONTEXT.min(after - last.old.end);
        let from_one = |start: usize, lines: usize| if lines == 0 { 0 } else { start as u64 + 1 };
        let (old, new) =
            (first.old.start - lead..last.old.end + trail, first.new.start - lead..last.new.end + trail);
        DiffHunk {
            number: number(at),
            first_row: (first.row - lead) as u64,
            rows: (last.row + last.rows() + trail - (first.row - lead)) as u64,
            old_start: from_one(old.start, old.len()),
            old_lines: old.len() as u64,
            new_start: from_one(new.start, new.len()),
            new_lines: new.len() as u64,
        }
    }
}

fn grouped(changes: &[Change]) -> Vec<Range<usize>> {
    let mut hunks: Vec<Range<usize>> = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        match hunks.last_mut() {
            Some(hunk) if change.old.start - changes[at - 1].old.end <= 2 * CONTEXT => hunk.end = at + 1,
            _ => hunks.push(at..at + 1),
        }
    }
    hunks
}

fn number(at: usize) -> u32 {
    u32::try_from(at + 1).unwrap_or(u32::MAX)
}
