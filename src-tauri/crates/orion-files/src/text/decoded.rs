//! A text as UTF-8 with LF for line ends, whatever its encoding and whatever old Macs ended its lines with.
//!
//! ASCII passes as it is, so a search of a project full of source code decodes next to nothing.

use std::fmt;
use std::io::{self, Read};

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};
use orion_core::lines::{Ending, NEAR, is_near};

use super::evidence::AROUND;
use super::{Coding, Content, SAMPLE, settled, sniff};

/// Reads text in any encoding. What is no text in it becomes U+FFFD. A CR alone becomes LF where it ends lines.
pub struct Decoded<R> {
    source: R,
    coding: Coding,
    /// None while all was ASCII.
    decoder: Option<Decoder>,
    /// The last ASCII bytes before the first other one, which help to guess its encoding.
    before: Vec<u8>,
    /// Bytes that were read and not decoded yet.
    raw: Vec<u8>,
    /// The source has ended.
    ended: bool,
    done: bool,
    faulty: bool,
    /// None before the first line end.
    ending: Option<Ending>,
    crlf: bool,
    /// A CR ended the last block, and the next one may begin with LF.
    held: bool,
    /// Text that was decoded for [`Read`] and does not fit.
    text: String,
    at: usize,
}

impl<R> fmt::Debug for Decoded<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoded")
            .field("coding", &self.coding)
            .field("ending", &self.ending)
            .finish_non_exhaustive()
    }
}

impl<R> Decoded<R> {
    /// `source` must be past the byte order mark.
    pub fn new(source: R, coding: Coding) -> Self {
        let decoder = (!coding.shows_later()).then(|| coding.encoding.new_decoder_without_bom_handling());
        Self {
            source,
            coding: if decoder.is_some() { coding } else { Coding::plain() },
            decoder,
            before: Vec::new(),
            raw: Vec::new(),
            ended: false,
            done: false,
            faulty: false,
            ending: None,
            crlf: false,
            held: false,
            text: String::new(),
            at: 0,
        }
    }

    /// A text of which lines with this ending were read before, in this encoding where it was settled.
    pub fn behind(source: R, coding: Coding, ending: Ending, is_settled: bool) -> Self {
        let mut rest = Self { ending: Some(ending), ..Self::new(source, coding) };
        if is_settled {
            rest.coding = coding;
            rest.decoder = Some(coding.encoding.new_decoder_without_bom_handling());
        }
        rest
    }

    /// True where the bytes of the source follow from the text so far, and the rest can be read without them.
    pub fn is_exact(&self) -> bool {
        let keeps_lines = match self.ending {
            None => false,
            Some(Ending::Lf) => true,
            // CRLF has become LF, and CR as well.
            Some(Ending::Cr) => !self.crlf,
        };
        keeps_lines && !self.faulty
    }

    /// The bytes of the source for a part of the text so far. None where characters of it can have several.
    pub(super) fn bytes_of(&self, text: &str) -> Option<u64> {
        let encoding = self.coding.encoding;
        let bytes = if encoding == UTF_8 {
            text.len()
        } else if encoding.is_single_byte() {
            text.chars().count()
        } else if [UTF_16LE, UTF_16BE].contains(&encoding) {
            2 * text.encode_utf16().count()
        } else {
            return None;
        };
        Some(bytes as u64)
    }

    /// The encoding of what was read so far. UTF-8 as long as all was ASCII.
    pub fn coding(&self) -> Coding {
        self.coding
    }

    /// True once a character that is not ASCII has settled the encoding, or the beginning of the text did.
    pub fn is_settled(&self) -> bool {
        self.decoder.is_some()
    }

    /// True when bytes so far were no text in this encoding and became U+FFFD.
    pub fn is_faulty(&self) -> bool {
        self.faulty
    }

    /// True when there was a CRLF so far.
    pub fn has_crlf(&self) -> bool {
        self.crlf
    }

    /// True when lines end with CR alone.
    pub fn ends_with_cr(&self) -> bool {
        self.ending == Some(Ending::Cr)
    }
}

impl<R: Read> Decoded<R> {
    /// Adds the next block to the text; false at the end.
    ///
    /// # Errors
    /// Those of the source.
    pub fn more(&mut self, text: &mut String) -> io::Result<bool> {
        let start = text.len();
        if self.held {
            text.push('\r');
            self.held = false;
        }
        let mut more = self.decode(text)?;
        if self.ending.is_none() {
            self.ending = self.look(text, start)?;
        }
        // The end of the text says that no LF follows.
        while more && text.len() == start + 1 && text.ends_with('\r') {
            more = self.decode(text)?;
        }
        if more && text.ends_with('\r') {
            text.pop();
            self.held = true;
        }
        self.end_lines(text, start);
        Ok(text.len() > start)
    }

    /// What ends the lines, if the text from `start` on shows it. Decodes as much as that takes.
    fn look(&mut self, text: &mut String, start: usize) -> io::Result<Option<Ending>> {
        let Some(first) = first_end(&text[start..]).map(|at| start + at) else { return Ok(None) };
        if text[first..].starts_with('\n') {
            return Ok(Some(Ending::Lf));
        }
        while text.len() - first < NEAR && self.decode(text)? {}
        Ok(Some(if is_near(&text.as_bytes()[first..]) { Ending::Lf } else { Ending::Cr }))
    }

