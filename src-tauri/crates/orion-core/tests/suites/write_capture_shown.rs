//! What of a write session's content may be shown while it comes (W3), and what a message that was cut off leaves.

use orion_core::write::{Capture, EndLine, MessageEnd};

use MessageEnd::{Complete, Open};

use crate::write_capture::numbered;

/// What is shown after each piece of the last message.
fn shown<const N: usize>(before: &str, pieces: [&str; N]) -> [String; N] {
    let mut capture = Capture::new(EndLine::Done);
    if !before.is_empty() {
        capture.begin_message();
        capture.push(before);
        assert_eq!(capture.end_message(), Open);
    }
    capture.begin_message();
    pieces.map(|piece| {
        capture.push(piece);
        capture.text()[..capture.shown()].to_owned()
    })
}

#[test]
fn what_may_become_the_end_line_is_held_back_and_nothing_else() {
    assert_eq!(
        shown("", ["a", "b\nD", "ON", "E", "\r", "\n", " \n", "\t", "c"]),
        ["a", "ab\n", "ab\n", "ab\n", "ab\n", "ab\n", "ab\n", "ab\n", "ab\nDONE\r\n \n\tc"]
    );
    assert_eq!(shown("", ["DONE", "D"]), ["", "DONED"]);
    assert_eq!(shown("", ["DONE\nD", "O\n"]), ["DONE\n", "DONE\nDO\n"]);
    assert_eq!(shown("", ["DONE\r", "x"]), ["", "DONE\rx"]);
    assert_eq!(shown("", [" D", "  \n"]), [" D", " D  \n"]);
    assert_eq!(shown("", ["DONE\nDONE"]), ["DONE\n"]);
}

#[test]
fn the_end_line_of_a_message_of_its_own_is_held_back_too() {
    let start = format!("{}\n", "-".repeat(70));
    let mut capture = Capture::new(EndLine::Done);
    capture.begin_message();
    capture.push("ab");
    capture.end_message();
    capture.begin_message();
    capture.push("DON");
    assert_eq!((capture.text(), capture.shown()), ("ab", 2), "held back as a whole");
    capture.end_message();
    assert_eq!((capture.text(), capture.shown()), ("abDON", 5), "that message is over");
    assert_eq!(shown("ab", [&start, "c"])[1], format!("ab{start}c"));
}

#[test]
fn a_continuation_is_shown_as_soon_as_it_can_repeat_nothing() {
    let text = numbered(30_000);
    let other = "x".repeat(63);
    assert_eq!(shown("a\n", [&other, "y"]), ["a\n".to_owned(), format!("a\n{other}y")]);
    let part = &text[1000..1064];
    let pieces = shown(&text, [part, "!", &"?".repeat(62), "?"]);
    assert!(pieces[0] == text && pieces[1] == text && pieces[2] == text, "the next look is at 128 bytes");
    assert!(pieces[3] == format!("{text}{part}!{}", "?".repeat(63)));
    let pieces = shown(&text, [&text[1000..17_384], &text[17_384..29_999], &text[29_999..], "more"]);
    assert!(pieces[2] == text && pieces[3] == format!("{text}more"));
}

#[test]
fn the_tail_ends_with_what_is_shown_and_begins_with_a_character() {
    let mut capture = Capture::new(EndLine::Done);
    capture.push("aé\nbé\nDO");
    let tails: Vec<_> = [0, 1, 2, 3, 5, 6, 7, 8, 100].map(|bytes| capture.tail(bytes)).into();
    assert_eq!(tails, ["", "\n", "\n", "é\n", "\nbé\n", "\nbé\n", "é\nbé\n", "aé\nbé\n", "aé\nbé\n"]);
}

#[test]
fn a_message_that_was_cut_off_leaves_what_it_brought() {
    let mut capture = Capture::new(EndLine::Done);
    capture.push("one\ntwo");
    capture.begin_message();
    capture.push("two and");
    capture.begin_message();
    capture.begin_message();
    capture.push(" three\nDONE");
    assert_eq!(capture.end_message(), Complete);
    let seams = capture.seams().iter().map(|seam| (seam.offset, seam.line, seam.dropped));
    assert_eq!(seams.collect::<Vec<_>>(), [(7, 2, 3), (11, 2, 0)]);
    assert_eq!((capture.lines(), capture.into_text()), (2, "one\ntwo and three\n".into()));
}

#[test]
fn an_end_line_in_a_message_that_was_cut_off_ends_the_content_if_nothing_follows() {
    let captured = |last: &str| {
        let mut capture = Capture::new(EndLine::Done);
        capture.push("a\nDONE");
        capture.begin_message();
        capture.push(last);
        (capture.end_message(), capture.into_text())
    };
    let after_its_line = |last: &str| {
        let mut capture = Capture::new(EndLine::Done);
        capture.push("a\nDONE\n");
        capture.break_off();
        capture.push(last);
        (capture.end_message(), capture.seams().len(), capture.into_text())
    };
    for repeated in ["DONE", "DONE\r\n", "DONE\n \n"] {
        assert_eq!(after_its_line(repeated), (Complete, 0, "a\n".into()), "{repeated:?}");
    }
    assert!(after_its_line("DONE\nb").2.ends_with("DONE\nb"), "more than the end line is content");
    assert_eq!(after_its_line("b\nDONE").2, "a\nDONE\nb\n");
    assert_eq!(captured(""), (Complete, "a\n".into()));
    assert_eq!(captured("\n"), (Complete, "a\n".into()));
    assert_eq!(captured("DONE"), (Complete, "a\n".into()), "begun again");
    assert_eq!(captured("\nDONE"), (Complete, "a\nDONE\n".into()));
    assert_eq!(captured("\nb\nDONE"), (Complete, "a\nDONE\nb\n".into()));
}
