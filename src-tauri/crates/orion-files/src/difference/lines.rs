//! Finds the lines of a text without keeping a number for each of them.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use orion_core::lines::Ending;

/// Only the positions of every few lines are kept, so 50 MB of line ends cost 25 MB.
const STRIDE: usize = 16;

/// A text and where its lines begin. Lines count from 0 and include their end.
pub(super) struct Lines {
    text: Arc<str>,
    ending: Ending,
    /// Where every [`STRIDE`]th line begins.
    marks: Vec<usize>,
    count: usize,
}

impl Lines {
    pub(super) fn of(text: Arc<str>) -> Self {
        let ending = Ending::of(&text);
        let (mut marks, mut count, mut at) = (Vec::new(), 0, 0);
        for line in ending.split(&text) {
            if count % STRIDE == 0 {
                marks.push(at);
            }
            count += 1;
            at += line.len();
        }
        Self { text, ending, marks, count }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What ends the lines.
    pub(super) fn ending(&self) -> Ending {
        self.ending
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Where a line begins, in bytes; the end of the text for one past the last.
    pub(super) fn start(&self, line: usize) -> usize {
        let Some(&mark) = self.marks.get(line / STRIDE) else { return self.text.len() };
        let passed = self.ending.split(&self.text[mark..]).take(line % STRIDE).map(str::len);
        mark + passed.sum::<usize>()
    }

    /// The line that begins at this place, in bytes.
    pub(super) fn at(&self, start: usize) -> usize {
        let Some(stride) = self.marks.partition_point(|&mark| mark <= start).checked_sub(1) else { return 0 };
        stride * STRIDE + self.ending.split(&self.text[self.marks[stride]..start]).count()
    }

    /// These lines as they are in the text.
    pub(super) fn slice(&self, lines: Range<usize>) -> &str {
        let start = self.start(lines.start);
        if lines.is_empty() { "" } else { &self.text[start..self.start(lines.end)] }
    }

    /// These lines one by one, each with where it begins.
    pub(super) fn each(&self, lines: Range<usize>) -> impl Iterator<Item = (usize, &str)> {
        let mut at = self.start(lines.start);
        self.ending.split(&self.text[at..]).take(lines.len()).map(move |line| {
            let start = at;
            at += line.len();
            (start, line)
        })
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").field("count", &self.count).field("bytes", &self.text.len()).finish()
    }
}
