//! Judges whether text reads like words, so that a wrong guess of its encoding can be told.
//!
//! In a wrong encoding, letters become signs within words, capitals behind small letters, and control characters.
//! `élève` of DOS reads `‚lŠve` in windows-1252.

use encoding_rs::Encoding;

/// A guess is doubtful at one mishap in so many letters.
const RARE: usize = 64;

/// Signs that stand between two letters in good text.
const WITHIN_WORDS: &[char] =
    &['’', '‘', '´', '·', '‑', '–', '—', '…', '\u{a0}', '\u{ad}', '\u{200c}', '\u{200d}', '/'];

pub(super) fn is_plausible(bytes: &[u8], encoding: &'static Encoding) -> bool {
    let (mishaps, letters) = mishaps(bytes, encoding);
    mishaps * RARE <= letters
}

/// What does not read like words, and letters that do. ASCII counts for neither.
pub(super) fn mishaps(bytes: &[u8], encoding: &'static Encoding) -> (usize, usize) {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let (mut mishaps, mut letters) = (0, 0);
    let mut before = '\n';
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let after = characters.peek().copied().unwrap_or('\n');
        let is_within = before.is_alphabetic() && after.is_alphabetic();
        match c {
            _ if c.is_ascii() => {}
            '\u{80}'..='\u{9f}' => mishaps += 1,
            _ if c.is_uppercase() && before.is_lowercase() => mishaps += 1,
            _ if c.is_alphabetic() => letters += 1,
            _ if is_within && !is_part_of_word(c) => mishaps += 1,
            _ => {}
        }
        before = c;
    }
    (mishaps, letters)
}

fn is_part_of_word(c: char) -> bool {
    // Vowel signs of Thai, Hebrew and Arabic are not all letters.
    WITHIN_WORDS.contains(&c)
        || matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{7ff}' | '\u{e00}'..='\u{e7f}')
}
