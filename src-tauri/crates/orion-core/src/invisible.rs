//! Characters that a reader does not see, or that change the direction of others.
//!
//! What they are follows from Unicode's own tables, which a library keeps up to date. Deliberately not here: what becomes of text that has them, which is
//! said where it is read or shown.

use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory};
use icu_properties::{CodePointMapData, CodePointSetData};

/// True for what shows nothing or only a gap: Unicode's `Default_Ignorable_Code_Point`, formats (`Cf`), spaces (`Zs`) but the plain one, and signs that are
/// blank by their design. Controls of direction, which [`turns_direction`] tells, are none of them.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    if c.is_ascii() || turns_direction(c) {
        return false;
    }
    let kind = CodePointMapData::<GeneralCategory>::new().get(c);
    matches!(kind, GeneralCategory::Format | GeneralCategory::SpaceSeparator)
        || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
        || is_blank(c)
        || is_no_character(c)
}

/// Signs without ink that Unicode counts as symbols or letters: the empty cell of braille, a note without a head, what fills a place in hieroglyphs and
/// in the Khitan small script, and the place of an object.
fn is_blank(c: char) -> bool {
    matches!(c, '\u{2800}' | '\u{fffc}' | '\u{13441}' | '\u{13442}' | '\u{16fe4}' | '\u{1d159}')
}

/// Unicode's noncharacters, which stand for nothing.
fn is_no_character(c: char) -> bool {
    let number = u32::from(c);
    number & 0xfffe == 0xfffe || (0xfdd0..=0xfdef).contains(&number)
}

/// True for Unicode's `Bidi_Control`.
#[must_use]
pub fn turns_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
