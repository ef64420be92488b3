//! The rules of docs/protocol.md and the places that cite them.
//!
//! A citation is a number such as T4 in a comment, or at the beginning of a string (`"T4: {} model calls"`, the name of a test of
//! the UI), or in parentheses in one. Documents are read too: a rule that they name must exist, but only code and tests keep it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use crate::source_rules::{root, sources};

const RULEBOOK: &str = "docs/protocol.md";

/// The chapters of the rulebook. Another letter with a number is no rule.
const CHAPTERS: &str = "TPXDRAWCVJEH";

/// What looks like a rule and is none: a window system, models, control characters.
const NOT_RULES: [&str; 5] = ["X11", "DeepSeek V3 and R1", "DeepSeek V3.2 and V4", "C0 and C1", "C1 control"];

/// A rule's number is its letter and its place: they sort as they stand in the book.
fn place(rule: &str) -> (usize, u32) {
    (CHAPTERS.find(&rule[..1]).unwrap(), rule[1..].parse().unwrap())
}

/// What stands for the numbers of rules in a text: `T4`, but neither `UTF8` nor `V3.2`.
fn numbers(text: &str) -> BTreeSet<String> {
    let text = NOT_RULES.iter().fold(text.to_owned(), |text, phrase| text.replace(phrase, ""));
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = BTreeSet::new();
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        if !is_word(before) && CHAPTERS.contains(letter) {
            let rest = &text[at + 1..];
            let digits = rest.len() - rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
            let mut after = rest[digits..].chars();
            let ends = match after.next() {
                Some('.') => !after.next().is_some_and(|next| next.is_ascii_digit()),
                next => !next.is_some_and(is_word),
            };
            if (1..=2).contains(&digits) && ends {
                found.insert(text[at..=at + digits].to_owned());
            }
        }
        before = letter;
    }
    found
}

/// What a line of code says to its readers: its comment, and the strings in it that begin with a rule or name one in parentheses.
fn said(line: &str, comment: &str) -> String {
    let start = line.trim_start();
    if ["/*", "* ", "<!--"].iter().any(|mark| start.starts_with(mark)) {
        return line.to_owned();
    }
    let (code, comment) = match line.match_indices(comment).find(|(at, _)| !line[..*at].ends_with(':')) {
        Some((at, _)) => line.split_at(at),
        None => (line, ""),
    };
    let mut said = comment.to_owned();
    for string in code.split(['"', '\'', '`']).skip(1) {
        let head = string.split(':').next().unwrap_or_default();
        let parts = head
            .split(", ")
            .chain(string.split(['(', ')']).skip(1).step_by(2).flat_map(|inner| inner.split(", ")));
        for part in parts.filter(|part| numbers(part).contains(*part)) {
            said += &format!(" {part}");
        }
    }
    said
}

/// Rules that are cited, each with the places: in code and tests, or in documents.
fn citations(folders: &[&str], endings: &[&str]) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in folders.iter().flat_map(|folder| sources(folder, endings)).collect::<BTreeSet<PathBuf>>() {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        if name == RULEBOOK || name.ends_with("suites/rulebook.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for (line, number) in text.lines().zip(1..) {
            let said = match path.extension().unwrap().to_str().unwrap() {
                "md" => line.to_owned(),
                "sql" => said(line, "--"),
                _ => said(line, "//"),
            };
            for rule in numbers(&said) {
                found.entry(rule).or_default().push(format!("{name}:{number}"));
            }
        }
    }
    found
}

fn cited_by_code() -> BTreeMap<String, Vec<String>> {
    citations(
        &["src-tauri", "tests", "ui/src", "ui/e2e", "migrations", "xtask"],
        &[".rs", ".ts", ".svelte", ".sql"],
    )
}

/// The book, and its rules in the order in which they stand in it.
fn rulebook() -> (String, Vec<String>) {
    let book = fs::read_to_string(root().join(RULEBOOK)).unwrap();
    let rules = book
        .lines()
        .filter_map(|line| line.strip_prefix("- **")?.split_once("**"))
        .map(|(rule, _)| rule.to_owned());
    let rules = rules.collect();
    (book, rules)
}

#[test]
fn the_rules_stand_in_their_order_and_each_once() {
    let (_, rules) = rulebook();
    let places: Vec<_> = rules.iter().map(|rule| place(rule)).collect();
    assert!(places.is_sorted_by(|one, next| one < next), "{rules:?}");
    for (chapter, letter) in CHAPTERS.chars().enumerate() {
        let numbers: Vec<u32> =
            places.iter().filter(|place| place.0 == chapter).map(|place| place.1).collect();
        assert!(numbers.iter().copied().eq(1..=numbers.len() as u32), "chapter {letter}: {numbers:?}");
    }
}

#[test]
fn every_rule_that_is_cited_exists() {
    let (book, rules) = rulebook();
    let mut cited = cited_by_code();
    for (rule, places) in citations(&["docs"], &[".md"]) {
        cited.entry(rule).or_default().extend(places);
    }
    for file in ["README.md", "CONTRIBUTING.md"] {
        for rule in numbers(&fs::read_to_string(root().join(file)).unwrap()) {
            cited.entry(rule).or_default().push(file.to_owned());
        }
    }
    for rule in numbers(&book) {
        cited.entry(rule).or_default().push(RULEBOOK.to_owned());
    }
    let unknown: BTreeMap<_, _> = cited.into_iter().filter(|(rule, _)| !rules.contains(rule)).collect();
    assert!(unknown.is_empty(), "{RULEBOOK} has no such rules: {unknown:#?}");
}

#[test]
fn the_rulebook_lists_the_rules_that_nothing_cites() {
    let (book, rules) = rulebook();
    let cited = cited_by_code();
    let uncited: Vec<String> = rules.into_iter().filter(|rule| !cited.contains_key(rule)).collect();
    println!("nothing cites {}", uncited.join(", "));
    let (_, list) = book.split_once("<!-- uncited -->").unwrap();
    let (list, _) = list.split_once("<!-- /uncited -->").unwrap();
    let mut listed: Vec<String> = numbers(list).into_iter().collect();
    listed.sort_by_key(|rule| place(rule));
    assert_eq!(listed, uncited, "the list at the end of {RULEBOOK} is to read: {}", uncited.join(", "));
}

#[test]
fn a_citation_is_told_from_what_only_looks_like_one() {
    let cites = |line: &str| numbers(&said(line, "//")).into_iter().collect::<Vec<_>>().join(" ");
    for (line, rules) in [
        ("    // T3, A4: nothing follows", "A4 T3"),
        ("/// The end line (W3, unlike P10).", "P10 W3"),
        ("let bounds = limit(4); // T4", "T4"),
        (" * A word of the wire (J4).", "J4"),
        ("assert_eq!(ends, 1, \"T3\");", "T3"),
        ("assert!(runs < 3, \"T4: {} tool runs\", runs);", "T4"),
        ("test('W6, A3: what changed is asked again', () => {", "A3 W6"),
        ("assert!(ends, \"an end line is an end line (W3)\");", "W3"),
        ("const C1: u8 = 0xc2;", ""),
        ("<path d=\"M12 1.6A10.4 10.4 V4\" />", ""),
        ("let text = \"see T4 and P5\";", ""),
        ("// keys of X11, DeepSeek V3.2 and V4, and C1 controls", ""),
        ("// UTF8, T400, R2D2, A_1, P4x", ""),
        ("get(\"https://example.org/T4\")", ""),
    ] {
        assert_eq!(cites(line), rules, "{line}");
    }
}
