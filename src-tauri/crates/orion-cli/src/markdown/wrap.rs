//! Words in lines that are no wider than the terminal.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::printed::Printed;

/// Columns of a terminal that does not say how many it has.
const COLUMNS: usize = 80;
/// Columns that a line has at least for text, however far it is indented.
const LEAST: usize = 16;
/// Columns of a line across.
const RULE: usize = 40;

/// A character of a script that writes without spaces.
pub(super) fn is_wide(c: char) -> bool {
    c.width() == Some(2)
}

/// Puts words where they have room.
#[derive(Debug)]
pub(super) struct Wrap {
    columns: usize,
    /// Where the cursor is.
    column: usize,
    /// What a further line of the same text begins with, and in which style.
    hang: (String, Style),
    /// Spaces before the next word.
    spaces: usize,
    /// The next word, in parts of one style each.
    word: Vec<(String, Style)>,
    out: Printed,
}

impl Default for Wrap {
    fn default() -> Self {
        Self {
            columns: COLUMNS,
            column: 0,
            hang: (String::new(), Style::new()),
            spaces: 0,
            word: Vec::new(),
            out: Printed::default(),
        }
    }
}

impl Wrap {
    pub(super) fn resize(&mut self, columns: usize) {
        self.columns = if columns == 0 { COLUMNS } else { columns };
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn is_in_line(&self) -> bool {
        self.column > 0
    }

    pub(super) fn take(&mut self) -> Printed {
        std::mem::take(&mut self.out)
    }

    /// Begins a line with this, and what it is wrapped into with that.
    pub(super) fn lead(&mut self, (first, further): &(String, String), style: Style) {
        let room = self.columns.saturating_sub(LEAST);
        let further = if further.width() > room { String::new() } else { further.clone() };
        self.hang = (further, style);
        self.print(first, style);
    }

    /// Text in which spaces part words.
    pub(super) fn put(&mut self, text: &str, style: Style) {
        for part in text.split_inclusive(char::is_whitespace) {
            let word = part.trim_end_matches(char::is_whitespace);
            // A line may end after each wide character.
            for piece in word.split_inclusive(is_wide) {
                self.word.push((piece.to_owned(), style));
                if piece.ends_with(is_wide) {
                    self.place();
                }
            }
            if word.len() < part.len() {
                self.place();
                self.spaces += 1;
            }
        }
    }

    /// Prints the word that has been put, in this line or the next.
    pub(super) fn place(&mut self) {
        let word = std::mem::take(&mut self.word);
        let width: usize = word.iter().map(|(text, _)| text.width()).sum();
        if width == 0 {
            return;
        }
        let spaces = std::mem::take(&mut self.spaces);
        let begun = self.column > self.hang.0.width();
        if self.column + spaces + width > self.columns && begun {
            self.go_on_below();
        } else {
            self.print(&" ".repeat(spaces), Style::new());
        }
        for (text, style) in word {
            if self.column + text.width() <= self.columns {
                self.print(&text, style);
            } else {
                self.split(&text, style);
            }
        }
    }

    /// A word that is wider than a line.
    fn split(&mut self, text: &str, style: Style) {
        let mut part = String::new();
        let mut width = 0;
        for c in text.chars() {
            let of = c.width().unwrap_or(0);
            if self.column + width + of > self.columns && self.column + width > 0 {
                self.print(&part, style);
                self.go_on_below();
                part.clear();
                width = 0;
            }
            part.push(c);
            width += of;
        }
        self.print(&part, style);
    }

    fn go_on_below(&mut self) {
        self.out.end_lines(1);
        self.column = 0;
        let (hang, style) = self.hang.clone();
        self.print(&hang, style);
    }

    /// Text as it is, which the terminal breaks where it has to.
    pub(super) fn verbatim(&mut self, text: &str, style: Style) {
        self.print(text, style);
    }

    pub(super) fn rule(&mut self, style: Style) {
        self.print(&"─".repeat(RULE.min(self.columns)), style);
    }

    pub(super) fn end_line(&mut self) {
        self.place();
        self.out.end_lines(1);
        (self.column, self.spaces) = (0, 0);
        self.hang = (String::new(), Style::new());
    }

    /// Ends the line, and nothing else of the text.
    pub(super) fn break_line(&mut self) {
        if self.column > 0 {
            self.out.end_lines(1);
            (self.column, self.spaces) = (0, 0);
        }
    }

    fn print(&mut self, text: &str, style: Style) {
        if !text.is_empty() {
            self.column += text.width();
            self.out.push(&Printed::styled(text, style));
        }
    }
}
