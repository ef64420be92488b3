//! Line ends of a text that was changed in an editor, which gives back `\n` alone.

use orion_files::difference::with_line_ends;
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::any::{cases, pair};

/// As an editor gives it back.
fn in_editor(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

#[test]
fn a_line_that_is_still_there_ends_as_it_did_and_a_new_one_as_its_neighbours() {
    for (what, shown, edited, expected) in [
        ("one line of a CRLF text", "a\r\nb\r\nc\r\n", "a\nB\nc\n", "a\r\nB\r\nc\r\n"),
        ("more lines than there were", "a\r\nb\r\nc\r\n", "a\nB\nBB\nc\n", "a\r\nB\r\nBB\r\nc\r\n"),
        ("a new first line", "a\r\nb\r\n", "new\na\nb\n", "new\r\na\r\nb\r\n"),
        ("a new last line", "a\r\nb", "a\nb\nnew", "a\r\nb\r\nnew"),
        ("a new last line behind a line end", "a\r\nb\r\n", "a\nb\nnew\n", "a\r\nb\r\nnew\r\n"),
        ("mixed ends", "a\nb\r\nc\nd\r\n", "a\nB\nc\nnew\nd\n", "a\nB\r\nc\nnew\nd\r\n"),
        ("carriage returns alone", "a\rb\rc", "a\nB\nc", "a\rB\rc"),
        ("a line that is emptied", "a\rb\nc\n", "a\n\nc\n", "a\r\rc\n"),
        ("a line that goes", "a\r\nb\nc\r\n", "a\nc\n", "a\r\nc\r\n"),
        ("all lines", "a\r\nb\r\n", "x\ny\nz\n", "x\r\ny\r\nz\r\n"),
        ("nothing left", "a\r\n", "", ""),
        ("nothing there", "", "a\n", "a\n"),
        ("ends that were meant so", "a\r\nb\r\n", "a\r\nB\rc\n", "a\r\nB\rc\r\n"),
        ("LF alone", "a\nb\n", "a\nB\n", "a\nB\n"),
    ] {
        assert_eq!(with_line_ends(edited, shown), expected, "{what}");
    }
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(cases()) })]

    // W8
    #[test]
    fn a_text_that_comes_back_unchanged_is_the_same_to_the_byte((shown, _) in pair()) {
        prop_assert_eq!(with_line_ends(&in_editor(&shown), &shown), shown);
    }

    #[test]
    fn nothing_but_line_ends_is_other_than_what_was_edited((shown, edited) in pair()) {
        let edited = in_editor(&edited);
        prop_assert_eq!(in_editor(&with_line_ends(&edited, &shown)), edited);
    }
}
