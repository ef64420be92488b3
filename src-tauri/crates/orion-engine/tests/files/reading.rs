//! `read_file`.

use orion_core::tool::{Seen, SourceFile, ToolOutcome};
use orion_files::workspace::{Private, Project};
use orion_protocol::{Code, ToolStatus};
use serde_json::json;

use crate::bench::Bench;

fn numbered(lines: usize) -> String {
    (1..=lines).map(|n| format!("line {n}\n")).collect()
}

/// The file as a later call compares it (X6).
fn source(path: &str, bytes: &[u8]) -> Option<Box<SourceFile>> {
    let sha256 = orion_files::writing::sha256(bytes);
    Some(Box::new(SourceFile { path: path.to_owned(), sha256, bytes: bytes.len() as u64 }))
}

// X6: whatever part of it was asked for, and whatever its encoding, the digest is that of the whole file.
#[tokio::test]
async fn a_result_names_the_file_that_it_was_made_from() {
    let marked = &b"\xef\xbb\xbfalpha\nbeta\n"[..];
    let long = numbered(20_000);
    let bench = Bench::with([("empty", ""), ("long", &long)]);
    bench.write("marked", marked);
    for (arguments, bytes) in [
        (json!({"path": "./empty"}), &b""[..]),
        (json!({"path": "marked"}), marked),
        (json!({"path": "marked", "start_line": 2}), marked),
        (json!({"path": "long"}), long.as_bytes()),
        (json!({"path": "long", "start_line": 19_000}), long.as_bytes()),
    ] {
        let path = arguments["path"].as_str().unwrap().trim_start_matches("./").to_owned();
        let outcome = bench.outcome("read_file", arguments.clone()).await;
        assert_eq!(outcome.source, source(&path, bytes), "{arguments}");
    }
    assert_eq!(bench.outcome("file_info", json!({"path": "long"})).await.source, None);
    assert_eq!(bench.outcome("read_file", json!({"path": "gone"})).await.source, None);
}

// X6: lines of such a file are not counted, so it is not read to its end.
#[tokio::test]
async fn a_file_of_which_a_part_was_read_is_named_by_no_result() {
    let long = "0123456789abcde\n".repeat(600_000);
    let bench = Bench::with([("long", long.as_str())]);
    assert_eq!(bench.outcome("read_file", json!({"path": "long"})).await.source, None);
    let end = bench.outcome("read_file", json!({"path": "long", "start_line": 599_999})).await;
    assert_eq!(end.source, source("long", long.as_bytes()), "this one was read to its end");
}

#[tokio::test]
async fn a_file_is_read_with_line_numbers() {
    let outcome = Bench::with([("src/a.rs", "fn a() {}\n\n\tb\n")])
        .outcome("read_file", json!({"path": "./src//a.rs"}))
        .await;
    let body = "src/a.rs: lines 1-3 of 3, 14 B\n1\tfn a() {}\n2\t\n3\t\tb\n";
    assert_eq!(
        outcome,
        ToolOutcome {
            body: body.into(),
            bytes: body.len() as u64,
            seen: vec![Seen::Path("src/a.rs".into())],
            source: source("src/a.rs", b"fn a() {}\n\n\tb\n"),
            ..ToolOutcome::ended(ToolStatus::Ok, "3 lines")
        }
    );
}

#[tokio::test]
async fn a_range_says_what_is_left_out_and_how_to_read_on() {
    let bench = Bench::with([("a", numbered(10))]);
    let outcome = bench.outcome("read_file", json!({"path": "a", "start_line": 3, "max_lines": 2})).await;
    assert_eq!(outcome.body, "a: lines 3-4 of 10, 71 B\n3\tline 3\n4\tline 4\n");
    assert_eq!(
        outcome.cut.as_deref(),
        Some(
            "Lines 5-10 are left out; read on with read_file {\"max_lines\":2,\"path\":\"a\",\"start_line\":5}"
        )
    );
    assert_eq!(outcome.bytes, 71);
    let last = bench.outcome("read_file", json!({"path": "a", "start_line": 10})).await;
    assert_eq!((last.body.as_str(), last.cut), ("a: lines 10-10 of 10, 71 B\n10\tline 10\n", None));
    assert_eq!(
        bench.refusal("read_file", json!({"path": "a", "start_line": 11})).await,
        (Code::ToolArguments, "read_file: `start_line` 11 is past the end: `a` has 10 lines.".into())
    );
}

