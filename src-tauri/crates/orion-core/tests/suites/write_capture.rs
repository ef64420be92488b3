//! The buffer of a write session against W3 and W4: by table, and against a reference that sees whole messages.

use orion_core::write::{Capture, EndLine, MessageEnd};
use orion_protocol::Seam;
use proptest::prelude::*;
use proptest::test_runner::Config;

use MessageEnd::{Complete, Open};

fn strict() -> EndLine {
    EndLine::Nonce("END-7f3a".into())
}

/// The content after these messages, each in one piece, with its seams as (offset, line, dropped), and what each message was.
fn captured<const N: usize>(messages: [&str; N]) -> (String, Vec<(u64, u32, u64)>, [MessageEnd; N]) {
    captured_until(EndLine::Done, messages)
}

fn captured_until<const N: usize>(
    end: EndLine,
    messages: [&str; N],
) -> (String, Vec<(u64, u32, u64)>, [MessageEnd; N]) {
    let mut capture = Capture::new(end);
    let ends = messages.map(|message| {
        capture.begin_message();
        capture.push(message);
        capture.end_message()
    });
    check_counts(&capture);
    let seams = capture.seams().iter().map(|seam| (seam.offset, seam.line, seam.dropped)).collect();
    (capture.into_text(), seams, ends)
}

fn check_counts(capture: &Capture) {
    let text = capture.text();
    assert_eq!((capture.bytes(), capture.lines()), (text.len() as u64, text.lines_counted()), "{text:?}");
}

trait Counted {
    fn lines_counted(&self) -> u64;
}

impl Counted for str {
    fn lines_counted(&self) -> u64 {
        self.split_inclusive('\n').count() as u64
    }
}

fn one(message: &str) -> (String, MessageEnd) {
    let (text, seams, [end]) = captured([message]);
    assert_eq!(seams, []);
    (text, end)
}

#[test]
fn the_end_line_is_no_content_and_everything_before_it_is() {
    for (message, content) in [
        ("a\nDONE", "a\n"),
        ("a\nDONE\n", "a\n"),
        ("a\nDONE\r\n", "a\n"),
        ("a\r\nDONE\r", "a\r\n"),
        ("a\r\n\r\n \nDONE\n\n", "a\r\n\r\n \n"),
        ("a\nDONE\n\n \t\r\n  ", "a\n"),
        ("a\nDONE\nDONE", "a\nDONE\n"),
        ("DONE", ""),
        ("DONE\n", ""),
        ("\nDONE", "\n"),
        ("  \nDONE\n", "  \n"),
    ] {
        assert_eq!(one(message), (content.into(), Complete), "{message:?}");
    }
}

#[test]
fn done_anywhere_else_is_content() {
    for message in [
        "a\nDONE\nb",
        "a\nDONE\n\n\nb\n",
        "DONE\nDONE b",
        "a DONE",
        "a\n DONE",
        "a\nDONE ",
        "a\nDONE\r\r\n",
        "a\nDONE.\n",
        "a\nDONE\rb\n",
        "a\ndone\n",
        "a\nDON\n",
        "a\nDONE\u{a0}\n",
        "a\nDONE\n\u{c}",
        "a\nDONE\n```\n",
        "a\rDONE",
        "a\n\u{feff}DONE",
        "",
        "\n",
    ] {
        assert_eq!(one(message), (message.into(), Open), "{message:?}");
    }
}

#[test]
fn in_strict_mode_the_nonce_ends_the_content_and_done_is_content() {
    assert_eq!(
        captured_until(strict(), ["a\nDONE", "\nEND-7f3a\r\n"]),
        ("a\nDONE\n".into(), vec![(6, 2, 0)], [Open, Complete])
    );
    assert_eq!(
        captured_until(strict(), ["a\nDONE\nEND-7f3", "END-7f3a"]),
        ("a\nDONE\n".into(), vec![], [Open, Complete]),
        "the nonce was begun again"
    );
}

