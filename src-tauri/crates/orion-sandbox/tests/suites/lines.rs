//! C1: bash runs no program but those that the reader of lines has read, with the words that it has read.
//!
//! Bash runs each line in a box whose `PATH` has stubs alone, which write down their names and arguments. The lines are a corpus, and what is made at
//! random to be misread.

#[path = "../../../orion-core/tests/suites/command_lines/corpus.rs"]
mod corpus;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use orion_core::command_line::{Line, Words, is_of_shell, read};
use orion_protocol::CommandEnd;
use orion_sandbox::{Limits, Order};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::common::Tried;
use corpus::CORPUS;

/// The names of the stubs: some programs, and some that the shell has for itself, which it runs where something leads past that.
const STUBS: [&str; 24] = [
    "a", "b", "cargo", "git", "x", "grep", "ls", "make", "wc", "tail", "env", "time", "if", "then", "eval",
    "exec", "command", "source", "for", "test", "set", "alias", "export", "trap",
];

/// Writes down the number of its line, how many words it has, its name, and the words, each with a NUL.
const STUB: &str = r#"#!/bin/sh
printf '%s\0' "$LINE_NUMBER" "$#" "${0##*/}" "$@" >>"$LINE_LOG"
"#;

/// Runs each line of the file as a command is run.
const DRIVER: &str = r#"
here=$PWD; number=0; export LINE_NUMBER LINE_LOG=$here/log PATH=$here/stubs LC_ALL
while IFS= read -r -d '' line <&9; do
    LINE_NUMBER=$number LC_ALL=C.UTF-8
    ((number % 2)) && LC_ALL=C
    /bin/bash --noprofile --norc -c "$line" </dev/null >/dev/null 2>&1
    ((++number))
done 9<lines
echo "$number"
"#;

/// The programs that ran for each of these lines, with their words.
async fn ran(lines: &[&str]) -> Vec<Vec<Words>> {
    let tried = Tried::new().await;
    let stubs = tried.project().join("stubs");
    fs::create_dir_all(tried.project().join("a/b")).unwrap();
    fs::create_dir(&stubs).unwrap();
    for name in STUBS {
        fs::write(stubs.join(name), STUB).unwrap();
        fs::set_permissions(stubs.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(tried.project().join("log"), "").unwrap();
    let all: Vec<u8> = lines.iter().flat_map(|line| line.bytes().chain([0])).collect();
    fs::write(tried.project().join("lines"), all).unwrap();
    let time = Duration::from_secs(3_600);
    let order = Order { limits: Limits { time, free_bytes: 0, ..Limits::default() }, ..tried.order(DRIVER) };
    let (end, said) = tried.run(tried.in_box(), order).await;
    assert_eq!((end.ended, said.trim()), (CommandEnd::Exited { code: 0 }, lines.len().to_string().as_str()));
    let log = fs::read_to_string(tried.project().join("log")).unwrap();
    let mut fields = log.split_terminator('\0').map(str::to_owned);
    let mut ran = vec![Vec::new(); lines.len()];
    while let Some(number) = fields.next() {
        let count: usize = fields.next().unwrap().parse().unwrap();
        ran[number.parse::<usize>().unwrap()].push(fields.by_ref().take(count + 1).collect::<Words>());
    }
    ran
}

fn counted<'a>(commands: impl IntoIterator<Item = &'a Words>) -> BTreeMap<Words, usize> {
    commands.into_iter().fold(BTreeMap::new(), |mut all, words| {
        *all.entry(words.clone()).or_default() += 1;
        all
    })
}

/// The faults of what ran for a line that was read.
fn fault(line: &str, read: &Line, ran: &[Words]) -> Option<String> {
    let (expected, ran) = (counted(&read.commands), counted(ran));
    let unread = ran.iter().find(|(words, times)| expected.get(*words).is_none_or(|read| read < *times));
    if let Some((words, _)) = unread {
        return Some(format!("{line:?} ran {words:?}, and was read as {:?}", read.commands));
    }
    // Where everything is a stub, which succeeds, and nothing waits for a failure, all of it runs.
    let runs_all =
        read.commands.iter().all(|words| STUBS.contains(&words[0].as_str())) && !line.contains("||");
    (runs_all && expected != ran).then(|| format!("{line:?} ran {ran:?}, and was read as {expected:?}"))
}

/// The faults among lines, as far as they are read, and how many were.
async fn faults(lines: &[String]) -> (Vec<String>, usize) {
    let understood: Vec<(&str, Line)> =
        lines.iter().filter_map(|line| Some((line.as_str(), read(line).ok()?))).collect();
    let texts: Vec<&str> = understood.iter().map(|(line, _)| *line).collect();
    let ran = ran(&texts).await;
    let faults = understood.iter().zip(&ran).filter_map(|((line, read), ran)| fault(line, read, ran));
    (faults.collect(), understood.len())
}

/// Pieces that are read, for the greater part.
fn plain() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(&STUBS[..6]).prop_map(str::to_owned),
        3 => prop::sample::select(&[
            "-x", "--a=b", "a=b", "1", "2", "22", "a/b", "./a", "@", ",", ":", "%", "HEAD~1", "x^", "é", "日本", "-", "--", "echo",
            "''", "\"\"", "'a b'", "\"a b\"", "'$a'", "\"it's\"", "'\"'", "\\ ", "\\$a", "\\*", "\\\\", "\"\\\"\"", "\"\\$\"", "\"\\a\"",
            "'*'", "'{a,b}'", "'~'", "'#'", "'!'", "\"!\"", "\"#\"", "'\n'", "\"a\tb\"", "\\;", "\\|", "\\&", "\\>", "\\#", "\\~", "\\'",
            "cd a", "cd a/b", "exit", "printf", "true", "false",
        ][..]).prop_map(str::to_owned),
        3 => prop::sample::select(&[" && ", " || ", "; ", " | ", "\n", "&&", "||", ";", "|", " &&\n", "\n\n", " |\n "][..])
            .prop_map(str::to_owned),
        2 => prop::sample::select(&[
            " 2>&1", " >/dev/null", " 2>/dev/null", " >> /dev/null", " &>/dev/null", " >&2", " 1>&2 ", "2>&1 ", " &>>/dev/null ",
        ][..]).prop_map(str::to_owned),
        6 => Just(" ".to_owned()),
        1 => Just("\t".to_owned()),
    ]
}