#[tokio::test]
async fn without_a_range_four_hundred_lines_come() {
    let bench = Bench::with([("a", numbered(1_000))]);
    let outcome = bench.outcome("read_file", json!({"path": "a"})).await;
    assert_eq!(outcome.body.lines().last(), Some("400\tline 400"));
    assert_eq!(
        outcome.cut.as_deref(),
        Some("Lines 401-1000 are left out; read on with read_file {\"path\":\"a\",\"start_line\":401}")
    );
}

#[tokio::test]
async fn the_byte_limit_ends_between_lines_whatever_characters_they_hold() {
    let mut bench = Bench::with([("a", "äöü€𝄞\n".repeat(200))]);
    for limit in 500..560 {
        bench.limits.body_bytes = limit;
        let outcome = bench.outcome("read_file", json!({"path": "a"})).await;
        assert!(outcome.body.len() <= limit, "{limit}");
        let shown = outcome.body.lines().count() - 1;
        assert!(outcome.body.lines().skip(1).all(|line| line.ends_with("\täöü€𝄞")), "{}", outcome.body);
        let next = format!(
            "Lines {}-200 are left out; read on with read_file {{\"path\":\"a\",\"start_line\":{}}}",
            shown + 1,
            shown + 1
        );
        assert_eq!(outcome.cut, Some(next));
    }
}

#[tokio::test]
async fn a_long_line_is_cut_on_a_character_and_can_be_read_on_by_column() {
    let line: String = (0..3_000).map(|i| char::from_u32(0x4e00 + i).unwrap()).collect();
    let bench = Bench::with([("a", format!("{line}\nshort\n"))]);
    let mut column = 1;
    let mut read = String::new();
    for _ in 0..3 {
        let body =
            bench.body("read_file", json!({"path": "a", "start_column": column, "max_lines": 1})).await;
        let text = body.lines().nth(1).unwrap().strip_prefix("1\t").unwrap().to_owned();
        match text.split_once(" [cut: read on with start_line 1, start_column ") {
            Some((part, next)) => {
                read.push_str(part);
                column = next.trim_end_matches(']').parse().unwrap();
            }
            None => read.push_str(text.split_once(" [from column ").unwrap().0),
        }
    }
    assert_eq!(read, line);
    let body = bench.body("read_file", json!({"path": "a"})).await;
    assert_eq!(body.lines().nth(2), Some("2\tshort"));
}

#[tokio::test]
async fn a_line_that_is_cut_for_a_small_answer_is_said_to_be_cut_at_every_column() {
    // R3: 1,024 bytes are the least the setting takes, and half of it is the most of one line.
    let mut bench = Bench::with([("a", "x".repeat(2_000))]);
    bench.limits.body_bytes = 1_024;
    for (column, note) in [
        (1, " [cut: read on with start_line 1, start_column 513]"),
        (513, " [cut: read on with start_line 1, start_column 1025]"),
        (1_600, " [from column 1600]"),
    ] {
        let body = bench.body("read_file", json!({"path": "a", "start_column": column})).await;
        let text = body.lines().nth(1).unwrap();
        assert_eq!(text, format!("1\t{}{note}", "x".repeat(512.min(2_001 - column))));
    }
}

