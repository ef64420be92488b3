//! The lines that are too long for a row, and their text piece by piece (W6).

use orion_protocol::{CutRow, RowKind, RowRest};

use super::Difference;
use super::row::{Row, cut_from};

impl Difference {
    /// Changed rows of which the end is not shown: at most so many, and the number of those beyond.
    pub fn cut_rows(&self, most: usize) -> (Vec<CutRow>, u64) {
        let (mut cut, mut more) = (Vec::new(), 0);
        for change in &self.changes {
            let olds = self.old.each(change.old.clone()).map(|(_, line)| (line, self.old.ending()));
            let news = self.new.each(change.new.clone()).map(|(_, line)| (line, self.new.ending()));
            for (within, line) in olds.chain(news).enumerate() {
                match cut_from(line) {
                    0 => {}
                    characters if cut.len() < most => {
                        cut.push(CutRow { row: (change.row + within) as u64, cut: characters });
                    }
                    _ => more += 1,
                }
            }
        }
        (cut, more)
    }

    /// The text of a row's line from this character on. None where there is no such row.
    pub fn rest(&self, row: u64, from: u64) -> Option<RowRest> {
        let row = usize::try_from(row).ok().filter(|row| *row < self.total())?;
        let stretch = self.stretch(row);
        let old = self.old.each(stretch.old).next().map(|(at, line)| (at, (line, self.old.ending())));
        let new = self.new.each(stretch.new).next().map(|(at, line)| (at, (line, self.new.ending())));
        let (line, partner) = match stretch.kind {
            RowKind::Removed => (old, new),
            RowKind::Added => (new, old),
            RowKind::Unchanged => (new, None),
        };
        let (start, line) = line?;
        let seams = if stretch.kind == RowKind::Removed { Vec::new() } else { self.seams_in(start, line.0) };
        let row = Row { line, partner: partner.map(|(_, line)| line), seams };
        Some(row.rest(usize::try_from(from).unwrap_or(usize::MAX)))
    }
}
