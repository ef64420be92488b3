//! Names made to mislead are shown escaped, and can be given back as they are shown.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde_json::json;

use crate::bench::Bench;

#[tokio::test]
async fn hostile_names_are_shown_on_one_line_and_can_be_read_back() {
    let names: [(&[u8], &str); 8] = [
        (b"a\nb", r#""a\nb""#),
        (b"a\x1b[31mred", r#""a\x1b[31mred""#),
        (b"back\\slash", r#""back\\slash""#),
        (b"\"quoted\"", r#""\"quoted\"""#),
        (b"not\xffutf8", r#""not\xffutf8""#),
        ("left\u{202e}txt.exe".as_bytes(), r#""left\xe2\x80\xaetxt.exe""#),
        ("wörter mit leerzeichen".as_bytes(), "wörter mit leerzeichen"),
        (b"-rf", "-rf"),
    ];
    let bench = Bench::empty();
    for (name, _) in names {
        bench.write(OsStr::from_bytes(name), "needle\n");
    }
    let listing = bench.body("list_files", json!({})).await;
    let mut shown: Vec<&str> = listing.lines().skip(1).map(|line| line.trim_end_matches("  7 B")).collect();
    let mut expected: Vec<&str> = names.iter().map(|(_, shown)| *shown).collect();
    shown.sort_unstable();
    expected.sort_unstable();
    assert_eq!(shown, expected);
    for (_, path) in names {
        assert_eq!(
            bench.body("read_file", json!({ "path": path })).await,
            format!("{path}: lines 1-1 of 1, 7 B\n1\tneedle\n")
        );
    }
    let found = bench.body("search_files", json!({"pattern": "needle"})).await;
    assert_eq!(found.lines().count(), 17);
    assert!(!found.contains('\x1b'));
}

#[tokio::test]
async fn a_quoted_path_that_needs_no_quotes_is_another_name() {
    // D1: no file has two names.
    let bench = Bench::with([("a", "a\n")]);
    assert_eq!(
        bench.refusal("read_file", json!({"path": "\"a\""})).await.1,
        r#"There is no `"\"a\""` in the project."#
    );
}
