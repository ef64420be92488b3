//! C1: the reader of lines, on a corpus. What bash makes of these lines is seen where there is a sandbox for it (`orion-sandbox`).

pub(crate) mod corpus;

use orion_core::command_line::{Line, Unread, Words, changes_folder, is_of_shell, read};
use proptest::prelude::*;

use crate::thorough::cases;
use corpus::CORPUS;

fn owned(commands: &[&[&str]]) -> Vec<Words> {
    commands.iter().map(|words| words.iter().map(ToString::to_string).collect()).collect()
}

#[test]
fn a_line_is_read_as_its_simple_commands_or_is_not_understood_for_a_reason() {
    for (line, expected) in CORPUS {
        let expected = expected.map(|commands| Line { commands: owned(commands) });
        assert_eq!(read(line), expected, "{line:?}");
    }
}

#[test]
fn the_corpus_has_each_reason_and_no_line_twice() {
    let mut lines: Vec<&str> = CORPUS.iter().map(|(line, _)| *line).collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), CORPUS.len());
    let words: std::collections::BTreeSet<String> =
        CORPUS.iter().filter_map(|(_, read)| read.err()).map(|why| why.to_string()).collect();
    assert_eq!(words.len(), 19, "{words:?}");
    assert!(CORPUS.iter().filter(|(_, read)| read.is_ok()).count() >= 75);
}

#[test]
fn a_line_with_more_commands_or_words_than_a_person_reads_is_not_understood() {
    assert_eq!(read(&vec!["a"; 32].join(";")).map(|line| line.commands.len()), Ok(32));
    assert_eq!(read(&vec!["a"; 33].join(";")), Err(Unread::Size));
    assert_eq!(read(&vec!["a"; 256].join(" ")).map(|line| line.commands[0].len()), Ok(256));
    assert_eq!(read(&vec!["a"; 257].join(" ")), Err(Unread::Size));
}

#[test]
fn simple_commands_have_a_text_that_is_read_as_them() {
    for (commands, expected) in [
        (&[&["cargo", "test"][..]][..], Some("cargo test")),
        (&[&["cd", "a b"], &["npm", "run", "x:y"]], Some("cd 'a b'; npm run x:y")),
        (&[&["grep", "it's", "", "*"]], Some(r"grep 'it'\''s' '' '*'")),
        (&[&["test", "-f", "x"]], None),
        (&[&["echo", "a\u{200b}"]], None),
        (&[&[]], None),
        (&[], None),
    ] {
        assert_eq!(Line::text(&owned(commands)).as_deref(), expected, "{commands:?}");
    }
}

#[test]
fn a_change_of_the_folder_and_what_the_shell_has_itself_are_known() {
    assert!(changes_folder(&owned(&[&["cd", "x"]])[0]) && !changes_folder(&owned(&[&["cdx", "x"]])[0]));
    assert!(is_of_shell("echo") && is_of_shell("exit") && !is_of_shell("cargo") && !is_of_shell("eval"));
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn words_that_are_put_in_quotes_are_read_back_as_they_were(
        words in prop::collection::vec("[ -~\u{e9}\u{65e5}\n\t]{0,8}", 0..6),
    ) {
        let words: Words = std::iter::once("x".to_owned()).chain(words).collect();
        let text = Line::text(std::slice::from_ref(&words)).unwrap();
        prop_assert_eq!(read(&text), Ok(Line { commands: vec![words] }));
    }

    #[test]
    fn no_line_makes_the_reader_fail_otherwise_than_with_a_reason(line in "\\PC{0,40}") {
        if let Ok(read) = read(&line) {
            prop_assert!(read.commands.iter().all(|words| !words.is_empty() && !words[0].is_empty()));
        }
    }
}
