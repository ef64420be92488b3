//! The lines of a difference as the window shows them, rendered when they are asked for.

use std::iter;
use std::ops::Range;

use orion_core::lines::Ending;
use orion_protocol::{DiffRow, RowKind};

use super::Difference;
use super::row::{Ended, Row};

/// Rows of one kind that follow one another.
pub(super) struct Stretch {
    pub(super) kind: RowKind,
    rows: usize,
    /// Lines of the old and of the new text. In a change, the other side has the lines that the first ones are
    /// compared with.
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

impl Difference {
    /// The lines of both texts; lines that are the same count once.
    pub fn rows_total(&self) -> u64 {
        self.total() as u64
    }

    /// Up to `count` rows, from this one on. Costs what these rows need, whatever the size of the texts.
    pub fn rows(&self, from: u64, count: u32) -> Vec<DiffRow> {
        let mut row = usize::try_from(from).unwrap_or(usize::MAX);
        let mut left = self.total().saturating_sub(row).min(count as usize);
        let mut rows = Vec::with_capacity(left);
        while left > 0 {
            let stretch = self.stretch(row);
            let taken = stretch.rows.min(left);
            self.render(&stretch, taken, &mut rows);
            row += taken;
            left -= taken;
        }
        rows
    }

    pub(super) fn total(&self) -> usize {
        self.old.count() + self.changes.iter().map(|change| change.new.len()).sum::<usize>()
    }

    /// The stretch that begins with this row.
    pub(super) fn stretch(&self, row: usize) -> Stretch {
        let next = self.changes.partition_point(|change| change.row <= row);
        let (mut old, mut new, mut passed) = (0, 0, row);
        if let Some(change) = next.checked_sub(1).map(|at| &self.changes[at]) {
            let within = row - change.row;
            if within < change.old.len() {
                let old = change.old.start + within..change.old.end;
                let new = (change.new.start + within).min(change.new.end)..change.new.end;
                return Stretch { kind: RowKind::Removed, rows: old.len(), old, new };
            }
            if within < change.rows() {
                let within = within - change.old.len();
                let new = change.new.start + within..change.new.end;
                let old = (change.old.start + within).min(change.old.end)..change.old.end;
                return Stretch { kind: RowKind::Added, rows: new.len(), old, new };
            }
            (old, new, passed) = (change.old.end, change.new.end, within - change.rows());
        }
        let (old, new) = (old + passed, new + passed);
        let old_end = self.changes.get(next).map_or(self.old.count(), |change| change.old.start);
        let rows = old_end - old;
        Stretch { kind: RowKind::Unchanged, rows, old: old..old_end, new: new..new + rows }
    }

    /// Adds the first rows of a stretch.
    fn render(&self, stretch: &Stretch, rows: usize, into: &mut Vec<DiffRow>) {
        let first = |lines: &Range<usize>| lines.start..lines.end.min(lines.start + rows);
        let (old, new) = (first(&stretch.old), first(&stretch.new));
        let (olds, news) = (self.old.each(old.clone()), self.new.each(new.clone()));
        let (old_ending, new_ending) = (self.old.ending(), self.new.ending());
        match stretch.kind {
            RowKind::Unchanged => into.extend(news.zip(old.zip(new)).map(|((start, line), (old, new))| {
                Row { line: (line, new_ending), partner: None, seams: self.seams_in(start, line) }.render(
                    stretch.kind,
                    Some(old),
                    Some(new),
                )
            })),
            RowKind::Removed => {
                into.extend(olds.zip(partners(news, new_ending)).zip(old).map(
                    |(((_, line), partner), old)| {
                        Row { line: (line, old_ending), partner, seams: Vec::new() }.render(
                            stretch.kind,
                            Some(old),
                            None,
                        )
                    },
                ));
            }
            RowKind::Added => {
                into.extend(news.zip(partners(olds, old_ending)).zip(new).map(
                    |(((start, line), partner), new)| {
                        Row { line: (line, new_ending), partner, seams: self.seams_in(start, line) }.render(
                            stretch.kind,
                            None,
                            Some(new),
                        )
                    },
                ));
            }
        }
    }

    /// Seams in a line of the new text, in bytes from its beginning. One at the end of the text is in the last line.
    pub(super) fn seams_in(&self, start: usize, line: &str) -> Vec<usize> {
        let end = start + line.len();
        let from = self.seams.partition_point(|&seam| seam < start);
        let last = end == self.new.text().len();
        self.seams[from..].iter().take_while(|&&seam| seam < end || last).map(|seam| seam - start).collect()
    }
}

/// The lines that others are compared with; none when there are no more.
fn partners<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    ending: Ending,
) -> impl Iterator<Item = Option<Ended<'a>>> {
    lines.map(move |(_, line)| Some((line, ending))).chain(iter::repeat(None))
}
