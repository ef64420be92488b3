//! The output of a command on its way to the view while it runs: text in batches of 50 ms, without escape sequences.
//!
//! Deliberately not here: how much of it a view takes (the line to the person), and keeping it ([`super::kept`]).

use std::time::{Duration, Instant};

use vte::{Parser, Perform};

/// Bytes of text that are gathered at most: a view takes no more at once.
const MOST: usize = 32 * 1024;

/// Takes what a person is shown of the output.
pub(crate) type Show = Box<dyn FnMut(&str) + Send>;

/// A command's output on its way to the view.
pub(super) struct Live {
    to: Show,
    parser: Parser,
    text: Gathered,
    since: Instant,
}

#[derive(Debug, Default)]
struct Gathered(String);

impl Live {
    /// The time in which output is gathered.
    pub(super) const BATCH: Duration = Duration::from_millis(50);

    pub(super) fn to(to: Show) -> Self {
        Self { to, parser: Parser::new(), text: Gathered::default(), since: Instant::now() }
    }

    /// The next piece. It is shown at once where the last batch is long enough ago.
    pub(super) fn push(&mut self, piece: &[u8]) {
        let parts = piece.chunks(MOST).flat_map(|part| part.split_inclusive(|byte| *byte == b'\n'));
        for part in parts {
            self.parser.advance(&mut self.text, part.strip_suffix(b"\n").unwrap_or(part));
            if part.ends_with(b"\n") {
                // No escape sequence goes on after the end of its line.
                self.parser = Parser::new();
                self.text.execute(b'\n');
            }
            if self.since.elapsed() >= Self::BATCH || self.text.0.len() >= MOST {
                self.show();
            }
        }
    }

    /// Shows what was gathered for long enough. A caller does so now and then, since a command may write nothing more.
    pub(super) fn show_late(&mut self) {
        if !self.text.0.is_empty() && self.since.elapsed() >= Self::BATCH {
            self.show();
        }
    }

    /// Shows all that is gathered, at the end.
    pub(super) fn show(&mut self) {
        if !self.text.0.is_empty() {
            (self.to)(&self.text.0);
            self.text.0.clear();
        }
        self.since = Instant::now();
    }
}

impl Perform for Gathered {
    fn print(&mut self, letter: char) {
        self.0.push(letter);
    }

    fn execute(&mut self, byte: u8) {
        // A view draws over the line at `\r`, as a terminal does.
        if let b'\n' | b'\r' | b'\t' = byte {
            self.0.push(char::from(byte));
        }
    }
}
