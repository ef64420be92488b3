//! Repairs JSON that providers send although the standard forbids it: lone surrogates in escapes, `NaN`, raw control
//! characters, numbers that are too large for any number.
//!
//! Only a payload that did not parse is repaired, so the ordinary case costs nothing. JSON that is broken in any other
//! way stays broken.

use std::fmt::Write;

/// What replaces half a surrogate pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halves {
    /// U+FFFD.
    Replaced,
    /// A mark that [`half`] reads: its other half may stand in the next payload.
    Marked,
}

/// The first mark: U+100000, in the private use area that nothing is known to use, and only in payloads that hold halves.
const FIRST_MARK: u32 = 0x10_0000;

/// The half of a surrogate pair that a character marks.
pub(crate) fn half(mark: char) -> Option<u16> {
    let unit = u32::from(mark).checked_sub(FIRST_MARK)? + 0xD800;
    u16::try_from(unit).ok().filter(|unit| (0xD800..0xE000).contains(unit))
}

/// The payload with what is repairable repaired.
pub(crate) fn repair(payload: &str, halves: Halves) -> String {
    let mut out = String::with_capacity(payload.len());
    let mut rest = payload;
    let mut in_string = false;
    while let Some(next) = rest.chars().next() {
        let taken = if in_string {
            within_string(rest, next, halves, &mut out)
        } else {
            outside(rest, next, &mut out)
        };
        in_string ^= next == '"';
        rest = &rest[taken..];
    }
    out
}

/// Writes one character, escape or pair of escapes; says how many bytes that was.
fn within_string(rest: &str, next: char, halves: Halves, out: &mut String) -> usize {
    match (next, unit(rest)) {
        ('\\', Some(high @ 0xD800..=0xDBFF)) => match rest.get(6..).and_then(unit) {
            Some(0xDC00..=0xDFFF) => {
                out.push_str(&rest[..12]);
                return 12;
            }
            _ => {
                alone(high, halves, out);
                return 6;
            }
        },
        ('\\', Some(low @ 0xDC00..=0xDFFF)) => {
            alone(low, halves, out);
            return 6;
        }
        ('\\', _) => {
            let escape = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
            out.push_str(&rest[..escape]);
            return escape;
        }
        (control, _) if control < ' ' => {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(control));
        }
        (other, _) => out.push(other),
    }
    next.len_utf8()
}

fn alone(unit: u16, halves: Halves, out: &mut String) {
    let mark = char::from_u32(u32::from(unit) - 0xD800 + FIRST_MARK);
    out.push(mark.filter(|_| halves == Halves::Marked).unwrap_or(char::REPLACEMENT_CHARACTER));
}

fn outside(rest: &str, next: char, out: &mut String) -> usize {
    for word in ["NaN", "-Infinity", "Infinity"] {
        if rest.starts_with(word) {
            out.push_str("null");
            return word.len();
        }
    }
    if next.is_ascii_digit() || next == '-' {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')));
        let number = &rest[..end.unwrap_or(rest.len())];
        let is_too_large = number.parse().is_ok_and(f64::is_infinite);
        out.push_str(if is_too_large { "null" } else { number });
        return number.len();
    }
    out.push(next);
    next.len_utf8()
}

/// The UTF-16 unit of a `\uXXXX` escape that stands here.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::{Halves, half};

    fn repair(payload: &str) -> String {
        super::repair(payload, Halves::Replaced)
    }

    #[test]
    fn lone_surrogates_become_the_replacement_character_and_pairs_stay() {
        assert_eq!(repair(r#"{"a":"x\ud83dy"}"#), "{\"a\":\"x\u{fffd}y\"}");
        assert_eq!(repair(r#"{"a":"\ude00"}"#), "{\"a\":\"\u{fffd}\"}");
        assert_eq!(repair(r#"{"a":"\ud83d\ud83d\ude00"}"#), "{\"a\":\"\u{fffd}\\ud83d\\ude00\"}");
        assert_eq!(repair(r#"{"a":"\ud83d"#), "{\"a\":\"\u{fffd}");
    }

    #[test]
    fn a_half_can_be_marked_instead_and_read_again() {
        let marked = super::repair(r#"{"a":"\ud83dx\udfff\ud800"}"#, Halves::Marked);
        let halves: Vec<u16> = marked.chars().filter_map(half).collect();
        assert_eq!(halves, [0xD83D, 0xDFFF, 0xD800]);
        assert_eq!(["a", "é", "\u{fffd}", "\u{10ffff}"].map(|text| text.chars().find_map(half)), [None; 4]);
    }

    #[test]
    fn an_escaped_backslash_before_u_is_no_surrogate() {
        assert_eq!(repair(r#"{"a":"\\ud83d \" \\\ud83d"}"#), "{\"a\":\"\\\\ud83d \\\" \\\\\u{fffd}\"}");
    }

    #[test]
    fn words_outside_strings_become_null_and_the_same_words_inside_stay() {
        assert_eq!(repair(r#"{"NaN":NaN,"b":[-Infinity,Infinity]}"#), r#"{"NaN":null,"b":[null,null]}"#);
    }

    #[test]
    fn numbers_out_of_range_become_null_and_others_stay() {
        assert_eq!(
            repair(r#"{"a":1e999,"b":[-1E+400,0.5e-999,12,-3],"c":"1e999"}"#),
            r#"{"a":null,"b":[null,0.5e-999,12,-3],"c":"1e999"}"#
        );
        assert_eq!(repair(&format!("{{\"a\":{}}}", "9".repeat(400))), r#"{"a":null}"#);
        assert_eq!(repair("[1e999x,-,2"), "[1e999x,-,2");
    }

    #[test]
    fn raw_control_characters_in_strings_are_escaped() {
        assert_eq!(repair("{\n\"a\":\"b\tc\nd\"}"), "{\n\"a\":\"b\\u0009c\\u000ad\"}");
    }
}