#[tokio::test]
async fn every_encoding_is_read_and_named() {
    let text = "Grüße aus Köln\nzwei\n";
    let utf16 = |be: bool| -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|unit| if be { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect()
    };
    let latin1: Vec<u8> = text.chars().map(|c| u32::from(c) as u8).collect();
    let with = |mark: &[u8], rest: &[u8]| [mark, rest].concat();
    for (bytes, named) in [
        (text.as_bytes().to_vec(), ""),
        (with(b"\xef\xbb\xbf", text.as_bytes()), ", UTF-8 with BOM"),
        (with(b"\xff\xfe", &utf16(false)), ", UTF-16LE with BOM"),
        (with(b"\xfe\xff", &utf16(true)), ", UTF-16BE with BOM"),
        (utf16(false), ", UTF-16LE (guessed)"),
        (utf16(true), ", UTF-16BE (guessed)"),
        (latin1, ", windows-1252 (guessed)"),
    ] {
        let bench = Bench::with([("a", &bytes)]);
        assert_eq!(
            bench.body("read_file", json!({"path": "a"})).await,
            format!("a: lines 1-2 of 2, {} B{named}\n1\tGrüße aus Köln\n2\tzwei\n", bytes.len())
        );
    }
}

#[tokio::test]
async fn windows_line_ends_are_said_and_broken_bytes_too() {
    let bench = Bench::with([("crlf", "a\r\nb\r\n".to_owned()), ("late", "x\n".repeat(40_000))]);
    assert_eq!(
        bench.body("read_file", json!({"path": "crlf"})).await,
        "crlf: lines 1-2 of 2, 6 B, CRLF line ends\n1\ta\n2\tb\n"
    );
    let mut bytes = std::fs::read(bench.at("late")).unwrap();
    bytes.extend(b"caf\xe9\n");
    bench.write("late", bytes);
    assert_eq!(
        bench.body("read_file", json!({"path": "late", "start_line": 40_000})).await,
        "late: lines 40000-40001 of 40001, 80.0 KB, windows-1252 (guessed)\n40000\tx\n40001\tcafé\n"
    );
    let stray = ["日本\n".as_bytes(), b"caf\xe9\n"].concat();
    bench.write("late", ["x\n".repeat(40_000).as_bytes(), &stray].concat());
    assert_eq!(
        bench.body("read_file", json!({"path": "late", "start_line": 40_001})).await,
        "late: lines 40001-40002 of 40002, 80.0 KB, \u{fffd} stands for bytes that are not UTF-8\n40001\t日本\n40002\tcaf\u{fffd}\n"
    );
}

#[tokio::test]
async fn a_binary_file_is_said_to_be_one_with_its_size_and_kind() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".repeat(100);
    let bench = Bench::with([("a.png", png), ("b.bin", vec![0; 5_000])]);
    assert_eq!(
        bench.refusal("read_file", json!({"path": "a.png"})).await,
        (Code::FileBinary, "`a.png` is a binary file of 1.6 KB (image/png).".into())
    );
    assert_eq!(
        bench.refusal("read_file", json!({"path": "b.bin"})).await,
        (Code::FileBinary, "`b.bin` is a binary file of 5.0 KB (unknown kind).".into())
    );
}

#[tokio::test]
async fn an_empty_file_a_last_line_without_end_and_a_folder() {
    let bench = Bench::with([("empty", ""), ("open", "a\nb"), ("d/x", "")]);
    assert_eq!(bench.body("read_file", json!({"path": "empty"})).await, "empty: empty file\n");
    assert_eq!(
        bench.body("read_file", json!({"path": "open"})).await,
        "open: lines 1-2 of 2, 3 B\n1\ta\n2\tb\n"
    );
    assert_eq!(
        bench.refusal("read_file", json!({"path": "d"})).await,
        (Code::PathWrongKind, "`d` is a folder.".into())
    );
}