#[test]
fn a_message_that_is_only_the_end_line_completes_what_was_there() {
    for content in ["a\n", "a", "a\r\n", "the answer is ", "D", "DO", "a\nD", "\n", " "] {
        for end in ["DONE", "DONE\n", "DONE\r\n\n"] {
            assert_eq!(captured([content, end]), (content.into(), vec![], [Open, Complete]), "{content:?}");
        }
    }
    assert_eq!(captured(["a", "DONE b"]), ("aDONE b".into(), vec![(1, 1, 0)], [Open, Open]));
    assert_eq!(captured(["a", "DONE\nb"]), ("aDONE\nb".into(), vec![(1, 1, 0)], [Open, Open]));
    assert_eq!(captured(["a", " DONE"]), ("a DONE".into(), vec![(1, 1, 0)], [Open, Open]));
    assert_eq!(captured(["a", "\nDONE"]), ("a\n".into(), vec![(1, 1, 0)], [Open, Complete]));
    assert_eq!(captured(["a", "b\nDONE"]), ("ab\n".into(), vec![(1, 1, 0)], [Open, Complete]));
}

#[test]
fn an_end_line_that_was_cut_in_two_counts() {
    assert_eq!(captured(["a\nDO", "NE"]), ("a\n".into(), vec![], [Open, Complete]));
    assert_eq!(captured(["a\nD", "O", "NE\n"]), ("a\n".into(), vec![], [Open, Open, Complete]));
    assert_eq!(captured(["a\nDO", "", "NE\r\n"]), ("a\n".into(), vec![], [Open, Open, Complete]));
    assert_eq!(captured(["a\nDON", "DONE"]), ("a\n".into(), vec![], [Open, Complete]), "begun again");
    assert_eq!(captured(["a\nDO", "NE b"]), ("a\nDONE b".into(), vec![(4, 2, 0)], [Open, Open]));
    assert_eq!(captured(["a\nDO", "NE\nb"]), ("a\nDONE\nb".into(), vec![(4, 2, 0)], [Open, Open]));
    assert_eq!(captured(["aDO", "NE"]), ("aDONE".into(), vec![(3, 1, 0)], [Open, Open]));
    assert_eq!(
        captured(["a", "DO", "NE"]),
        ("aDONE".into(), vec![(1, 1, 0), (3, 1, 0)], [Open, Open, Open]),
        "neither a line of the text nor of one message"
    );
}

#[test]
fn content_may_go_on_after_it_was_complete() {
    assert_eq!(
        captured(["a\nb\nDONE\n\n", "c\nDONE"]),
        ("a\nb\nc\n".into(), vec![(4, 3, 0)], [Complete, Complete])
    );
    assert_eq!(captured(["a\nDONE", ""]), ("a\n".into(), vec![], [Complete, Open]));
    assert_eq!(captured(["a\n \nDONE", "b"]).0, "a\n \nb");
    assert_eq!(captured(["b", "DONE\n", "\n", "DONE"]).2, [Open, Complete, Open, Complete]);
    assert_eq!(captured(["b", "DONE", " ", "DONE"]).0, "b ");
}

#[test]
fn a_line_that_was_cut_and_is_begun_again_is_there_once() {
    let lines = "fn one() {}\n\nfn two";
    assert_eq!(
        captured([lines, "fn two() {}\nDONE"]),
        (format!("{lines}() {{}}\n"), vec![(19, 3, 6)], [Open, Complete])
    );
    assert_eq!(captured(["foo", "foobar"]).0, "foobar");
    assert_eq!(captured(["a\n    été", "    étés"]).0, "a\n    étés");
    assert_eq!(captured(["a\n  x;y", "  x;y"]), ("a\n  x;y".into(), vec![(7, 2, 5)], [Open, Open]));
    assert_eq!(captured(["a\nfoo", "foo\nDONE"]), ("a\nfoo\n".into(), vec![(5, 2, 3)], [Open, Complete]));
    assert_eq!(captured(["a\nfoo\r", "foo\r\nb"]).0, "a\nfoo\r\nb");
}

#[test]
fn lines_before_the_one_that_was_cut_may_be_begun_again_too() {
    let text = "}\n  return\n\n  def ";
    assert_eq!(captured([text, "}\n  return\n\n  def f\n"]).0, format!("{text}f\n"));
    let twice = format!("{text}x\n{text}");
    assert_eq!(captured([&twice, "  return\n\n  def g\n"]).0, format!("{twice}g\n"));
    assert_eq!(
        captured([&twice, "eturn\n\n  def g\n"]).0,
        format!("{twice}eturn\n\n  def g\n"),
        "not a line"
    );
}

