//! Marks characters that are invisible or look like others.

use orion_protocol::MarkKind;

/// What a character is to be marked for in the preview of a file. Tabs are not.
#[must_use]
pub fn mark(c: char) -> Option<MarkKind> {
    match c {
        ' '..='~' | '\t' => None,
        // Unicode's Bidi_Control.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(MarkKind::Direction)
        }
        char::REPLACEMENT_CHARACTER => Some(MarkKind::Replacement),
        // Unicode's line and paragraph separators break a line where a file has none.
        '\u{2028}' | '\u{2029}' => Some(MarkKind::Control),
        _ if c.is_control() => Some(MarkKind::Control),
        _ if is_invisible(c) => Some(MarkKind::Invisible),
        _ => None,
    }
}

/// Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt, 17.0) without the controls of direction, and the
/// characters of interlinear annotation.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}
