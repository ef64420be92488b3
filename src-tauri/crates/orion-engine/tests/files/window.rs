//! What the window asks of a project: its files, and first messages.

use orion_engine::files::{list, suggestions};
use orion_files::workspace::{Private, Project};
use orion_protocol::{Code, FileEntry};

use crate::bench::Bench;

fn texts(bench: &Bench) -> Vec<String> {
    suggestions(&bench.project).0.into_iter().map(|suggestion| suggestion.text).collect()
}

#[test]
fn names_are_found_in_any_case_and_a_list_says_when_there_is_more() {
    let bench = Bench::with([
        ("src/Main.rs", "x"),
        ("src/other.rs", ""),
        ("domain/a", ""),
        (".gitignore", "b\n"),
        ("b/main", ""),
    ]);
    let entry = |path: &str, directory, bytes| FileEntry { path: path.into(), directory, bytes };
    let all = vec![
        entry("domain", true, None),
        entry("domain/a", false, Some(0)),
        entry("src/Main.rs", false, Some(1)),
    ];
    assert_eq!(list(&bench.project, "MAIN", 10), (all.clone(), false));
    assert_eq!(list(&bench.project, "main", 2), (all[..2].to_vec(), true));
    assert_eq!(list(&bench.project, "main", 3), (all, false));
    assert_eq!(list(&bench.project, "", 1_000_000).0.len(), 6);
    assert_eq!(list(&bench.project, "", 0), (vec![], true));
}

#[test]
fn suggestions_are_about_the_files_that_are_there() {
    assert_eq!(
        texts(&Bench::with([
            ("README.md", ""),
            ("src/main.rs", ""),
            ("Cargo.toml", ""),
            ("a/b/main.rs", "")
        ])),
        [
            "Summarize README.md",
            "What does src/main.rs do?",
            "Which dependencies does Cargo.toml name, and what are they for?"
        ]
    );
    assert_eq!(
        texts(&Bench::with([("sales.csv", ""), ("photo.jpg", "")])),
        ["What is in sales.csv?", "What is in this folder?", "Which are the largest files here?"]
    );
    assert_eq!(texts(&Bench::empty())[0], "What can you do in an empty folder?");
}

#[test]
fn a_folder_that_is_missing_or_a_file_cannot_be_opened() {
    let bench = Bench::with([("a", "")]);
    for path in ["nothing", "a"] {
        let error = Project::open(&bench.at(path), &Private::none()).unwrap_err();
        assert_eq!(
            (error.code, error.message),
            (
                Code::ProjectUnreadable,
                format!("The folder {} could not be opened.", bench.at(path).display())
            )
        );
    }
}
