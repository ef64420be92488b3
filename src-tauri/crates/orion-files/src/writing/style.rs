//! What the bytes of a file are: text with its encoding and line ends, which a write keeps, or binary.

use std::borrow::Cow;

use encoding_rs::{Encoding, GB18030, GBK, UTF_8, UTF_16LE};
use orion_core::write::Allowed;

use super::encoding::decode;
use super::line_ends::{LineEnds, lines};
use super::strays;
use crate::text::{Coding, Content, SAMPLE, Trust, is_utf8_by_now, settled, sniff};

/// A file with more U+FFFD, if some of them stand for stray bytes, is not written: what each of them stands for is
/// remembered. Such a file has more than a few stray bytes.
const MOST_STRAYS: usize = 10_000;

/// How a text is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextStyle {
    pub(super) coding: Coding,
    pub line_ends: LineEnds,
    pub lines: u64,
    /// True for a text that ends in the middle of a line; what is appended then needs a line end first.
    pub open_line: bool,
    /// The suspicious characters that it has, which new content may then have too (W5): a U+FFFD is a real one, or stands for stray bytes.
    pub allowed: Allowed,
    /// True when some bytes are not UTF-8, although the rest is. U+FFFD stands for them, and they are kept.
    pub(super) has_strays: bool,
    /// True when the last line that is not blank is `DONE`: only a nonce line can then end new content (W3).
    pub ends_in_done: bool,
}

/// What the bytes of a file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Style {
    Text(TextStyle),
    /// With its kind where its first bytes tell.
    Binary(Option<&'static str>),
    /// Text that cannot be written back unchanged, since some of its bytes are not valid in this encoding, or more than
    /// a few are not UTF-8.
    Inexact(String),
}

impl Style {
    /// Looks at all bytes of a file. The encoding is the one in which `read_file` shows it. Where bytes behind those that
    /// it looks at speak against that, the file cannot be written.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let sample = &bytes[..bytes.len().min(SAMPLE)];
        let mut coding = match sniff(sample, sample.len() == bytes.len()) {
            Content::Binary(kind) => return Self::Binary(kind),
            Content::Text(coding) => coding,
        };
        if coding.shows_later() {
            let (ascii, others) = bytes.split_at(Encoding::ascii_valid_up_to(bytes));
            coding = settled(ascii, others, others.len() < SAMPLE);
            if coding.trust != Trust::Sure && is_utf8_by_now(others, coding.encoding) {
                return Self::Inexact(coding.describe());
            }
        }
        let style = TextStyle::of(bytes, coding).or_else(|| {
            // The same, with characters of four bytes.
            let larger = Coding { encoding: GB18030, ..coding };
            (coding.encoding == GBK).then(|| TextStyle::of(bytes, larger)).flatten()
        });
        style.map_or_else(|| Self::Inexact(coding.describe()), Self::Text)
    }
}

impl Style {
    /// The text of bytes in this style, without the byte order mark. None when the bytes are not in this style.
    #[must_use]
    pub fn text<'a>(&self, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(style) => {
                let bytes = bytes.get(style.coding.mark..).unwrap_or_default();
                match style.has_strays {
                    true => Some(String::from_utf8_lossy(bytes)),
                    false => decode(style.coding.encoding, bytes),
                }
            }
            Self::Binary(_) | Self::Inexact(_) => None,
        }
    }
}

impl TextStyle {
    /// The style of a new file: UTF-8, with the line ends that the content has.
    pub(super) fn new() -> Self {
        Self {
            coding: Coding::plain(),
            line_ends: LineEnds::None,
            lines: 0,
            open_line: false,
            allowed: Allowed::default(),
            has_strays: false,
            ends_in_done: false,
        }
    }

    fn of(bytes: &[u8], coding: Coding) -> Option<Self> {
        let bytes = &bytes[coding.mark..];
        let (text, has_strays) = match decode(coding.encoding, bytes) {
            Some(text) => (text, false),
            None if coding.encoding == UTF_8 => (strays::shown(bytes, MOST_STRAYS)?, true),
            None => return None,
        };
        let last = text.trim_end().rsplit(['\n', '\r']).next().unwrap_or_default();
        Some(Self {
            coding,
            line_ends: LineEnds::of(&text),
            lines: lines(&text),
            open_line: !text.is_empty() && !text.ends_with(['\n', '\r']),
            allowed: Allowed::by(&text),
            has_strays,
            ends_in_done: last == "DONE",
        })
    }

    /// Such as `UTF-8`, `UTF-16LE with BOM`, `windows-1252 (guessed)`, `UTF-8 with stray bytes`.
    #[must_use]
    pub fn encoding(&self) -> String {
        let strays = if self.has_strays { " with stray bytes" } else { "" };
        format!("{}{strays}", self.coding.describe())
    }

    /// The bytes of the byte order mark, which are kept.
    pub(super) fn mark(&self) -> &'static [u8] {
        match (self.coding.mark, self.coding.encoding) {
            (0, _) => b"",
            (_, encoding) if encoding == UTF_8 => b"\xef\xbb\xbf",
            (_, encoding) if encoding == UTF_16LE => b"\xff\xfe",
            _ => b"\xfe\xff",
        }
    }
}
