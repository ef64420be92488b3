//! Markdown on a terminal while it streams.
//!
//! A line is printed as it comes, word by word, and nothing is printed twice. Held back are the beginning of a line until its kind is clear,
//! a word until its marks are closed, and a table until its last row. All of these are bounded, so a chunk costs the
//! same wherever in an answer it comes. Deliberately not here: making text safe to print (`printed`).

mod inline;
mod start;
mod table;
mod wrap;

use anstyle::{AnsiColor, Style};

use crate::printed::Printed;
use inline::Open;
use start::{Fence, Start};
use wrap::{Wrap, is_wide};

/// Bytes that wait for the end of a mark, such as the second `**`. Longer texts between marks are printed with them.
const MOST_HELD: usize = 1_024;
/// Bytes of a table. The rows of a larger one are printed as they are.
const MOST_TABLE: usize = 65_536;

const CODE: Style = AnsiColor::Cyan.on_default();
const FAINT: Style = Style::new().dimmed();
const HEADING: Style = Style::new().bold();

/// What the line at hand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Not clear yet.
    Begins,
    Prose(Style),
    /// Of a code block: printed as it is.
    Code,
    /// Of a table, or printed once it is whole.
    Whole,
}

/// An answer on its way to the terminal.
#[derive(Debug)]
pub(crate) struct Markdown {
    wrap: Wrap,
    line: Line,
    /// What of the line is not printed yet.
    held: String,
    /// What is open in it.
    open: Open,
    fence: Option<Fence>,
    /// Rows of a table so far.
    table: Vec<String>,
    table_bytes: usize,
}

impl Markdown {
    pub(crate) fn new() -> Self {
        Self {
            wrap: Wrap::default(),
            line: Line::Begins,
            held: String::new(),
            open: Open::default(),
            fence: None,
            table: Vec::new(),
            table_bytes: 0,
        }
    }

    /// What is to be printed of this text and of what was held back before it, on a terminal of so many columns.
    pub(crate) fn push(&mut self, text: &str, columns: usize) -> Printed {
        self.wrap.resize(columns);
        for part in text.split_inclusive('\n') {
            let ends = part.ends_with('\n');
            self.held.push_str(part.trim_end_matches('\n'));
            if ends && self.held.ends_with('\r') {
                self.held.pop();
            }
            self.go_on(ends);
            if ends {
                self.end_line();
            }
        }
        self.wrap.take()
    }

    /// What is still held back, to the end of its line. The next text begins anew.
    pub(crate) fn end(&mut self) -> Printed {
        if !self.held.is_empty() || self.line != Line::Begins {
            self.go_on(true);
            self.end_line();
        }
        self.end_table();
        self.fence = None;
        self.wrap.take()
    }

    /// The end of the line that the cursor is in. The text goes on below.
    pub(crate) fn break_line(&mut self) -> Printed {
        self.wrap.break_line();
        self.wrap.take()
    }

    /// Whether the cursor is in the middle of a line.
    pub(crate) fn is_in_line(&self) -> bool {
        self.wrap.is_in_line()
    }

    /// The line has grown; `ends`: it grows no more.
    fn go_on(&mut self, ends: bool) {
        if self.line == Line::Begins {
            self.begin(ends);
        }
        match self.line {
            Line::Begins | Line::Whole => {}
            Line::Code => {
                let code = std::mem::take(&mut self.held);
                self.wrap.verbatim(&code, CODE);
            }
            Line::Prose(style) => self.flow(style, ends),
        }
    }

    /// Finds out what the line is, if that is clear by now.
    fn begin(&mut self, ends: bool) {
        if let Some(fence) = &self.fence {
            if !fence.may_close(&self.held) {
                self.line = Line::Code;
            } else if ends {
                if fence.closes(&self.held) {
                    self.wrap.verbatim(&std::mem::take(&mut self.held), FAINT);
                    self.fence = None;
                    self.line = Line::Whole;
                } else {
                    self.line = Line::Code;
                }
            }
            return;
        }
        let Some(start) = Start::of(&self.held, ends) else { return };
        if start != Start::Row {
            self.end_table();
        }
        let length = start.length(&self.held);
        let mark: String = self.held.drain(..length).collect();
        self.line = match start {
            Start::Blank | Start::Row => Line::Whole,
            Start::Rule => {
                self.wrap.rule(FAINT);
                Line::Whole
            }
            Start::Fence(_) if !ends => {
                // Its line may have a language.
                self.held.insert_str(0, &mark);
                return;
            }
            Start::Fence(fence) => {
                let line = mark + &std::mem::take(&mut self.held);
                self.wrap.verbatim(&line, FAINT);
                self.fence = Some(fence);
                Line::Whole
            }
            Start::Heading(_) => Line::Prose(HEADING),
            Start::Item { .. } | Start::Quote { .. } | Start::Prose { .. } => {
                self.wrap.lead(&start.lead(&mark), FAINT);
                Line::Prose(Style::new())
            }
        };
        self.open = Open::default();
    }

    /// Prints the words that are whole.
    fn flow(&mut self, style: Style, ends: bool) {
        let mut whole = 0;
        if ends {
            whole = self.held.len();
        } else {
            for c in self.held.get(self.open.seen()..).unwrap_or_default().chars() {
                self.open.see(c);
                let is_end = c.is_whitespace() || is_wide(c);
                if is_end && self.open.nothing() {
                    whole = self.open.seen();
                }
            }
            if whole == 0 && self.held.len() > MOST_HELD {
                whole = self.held.len();
            }
        }
        if whole > 0 {
            let words: String = self.held.drain(..whole).collect();
            for (text, of) in inline::spans(&words, style) {
                self.wrap.put(&text, of);
            }
            self.wrap.place();
            self.open = self.open.after(whole);
        }
    }

    fn end_line(&mut self) {
        match self.line {
            Line::Whole if !self.held.is_empty() => {
                let row = std::mem::take(&mut self.held);
                self.table_bytes += row.len();
                self.table.push(row);
                if self.table_bytes > MOST_TABLE {
                    self.end_table();
                }
            }
            _ => self.wrap.end_line(),
        }
        self.line = Line::Begins;
    }

    /// Prints the table that has ended.
    fn end_table(&mut self) {
        let rows = std::mem::take(&mut self.table);
        self.table_bytes = 0;
        for row in table::aligned(&rows, self.wrap.columns()) {
            for (text, style) in row {
                self.wrap.verbatim(&text, style);
            }
            self.wrap.end_line();
        }
    }
}

#[cfg(test)]
mod tests;
