//! The page of the files that always ask (`docs/files-that-ask.md`) says what the list says (A1).

use std::fmt::Write;
use std::path::Path;

use orion_files::writing::listed;

const INTRODUCTION: &str = "\
# Files that always ask

A write to a file with one of these names asks, whatever the settings allow: see [the guide](guide.md#writing-files). `*` stands for any characters of a
name, and a name that ends in `/` for a folder with everything in it. They count in every folder of a project, and in capitals too; `config`,
`config.worktree`, `commondir` and `hooks/` only beside a file `HEAD`.
";

/// The page as the list has it.
fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    let mut reason = "";
    for (why, source, names) in listed() {
        if why != reason {
            let (first, rest) = why.split_at(1);
            write!(page, "\n## {}{rest}\n\n", first.to_uppercase()).unwrap();
            reason = why;
        }
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        writeln!(page, "- {}\n  ([source]({}))", names.join(", "), source.trim_start_matches("docs/"))
            .unwrap();
    }
    page
}

#[test]
fn the_page_of_the_files_that_always_ask_says_what_the_list_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/files-that-ask.md");
    if std::env::var_os("ORION_WRITE_SCHEMAS").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        written,
        page(),
        "ORION_WRITE_SCHEMAS=1 cargo nextest run --package orion-files the_page_of_the_files"
    );
}
