//! Texts as they leave Orion: bounded, and without characters that mislead who reads them elsewhere.

use orion_engine::visible;

/// The most bytes of a name or an attribute. Spans hold no longer ones (J3); this holds for whatever comes to be in them.
pub(crate) const BYTES: usize = 1_024;

/// At most so many bytes of a text, with a mark in the place of each character that steers who reads it.
pub(crate) fn bounded(text: &str, bytes: usize) -> String {
    let shown = visible(cut(text, bytes));
    if shown.len() > bytes { cut(&shown, bytes).to_owned() } else { shown }
}

fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters_and_steers_nobody() {
        assert_eq!(bounded("aé", 2), "a");
        assert_eq!(bounded("a\u{202e}b\u{0}\n", 100), "a<U+202E>b<U+0000>\n");
        assert_eq!(bounded(&"\u{0}".repeat(50), 20).len(), 20);
        assert_eq!(bounded(&"x".repeat(10 << 20), BYTES).len(), BYTES);
    }
}
