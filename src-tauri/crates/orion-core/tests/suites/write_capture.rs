//! The buffer of a write session against W3 and W4: by table.

use orion_core::write::{Capture, EndLine, MessageEnd};

use MessageEnd::{Complete, Open};

use crate::write_capture_any::WINDOW;

pub(crate) fn strict() -> EndLine {
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

pub(crate) fn check_counts(capture: &Capture) {
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
pub(crate) fn numbered(bytes: usize) -> String {
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
