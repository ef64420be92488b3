//! What the bytes of a file are: text with its encoding and line ends, which a write keeps, or binary.

use std::borrow::Cow;

use encoding_rs::{UTF_8, UTF_16LE};
use orion_core::write::Allowed;

use super::encoding::decode;
use super::line_ends::{LineEnds, lines};
use crate::text::{Coding, Content, SAMPLE, sniff};

/// How a text is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextStyle {
    pub(super) coding: Coding,
    pub line_ends: LineEnds,
    pub lines: u64,
    /// True for a text that ends in the middle of a line; what is appended then needs a line end first.
    pub open_line: bool,
    /// The suspicious characters that it has, which new content may then have too (W5).
    pub allowed: Allowed,
    /// True when the last line that is not blank is `DONE`: only a nonce line can then end new content (W3).
    pub ends_in_done: bool,
}

/// What the bytes of a file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Style {
    Text(TextStyle),
    /// With its kind where its first bytes tell.
    Binary(Option<&'static str>),
    /// Text that cannot be written back unchanged, since some of its bytes are not valid in this encoding.
    Inexact(String),
}

impl Style {
    /// Looks at all bytes of a file. The encoding is the one in which `read_file` shows it, unless bytes behind those
    /// that it looks at speak against it.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        // The mark of UTF-32 begins with that of UTF-16.
        if bytes.starts_with(b"\xff\xfe\0\0") {
            return Self::Binary(Some("UTF-32 text"));
        }
        let sample = &bytes[..bytes.len().min(SAMPLE)];
        let first = sniff(sample, sample.len() == bytes.len());
        match first {
            Content::Binary(kind) => Self::Binary(kind),
            Content::Text(coding) => match TextStyle::of(bytes, coding) {
                Some(style) => Self::Text(style),
                None => match sniff(bytes, true) {
                    Content::Text(other) if other != coding => TextStyle::of(bytes, other)
                        .map_or_else(|| Self::Inexact(other.describe()), Self::Text),
                    Content::Text(_) => Self::Inexact(coding.describe()),
                    Content::Binary(kind) => Self::Binary(kind),
                },
            },
        }
    }
}

impl Style {
    /// The text of bytes in this style, without the byte order mark. None when the bytes are not in this style.
    #[must_use]
    pub fn text<'a>(&self, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(style) => {
                decode(style.coding.encoding, bytes.get(style.coding.mark..).unwrap_or_default())
            }
            Self::Binary(_) | Self::Inexact(_) => None,
        }
    }
}

impl TextStyle {
    /// The style of a new file: UTF-8, with the line ends that the content has.
    pub(super) fn new() -> Self {
        Self {
            coding: Coding { encoding: UTF_8, mark: 0, guessed: false },
            line_ends: LineEnds::None,
            lines: 0,
            open_line: false,
            allowed: Allowed::default(),
            ends_in_done: false,
        }
    }

    fn of(bytes: &[u8], coding: Coding) -> Option<Self> {
        let text = decode(coding.encoding, &bytes[coding.mark..])?;
        let last = text.trim_end().rsplit(['\n', '\r']).next().unwrap_or_default();
        Some(Self {
            coding,
            line_ends: LineEnds::of(&text),
            lines: lines(&text),
            open_line: !text.is_empty() && !text.ends_with(['\n', '\r']),
            allowed: Allowed::by(&text),
            ends_in_done: last == "DONE",
        })
    }

    /// Such as `UTF-8`, `UTF-16LE with BOM`, `windows-1252 (guessed)`.
    #[must_use]
    pub fn encoding(&self) -> String {
        self.coding.describe()
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