#[tokio::test]
async fn what_gitignore_hides_may_be_read_and_what_orionignore_closes_may_not() {
    let bench = Bench::with([
        (".gitignore", "*.log\n"),
        ("a.log", "log\n"),
        (".orionignore", "/private/\n*.pem\n"),
        ("private/plan.md", "x"),
        ("deep/key.pem", "x"),
        (".git/config", "token"),
    ]);
    assert_eq!(
        bench.body("read_file", json!({"path": "a.log"})).await,
        "a.log: lines 1-1 of 1, 4 B\n1\tlog\n"
    );
    for (path, why) in [
        ("private/plan.md", "is closed by .orionignore"),
        ("private", "is closed by .orionignore"),
        ("deep/key.pem", "is closed by .orionignore"),
        (".git/config", "is in a .git folder, which is closed to tools"),
        ("private/../.git/config", "is in a .git folder, which is closed to tools"),
    ] {
        for tool in ["read_file", "file_info", "search_files"] {
            let mut arguments = json!({ "path": path });
            if tool == "search_files" {
                arguments["pattern"] = "x".into();
            }
            let shown = path.trim_start_matches("private/../");
            assert_eq!(
                bench.refusal(tool, arguments).await,
                (Code::PathIgnored, format!("`{shown}` {why}."))
            );
        }
    }
}

// A read far into a large file reads on from where an earlier one was, and says the same as one from the beginning.
#[tokio::test]
async fn a_line_far_into_a_large_file_is_found_from_an_earlier_place() {
    use std::fmt::Write as _;

    let padding = "-".repeat(100);
    let mut long = String::new();
    for number in 1..=120_000 {
        let _ = writeln!(long, "line {number} \u{e9} {padding}{}", if number == 3 { "\r" } else { "" });
    }
    let mut bench = Bench::with([("long", long.as_str())]);
    bench.limits.timeout = std::time::Duration::from_secs(600);
    let at = |line: u64| json!({"path": "long", "start_line": line, "max_lines": 2});
    let kept = bench.project.clone();
    for line in [100_000, 40_000, 80_000, 100_001, 2, 119_999] {
        // One that has read nothing before.
        bench.project = Project::open(bench.folder.path(), &Private::none()).unwrap();
        let expected = bench.body("read_file", at(line)).await;
        assert!(expected.contains(&format!("{line}\tline {line} \u{e9} {padding}\n")), "{expected}");
        bench.project = kept.clone();
        assert_eq!(bench.body("read_file", at(line)).await, expected);
    }
    // A file that changed is read from its beginning.
    bench.write("long", format!("one more\n{long}"));
    let changed = bench.body("read_file", at(100_000)).await;
    assert!(changed.contains(&format!("100000\tline 99999 \u{e9} {padding}\n")), "{changed}");
}

#[tokio::test]
async fn lines_of_other_encodings_and_ends_are_found_from_an_earlier_place_too() {
    let text: String =
        (1..=120_000).map(|line| format!("line {line} {} \u{e9}t\u{e9}\n", "de la mer ".repeat(6))).collect();
    let latin_1: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let cr = latin_1.iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte }).collect();
    let utf_16 = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let mut bench = Bench::with([("latin-1", latin_1), ("cr", cr), ("utf-16", utf_16)]);
    bench.limits.timeout = std::time::Duration::from_secs(600);
    for name in ["latin-1", "cr", "utf-16"] {
        let at = json!({"path": name, "start_line": 119_000, "max_lines": 2});
        bench.project = Project::open(bench.folder.path(), &Private::none()).unwrap();
        let first = bench.body("read_file", at.clone()).await;
        assert!(first.contains("119000\tline 119000 de la mer"), "{first}");
        let path = bench.project.path(name).unwrap();
        let metadata = bench.project.metadata(&path).unwrap();
        let place = bench.project.places().before(&path, &metadata, 119_000);
        assert!(place.offset >= 4 << 20, "{name}: {place:?}");
        assert_eq!(bench.body("read_file", at).await, first);
    }
}
