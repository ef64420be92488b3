//! The lines of a text, found the same way by everything that counts, shows or changes them.
//!
//! A line ends with LF or CRLF. In a text of old Macs it ends with CR alone: there the first line end is a lone CR, and
//! no LF follows within 64 KiB. In any other text a lone CR is a character like any other. So a reader that
//! has only the beginning of a text decides as one that has all of it.

use std::iter;

/// The bytes behind a first lone CR in which an LF is looked for: as many as a reader of a long file can keep.
pub const NEAR: usize = 64 * 1024;

/// The sign that ends the lines of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// LF, which a CR may stand before.
    Lf,
    /// CR alone. LF and CRLF, which may come far behind the first CR, end a line too.
    Cr,
}

impl Ending {
    /// The ending of the lines of this text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        match memchr::memchr2(b'\r', b'\n', bytes) {
            Some(at) if bytes[at] == b'\r' && !is_near(&bytes[at..]) => Self::Cr,
            _ => Self::Lf,
        }
    }

    /// The lines, each with its end.
    pub fn split(self, text: &str) -> impl Iterator<Item = &str> {
        let mut rest = text;
        iter::from_fn(move || {
            let (line, behind) = rest.split_at(self.first(rest));
            rest = behind;
            (!line.is_empty()).then_some(line)
        })
    }

    /// The end of a line that [`Self::split`] gave. Empty when there is none.
    #[must_use]
    pub fn end_of(self, line: &str) -> &str {
        let bare = match (line.strip_suffix('\n'), self) {
            (Some(bare), _) => bare.strip_suffix('\r').unwrap_or(bare),
            (None, Self::Cr) => line.strip_suffix('\r').unwrap_or(line),
            (None, Self::Lf) => line,
        };
        &line[bare.len()..]
    }

    /// Bytes of the first line, with its end.
    fn first(self, text: &str) -> usize {
        let bytes = text.as_bytes();
        let end = match self {
            Self::Lf => memchr::memchr(b'\n', bytes),
            Self::Cr => memchr::memchr2(b'\r', b'\n', bytes),
        };
        match end {
            Some(at) if bytes[at..].starts_with(b"\r\n") => at + 2,
            Some(at) => at + 1,
            None => bytes.len(),
        }
    }
}

/// True if an LF is near the CR that the bytes begin with.
#[must_use]
pub fn is_near(from_cr: &[u8]) -> bool {
    memchr::memchr(b'\n', &from_cr[..from_cr.len().min(NEAR)]).is_some()
}
