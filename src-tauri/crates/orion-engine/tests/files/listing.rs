//! `list_files`.

use orion_core::tool::{Seen, ToolOutcome};
use orion_protocol::{Code, ToolStatus};
use serde_json::json;

use crate::bench::Bench;

fn project() -> Bench {
    Bench::with([
        ("Cargo.toml", "[package]\n"),
        ("src/main.rs", "fn main() {}\n"),
        ("src/deep/a.rs", "// a\n"),
        ("target/debug/out", "xxxx"),
        ("notes.log", "log"),
        (".gitignore", "target/\n*.log\n"),
        (".git/config", "[remote]\n"),
        ("secret/key.pem", "key"),
        (".orionignore", "secret/\n"),
    ])
}

#[tokio::test]
async fn a_folder_is_listed_with_sizes_in_a_fixed_order_and_says_what_it_hides() {
    let outcome = project().outcome("list_files", json!({})).await;
    let body = ".: 4 entries; 2 hidden by .gitignore (include_ignored shows them); 1 closed by .orionignore\n\
                .gitignore  14 B\n.orionignore  8 B\nCargo.toml  10 B\nsrc/\n";
    assert_eq!(
        outcome,
        ToolOutcome {
            body: body.into(),
            bytes: body.len() as u64,
            seen: vec![Seen::Path(String::new())],
            ..ToolOutcome::ended(ToolStatus::Ok, "4 entries")
        }
    );
}

#[tokio::test]
async fn a_recursive_listing_goes_depth_first_and_depends_on_the_whole_tree() {
    let outcome = project().outcome("list_files", json!({"path": "src", "recursive": true})).await;
    assert_eq!(outcome.body, "src: 3 entries\nsrc/deep/\nsrc/deep/a.rs  5 B\nsrc/main.rs  13 B\n");
    assert_eq!(outcome.seen, [Seen::Tree("src".into())]);
}

#[tokio::test]
async fn ignored_files_are_shown_on_request_but_closed_ones_never() {
    let body = project().body("list_files", json!({"recursive": true, "include_ignored": true})).await;
    assert_eq!(
        body,
        ".: 10 entries; 1 closed by .orionignore\n.gitignore  14 B\n.orionignore  8 B\nCargo.toml  10 B\n\
         notes.log  3 B\nsrc/\nsrc/deep/\nsrc/deep/a.rs  5 B\nsrc/main.rs  13 B\ntarget/\ntarget/debug/\n\
         target/debug/out  4 B\n"
            .replace("10 entries", "11 entries")
    );
}

#[tokio::test]
async fn nested_ignore_files_count_and_the_nearest_one_decides() {
    let bench = Bench::with([
        (".gitignore", "*.tmp\n"),
        ("a/.gitignore", "!keep.tmp\n/only-here\n"),
        ("a/keep.tmp", ""),
        ("a/drop.tmp", ""),
        ("a/only-here", ""),
        ("a/b/only-here", ""),
        ("a/b/.orionignore", "*.pem\n"),
        ("a/b/x.pem", ""),
        ("x.pem", ""),
    ]);
    assert_eq!(
        bench.body("list_files", json!({"recursive": true})).await,
        ".: 8 entries; 2 hidden by .gitignore (include_ignored shows them); 1 closed by .orionignore\n\
         .gitignore  6 B\na/\na/.gitignore  21 B\na/b/\na/b/.orionignore  6 B\na/b/only-here  0 B\na/keep.tmp  0 B\n\
         x.pem  0 B\n"
    );
}

#[tokio::test]
async fn pages_fit_together_and_each_says_how_to_read_on() {
    let bench = Bench::empty();
    for i in 0..7 {
        bench.write(format!("f{i}"), "");
    }
    let first = bench.outcome("list_files", json!({"limit": 3})).await;
    assert_eq!(first.body, ".: 7 entries\nf0  0 B\nf1  0 B\nf2  0 B\n");
    assert_eq!(
        first.cut.as_deref(),
        Some("Entries 1-3 of 7 are shown; read on with list_files {\"limit\":3,\"offset\":3,\"path\":\".\"}")
    );
    let second = bench.outcome("list_files", json!({"path": ".", "offset": 3, "limit": 3})).await;
    assert_eq!(second.body, ".: 7 entries\nf3  0 B\nf4  0 B\nf5  0 B\n");
    let last = bench.outcome("list_files", json!({"path": ".", "offset": 6, "limit": 3})).await;
    assert_eq!((last.body.as_str(), last.cut), (".: 7 entries\nf6  0 B\n", None));
    assert_eq!(
        bench.refusal("list_files", json!({"offset": 7})).await,
        (Code::ToolArguments, "list_files: `offset` 7 is past the end: there are 7 entries.".into())
    );
}

#[tokio::test]
async fn the_byte_limit_ends_a_page_between_entries_and_the_next_page_goes_on_there() {
    let mut bench = Bench::empty();
    for i in 0..100 {
        bench.write(format!("a-rather-long-name-{i:03}"), "");
    }
    bench.limits.body_bytes = 1_000;
    let first = bench.outcome("list_files", json!({})).await;
    assert!(first.body.len() <= 1_000);
    assert_eq!(first.body.lines().last(), Some("a-rather-long-name-013  0 B"));
    assert_eq!(
        first.cut.as_deref(),
        Some("Entries 1-14 of 100 are shown; read on with list_files {\"offset\":14,\"path\":\".\"}")
    );
    let next = bench.body("list_files", json!({"offset": 14})).await;
    assert_eq!(next.lines().nth(1), Some("a-rather-long-name-014  0 B"));
}