#[test]
fn of_several_lines_that_may_have_been_begun_again_the_last_is_taken_unless_more_is_distinctive() {
    assert_eq!(captured(["row\nrow\nrow", "row\nrow\nend"]).0, "row\nrow\nrow\nrow\nend");
    let first = "it was the best of times,\n";
    assert_eq!(captured([&format!("{first}it was"), &format!("{first}it was the worst")]).0, {
        format!("{first}it was the worst")
    });
}

#[test]
fn what_is_too_little_to_recognise_is_kept() {
    for (text, more) in [
        ("a\nfo", "foo"),
        ("a\n  f o ", "  f o o"),
        ("a\nfoo\n", "foo\n"),
        ("a\n}\n}\n", "}\n}\n"),
        ("a\n\n- item", "\n- item\n"),
        ("a\n \t\r\n- item", " \t\r\n- item\n"),
        ("a\nx foo", "foo"),
        ("a\nfoo", "fo"),
        ("abc12345678901234567890\n", "12345678901234567890\nxyz"),
    ] {
        assert_eq!(captured([text, more]).0, format!("{text}{more}"), "{text:?}");
    }
}

#[test]
fn a_line_that_repeats_itself_is_kept() {
    for (text, more) in [
        ("a\n---", "------\n"),
        ("0, 0, 0, ", "0, 0, 0, 0\n"),
        ("a\n0, 0, 0, 0, 0, 0, 0, 0, 0, ", "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0\n"),
        ("| yes | yes | no |\n| yes ", "| yes | no |\n"),
        ("| yes | yes | no |\n| yes ", "| yes | yes |\n"),
    ] {
        assert_eq!(captured([text, more]).0, format!("{text}{more}"), "{text:?}");
    }
    assert_eq!(captured(["| yes | no |\n| yes ", "| yes | no |"]).0, "| yes | no |\n| yes | no |");
    let far = format!("| yes | yes |\n{}", "12345678\n".repeat(64 * 1024 / 9));
    let text = format!("{far}| yes ");
    assert_eq!(captured([&text, "| yes | no |"]).0, format!("{far}| yes | no |"), "too far back to matter");
}

#[test]
fn a_long_and_distinctive_text_is_there_once() {
    let text = "first line\nthe twenty-four characters";
    assert_eq!(
        captured([text, "twenty-four characters are"]).0,
        format!("{text}twenty-four characters are"),
        "22 of them"
    );
    assert_eq!(
        captured([text, "e twenty-four characters are\nDONE"]),
        (format!("{text} are\n"), vec![(37, 2, 24)], [Open, Complete])
    );
    assert_eq!(
        captured([text, " twenty-four characters are"]).0,
        format!("{text} twenty-four characters are"),
        "23 of them"
    );
    let wide = "ü".repeat(3) + "äöüßéèçñ漢字🎉…—„“”»«¿¡€£¥¢";
    assert_eq!(captured([&format!("x{wide}"), &format!("{wide}!")]).0, format!("x{wide}!"));
    assert_eq!(captured([&format!("x{}", &wide[8..]), &wide[8..]]).0, format!("x{0}{0}", &wide[8..]));
}

#[test]
fn the_last_lines_are_there_once_also_when_nothing_was_cut_in_the_middle_of_a_line() {
    let text = "one\ntwo words\nthree words here\nfour words here\n";
    assert_eq!(
        captured([text, "three words here\nfour words here\nfive\n"]),
        (format!("{text}five\n"), vec![(47, 5, 33)], [Open, Open])
    );
    assert_eq!(
        captured([text, &text[4..], "DONE"]),
        (text.into(), vec![(47, 5, 43)], [Open, Open, Complete])
    );
}

#[test]
fn what_the_file_has_more_than_once_is_never_taken_for_a_repetition() {
    let row = "| one | two | three | four | five |\n";
    let table = row.repeat(5);
    assert_eq!(captured([&table, &row.repeat(3)]).0, row.repeat(8));
    assert_eq!(captured([&table, &row.repeat(5)]).0, row.repeat(10), "the whole buffer, and periodic");
    assert_eq!(captured([&format!("{row}x\n{row}"), row]).0, format!("{row}x\n{row}{row}"));
    let headed = format!("a heading\n{table}");
    assert_eq!(captured([&headed, &format!("{headed}more\n")]).0, format!("{headed}more\n"), "not periodic");
}

