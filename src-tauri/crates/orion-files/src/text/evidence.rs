//! Decides by what bytes show which encoding they are in.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, MACINTOSH, X_MAC_CYRILLIC};

use super::plausible::{is_plausible, mishaps};
use super::{Coding, SAMPLE, Trust};

/// Bytes of ASCII before the first other byte that are looked at too: they show whether it is within a word.
pub(super) const AROUND: usize = 256;

/// A text is UTF-8 with stray bytes when it has so many more characters of two bytes and more than strays. Of a text
/// in an encoding with one byte for a character, such characters come up by chance for a quarter of its bytes at most
/// (Thai).
const OVER_SINGLE: usize = 1;
/// The same for an encoding with several bytes for a character: in Big5 it is three for five.
const OVER_SEVERAL: usize = 3;

/// The encoding of bytes that begin with the first one that is not ASCII. `before` is ASCII and ends where they begin.
/// `whole` when the text ends with them.
pub(crate) fn settled(before: &[u8], bytes: &[u8], whole: bool) -> Coding {
    let before = &before[before.len().saturating_sub(AROUND)..];
    let bytes = &bytes[..bytes.len().min(SAMPLE)];
    match std::str::from_utf8(bytes) {
        Ok(_) => return Coding::plain(),
        // Cut in the middle of a character.
        Err(fault) if fault.error_len().is_none() && !whole => return Coding::plain(),
        Err(_) => {}
    }
    let (characters, strays) = utf8(bytes, whole);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(before, false);
    detector.feed(bytes, whole);
    let guess = detector.guess(None, Utf8Detection::Deny);
    if is_utf8(characters, strays, guess) {
        return Coding::plain();
    }
    if !guess.is_single_byte() {
        return Coding::guessed(guess);
    }
    let text = [before, bytes].concat();
    if is_plausible(&text, guess) {
        return Coding::guessed(guess);
    }
    // Lines that end with CR alone are those of old Macs, which had encodings of their own.
    let is_mac = text.contains(&b'\r') && !text.contains(&b'\n');
    let mac = [MACINTOSH, X_MAC_CYRILLIC].into_iter().find(|mac| is_mac && mishaps(&text, mac).0 == 0);
    mac.map_or(Coding { encoding: guess, mark: 0, trust: Trust::Doubtful }, Coding::guessed)
}

/// Whether all bytes of a text speak for UTF-8, although its beginning spoke for another encoding.
pub(crate) fn is_utf8_by_now(bytes: &[u8], guess: &'static Encoding) -> bool {
    let (characters, strays) = utf8(bytes, true);
    is_utf8(characters, strays, guess)
}

fn is_utf8(characters: usize, strays: usize, guess: &'static Encoding) -> bool {
    let over = if guess.is_single_byte() { OVER_SINGLE } else { OVER_SEVERAL };
    characters > 0 && characters >= over * strays
}

/// How many characters beyond ASCII there are in UTF-8, and how many stretches that are not UTF-8.
fn utf8(bytes: &[u8], whole: bool) -> (usize, usize) {
    let (mut characters, mut strays) = (0, 0);
    let mut left = bytes.len();
    for chunk in bytes.utf8_chunks() {
        characters += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        left -= chunk.valid().len() + chunk.invalid().len();
        let is_cut = left == 0 && !whole && is_begun(chunk.invalid());
        strays += usize::from(!chunk.invalid().is_empty() && !is_cut);
    }
    (characters, strays)
}

/// Whether these bytes are the beginning of a character.
fn is_begun(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|fault| fault.error_len().is_none())
}

/// Text of IBM's mainframes: hardly an ASCII letter, and the byte of `@` where spaces are.
pub(super) fn is_ebcdic(bytes: &[u8]) -> bool {
    let count = |wanted: fn(&u8) -> bool| bytes.iter().filter(|byte| wanted(byte)).count();
    let spaces = count(|&byte| byte == 0x40);
    spaces * 20 > bytes.len()
        && count(|&byte| byte >= 0x80) * 2 > bytes.len()
        && !bytes.iter().any(|byte| matches!(byte, b' ' | b'\n'))
}
