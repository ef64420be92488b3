//! The buffer of one write session: it joins the model's messages into the content of the file (W3, W4).
//!
//! **The end (W3).** Content ends with a line that is exactly the end line. One `\r` may follow it, nothing else. It counts
//! only as the last non-blank line of a message. (A blank line has only spaces, tabs and carriage returns; lines end with
//! `\n`.) The end line and the blank lines after it are not content; everything before them is, to the byte.
//!
//! An end line that was cut in two counts, since lines are also read in the buffer. A message that is only `DONE` completes
//! a buffer that stops in the middle of a line, since lines are also read in their own message. When the buffer stops with
//! `DON` and the message is `DONE`, the model began the line again (see below): it is the end line.
//!
//! **Going on (W4).** When a later message repeats the end of the buffer, the repetition is dropped, by the rules in
//! `overlap`. Until that is decided, the beginning of the message is held back, at most 16 KiB of it. Each place where a
//! message goes on becomes a [`Seam`]. A message that adds nothing, such as a lone `DONE`, leaves none. When a message was cut
//! off behind its end line, and the next one is the end line alone, that is a repetition too.
//!
//! No byte is scanned twice, and text is neither copied nor moved. How a message is cut into pieces changes nothing.
//!
//! Deliberately not here: whether the content is good (`validate`), and when a message is asked for (the turn).

use orion_protocol::Seam;

use super::overlap::{self, Inside};
use crate::repeats;

/// After this many bytes a continuation is checked for repetition for the first time, and then each time that it has
/// doubled.
const FIRST_LOOK: usize = 64;

/// The line with which a model says that the content is complete (W3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndLine {
    /// `DONE`.
    Done,
    /// Strict mode: a line of this session's own, so that a file may end with `DONE`.
    Nonce(String),
}

impl EndLine {
    /// The line, without a line end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Done => "DONE",
            Self::Nonce(nonce) => nonce,
        }
    }

    fn is(&self, line: &[u8]) -> bool {
        let end = self.as_str().as_bytes();
        line.strip_prefix(end).is_some_and(|rest| matches!(rest, b"" | b"\r"))
    }

    /// Whether a line that is not over may still become it.
    fn may_be(&self, line: &[u8]) -> bool {
        self.as_str().as_bytes().starts_with(line) || self.is(line)
    }
}

/// What a message brought, once it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageEnd {
    /// It ended with the end line: the content is complete.
    Complete,
    /// It ended without the end line: more content, or the end line, is still to come.
    Open,
}

/// The content of one session, as far as it has come.
#[derive(Debug, Clone)]
pub struct Capture {
    end: EndLine,
    text: String,
    seams: Vec<Seam>,
    message: Message,
    /// Line ends in `text`.
    line_ends: u64,
    /// Where the last line of `text` begins.
    line: usize,
    /// Whether the last line is blank as far as it has come.
    blank: bool,
    /// Where the message's own first line begins, when that is in the middle of the last line of `text`.
    own_line: Option<usize>,
    /// Where an end line begins after which there are only blank lines.
    end_at: Option<usize>,
}

/// Where the message is that is under way.
#[derive(Debug, Clone)]
enum Message {
    None,
    /// Its beginning, held back until it is known what of it repeats.
    Held {
        start: String,
        next_look: usize,
    },
    /// It repeats what is inside the buffer; `start` is what was held back.
    Following {
        start: String,
        inside: Inside,
    },
    /// It goes to the buffer as it comes.
    Flowing,
}

impl Capture {
    #[must_use]
    pub fn new(end: EndLine) -> Self {
        Self {
            end,
            text: String::new(),
            seams: Vec::new(),
            message: Message::None,
            line_ends: 0,
            line: 0,
            blank: true,
            own_line: None,
            end_at: None,
        }
    }

    /// The line with which the content ends.
    #[must_use]
    pub fn end_line(&self) -> &str {
        self.end.as_str()
    }

    /// Takes the content out. Whatever comes afterwards is new content with the same end line.
    #[must_use]
    pub fn renew(&mut self) -> Self {
        let next = Self::new(self.end.clone());
        std::mem::replace(self, next)
    }

