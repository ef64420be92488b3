//! One line of a difference, with its marks.

use orion_core::lines::Ending;
use orion_protocol::{DiffRow, Mark, MarkKind, RowKind, RowRest};

use super::{characters, words};

/// Characters of a line that are shown; the rest is counted (the wire's `DiffRow`).
const MOST_CHARACTERS: usize = 2_000;

/// A line with its end, and what ends the lines of its text.
pub(super) type Ended<'a> = (&'a str, Ending);

/// Characters of the rest of a line that are given at once (the wire's `RowRest`). A line of so many signs is still drawn within a blink.
const MOST_MORE: usize = 20_000;

/// The longest line, in bytes, in whose rest the words that differ are marked: they are looked for anew with each stretch.
const MOST_COMPARED: usize = 256 * 1024;

/// Characters of a line that its row does not have.
pub(super) fn cut_from(line: Ended<'_>) -> u64 {
    // No character is shorter than a byte.
    if line.0.len() <= MOST_CHARACTERS { 0 } else { Line::of(line).rest.chars().count() as u64 }
}

/// A line with what it is marked by.
pub(super) struct Row<'a> {
    pub(super) line: Ended<'a>,
    /// The line that it is compared with, when it was changed.
    pub(super) partner: Option<Ended<'a>>,
    /// In bytes from the line's beginning, ascending.
    pub(super) seams: Vec<usize>,
}

impl Row<'_> {
    /// Line numbers count from 0 here and from 1 in the row.
    pub(super) fn render(&self, kind: RowKind, old: Option<usize>, new: Option<usize>) -> DiffRow {
        let line = Line::of(self.line);
        let mut marks = Vec::new();
        if let Some(partner) = self.partner {
            line.mark_changed(&Line::of(partner), &mut marks);
        }
        line.mark_characters(&mut marks);
        line.mark_seams(&self.seams, &mut marks);
        marks.sort_by_key(|mark| (mark.from, mark.to));
        let from_one = |line: usize| line as u64 + 1;
        DiffRow {
            kind,
            old: old.map(from_one),
            new: new.map(from_one),
            text: line.shown.to_owned(),
            cut: line.rest.chars().count() as u64,
            no_line_end: line.end.is_empty(),
            marks,
        }
    }

    /// A stretch of the line that begins with this character.
    pub(super) fn rest(&self, from: usize) -> RowRest {
        let (text, end) = parted(self.line);
        let start = text.char_indices().nth(from).map_or(text.len(), |(at, _)| at);
        let length = text[start..].char_indices().nth(MOST_MORE).map_or(text.len() - start, |(at, _)| at);
        let (shown, rest) = text[start..].split_at(length);
        let line = Line { shown, rest, end };
        let mut marks = Vec::new();
        if let Some((partner, _)) = self.partner.map(parted) {
            line.mark_changed_in((text, start), partner, &mut marks);
        }
        line.mark_characters(&mut marks);
        let within = start..=start + length;
        let seams: Vec<usize> =
            self.seams.iter().filter(|&seam| within.contains(seam)).map(|seam| seam - start).collect();
        line.mark_seams(&seams, &mut marks);
        marks.sort_by_key(|mark| (mark.from, mark.to));
        RowRest { text: shown.to_owned(), cut: rest.chars().count() as u64, marks }
    }
}

/// A line without its end, and the end.
fn parted((line, ending): Ended<'_>) -> (&str, &str) {
    line.split_at(line.len() - ending.end_of(line).len())
}

/// A line in its parts.
#[derive(PartialEq, Eq)]
struct Line<'a> {
    shown: &'a str,
    rest: &'a str,
    /// `\n`, `\r\n`, `\r` alone where that ends lines, or nothing.
    end: &'a str,
}

impl<'a> Line<'a> {
    fn of(line: Ended<'a>) -> Self {
        let (text, end) = parted(line);
        let cut = text.char_indices().nth(MOST_CHARACTERS).map_or(text.len(), |(at, _)| at);
        let (shown, rest) = text.split_at(cut);
        Self { shown, rest, end }
    }

    /// Words that are not in the other line. A difference beyond the shown text, its line end included, is marked at
    /// the end of the shown text.
    fn mark_changed(&self, other: &Line<'_>, marks: &mut Vec<Mark>) {
        let Some(changed) = words::differing(self.shown, other.shown) else { return };
        let mut ruler = Ruler::along(self.shown);
        marks.extend(
            changed.iter().map(|range| mark(ruler.at(range.start), ruler.at(range.end), MarkKind::Changed)),
        );
        if (self.rest, self.end) != (other.rest, other.end) {
            let end = ruler.at(self.shown.len());
            marks.push(mark(end, end, MarkKind::Changed));
        }
    }

    /// The same for a stretch in the middle of `whole`, which begins at this byte.
    fn mark_changed_in(&self, (whole, start): (&str, usize), other: &str, marks: &mut Vec<Mark>) {
        if whole.len().max(other.len()) > MOST_COMPARED {
            return;
        }
        let Some(changed) = words::differing(whole, other) else { return };
        let mut ruler = Ruler::along(self.shown);
        let end = start + self.shown.len();
        for range in changed {
            let (from, to) = (range.start.max(start), range.end.min(end));
            if from < to {
                marks.push(mark(ruler.at(from - start), ruler.at(to - start), MarkKind::Changed));
            }
        }
    }

    /// Suspicious characters. Adjacent ones of one kind make one stretch. Of those beyond the shown text, each kind
    /// is marked at its end.
    fn mark_characters(&self, marks: &mut Vec<Mark>) {
        let mut at = 0;
        let first = marks.len();
        for c in self.shown.chars() {
            let end = at + c.len_utf16() as u32;
            if let Some(kind) = characters::mark(c) {
                match marks[first..].last_mut() {
                    Some(last) if last.to == at && last.kind == kind => last.to = end,
                    _ => marks.push(mark(at, end, kind)),
                }
            }
            at = end;
        }
        let mut behind: Vec<MarkKind> = Vec::new();
        for kind in self.rest.chars().filter_map(characters::mark) {
            if !behind.contains(&kind) {
                behind.push(kind);
            }
        }
        marks.extend(behind.into_iter().map(|kind| mark(at, at, kind)));
    }

    fn mark_seams(&self, seams: &[usize], marks: &mut Vec<Mark>) {
        let mut ruler = Ruler::along(self.shown);
        let mut places: Vec<u32> = seams.iter().map(|&seam| ruler.at(seam)).collect();
        places.dedup();
        marks.extend(places.into_iter().map(|at| mark(at, at, MarkKind::Seam)));
    }
}

fn mark(from: u32, to: u32, kind: MarkKind) -> Mark {
    Mark { from, to, kind }
}

/// Counts UTF-16 units along a text, so that many places in it cost one walk.
struct Ruler<'a> {
    text: &'a str,
    passed: usize,
    units: u32,
}

impl<'a> Ruler<'a> {
    fn along(text: &'a str) -> Self {
        Self { text, passed: 0, units: 0 }
    }

    /// The place of this byte or of the character it is in; never before a place asked for earlier, nor past the end.
    fn at(&mut self, byte: usize) -> u32 {
        let to = self.text.floor_char_boundary(byte).max(self.passed);
        self.units += self.text[self.passed..to].chars().map(char::len_utf16).sum::<usize>() as u32;
        self.passed = to;
        self.units
    }
}
