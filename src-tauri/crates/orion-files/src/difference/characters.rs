//! Marks characters that are invisible or look like others.

use orion_core::invisible::{is_invisible, turns_direction};
use orion_protocol::MarkKind;

/// What a character is to be marked for in the preview of a file. Tabs are not.
#[must_use]
pub fn mark(c: char) -> Option<MarkKind> {
    match c {
        ' '..='~' | '\t' => None,
        _ if turns_direction(c) => Some(MarkKind::Direction),
        char::REPLACEMENT_CHARACTER => Some(MarkKind::Replacement),
        // Unicode's line and paragraph separators break a line where a file has none.
        '\u{2028}' | '\u{2029}' => Some(MarkKind::Control),
        _ if c.is_control() => Some(MarkKind::Control),
        _ if is_invisible(c) => Some(MarkKind::Invisible),
        _ => None,
    }
}