    /// A message begins. One that is still under way was cut off: what it brought stays.
    pub fn begin_message(&mut self) {
        self.settle(true);
        self.forget_idle_seams();
        self.message = if self.text.is_empty() {
            Message::Flowing
        } else {
            Message::Held { start: String::new(), next_look: FIRST_LOOK }
        };
    }

    /// A piece of the message, cut anywhere between two characters. If no message is open, one begins.
    pub fn push(&mut self, piece: &str) {
        match &mut self.message {
            Message::Flowing => self.flow(piece),
            Message::None => {
                self.begin_message();
                self.push(piece);
            }
            Message::Held { start, next_look } => {
                let fits = piece.floor_char_boundary(overlap::WINDOW - start.len());
                start.push_str(&piece[..fits]);
                if fits < piece.len() {
                    self.look_at_window();
                    self.push(&piece[fits..]);
                } else if start.len() >= *next_look {
                    *next_look = start.len() * 2;
                    if !overlap::is_open(&self.text, start) {
                        self.settle(false);
                    }
                }
            }
            Message::Following { inside, .. } => {
                let ahead = self.text.as_bytes()[inside.place.end..].iter().zip(piece.as_bytes());
                let same = piece.floor_char_boundary(ahead.take_while(|(old, new)| old == new).count());
                inside.place.end += same;
                if same < piece.len() {
                    self.settle(false);
                    self.flow(&piece[same..]);
                }
            }
        }
    }

    /// The message is over.
    pub fn end_message(&mut self) -> MessageEnd {
        self.settle(true);
        self.message = Message::None;
        let end = self.end_line_at();
        if let Some(end) = end {
            self.cut_to(end);
        }
        self.own_line = None;
        self.forget_idle_seams();
        if end.is_some() { MessageEnd::Complete } else { MessageEnd::Open }
    }

    /// The message was cut off: what it brought is content.
    pub fn break_off(&mut self) {
        self.settle(true);
        self.message = Message::None;
        self.forget_idle_seams();
    }

    /// Of a stretch of so many bytes that the text ends with over and over, the first one stays.
    pub fn fold(&mut self, stretch: usize) {
        self.cut_to(repeats::once(&self.text, stretch));
        self.own_line = None;
        let length = self.bytes();
        self.seams.retain(|seam| seam.offset < length);
    }

    /// Bytes of [`Self::text`] that may be shown: what may still turn out to be the end line is not among them. Never less
    /// than it was before.
    #[must_use]
    pub fn shown(&self) -> usize {
        let bytes = self.text.as_bytes();
        let may_be_end = |&from: &usize| self.end.may_be(&bytes[from..]);
        self.end_at
            .or_else(|| Some(self.line).filter(may_be_end))
            .or_else(|| self.own_line.filter(may_be_end))
            .unwrap_or(bytes.len())
    }