#[test]
fn how_far_back_is_looked_is_64_kib() {
    let row = "this line is twice in the file\n";
    for (between, kept) in [(64 * 1024 - 2 * row.len(), true), (64 * 1024 - 2 * row.len() + 1, false)] {
        let text = format!("{row}{}{row}", numbered(between));
        let expected = if kept { format!("{text}{row}") } else { text.clone() };
        assert!(captured([&text, row]).0 == expected, "{between}");
    }
}

/// Lines that are all different, cut to this many bytes.
fn numbered(bytes: usize) -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < bytes {
        number += 1;
        text += &format!("{number} is the number of this line\n");
    }
    text.truncate(bytes);
    text
}

#[test]
fn a_fence_opener_before_the_repeated_text_goes_with_it() {
    let text = "```rust\nfn one() {}\n\nfn two";
    for fence in ["```\n", "```rust\n", "````text, as before\n", "~~~\n", "~~~`\n", "```\r\n"] {
        let expected = (format!("{text}() {{}}\n"), vec![(27, 4, 6 + fence.len() as u64)], [Open, Open]);
        assert_eq!(captured([text, &format!("{fence}fn two() {{}}\n")]), expected, "{fence:?}");
    }
    let long = "`".repeat(62) + "\n";
    assert_eq!(captured([text, &format!("{long}fn two() {{}}\n")]).0, format!("{text}() {{}}\n"));
    let long = "`".repeat(64) + "\n";
    for no_fence in ["``\n", "~~\n", "```a`\n", "```rust ", " ```\n", "\n", "```\n\n", &long] {
        let more = format!("{no_fence}fn two() {{}}\n");
        assert_eq!(captured([text, &more]).0, format!("{text}{more}"), "{no_fence:?}");
    }
    assert_eq!(
        captured([text, "```rust\nfn three"]).0,
        format!("{text}```rust\nfn three"),
        "nothing repeats"
    );
    assert_eq!(
        captured([text, "```rust\nfn one() {}\n\nfn two() {"]).0,
        format!("{text}() {{"),
        "from the top"
    );
    assert_eq!(captured(["fn one() {}\nfn tw", "```\nfn one() {}\nfn two"]).0, "fn one() {}\nfn two");
    assert_eq!(captured(["fn one() {}\nfn tw", "```"]).0, "fn one() {}\nfn tw```");
}

#[test]
fn a_file_begun_again_from_the_top_goes_on_where_it_stopped() {
    for size in [30, 1000, 20_000, 65_536, 65_537, 300_000] {
        let whole = numbered(size + 5000);
        for fence in ["", "```csv\n"] {
            let dropped = (size + fence.len()) as u64;
            let (text, seams, ends) =
                captured([&whole[..size], &format!("{fence}{whole}\nDONE\n"), "", "more"]);
            assert!(text == format!("{whole}\nmore"), "{size}");
            let (seam, line) = (seams[0], whole[..size].matches('\n').count() as u32 + 1);
            assert_eq!((seam, ends), ((size as u64, line, dropped), [Open, Complete, Open, Open]), "{size}");
        }
    }
}

#[test]
fn a_file_begun_again_and_cut_before_there_was_anything_new_adds_nothing() {
    let text = numbered(100_000);
    for (again, kept) in [(1023, true), (1024, false), (16_384, false), (16_385, false), (99_000, false)] {
        for fence in ["", "```\n"] {
            let message = format!("{fence}{}", &text[..again]);
            let expected = if kept { format!("{text}{message}") } else { text.clone() };
            let (captured, seams, _) = captured([&text, &message]);
            assert!(captured == expected, "{again}");
            let dropped = if kept { 0 } else { message.len() as u64 };
            assert_eq!(seams[0].2, dropped, "{again}");
        }
    }
    assert!(captured([&text, &text[3..20_000]]).0 == format!("{text}{}", &text[3..20_000]), "not the top");
    let ended = format!("{}\nDONE\n{}", &text[..20_000], &text[20_000..]);
    for message in [&ended[..20_006], &ended[..20_005]] {
        let (captured, _, ends) = captured([&ended, message]);
        assert_eq!(ends, [Open, Complete], "an end line is an end line (W3)");
        assert!(captured == format!("{ended}{}", &ended[..20_001]));
    }
    let ended = format!("{}\nDONE\n{}", &text[..2_000], &text[2_000..]);
    let (captured, _, ends) = captured([&ended, &ended[..2_006]]);
    assert_eq!(ends, [Open, Complete]);
    assert!(captured == format!("{ended}{}", &ended[..2_001]));
}

