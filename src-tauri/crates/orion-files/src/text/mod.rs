//! Tells text from binary, finds the encoding of a text, and reads it line by line without holding the file.

use std::fmt;
use std::io::{self, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::workspace::Budget;

/// How much of a file decides what it is, in bytes.
pub const SAMPLE: usize = 64 * 1024;

/// What the beginning of a file shows it to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Text(Coding),
    /// With its media type where its first bytes tell.
    Binary(Option<&'static str>),
}

/// How text is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coding {
    pub encoding: &'static Encoding,
    /// Bytes of the byte order mark.
    pub mark: usize,
    pub guessed: bool,
}

impl Coding {
    fn sure(encoding: &'static Encoding, mark: usize) -> Self {
        Self { encoding, mark, guessed: false }
    }

    /// As the model is told: `UTF-8`, `UTF-16LE with BOM`, `windows-1252 (guessed)`.
    pub fn describe(&self) -> String {
        let mark = if self.mark > 0 { " with BOM" } else { "" };
        let guessed = if self.guessed { " (guessed)" } else { "" };
        format!("{}{mark}{guessed}", self.encoding.name())
    }

    pub fn is_plain(&self) -> bool {
        self.encoding == UTF_8 && self.mark == 0
    }
}

/// Decides by the first bytes of a file; `whole` when they are all of it.
pub fn sniff(sample: &[u8], whole: bool) -> Content {
    if let Some((encoding, mark)) = Encoding::for_bom(sample) {
        return Content::Text(Coding::sure(encoding, mark));
    }
    if sample.contains(&0) {
        return wide(sample).map_or_else(|| binary(sample), Content::Text);
    }
    match std::str::from_utf8(sample) {
        Ok(_) => return Content::Text(Coding::sure(UTF_8, 0)),
        // Cut in the middle of a character.
        Err(fault) if fault.error_len().is_none() && !whole => return Content::Text(Coding::sure(UTF_8, 0)),
        Err(_) => {}
    }
    let controls =
        sample.iter().filter(|&&byte| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c)).count();
    if infer::get(sample).is_some() || controls * 20 > sample.len() {
        return binary(sample);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, whole);
    Content::Text(Coding { encoding: detector.guess(None, Utf8Detection::Deny), mark: 0, guessed: true })
}

fn binary(sample: &[u8]) -> Content {
    Content::Binary(infer::get(sample).map(|kind| kind.mime_type()))
}

/// UTF-16 without a mark: mostly Latin text, so every other byte is zero and the rest are not.
fn wide(sample: &[u8]) -> Option<Coding> {
    let pairs = sample.len() / 2;
    let zeros = |odd: usize| sample.chunks_exact(2).filter(|pair| pair[odd] == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let encoding = match () {
        () if even == 0 && odd * 2 > pairs => UTF_16LE,
        () if odd == 0 && even * 2 > pairs => UTF_16BE,
        () => return None,
    };
    Some(Coding { encoding, mark: 0, guessed: true })
}

/// A reader that ends when its budget is spent.
#[derive(Debug)]
pub struct Polled<'a, R> {
    pub inner: R,
    pub budget: &'a Budget,
}

impl<R: Read> Read for Polled<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.budget.spent() {
            Some(_) => Err(io::Error::other("budget spent")),
            None => self.inner.read(buffer),
        }
    }
}

/// One line, or as much of it as was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Without its line end.
    pub text: String,
    /// Bytes of the line, decoded, that are not in `text`: before its first and after its last character.
    pub missing: usize,
}

/// Lines of a text of any size, decoded. Memory does not depend on the length of file or line.
pub struct Lines<R> {
    source: R,
    decoder: Decoder,
    raw: Vec<u8>,
    text: String,
    at: usize,
    /// Some bytes were no text in this encoding and became U+FFFD.
    pub faulty: bool,
    ended: bool,
}

impl<R> fmt::Debug for Lines<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").field("encoding", &self.decoder.encoding().name()).finish_non_exhaustive()
    }
}

impl<R: Read> Lines<R> {
    /// `source` must be past the byte order mark.
    pub fn new(source: R, coding: Coding) -> Self {
        Self {
            source,
            decoder: coding.encoding.new_decoder_without_bom_handling(),
            raw: vec![0; SAMPLE],
            text: String::new(),
            at: 0,
            faulty: false,
            ended: false,
        }
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
        self.text.clear();
        self.at = 0;
        while self.text.is_empty() && !self.ended {
            let read = self.source.read(&mut self.raw)?;
            self.ended = read == 0;
            let mut from = 0;
            loop {
                let left = &self.raw[from..read];
                self.text.reserve(
                    self.decoder.max_utf8_buffer_length(left.len()).unwrap_or(SAMPLE).min(4 * SAMPLE),
                );
                let (result, used, faulty) = self.decoder.decode_to_string(left, &mut self.text, self.ended);
                self.faulty |= faulty;
                from += used;
                if result == CoderResult::InputEmpty {
                    break;
                }
            }
        }
        Ok(!self.text.is_empty())
    }
}
