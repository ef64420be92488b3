//! Tells text from binary, finds the encoding of a text, and reads it line by line without holding the file.
//!
//! Everything that looks at a file decides in the same way, so that what one tool shows another one finds, and a write
//! keeps it. The beginning of a file says whether it is text. The encoding of a text in which ASCII is
//! ASCII shows at its first other byte, which may come late: what is there decides (`evidence`), and a guess has to read like words
//! (`plausible`; 0072). `read_file` and `search_files` are given a text as UTF-8 with LF (`decoded`). Deliberately not here: what ends a
//! line (`orion_core::lines`).

mod decoded;
mod evidence;
mod lines;
mod plausible;
#[cfg(test)]
mod tests;

use std::io::{self, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use crate::workspace::Budget;

pub use decoded::{Decoded, decoded, with_lf};
pub use lines::{Line, Lines};

pub(crate) use evidence::{is_utf8_by_now, settled};

/// How much of a file decides what it is, in bytes.
pub const SAMPLE: usize = 64 * 1024;

/// What the beginning of a file shows it to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Text(Coding),
    /// With its media type, or its kind, where its first bytes tell.
    Binary(Option<&'static str>),
}

/// How text is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coding {
    pub encoding: &'static Encoding,
    /// Bytes of the byte order mark.
    pub mark: usize,
    pub trust: Trust,
}

/// How much speaks for an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// A byte order mark, or UTF-8.
    Sure,
    Guessed,
    /// What it gives has signs where words should have letters.
    Doubtful,
}

impl Coding {
    fn sure(encoding: &'static Encoding, mark: usize) -> Self {
        Self { encoding, mark, trust: Trust::Sure }
    }

    fn guessed(encoding: &'static Encoding) -> Self {
        Self { encoding, mark: 0, trust: Trust::Guessed }
    }

    /// UTF-8 without a mark, as new files are.
    pub fn plain() -> Self {
        Self::sure(UTF_8, 0)
    }

    /// The encoding of this text that its first byte that is not ASCII showed, far from its beginning.
    #[must_use]
    pub fn found(self, encoding: &'static Encoding, trust: Trust) -> Self {
        if self.encoding == encoding { self } else { Self { trust, ..Self::guessed(encoding) } }
    }

    /// As the model is told: `UTF-8`, `UTF-16LE with BOM`, `windows-1252 (guessed)`.
    pub fn describe(&self) -> String {
        let mark = if self.mark > 0 { " with BOM" } else { "" };
        let trust = match self.trust {
            Trust::Sure => "",
            Trust::Guessed => " (guessed)",
            Trust::Doubtful => " (guessed, and doubtful)",
        };
        format!("{}{mark}{trust}", self.encoding.name())
    }

    pub fn is_plain(&self) -> bool {
        self.encoding == UTF_8 && self.mark == 0
    }

    /// True where the first byte that is not ASCII decides, and not the beginning of the file.
    pub(crate) fn shows_later(&self) -> bool {
        self.mark == 0 && self.encoding.is_ascii_compatible()
    }
}

/// Decides by the first bytes of a file; `whole` when they are all of it.
pub fn sniff(sample: &[u8], whole: bool) -> Content {
    // The mark of UTF-32 begins with that of UTF-16.
    if sample.starts_with(b"\xff\xfe\0\0") {
        return Content::Binary(Some("UTF-32 text"));
    }
    if let Some((encoding, mark)) = Encoding::for_bom(sample) {
        return Content::Text(Coding::sure(encoding, mark));
    }
    if sample.contains(&0) {
        return wide(sample).map_or_else(|| binary(sample), Content::Text);
    }
    let ascii = Encoding::ascii_valid_up_to(sample);
    if ascii == sample.len() {
        return shifted(sample, whole).unwrap_or(Content::Text(Coding::plain()));
    }
    let coding = settled(&sample[..ascii], &sample[ascii..], whole);
    match std::str::from_utf8(sample) {
        Ok(_) => return Content::Text(coding),
        // Cut in the middle of a character.
        Err(fault) if fault.error_len().is_none() && !whole => return Content::Text(coding),
        Err(_) => {}
    }
    let is_known = !coding.is_plain() && infer::get(sample).is_some();
    let controls =
        sample.iter().filter(|&&byte| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c)).count();
    if is_known || controls * 20 > sample.len() {
        return binary(sample);
    }
    if evidence::is_ebcdic(sample) {
        return Content::Binary(Some("EBCDIC text"));
    }
    Content::Text(coding)
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
    Some(Coding::guessed(encoding))
}

/// Bytes of ASCII that stand for other characters behind an escape sequence (ISO 2022).
fn shifted(sample: &[u8], whole: bool) -> Option<Content> {
    if !sample.windows(2).any(|pair| pair == b"\x1b$" || pair == b"\x1b(") {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, whole);
    if detector.guess(None, Utf8Detection::Allow) == ISO_2022_JP {
        return Some(Content::Text(Coding::guessed(ISO_2022_JP)));
    }
    let designates =
        |escape: &[u8]| escape.starts_with(b"\x1b$") && matches!(escape[2], b'(' | b')' | b'@'..=b'B');
    sample.windows(3).any(designates).then_some(Content::Binary(Some("ISO 2022 text")))
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
