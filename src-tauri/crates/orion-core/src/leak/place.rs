//! A place in Markdown that streams in: in a fence, in inline code, at the beginning of a line.
//!
//! An approximation in a few bytes, which errs on the side of a quotation: blocks in it are shown and do not run.

/// The place after all that was taken in so far.
#[derive(Debug, Clone, Default)]
pub(super) struct InText {
    fence: Option<Fence>,
    line: Line,
    /// The number of backticks that opened inline code in this line; 0 outside of it.
    code: u8,
    /// Backticks that came last.
    ticks: u8,
    last: Option<char>,
}

/// An open fence: its character and how many of them opened it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    of: char,
    count: u8,
}

/// The part of the present line that has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Line {
    /// White space and whole tags.
    #[default]
    Begins,
    /// A tag at its beginning that is not closed yet.
    Tag {
        length: u8,
    },
    /// Characters of a fence, and what follows them.
    Marker {
        fence: Fence,
        blank: bool,
    },
    Text,
}

/// The longest tag at the beginning of a line that is passed over. `</｜DSML｜function_calls>` has 24 characters.
const TAG: u8 = 40;

impl InText {
    /// Takes in the text that comes next.
    pub(super) fn advance(&mut self, text: &str) {
        text.chars().for_each(|character| self.step(character));
    }

    /// Markup that begins here is at the beginning of a line, but for other tags, and is not quoted.
    pub(super) fn begins_line(&self) -> bool {
        self.fence.is_none() && self.line == Line::Begins
    }

    /// A control token here is not quoted.
    pub(super) fn is_plain(&self) -> bool {
        let in_code = self.code != 0 || self.ticks != 0 || matches!(self.line, Line::Marker { .. });
        let quoted = self.last.is_some_and(|last| matches!(last, '"' | '\'' | '`' | '“' | '‘' | '«'));
        self.fence.is_none() && !in_code && !quoted
    }

    fn step(&mut self, character: char) {
        self.last = Some(character);
        if character == '\n' {
            return self.end_line();
        }
        self.line = match (self.line, character) {
            (Line::Begins, '`' | '~') => {
                Line::Marker { fence: Fence { of: character, count: 1 }, blank: true }
            }
            (Line::Begins, '<' | '[' | ']') => Line::Tag { length: 1 },
            (Line::Begins, character) if character.is_whitespace() => Line::Begins,
            (Line::Tag { .. }, '>') => Line::Begins,
            (Line::Tag { length }, character) if length < TAG && !character.is_whitespace() => {
                Line::Tag { length: length + 1 }
            }
            (Line::Marker { fence, blank: true }, character) if character == fence.of => {
                Line::Marker { fence: Fence { count: fence.count.saturating_add(1), ..fence }, blank: true }
            }
            (Line::Marker { fence, blank }, character) if fence.count >= 3 => {
                // A backtick after the info of a fence of backticks makes it inline code.
                match character == '`' && fence.of == '`' {
                    true => Line::Text,
                    false => Line::Marker { fence, blank: blank && character.is_whitespace() },
                }
            }
            _ => Line::Text,
        };
        match character {
            '`' => self.ticks = self.ticks.saturating_add(1),
            _ => self.end_ticks(),
        }
    }

    fn end_ticks(&mut self) {
        match std::mem::take(&mut self.ticks) {
            0 => {}
            ticks if self.code == 0 => self.code = ticks,
            ticks if self.code == ticks => self.code = 0,
            _ => {}
        }
    }

    fn end_line(&mut self) {
        if let Line::Marker { fence: Fence { of, count: 3.. }, blank } = self.line
            && let Line::Marker { fence, .. } = self.line
        {
            match self.fence {
                None => self.fence = Some(fence),
                Some(open) if open.of == of && fence.count >= open.count && blank => self.fence = None,
                Some(_) => {}
            }
        }
        self.line = Line::Begins;
        // A backtick without another one is no code.
        (self.code, self.ticks) = (0, 0);
    }
}