    /// Puts LF in the place of each CR that ends a line alone.
    fn end_lines(&mut self, text: &mut String, start: usize) {
        let new = &text[start..];
        self.crlf |= new.contains("\r\n");
        if self.ending == Some(Ending::Cr) && new.contains('\r') {
            let ended = new.replace("\r\n", "\n").replace('\r', "\n");
            text.truncate(start);
            text.push_str(&ended);
        }
    }

    /// Adds what the next bytes say; false at the end.
    fn decode(&mut self, text: &mut String) -> io::Result<bool> {
        let start = text.len();
        while text.len() == start && !self.done {
            if self.raw.is_empty() {
                self.read_more()?;
            }
            let Some(decoder) = &mut self.decoder else {
                self.pass_ascii(text)?;
                continue;
            };
            let mut from = 0;
            loop {
                let left = &self.raw[from..];
                text.reserve(decoder.max_utf8_buffer_length(left.len()).unwrap_or(SAMPLE).min(4 * SAMPLE));
                let (result, used, faulty) = decoder.decode_to_string(left, text, self.ended);
                self.faulty |= faulty;
                from += used;
                if result == CoderResult::InputEmpty {
                    break;
                }
            }
            self.raw.clear();
            self.done = self.ended;
        }
        Ok(text.len() > start)
    }

    /// Adds the ASCII that the next bytes begin with, or finds the encoding of what follows it.
    fn pass_ascii(&mut self, text: &mut String) -> io::Result<()> {
        let ascii = Encoding::ascii_valid_up_to(&self.raw);
        if ascii > 0 {
            let mut raw = std::mem::take(&mut self.raw);
            self.passed(&raw[..ascii]);
            text.push_str(&String::from_utf8_lossy(&raw[..ascii]));
            raw.drain(..ascii);
            self.raw = raw;
        } else if self.raw.is_empty() {
            self.done = self.ended;
        } else {
            while self.raw.len() < SAMPLE && !self.ended {
                self.read_more()?;
            }
            self.coding = settled(&self.before, &self.raw, self.raw.len() < SAMPLE);
            self.decoder = Some(self.coding.encoding.new_decoder_without_bom_handling());
        }
        Ok(())
    }

    /// Keeps the end of the ASCII that passed.
    fn passed(&mut self, ascii: &[u8]) {
        self.before.extend_from_slice(&ascii[ascii.len().saturating_sub(AROUND)..]);
        self.before.drain(..self.before.len().saturating_sub(AROUND));
    }

    fn read_more(&mut self) -> io::Result<()> {
        let old = self.raw.len();
        self.raw.resize(old + SAMPLE, 0);
        let read = self.source.read(&mut self.raw[old..]);
        self.raw.truncate(old + read.as_ref().copied().unwrap_or_default());
        self.ended = read? == 0;
        Ok(())
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() {
            let passes = self.decoder.is_none()
                && self.raw.is_empty()
                && self.ending == Some(Ending::Lf)
                && !self.held;
            if passes && !self.ended {
                let read = self.source.read(buffer)?;
                let ascii = Encoding::ascii_valid_up_to(&buffer[..read]);
                self.passed(&buffer[..ascii]);
                self.raw.extend_from_slice(&buffer[ascii..read]);
                self.ended = read == 0;
                if ascii > 0 {
                    return Ok(ascii);
                }
            }
            let mut text = std::mem::take(&mut self.text);
            text.clear();
            let more = self.more(&mut text);
            (self.text, self.at) = (text, 0);
            more?;
        }
        let rest = &self.text.as_bytes()[self.at..];
        let taken = rest.len().min(buffer.len());
        buffer[..taken].copy_from_slice(&rest[..taken]);
        self.at += taken;
        Ok(taken)
    }
}

/// The end of the first line. A text may have megabytes before that, and each character is found by itself a tenth as fast as one byte in many.
fn first_end(text: &str) -> Option<usize> {
    let lf = text.find('\n');
    text[..lf.unwrap_or(text.len())].find('\r').or(lf)
}

/// The text of a file that is in memory. None where it is no text.
pub fn decoded(content: &[u8]) -> Option<String> {
    let sample = content.get(..SAMPLE).unwrap_or(content);
    let Content::Text(coding) = sniff(sample, content.len() <= SAMPLE) else { return None };
    let mut source = Decoded::new(content.get(coding.mark..)?, coding);
    let mut text = String::with_capacity(content.len());
    // Memory does not fail to be read.
    while source.more(&mut text).ok()? {}
    Some(text)
}

/// The text with LF where a line ends, and nowhere else.
pub fn with_lf(text: &str) -> String {
    let ended = text.replace("\r\n", "\n");
    match Ending::of(text) {
        Ending::Lf => ended,
        Ending::Cr => ended.replace('\r', "\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::first_end;

    #[test]
    fn the_first_line_ends_at_the_first_cr_or_lf() {
        for text in ["", "a", "\n", "\r", "a\r\nb", "a\nb\r", "\u{e9}\rb\n", "ab\n\r\n"] {
            assert_eq!(first_end(text), text.find(['\r', '\n']), "{text:?}");
        }
    }
}