#[test]
fn a_file_begun_again_that_differs_somewhere_is_kept_whole() {
    let text = numbered(100_000);
    for same in [1000, 16_383, 16_384, 16_385, 40_000, 99_999] {
        for (fence, other) in [("", "×"), ("```\n", "x")] {
            let message = format!("{fence}{}{other}{}\nDONE", &text[..same], &text[same..]);
            let (captured, seams, _) = captured([&text, &message]);
            assert!(captured == format!("{text}{}", &message[..message.len() - 4]), "{same}");
            assert_eq!((seams.len(), seams[0].2), (1, 0), "{same}");
        }
    }
    let umlaut = text.replace("number", "nümber");
    let message = umlaut.replacen("nümber", "nömber", 3000).replacen("nömber", "nümber", 2000);
    assert!(captured([&umlaut, &message]).0 == format!("{umlaut}{message}"), "half a character is the same");
}

#[test]
fn a_long_repetition_within_the_last_64_kib_is_there_once_wherever_it_begins() {
    let whole = numbered(120_000);
    let text = &whole[..100_000];
    for from in [100_000 - 65_536, 50_001, 83_615, 83_616, 83_617, 99_000] {
        assert!(captured([text, &whole[from..]]).0 == whole, "{from}");
    }
    let from = 100_000 - 65_537;
    assert!(captured([text, &whole[from..]]).0 == format!("{text}{}", &whole[from..]), "too far back");
}

#[test]
fn a_long_text_that_is_in_the_buffer_twice_is_no_repetition() {
    let part = numbered(20_000);
    let text = format!("{part}x\n{part}y\n");
    let more = format!("{part}y\nz");
    assert!(captured([&text, &more]).0 == format!("{text}{more}"));
    let text = "0123456789\n".repeat(3000) + "x";
    assert!(captured([&text, &text]).0 == format!("{text}{text}"), "periodic");
    let twice = format!("{part}\n{part}\n");
    assert!(
        captured([&twice, &twice]).0 == format!("{twice}{twice}"),
        "also when all of it would be repeated"
    );
    let run = "0123456789\n".repeat(1490);
    assert!(run.len() > WINDOW && run.len() < WINDOW + 11, "the first 16 KiB of it are there once");
    let text = format!("{run}and an end");
    assert!(captured([&text, &format!("{text}!")]).0 == format!("{text}{text}!"), "periodic too");
    let far = format!("{part}{}{part}y\n", numbered(70_000));
    assert!(captured([&far, &format!("{part}y\nz")]).0 == format!("{far}z"), "the other is too far back");
}

#[test]
fn it_is_the_first_16_kib_that_tell_what_is_repeated() {
    let head = numbered(16_000);
    let text = format!("{head}x\n{head}{}", numbered(9000).replace("number", "name"));
    let again = &text[head.len() + 2..];
    assert!(captured([&text, again]).0 == text, "the head alone would be there twice");
    let head = numbered(16_400);
    let text = format!("{head}x\n{head}{}", numbered(9000).replace("number", "name"));
    let again = &text[head.len() + 2..];
    assert!(captured([&text, again]).0 == format!("{text}{again}"), "no more is held back");
}

#[test]
fn after_a_long_match_that_fails_a_shorter_one_still_counts() {
    // The message is the file from the top up to a point; its first line is also the one that was cut.
    let top = numbered(80_000);
    let line = &top[..top.find('\n').unwrap()];
    let text = format!("{top}{}{line}", numbered(70_000).replace("number", "name"));
    let message = format!("{}!", &top[..30_000]);
    assert!(captured([&text, &message]).0 == format!("{text}{}", &message[line.len()..]));
}

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
    assert_eq!(captured(""), (Complete, "a\n".into()));
    assert_eq!(captured("\n"), (Complete, "a\n".into()));
    assert_eq!(captured("DONE"), (Complete, "a\n".into()), "begun again");
    assert_eq!(captured("\nDONE"), (Complete, "a\nDONE\n".into()));
    assert_eq!(captured("\nb\nDONE"), (Complete, "a\nDONE\nb\n".into()));
}