#[tokio::test]
async fn a_first_entry_too_long_for_the_page_is_shown_cut_and_the_next_page_is_another() {
    // R3: 1,024 bytes are the least the setting takes; 424 of them are for entries. Of characters of three bytes they are few
    // enough for Windows, where a path has at most 260.
    let folder = format!("{0}aa/{0}bb", "€".repeat(66));
    let mut bench = Bench::empty();
    bench.write(format!("{folder}/1-{}", "c".repeat(40)), "");
    bench.write(format!("{folder}/2-{}", "c".repeat(40)), "");
    bench.limits.body_bytes = 1_024;
    for (offset, begin, cut) in [
        (
            0,
            "1-",
            "Entries 1-1 of 2 are shown, the first one cut; read on with list_files \
             {\"glob\":\"**/*-*\",\"offset\":1,\"path\":\".\",\"recursive\":true}",
        ),
        (1, "2-", "The first entry shown is cut for lack of room"),
    ] {
        let outcome = bench.outcome("list_files", json!({"glob": "**/*-*", "offset": offset})).await;
        let shown = format!("{folder}/{begin}{}…", "c".repeat(16));
        assert_eq!(outcome.body, format!(".: 2 entries\n{shown}\n"));
        assert_eq!(outcome.cut.as_deref(), Some(cut));
    }
}

#[tokio::test]
async fn a_glob_is_about_names_or_about_paths_from_the_project_or_the_folder() {
    let bench = project();
    for (arguments, found) in [
        (json!({"glob": "*.rs"}), vec![]),
        (json!({"glob": "*.rs", "recursive": true}), vec!["src/deep/a.rs  5 B", "src/main.rs  13 B"]),
        (json!({"glob": "**/*.rs"}), vec!["src/deep/a.rs  5 B", "src/main.rs  13 B"]),
        (json!({"glob": "src/*.rs", "recursive": true}), vec!["src/main.rs  13 B"]),
        (json!({"glob": "deep/*.rs", "path": "src", "recursive": true}), vec!["src/deep/a.rs  5 B"]),
        (json!({"glob": "*.{toml,md}"}), vec!["Cargo.toml  10 B"]),
    ] {
        let body = bench.body("list_files", arguments.clone()).await;
        assert_eq!(body.lines().skip(1).collect::<Vec<_>>(), found, "{arguments}");
    }
    let (code, message) = bench.refusal("list_files", json!({"glob": "a[", "recursive": true})).await;
    assert_eq!(
        (code, message.as_str()),
        (Code::PatternInvalid, "`glob` is not a valid pattern: unclosed character class; missing ']'.")
    );
}

#[cfg(unix)]
#[tokio::test]
async fn links_pipes_and_empty_folders_are_shown_for_what_they_are() {
    use std::os::unix::fs::symlink;
    let bench = Bench::with([("a.txt", "a"), (".orionignore", "closed\n"), ("closed", "x")]);
    symlink("a.txt", bench.at("inside")).unwrap();
    symlink("/etc/passwd", bench.at("outside")).unwrap();
    symlink("closed", bench.at("around")).unwrap();
    std::fs::create_dir(bench.at("empty")).unwrap();
    fifo(&bench.at("pipe"));
    assert_eq!(
        bench.body("list_files", json!({"recursive": true})).await,
        ".: 7 entries; 1 closed by .orionignore\n.orionignore  7 B\na.txt  1 B\n\
         around  link, closed or leading nowhere in the project\nempty/\ninside  link to a.txt\n\
         outside  link, closed or leading nowhere in the project\npipe  device, pipe or socket\n"
    );
    assert_eq!(bench.body("list_files", json!({"path": "empty"})).await, "empty: 0 entries\n");
}

#[cfg(unix)]
pub(crate) fn fifo(path: &std::path::Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[tokio::test]
async fn a_file_or_nothing_at_all_is_no_folder() {
    let bench = project();
    assert_eq!(
        bench.refusal("list_files", json!({"path": "Cargo.toml"})).await,
        (Code::PathWrongKind, "`Cargo.toml` is not a folder.".into())
    );
    assert_eq!(
        bench.refusal("list_files", json!({"path": "src/nothing"})).await,
        (Code::PathNotFound, "There is no `src/nothing` in the project.".into())
    );
}

#[tokio::test]
async fn an_unreadable_list_of_closed_files_closes_its_whole_folder() {
    let bench = Bench::with([("a/x", "x"), ("b", "b")]);
    std::fs::create_dir(bench.at("a/.orionignore")).unwrap();
    assert_eq!(
        bench.body("list_files", json!({"recursive": true})).await,
        ".: 2 entries; 2 closed by .orionignore\na/\nb  1 B\n"
    );
    assert_eq!(bench.refusal("read_file", json!({"path": "a/x"})).await.0, Code::PathIgnored);
}

#[tokio::test]
async fn what_is_not_read_of_ignore_files_is_told_with_the_outcome() {
    let bench = Bench::with([(".orionignore", "name\n".repeat(20_000)), ("a.txt", "secret".to_owned())]);
    let outcome = bench.outcome("list_files", json!({"recursive": true})).await;
    assert_eq!(outcome.body, ".: 0 entries; 2 closed by .orionignore\n");
    assert_eq!(
        outcome.notices,
        [
            "`.orionignore` is too large, so everything in its folder is closed until it is shorter. Orion reads 64 KiB of an \
             ignore file, and of all ignore files of a project together 1,000 with 1 MiB, or as much as fits into 64 MiB of memory."
        ]
    );
}
