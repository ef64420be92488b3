//! What ends a line.

use orion_core::lines::{Ending, NEAR};

fn lines(text: &str) -> Vec<&str> {
    Ending::of(text).split(text).collect()
}

#[test]
fn lines_end_with_lf_or_crlf_and_with_cr_where_there_is_nothing_else() {
    for (text, expected) in [
        ("", &[][..]),
        ("a", &["a"]),
        ("a\nb", &["a\n", "b"]),
        ("a\r\n\r\nb\n", &["a\r\n", "\r\n", "b\n"]),
        ("a\rb\n", &["a\rb\n"]),
        ("a\nb\rc\r", &["a\n", "b\rc\r"]),
        ("\r", &["\r"]),
        ("a\rb\r\rc", &["a\r", "b\r", "\r", "c"]),
    ] {
        assert_eq!(lines(text), expected, "{text:?}");
    }
}

#[test]
fn an_lf_counts_when_it_is_near_the_first_cr() {
    let text = |between: usize| format!("{}\r{}\nb\r\nc\rd", "a".repeat(NEAR), "x".repeat(between));
    assert_eq!(lines(&text(NEAR - 2)).len(), 3);
    let far = text(NEAR - 1);
    assert_eq!(lines(&far)[2..], ["b\r\n", "c\r", "d"]);
    assert_eq!(Ending::of(&far), Ending::Cr);
}

#[test]
fn the_end_of_a_line_is_what_ends_lines_in_its_text() {
    for (ending, line, end) in [
        (Ending::Lf, "a\r\n", "\r\n"),
        (Ending::Lf, "a\n", "\n"),
        (Ending::Lf, "a\r", ""),
        (Ending::Cr, "a\r", "\r"),
        (Ending::Cr, "a\r\n", "\r\n"),
        (Ending::Cr, "a", ""),
    ] {
        assert_eq!(ending.end_of(line), end, "{line:?}");
    }
}