// A reference that sees whole messages and does everything the plain way, straight from the documented rules.

const WINDOW: usize = 16 * 1024;

#[derive(Default)]
struct Reference {
    text: String,
    seams: Vec<Seam>,
}

fn blank(line: &str) -> bool {
    line.chars().all(|c| " \t\r".contains(c))
}

/// Where the last line of the text that is not blank begins, if it is the end line.
fn end_line(text: &str, end: &str) -> Option<usize> {
    let mut at = text.len() + 1;
    text.split('\n')
        .rev()
        .find_map(|line| {
            at -= line.len() + 1;
            (!blank(line)).then_some((at, line))
        })
        .filter(|(_, line)| *line == end || line.strip_suffix('\r') == Some(end))
        .map(|(at, _)| at)
}

impl Reference {
    fn message(&mut self, message: &str, end: &str) -> MessageEnd {
        let before = self.text.len();
        let dropped = if before == 0 { 0 } else { repeated(&self.text, message, end) };
        if before > 0 {
            let line = self.text.matches('\n').count() as u32 + 1;
            self.seams.push(Seam { offset: before as u64, line, dropped: dropped as u64 });
        }
        self.text.push_str(&message[dropped..]);
        let own = (dropped == 0 && end_line(message, end) == Some(0)).then_some(before);
        // A line that was there before the message is not its.
        let joined = end_line(&self.text, end).filter(|at| at + end.len() > before);
        let at = joined.or(own);
        if let Some(at) = at {
            self.text.truncate(at);
        }
        let length = self.text.len() as u64;
        self.seams.retain(|seam| seam.offset < length || (seam.offset == length && seam.dropped > 0));
        if at.is_some() { Complete } else { Open }
    }
}

fn repeated(text: &str, message: &str, end: &str) -> usize {
    let opener = message.split_inclusive('\n').next().filter(|line| {
        let ticks = line.chars().take_while(|&c| c == '`').count();
        line.ends_with('\n')
            && line.len() <= 64
            && (line.starts_with("~~~") || ticks >= 3 && !line[ticks..].contains('`'))
    });
    let leads = [0, opener.map_or(0, str::len)];
    let look_back = &text.as_bytes()[text.len().saturating_sub(64 * 1024)..];
    let occurrences = |part: &str| look_back.windows(part.len()).filter(|at| *at == part.as_bytes()).count();
    let window = &message[..message.floor_char_boundary(WINDOW)];
    if window.len() < message.len() {
        for lead in leads {
            let (part, whole) = (&window[lead..], &message[lead..]);
            let recent = (0..look_back.len()).find(|&at| look_back[at..].starts_with(part.as_bytes()));
            let start = match recent {
                Some(at) if occurrences(part) == 1 => text.len() - look_back.len() + at,
                None if text.starts_with(part) => 0,
                _ => continue,
            };
            if periodic(part) || start + part.len() == text.len() {
                continue;
            }
            if whole.starts_with(&text[start..]) {
                return lead + text.len() - start;
            }
            if start == 0 && text.starts_with(whole) && end_line(message, end).is_none() {
                return message.len();
            }
            break;
        }
    } else if end_line(message, end).is_none() {
        let again = |lead: &usize| message.len() - lead >= 1024 && text.starts_with(&message[*lead..]);
        if leads.iter().any(again) {
            return message.len();
        }
    }
    let cut = &text[text.rfind('\n').map_or(0, |at| at + 1)..];
    let counts = |part: &str| {
        let begins_a_line = text.len() == part.len() || text[..text.len() - part.len()].ends_with('\n');
        let begun_again = begins_a_line
            && !blank(part.split('\n').next().unwrap())
            && part.ends_with(cut)
            && cut.split_whitespace().collect::<String>().chars().count() >= 3;
        let distinctive = part.chars().count() >= 24 && !periodic(part) && occurrences(part) == 1;
        (begun_again, distinctive)
    };
    let best = |lead: usize| {
        let whole = &window[lead..];
        let parts = || (1..=whole.len()).filter(|&to| whole.is_char_boundary(to)).map(|to| &whole[..to]);
        let parts = || parts().filter(|part| text.ends_with(part));
        let long = parts().filter(|part| counts(part).1).max_by_key(|part| part.len());
        let again = || parts().find(|part| counts(part).0);
        let again = || again().filter(|part| !periodic(part) && occurrences(&part.repeat(2)) == 0);
        long.or_else(again).map_or(0, |part| lead + part.len())
    };
    best(leads[0]).max(best(leads[1]))
}