    /// The content so far. A message's beginning is not in it while it is held back; an end line is, until the message is over.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn into_text(mut self) -> String {
        // It grew by doubling.
        self.text.shrink_to_fit();
        self.text
    }

    /// Lines of [`Self::text`], a last one without a line end included.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.line_ends + u64::from(self.line < self.text.len())
    }

    /// Bytes of [`Self::text`].
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.text.len() as u64
    }

    /// Where later messages went on, in order.
    #[must_use]
    pub fn seams(&self) -> &[Seam] {
        &self.seams
    }

    /// The end of what may be shown, at most this many bytes; it begins at byte `shown() - tail.len()`.
    #[must_use]
    pub fn tail(&self, max_bytes: usize) -> &str {
        let shown = &self.text[..self.shown()];
        &shown[shown.ceil_char_boundary(shown.len().saturating_sub(max_bytes))..]
    }

    /// No more may be held back. From here on the rest of the message is compared as it comes, or the decision is
    /// made now.
    fn look_at_window(&mut self) {
        let Message::Held { start, .. } = &mut self.message else { return };
        match overlap::inside(&self.text, start) {
            Some(inside) => self.message = Message::Following { start: std::mem::take(start), inside },
            None => self.settle(false),
        }
    }

    /// Decides what of the message is repeated: it is over, or it goes on with something else.
    fn settle(&mut self, over: bool) {
        match std::mem::replace(&mut self.message, Message::Flowing) {
            Message::None | Message::Flowing => {}
            // It adds nothing, and leaves the end line where it is.
            Message::Held { start, .. }
                if over && self.is_end_alone(&start) && self.end_line_at().is_some() => {}
            Message::Held { start, .. } => {
                let again = over && !self.closes(&start) && overlap::is_begun_again(&self.text, &start);
                let dropped = if again { start.len() } else { overlap::repeated(&self.text, &start) };
                self.go_on(dropped);
                self.flow(&start[dropped..]);
            }
            Message::Following { start, inside: Inside { lead, place } } => {
                let again = over && place.start == 0 && !self.closes(&self.text[place.clone()]);
                if again || place.end == self.text.len() {
                    self.go_on(lead + place.len());
                } else {
                    let rest = self.text[place.start + start.len() - lead..place.end].to_owned();
                    let dropped = overlap::repeated(&self.text, &start);
                    self.go_on(dropped);
                    self.flow(&start[dropped..]);
                    self.flow(&rest);
                }
            }
        }
    }

    /// A message that brought nothing and repeated nothing leaves no seam, nor does one that only completed the end line.
    fn forget_idle_seams(&mut self) {
        let length = self.bytes();
        self.seams.retain(|seam| seam.offset < length || seam.offset == length && seam.dropped > 0);
    }

    /// The message goes on at the end of the text.
    fn go_on(&mut self, dropped: usize) {
        let line = u32::try_from(self.line_ends + 1).unwrap_or(u32::MAX);
        self.seams.push(Seam { offset: self.bytes(), line, dropped: dropped as u64 });
        self.own_line = (dropped == 0).then_some(self.text.len());
    }

    fn flow(&mut self, piece: &str) {
        let start = self.text.len();
        self.text.push_str(piece);
        let bytes = piece.as_bytes();
        let mut seen = 0;
        for at in memchr::memchr_iter(b'\n', bytes) {
            self.lengthen_line(&bytes[seen..at]);
            self.close_line(start + at);
            seen = at + 1;
        }
        self.lengthen_line(&bytes[seen..]);
    }

    fn lengthen_line(&mut self, part: &[u8]) {
        if self.blank && !is_blank(part) {
            self.blank = false;
            self.end_at = None;
        }
    }

    fn close_line(&mut self, end: usize) {
        if !self.blank {
            self.end_at = self.end_line_until(end);
        }
        self.line_ends += 1;
        self.line = end + 1;
        self.blank = true;
        self.own_line = None;
    }

    /// Where the end line begins that the text ends with, but for blank lines.
    fn end_line_at(&self) -> Option<usize> {
        if self.blank { self.end_at } else { self.end_line_until(self.text.len()) }
    }

    /// Whether a message is the end line, with nothing but blank lines after it.
    fn is_end_alone(&self, message: &str) -> bool {
        let mut lines = message.as_bytes().split(|&byte| byte == b'\n');
        lines.next().is_some_and(|line| self.end.is(line)) && lines.all(is_blank)
    }

    /// Where the end line begins that the last line up to `end` is (W3); none when it is content.
    fn end_line_until(&self, end: usize) -> Option<usize> {
        let is_end = |from: &usize| self.end.is(&self.text.as_bytes()[*from..end]);
        Some(self.line).filter(is_end).or_else(|| self.own_line.filter(is_end))
    }

    /// Whether the last line of a message that is not blank is the end line.
    fn closes(&self, message: &str) -> bool {
        let mut lines = message.as_bytes().rsplit(|&byte| byte == b'\n');
        lines.find(|line| !is_blank(line)).is_some_and(|line| self.end.is(line))
    }

    /// Takes away what is after `end`, such as the end line that begins there.
    fn cut_to(&mut self, end: usize) {
        let bytes = self.text.as_bytes();
        self.line_ends -= memchr::memchr_iter(b'\n', &bytes[end..]).count() as u64;
        self.line = memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |at| at + 1);
        self.blank = is_blank(&bytes[self.line..end]);
        self.end_at = None;
        self.text.truncate(end);
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}
