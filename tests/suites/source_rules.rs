//! What no source file of the project may say or be.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The files of the repository's own source below `folder` with one of these endings.
pub(crate) fn sources(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && !["node_modules", "generated", "dist", "target"].contains(&name.as_str()) {
                folders.push(path);
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "there is no source in {folder}");
    found
}

/// The lines below `folder` that hold one of `words`, as `file:line: text`.
fn lines_with(folder: &str, endings: &[&str], words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for path in sources(folder, endings) {
        let text = fs::read_to_string(&path).unwrap();
        let place = path.strip_prefix(root()).unwrap().display().to_string();
        let hits = text.lines().enumerate().filter(|(_, line)| words.iter().any(|word| line.contains(word)));
        found.extend(hits.map(|(number, line)| format!("{place}:{}: {}", number + 1, line.trim())));
    }
    found
}

#[test]
fn the_core_reads_no_clock_file_environment_or_chance() {
    let words = [
        "std::fs",
        "std::net",
        "std::env",
        "std::thread",
        "std::process",
        "SystemTime",
        "Instant",
        "now_v7",
        "RandomState",
    ];
    assert_eq!(lines_with("src-tauri/crates/orion-core/src", &[".rs"], &words), Vec::<String>::new());
}

#[test]
fn only_the_backend_of_the_ui_knows_tauri() {
    let imports = lines_with("ui/src", &[".ts", ".svelte"], &["@tauri-apps"]);
    let (backend, elsewhere): (Vec<_>, Vec<_>) =
        imports.into_iter().partition(|line| line.starts_with("ui/src/lib/backend/"));
    assert_eq!(elsewhere, Vec::<String>::new());
    assert!(
        !backend.is_empty(),
        "the backend imports nothing of Tauri, so this test looks in the wrong place"
    );
}

#[test]
fn the_ui_never_sets_html_from_text() {
    assert_eq!(lines_with("ui/src", &[".svelte", ".ts"], &["{@html", "innerHTML"]), Vec::<String>::new());
}

/// Whether a line names an issue, or a point of one, by its number. One of another project stands with its name, such as
/// `llama.cpp#1234`; a bare number is one of up to three digits, since a colour has more.
fn names_an_issue(line: &str) -> bool {
    let line = line.to_lowercase();
    let digits = |text: &str| text.chars().take_while(char::is_ascii_alphanumeric).collect::<String>();
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let bare = line.match_indices('#').any(|(at, _)| {
        let apart = line[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || "(,;".contains(c));
        let digits = digits(&line[at + 1..]);
        apart && digits.parse::<u32>().is_ok() && digits.len() <= 3
    });
    let named = ["issue", "issues", "point", "points"].iter().any(|word| {
        let mut after = line.match_indices(word).map(|(at, _)| &line[at + word.len()..]);
        after.any(|after| {
            after.starts_with([' ', '-', '#']) && number(after.trim_start_matches([' ', '-', '#']))
        })
    });
    bare || named
}

#[test]
fn an_issue_is_known_by_its_number_however_it_is_written() {
    for before in ["See issue ", "Issue-", "as issues ", "issue #", "(point ", "Points ", "see #", "(#", "#"]
    {
        let line = format!("// {before}12 wants it.");
        assert!(names_an_issue(&line), "{line}");
    }
    for line in [
        "// 12 issues, pointed at",
        "// llama.cpp#12",
        "color: #abc",
        "light-dark(#101216, #15171c)",
        "# 0012: a title",
        "id=\"#1\"",
    ] {
        assert!(!names_an_issue(line), "{line}");
    }
}

#[test]
fn no_comment_sends_its_reader_to_an_issue_of_this_project_by_number() {
    let mut found = Vec::new();
    for folder in ["src-tauri", "tests", "xtask", "ui/src", "ui/e2e", "migrations", "docs"] {
        for path in sources(folder, &[".rs", ".ts", ".svelte", ".css", ".sql", ".md"]) {
            let text = fs::read_to_string(&path).unwrap();
            let place = path.strip_prefix(root()).unwrap().display().to_string();
            let lines = text.lines().enumerate().filter(|(_, line)| names_an_issue(line));
            found.extend(lines.map(|(number, line)| format!("{place}:{}: {}", number + 1, line.trim())));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn no_unit_test_stands_in_a_library_that_does_not_run_its_own() {
    let mut silent = 0;
    for folder in std::fs::read_dir(root().join("src-tauri/crates")).unwrap() {
        let folder = folder.unwrap().path();
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let library = manifest.split("\n[").find(|section| section.starts_with("lib]")).unwrap_or_default();
        if library.lines().any(|line| line.trim() == "test = false") {
            silent += 1;
            let source = folder.join("src");
            let tests = lines_with(&source.display().to_string(), &[".rs"], &["#[cfg(test)]"]);
            assert_eq!(tests, Vec::<String>::new());
        }
    }
    assert_eq!(silent, 1, "orion-core is tested from outside");
}