fn periodic(part: &str) -> bool {
    let bytes = part.as_bytes();
    (1..=bytes.len() / 2).any(|period| bytes[period..] == bytes[..bytes.len() - period])
}

/// What content is made of: everything that looks like an end, a fence, a line end or a part of one of them.
fn atom() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "DONE",
        "\nDONE\n",
        "DO",
        "NE",
        "D",
        "DON",
        "E",
        "\n",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        " ",
        "\t",
        "```",
        "```rust\n",
        "\n```\n",
        "~~~\n",
        "é",
        "漢字",
        "🎉",
        "}",
        "}\n",
        "    ",
        "foo",
        "| yes ",
        "| yes | no |\n",
        "a line of more than twenty-four characters\n",
        "another line, of about forty characters\n",
        "0, 0, ",
        "END-7f3a",
        "END-",
        "---",
        "let x = 1;\n",
    ])
}

fn atoms(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(atom(), 0..most).prop_map(|atoms| atoms.concat())
}

/// One message: what it repeats of the content before it, and what is new.
#[derive(Debug, Clone)]
struct Said {
    /// Where it begins again, from 0 (the end of the content) to 1 (its beginning); none when it repeats nothing.
    again: Option<f64>,
    fence: &'static str,
    new: String,
}

impl Said {
    fn after(&self, text: &str) -> String {
        let from = self
            .again
            .map_or(text.len(), |part| text.floor_char_boundary((text.len() as f64 * (1.0 - part)) as usize));
        format!("{}{}{}", self.fence, &text[from..], self.new)
    }
}

fn said() -> impl Strategy<Value = Said> {
    let again = prop_oneof![Just(None), Just(Some(1.0)), (0.0..1.0).prop_map(Some)];
    let fence = prop::sample::select(vec!["", "", "```\n", "```rust\n", "\n"]);
    (again, fence, atoms(12)).prop_map(|(again, fence, new)| Said { again, fence, new })
}

/// Cuts a message at some of these places.
fn pieces<'a>(message: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let mut places: Vec<_> =
        cuts.iter().map(|cut| message.floor_char_boundary(cut % (message.len() + 1))).collect();
    places.extend([0, message.len()]);
    places.sort_unstable();
    places.windows(2).map(|place| &message[place[0]..place[1]]).collect()
}

proptest! {
    #![proptest_config(Config::with_cases(30_000))]

    #[test]
    fn any_chunking_gives_what_whole_messages_give(
        messages in prop::collection::vec(said(), 1..5),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
        nonce in any::<bool>(),
    ) {
        let end = if nonce { strict() } else { EndLine::Done };
        let mut reference = Reference::default();
        let mut capture = Capture::new(end.clone());
        let mut shown = String::new();
        for message in messages {
            let message = message.after(&reference.text);
            let expected = reference.message(&message, end.as_str());
            capture.begin_message();
            for piece in pieces(&message, &cuts) {
                capture.push(piece);
                let now = &capture.text()[..capture.shown()];
                prop_assert!(now.starts_with(&shown), "{shown:?} was shown, and now it is {now:?}");
                shown = now.to_owned();
            }
            prop_assert_eq!(capture.end_message(), expected);
            prop_assert_eq!(capture.text(), &reference.text);
            prop_assert_eq!(capture.seams(), &reference.seams);
            prop_assert!(capture.text()[..capture.shown()].starts_with(&shown), "{:?} was shown", shown);
            check_counts(&capture);
        }
    }
}

/// A file of so many tokens of 4 characters: lines that are each different, and between them short ones that are not, no more of
/// them in a row than a repetition of 64 characters goes beyond.
fn long_file(tokens: usize, seed: usize) -> String {
    let short = ["}\n", "\n", "    }\r\n", "---\n", "|a|a|\n"];
    let mut file = String::new();
    let mut characters = 0;
    let mut line = seed;
    while characters < tokens * 4 {
        line += 1;
        let mut text = format!("    let größe_{line} = 計算({line}, \"…\");\n");
        text.extend((0..line * 7 % 4).map(|at| short[(line + at) % short.len()]));
        characters += text.chars().count();
        file += &text;
    }
    file
}

