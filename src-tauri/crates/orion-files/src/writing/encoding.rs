//! Converts text to bytes and back, exactly or not at all.
//!
//! An encoding is used only where decoding and encoding give the same bytes, and encoding and decoding give the same
//! text. The second needs a check of its own: Shift_JIS writes `¥` as the byte of `\`.

use std::borrow::Cow;

use encoding_rs::{EncoderResult, Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes of text that are encoded at once.
const BLOCK: usize = 8 * 1024;

/// The text of `bytes`, which do not begin with a byte order mark. None when encoding it would give other bytes.
pub(super) fn decode<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    let exact = match encoding {
        // If decoding finds no fault, encoding the text gives the same bytes.
        _ if encoding == UTF_8 || encoding == UTF_16LE || encoding == UTF_16BE => true,
        _ => {
            let (mut rest, mut same) = (bytes, true);
            let compare = |block: &[u8]| match rest.strip_prefix(block) {
                Some(behind) => rest = behind,
                None => same = false,
            };
            let mut lacking = false;
            encode(encoding, &text, compare, |_, _| lacking = true);
            same && !lacking && rest.is_empty()
        }
    };
    exact.then_some(text)
}

/// Gives the bytes of a text block by block, and each character that the encoding cannot keep, with its offset.
pub(super) fn encode(
    encoding: &'static Encoding,
    text: &str,
    mut bytes: impl FnMut(&[u8]),
    mut lacking: impl FnMut(usize, char),
) {
    if encoding == UTF_8 {
        return bytes(text.as_bytes());
    }
    let mut block = Vec::with_capacity(3 * BLOCK);
    let mut from = 0;
    while from < text.len() {
        let mut to = text.floor_char_boundary(from + BLOCK);
        // Between two lines it is back in its first state, as it is between two blocks.
        if encoding == ISO_2022_JP
            && let Some(end) = text[from..to].rfind('\n')
        {
            to = from + end + 1;
        }
        let part = &text[from..to];
        block.clear();
        if into(encoding, part, &mut block) {
            bytes(&block);
        } else {
            for (at, c) in part.char_indices() {
                block.clear();
                match into(encoding, c.encode_utf8(&mut [0; 4]), &mut block) {
                    true => bytes(&block),
                    false => lacking(from + at, c),
                }
            }
        }
        from = to;
    }
}

/// Encodes all of `text` behind what is in `out`, or says that it cannot be kept.
fn into(encoding: &'static Encoding, text: &str, out: &mut Vec<u8>) -> bool {
    match encoding {
        _ if encoding == UTF_16LE => out.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
        _ if encoding == UTF_16BE => out.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
        _ => {
            let mut encoder = encoding.new_encoder();
            let Some(room) = encoder.max_buffer_length_from_utf8_without_replacement(text.len()) else {
                return false;
            };
            out.reserve(room);
            let (result, _) = encoder.encode_from_utf8_to_vec_without_replacement(text, out, true);
            if result != EncoderResult::InputEmpty {
                return false;
            }
            let back = encoding.decode_without_bom_handling_and_without_replacement(out);
            return back.is_some_and(|back| back == text);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use encoding_rs::{
        BIG5, EUC_JP, Encoding, GB18030, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1251, WINDOWS_1252,
    };

    use super::{BLOCK, decode, encode};

    fn encoded(encoding: &'static Encoding, text: &str) -> (Vec<u8>, Vec<(usize, char)>) {
        let (mut bytes, mut lacking) = (Vec::new(), Vec::new());
        encode(encoding, text, |block| bytes.extend_from_slice(block), |at, c| lacking.push((at, c)));
        (bytes, lacking)
    }

    #[test]
    fn a_text_that_an_encoding_has_comes_back_the_same() {
        for (encoding, word) in [
            (UTF_8, "naïve 日本 🎈"),
            (UTF_16LE, "naïve 日本 🎈"),
            (UTF_16BE, "naïve 日本 🎈"),
            (WINDOWS_1252, "naïve €"),
            (WINDOWS_1251, "Привет"),
            (SHIFT_JIS, "日本 \\ ~"),
            (EUC_JP, "日本"),
            (GB18030, "中文 🎈"),
            (BIG5, "中文"),
        ] {
            let text = word.repeat(2 * BLOCK / word.len() + 1);
            let (bytes, lacking) = encoded(encoding, &text);
            assert_eq!(lacking, [], "{}", encoding.name());
            assert_eq!(decode(encoding, &bytes).as_deref(), Some(&*text), "{}", encoding.name());
        }
    }

    #[test]
    fn a_character_that_an_encoding_lacks_or_would_change_is_named_and_the_rest_is_kept() {
        let (bytes, lacking) = encoded(WINDOWS_1252, "a→é🎈b");
        assert_eq!((bytes.as_slice(), lacking), (&b"a\xe9b"[..], vec![(1, '→'), (6, '🎈')]));
        // The yen sign has the byte of the backslash, which reads as a backslash.
        let (bytes, lacking) = encoded(SHIFT_JIS, "a¥b");
        assert_eq!((bytes.as_slice(), lacking), (&b"ab"[..], vec![(1, '¥')]));
    }

    #[test]
    fn bytes_that_would_not_come_back_have_no_text() {
        for (encoding, bytes) in [
            (UTF_8, &b"a\xff"[..]),
            (UTF_16LE, &b"a\0b"[..]),
            (UTF_16LE, &b"\x00\xd8a\0"[..]),
            (SHIFT_JIS, &b"\x81"[..]),
            // Two codes mean one character, and the other one would be written.
            (SHIFT_JIS, &b"\xed\x40"[..]),
        ] {
            assert_eq!(decode(encoding, bytes), None, "{} {bytes:?}", encoding.name());
        }
    }
}
