//! A place in Markdown that streams in: in a fence, in inline code, at the beginning of a line.
//!
//! An approximation in a few bytes, which errs on the side of a quotation: blocks in it are shown and do not run.

/// The place after all that was taken in so far.
///
/// It is worked out when something asks for it, which few texts do: until then what comes is only kept.
#[derive(Debug, Clone, Default)]
pub(super) struct InText {
    /// The text that came since it was worked out.
    unread: String,
    fence: Option<Fence>,
    line: Line,
    /// The number of backticks that opened inline code in this line; 0 outside of it.
    code: u8,
    /// Backticks that came last.
    ticks: u8,
    /// The number of quotes `"` in this paragraph is odd: a text is quoted.
    in_quotes: bool,
    /// Quotes that came last, and whether three of them opened a text that goes on through paragraphs.
    quotes: u8,
    in_long_quotes: bool,
    /// The present line has something else than white space.
    has_text: bool,
    last: Option<char>,
}

/// An open fence: its character and how many of them opened it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    of: char,
    count: u8,
}

/// The part of the present line that has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// White space of so many columns, and whole tags.
    Begins {
        indent: u8,
    },
    /// A tag at its beginning that is not closed yet.
    Tag {
        length: u8,
    },
    /// Characters of a fence, and what follows them.
    Marker {
        fence: Fence,
        blank: bool,
    },
    /// It is indented as code is.
    Code,
    Text,
}

impl Default for Line {
    fn default() -> Self {
        Self::Begins { indent: 0 }
    }
}

/// Columns by which a line is indented that is code in Markdown.
const CODE: u8 = 4;

/// The longest tag at the beginning of a line that is passed over. `</｜DSML｜function_calls>` has 24 characters.
const TAG: u8 = 40;

/// A beginning with this character may stand behind the last one: a word is not one in the middle of another.
pub(super) fn may_begin(last: Option<char>, first: char) -> bool {
    !first.is_alphanumeric() || last.is_none_or(|last| !last.is_alphanumeric())
}

impl InText {
    /// Takes in the text that comes next.
    pub(super) fn advance(&mut self, text: &str) {
        self.unread.push_str(text);
    }

    fn catch_up(&mut self) {
        let unread = std::mem::take(&mut self.unread);
        unread.chars().for_each(|character| self.step(character));
    }

    /// Markup that begins here is at the beginning of a line, but for other tags, and is not quoted.
    pub(super) fn begins_line(&mut self) -> bool {
        self.catch_up();
        self.is_said() && matches!(self.line, Line::Begins { indent: 0..CODE })
    }

    /// A tag here follows the end of a sentence without a space, and is not quoted.
    pub(super) fn ends_sentence(&mut self) -> bool {
        self.is_plain() && self.last.is_some_and(|last| ".!?:…。！？：".contains(last))
    }

    /// The character before this place.
    pub(super) fn last(&self) -> Option<char> {
        self.unread.chars().next_back().or(self.last)
    }

    /// A control token here is not quoted.
    pub(super) fn is_plain(&mut self) -> bool {
        self.catch_up();
        let in_code = self.code != 0 || self.ticks != 0 || matches!(self.line, Line::Marker { .. });
        let is_code = matches!(self.line, Line::Code | Line::Begins { indent: CODE.. });
        let quoted = self.last.is_some_and(|last| matches!(last, '"' | '\'' | '`' | '“' | '‘' | '«'));
        self.is_said() && !in_code && !is_code && !quoted
    }

    fn is_said(&self) -> bool {
        self.fence.is_none() && !self.in_quotes && !self.in_long_quotes
    }

    fn step(&mut self, character: char) {
        self.last = Some(character);
        if character == '\n' {
            return self.end_line();
        }
        self.has_text |= !character.is_whitespace();
        self.count_quotes(character);
        self.line = match (self.line, character) {
            (Line::Begins { .. }, '`' | '~') => {
                Line::Marker { fence: Fence { of: character, count: 1 }, blank: true }
            }
            (Line::Begins { indent: 0..CODE }, '<' | '[' | ']') => Line::Tag { length: 1 },
            (Line::Begins { indent }, '\t') => Line::Begins { indent: indent.saturating_add(CODE) },
            (Line::Begins { indent }, character) if character.is_whitespace() => {
                Line::Begins { indent: indent.saturating_add(1) }
            }
            (Line::Tag { .. }, '>') => Line::default(),
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
            (Line::Code | Line::Begins { indent: CODE.. }, _) => Line::Code,
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

    fn count_quotes(&mut self, character: char) {
        if character != '"' {
            self.quotes = 0;
            return;
        }
        self.in_quotes ^= true;
        self.quotes += 1;
        if self.quotes == 3 {
            self.in_long_quotes ^= true;
            self.quotes = 0;
        }
    }

    fn end_line(&mut self) {
        // An empty line ends a paragraph, and with it what a quote lacks.
        self.in_quotes &= std::mem::take(&mut self.has_text);
        self.quotes = 0;
        if let Line::Marker { fence: Fence { of, count: 3.. }, blank } = self.line
            && let Line::Marker { fence, .. } = self.line
        {
            match self.fence {
                None => self.fence = Some(fence),
                Some(open) if open.of == of && fence.count >= open.count && blank => self.fence = None,
                Some(_) => {}
            }
        }
        self.line = Line::default();
        // A backtick without another one is no code.
        (self.code, self.ticks) = (0, 0);
    }
}