/// How a model goes on after its output was cut.
#[derive(Debug, Clone, Copy)]
enum Resumption {
    Exactly,
    /// So many characters before the cut. Fewer than 64 could be short lines alone, which the file has many times.
    Characters(usize),
    /// From the beginning of the line that was cut. Of lines with fewer than 3 characters nothing can be told.
    Line,
    /// From the beginning of one of so many different lines before the cut.
    Lines(usize),
    FromTheTop,
}

fn resumption() -> impl Strategy<Value = Resumption> {
    prop_oneof![
        2 => Just(Resumption::Exactly),
        4 => (64usize..5000).prop_map(Resumption::Characters),
        4 => Just(Resumption::Line),
        4 => (1usize..60).prop_map(Resumption::Lines),
        1 => Just(Resumption::FromTheTop),
    ]
}

impl Resumption {
    /// Where the next message begins when the one before it was cut at `cut`.
    fn start(self, file: &str, cut: usize) -> usize {
        let before = &file[..cut];
        match self {
            Self::Exactly => cut,
            Self::Characters(count) => before.char_indices().rev().nth(count - 1).map_or(0, |(at, _)| at),
            Self::Line => {
                let start = before.rfind('\n').map_or(0, |at| at + 1);
                // `---` and `|a|` may be the beginning of a longer line of the same.
                let tells = before[start..].starts_with("    let");
                if tells { start } else { cut }
            }
            Self::Lines(count) => before.rmatch_indices("    let").nth(count).map_or(0, |(at, _)| at),
            Self::FromTheTop => 0,
        }
    }
}

fn resumptions() -> impl Strategy<Value = Vec<(Resumption, usize, bool)>> {
    prop::collection::vec((resumption(), 0usize..64, prop::bool::weighted(0.2)), 16)
}

/// Writes the file in messages of so many tokens, each cut a few characters earlier than it could be, and each after the first
/// with a fence opener or not. One session, no loss, no repeat, seams marked (W4).
fn assemble(file: &str, tokens: usize, resumptions: Vec<(Resumption, usize, bool)>) {
    let mut capture = Capture::new(EndLine::Done);
    let mut resumptions = resumptions.into_iter().cycle();
    let mut seams = Vec::new();
    let mut sent = 0;
    while sent < file.len() {
        let (resumption, fewer, fenced) = resumptions.next().unwrap();
        let start = resumption.start(file, sent);
        let fence = if fenced && start < sent { "```rust\n" } else { "" };
        // A message that begins again brings as much that is new as one that does not.
        let end = file[sent..].char_indices().nth(tokens * 4 - fewer).map_or(file.len(), |(at, _)| sent + at);
        if sent > 0 {
            let line = file[..sent].matches('\n').count() as u32 + 1;
            let dropped = fence.len() + sent - start;
            seams.push(Seam { offset: sent as u64, line, dropped: dropped as u64 });
        }
        let done = if end == file.len() { "DONE\n" } else { "" };
        let message = format!("{fence}{}{done}", &file[start..end]);
        capture.begin_message();
        let mut rest = message.as_str();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(64));
            capture.push(piece);
            rest = after;
        }
        assert_eq!(capture.end_message(), if done.is_empty() { Open } else { Complete });
        assert!(capture.text() == &file[..end], "after {resumption:?} at {sent}");
        sent = end;
    }
    assert_eq!(capture.seams(), &seams);
}

proptest! {
    #![proptest_config(Config::with_cases(16))]

    #[test]
    fn a_file_of_40_000_tokens_that_is_cut_every_4000_is_put_together_exactly(
        seed in 0usize..1000,
        resumptions in resumptions(),
    ) {
        assemble(&long_file(40_000, seed), 4000, resumptions);
    }
}

proptest! {
    #![proptest_config(Config::with_cases(256))]

    #[test]
    fn a_file_that_is_cut_anywhere_and_often_is_put_together_exactly(
        seed in 0usize..1000,
        tokens in 50usize..400,
        resumptions in resumptions(),
    ) {
        assemble(&long_file(1500, seed), tokens, resumptions);
    }
}
