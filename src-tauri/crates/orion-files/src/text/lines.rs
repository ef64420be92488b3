//! Lines of a text file of any size.

use std::io::{self, Read};

use orion_core::lines::Ending;

use super::{Coding, Decoded};

/// One line, or as much of it as was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Without its line end.
    pub text: String,
    /// Bytes of the line, decoded, that are not in `text`: before its first and after its last character.
    pub missing: usize,
}

/// Lines of a text of any size, decoded. Memory does not depend on the length of file or line.
#[derive(Debug)]
pub struct Lines<R> {
    source: Decoded<R>,
    text: String,
    at: usize,
    /// Bytes of the source before the one of this place in the text, where they follow from it.
    passed: Option<u64>,
    counted: usize,
}

impl<R: Read> Lines<R> {
    /// `source` must be past the byte order mark.
    pub fn new(source: R, coding: Coding) -> Self {
        Self::over(Decoded::new(source, coding))
    }

    /// Those from a [`Place`](crate::workspace::Place) on: `source` begins there.
    pub fn from_place(source: R, coding: Coding, ending: Ending, is_settled: bool) -> Self {
        Self::over(Decoded::behind(source, coding, ending, is_settled))
    }

    fn over(source: Decoded<R>) -> Self {
        Self { source, text: String::new(), at: 0, passed: Some(0), counted: 0 }
    }

    /// The bytes of the source before the next line. None where they do not follow from the text, or would be needed to go on from there.
    pub fn offset(&mut self) -> Option<u64> {
        self.count(self.at);
        self.passed.filter(|_| self.source.is_exact())
    }

    /// Counts the bytes of the source up to this place in the text.
    fn count(&mut self, to: usize) {
        let bytes = self.source.bytes_of(&self.text[self.counted..to]);
        self.passed = self.passed.zip(bytes).map(|(passed, bytes)| passed + bytes);
        self.counted = to;
    }

    /// What is known of the text after what was read of it.
    pub fn source(&self) -> &Decoded<R> {
        &self.source
    }

    /// The next line: after its first `skip` characters, at most `keep` bytes. None at the end.
    pub fn next(&mut self, mut skip: usize, keep: usize) -> io::Result<Option<Line>> {
        let mut line = Line::default();
        let mut any = false;
        loop {
            if self.at == self.text.len() && !self.refill()? {
                return Ok(any.then_some(line));
            }
            any = true;
            let rest = &self.text[self.at..];
            let (part, end) = match rest.find('\n') {
                Some(end) => (&rest[..end], true),
                None => (rest, false),
            };
            let mut wanted = part;
            while skip > 0 {
                let Some(c) = wanted.chars().next() else { break };
                wanted = &wanted[c.len_utf8()..];
                line.missing += c.len_utf8();
                skip -= 1;
            }
            let room = if line.text.len() < keep { keep - line.text.len() } else { 0 };
            let kept =
                if wanted.len() <= room { wanted } else { &wanted[..wanted.floor_char_boundary(room)] };
            line.text.push_str(kept);
            line.missing += wanted.len() - kept.len();
            // After a character that did not fit, nothing more of the line is taken, even if a shorter character
            // would still fit.
            let keep_full = kept.len() < wanted.len();
            self.at += part.len() + usize::from(end);
            if end {
                if line.text.ends_with('\r') {
                    line.text.pop();
                }
                return Ok(Some(line));
            }
            if keep_full {
                return self.skip_rest(line).map(Some);
            }
        }
    }

    /// Passes over at most this many lines, which is 1 or more: over those at hand, at least one. Returns how many; 0 at the end.
    pub fn pass(&mut self, most: u64) -> io::Result<u64> {
        let most = usize::try_from(most.max(1)).unwrap_or(usize::MAX);
        let mut any = false;
        loop {
            if self.at == self.text.len() && !self.refill()? {
                return Ok(u64::from(any));
            }
            let rest = &self.text.as_bytes()[self.at..];
            let ends = memchr::memchr_iter(b'\n', rest).take(most);
            match ends.fold((0, None), |(passed, _), end| (passed + 1, Some(end))) {
                (passed, Some(end)) => {
                    self.at += end + 1;
                    return Ok(passed);
                }
                (_, None) => {
                    any = true;
                    self.at = self.text.len();
                }
            }
        }
    }

    /// Counts what is left of a line.
    fn skip_rest(&mut self, mut line: Line) -> io::Result<Line> {
        loop {
            if self.at == self.text.len() && !self.refill()? {
                return Ok(line);
            }
            let rest = &self.text[self.at..];
            match rest.find('\n') {
                Some(end) => {
                    line.missing += end;
                    self.at += end + 1;
                    return Ok(line);
                }
                None => {
                    line.missing += rest.len();
                    self.at = self.text.len();
                }
            }
        }
    }

    /// Decodes the next block; false at the end of the text.
    fn refill(&mut self) -> io::Result<bool> {
        self.count(self.text.len());
        self.text.clear();
        (self.at, self.counted) = (0, 0);
        self.source.more(&mut self.text)
    }
}
