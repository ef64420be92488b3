//! The excerpt of a check's output: its first 1 KiB and its last 7 KiB, with the gap named (V2).
//!
//! Deliberately not here: the output as it is kept, and reading its lines (`commands`).

use crate::commands::{Kept, Text};

/// Bytes of the beginning.
const HEAD: usize = 1024;

/// Bytes of the end: there a program says what went wrong.
const TAIL: usize = 7 * 1024;

/// The excerpt of an output, as a terminal would leave its lines.
pub(super) fn excerpt(output: &Kept) -> String {
    let (start, left_out, end) = Text::of(output).parts();
    let (head, tail) = match left_out {
        0 if start.len() <= HEAD + TAIL => return start,
        0 => (start.as_str(), start.as_str()),
        _ => (start.as_str(), end.as_str()),
    };
    let head = &head[..head.floor_char_boundary(HEAD)];
    let tail = &tail[tail.ceil_char_boundary(tail.len().saturating_sub(TAIL))..];
    let all = start.len() as u64 + left_out + end.len() as u64;
    let gap = all.saturating_sub((head.len() + tail.len()) as u64);
    format!("{head}\n[{gap} bytes are left out here.]\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    // V2
    #[test]
    fn an_excerpt_has_1_kib_of_the_beginning_and_7_of_the_end() {
        let of = |start: String, left_out, end: String| {
            excerpt(&Kept { start: start.into(), left_out, end: end.into(), lines_left_out: 0 })
        };
        let whole = "é".repeat(4_096);
        assert_eq!(of(whole.clone(), 0, String::new()), whole);
        let (a, b) = ("a".repeat(9_000), "b".repeat(9_000));
        let expected = |tail: &str, gap: u64| {
            format!("{}\n[{gap} bytes are left out here.]\n{}", "a".repeat(1_024), tail.repeat(7_168))
        };
        assert_eq!(of(a.clone(), 0, String::new()), expected("a", 9_000 - 8_192));
        assert_eq!(of(a, 10, b), expected("b", 18_010 - 8_192));
    }
}