/// Pieces that mean something to bash.
fn mean() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(&STUBS[..]).prop_map(str::to_owned),
        4 => prop::sample::select(&[
            "$a", "`a`", "$(a)", "$((1))", "${a}", "$'a'", "$\"a\"", "$", "`", "*", "?", "[a]", "[", "]", "{a,b}", "{", "}", "{1..3}", "~", "~/a",
            "=~", ":~", "#", "!", "!!", "(", ")", "(a)", "<(a)", ">(a)", "<", ">", "> a", "<<a\n", "<<<a", "<>", ">|", "|&", "&", ";;", ";&",
            "&&&", "|||", "A=b", "A+=b", "A[0]=b", "=", "+=", "\\\n", "\\", "'", "\"", "\r", "\r\n", "\u{a0}", "\u{2003}", "\u{200b}", "\u{85}",
            "\u{b}", "\u{c}", "\u{3000}", "\u{2028}", "if", "then", "fi", "for", "do", "done", "while", "case", "esac", "function", "time", "[[",
            "]]", "coproc", "select", "in", "%1", "^a^b", "+(a)", "@(a)", "!(a)", "2>", "3>&1", "2>&", "&>", ">&", "2>&1-", ">&-", "{a}>",
            "command", "exec", "eval", "builtin", ".", "source", "alias", "cd", "cd ..", "cd -", "~+", "%", "-v", "$$", "$?", "$@", "\u{1}",
            "\u{7f}", "\u{ad}", "é", "’", "“",
        ][..]).prop_map(str::to_owned),
    ]
}

/// Lines of which about half are read: plain ones, plain ones with a change, and mean ones.
fn lines() -> impl Strategy<Value = String> {
    let piece = || prop_oneof![60 => plain(), 1 => mean()];
    let some = |pieces: Vec<String>| pieces.concat();
    let changed =
        (prop::collection::vec(plain(), 1..10), mean(), any::<prop::sample::Index>(), any::<bool>());
    let changed = changed.prop_map(|(mut pieces, mean, at, replaces)| {
        let at = at.index(pieces.len());
        if replaces {
            pieces[at] = mean;
        } else {
            pieces.insert(at, mean);
        }
        pieces.concat()
    });
    let letters = "[ab \t\n'\"\\\\;|&<>=~{}*$#!0-2]{1,16}".prop_map(|text| format!("a {text}"));
    let mixed = prop::collection::vec(prop_oneof![3 => plain(), 1 => mean()], 1..8).prop_map(some);
    prop_oneof![
        12 => prop::collection::vec(piece(), 1..14).prop_map(|pieces| format!("a {}", pieces.concat())),
        3 => changed,
        3 => letters,
        2 => mixed,
    ]
}

#[tokio::test]
async fn bash_runs_the_lines_of_the_corpus_as_they_were_read() {
    let lines: Vec<String> = CORPUS.iter().map(|(line, _)| (*line).to_owned()).collect();
    let (faults, understood) = faults(&lines).await;
    assert_eq!(faults, Vec::<String>::new());
    assert!(understood >= 75, "{understood}");
}

#[tokio::test]
async fn bash_runs_no_program_that_was_not_read_of_any_line() {
    let mut runner = TestRunner::default();
    let lines: Vec<String> = (0..orion_thorough::cases(5_000, 100_000))
        .map(|_| lines().new_tree(&mut runner).unwrap().current())
        .collect();
    let (faults, understood) = faults(&lines).await;
    assert_eq!(faults, Vec::<String>::new());
    assert!(understood > lines.len() / 3, "only {understood} of {} lines were understood", lines.len());
}

#[test]
fn no_stub_is_a_program_that_the_shell_runs_without_its_file() {
    assert!(STUBS.iter().all(|name| !is_of_shell(name)));
}
