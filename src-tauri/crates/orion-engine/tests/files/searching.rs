//! `search_files`.

use orion_core::tool::{Seen, ToolOutcome};
use orion_protocol::{Code, ToolStatus};
use serde_json::json;

use crate::bench::Bench;

fn project() -> Bench {
    Bench::with([
        ("a.rs", "one\nTwo needle\nthree\nfour\nfive needle needle\n"),
        ("b/c.txt", "needle\n"),
        ("b/d.md", "Needle\n"),
        ("bin", "needle\0\n"),
        ("hidden.log", "needle\n"),
        (".gitignore", "*.log\n"),
        ("key.pem", "needle\n"),
        (".orionignore", "*.pem\n"),
        (".git/x", "needle\n"),
    ])
}

#[tokio::test]
async fn matches_are_grouped_by_file_and_what_was_not_searched_is_said() {
    let outcome = project().outcome("search_files", json!({"pattern": "needle"})).await;
    let body = "3 matches in 2 files; 5 files searched; 1 binary file left out; 1 hidden by .gitignore (include_ignored \
                shows them); 1 closed by .orionignore\n\
                a.rs\n2:Two needle\n5:five needle needle\nb/c.txt\n1:needle\n";
    assert_eq!(
        outcome,
        ToolOutcome {
            body: body.into(),
            bytes: body.len() as u64,
            seen: vec![Seen::Tree(String::new())],
            ..ToolOutcome::ended(ToolStatus::Ok, "3 matches in 2 files")
        }
    );
}

#[tokio::test]
async fn context_case_globs_and_plain_text_do_what_they_say() {
    let bench = project();
    let found = |body: String| body.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap();
    for (arguments, expected) in [
        (
            json!({"pattern": "needle", "context": 1, "path": "a.rs"}),
            "a.rs\n1-one\n2:Two needle\n3-three\n4-four\n5:five needle needle\n",
        ),
        (json!({"pattern": "^n", "ignore_case": true}), "b/c.txt\n1:needle\nb/d.md\n1:Needle\n"),
        (json!({"pattern": "needle", "glob": "*.txt"}), "b/c.txt\n1:needle\n"),
        (json!({"pattern": "e{2}d", "literal": true}), ""),
        (json!({"pattern": "e{2}d", "path": "b"}), "b/c.txt\n1:needle\nb/d.md\n1:Needle\n"),
        (json!({"pattern": "one$|three$"}), "a.rs\n1:one\n3:three\n"),
        (
            json!({"pattern": "one|five", "context": 1}),
            "a.rs\n1:one\n2-Two needle\n--\n4-four\n5:five needle needle\n",
        ),
    ] {
        assert_eq!(found(bench.body("search_files", arguments.clone()).await), expected, "{arguments}");
    }
    let shown = bench
        .body("search_files", json!({"pattern": "needle", "include_ignored": true, "glob": "*.{log,pem}"}))
        .await;
    assert_eq!(shown, "1 match in 1 file; 1 file searched; 1 closed by .orionignore\nhidden.log\n1:needle\n");
}

#[tokio::test]
async fn pages_of_matches_fit_together_and_say_how_to_read_on() {
    let bench = project();
    let first =
        bench.outcome("search_files", json!({"pattern": "needle", "limit": 1, "glob": "*.{rs,txt}"})).await;
    assert_eq!(
        (first.summary.as_str(), first.body.as_str()),
        ("first 1 match in 1 file", "1 match in 1 file; 1 file searched\na.rs\n2:Two needle\n")
    );
    assert_eq!(
        first.cut.as_deref(),
        Some(
            "There are more matches; read on with search_files \
             {\"glob\":\"*.{rs,txt}\",\"limit\":1,\"offset\":1,\"pattern\":\"needle\"}"
        )
    );
    let rest =
        bench.outcome("search_files", json!({"pattern": "needle", "offset": 1, "glob": "*.{rs,txt}"})).await;
    assert_eq!(rest.body.split_once('\n').unwrap().1, "a.rs\n5:five needle needle\nb/c.txt\n1:needle\n");
    assert_eq!(rest.cut, None);
    let none = bench.outcome("search_files", json!({"pattern": "needle", "offset": 9})).await;
    assert_eq!(none.summary, "no more matches");
}

#[tokio::test]
async fn a_page_keeps_within_the_byte_limit() {
    let mut bench = Bench::with([("a", "ä needle ö\n".repeat(1_000))]);
    bench.limits.body_bytes = 1_200;
    let outcome = bench.outcome("search_files", json!({"pattern": "needle", "limit": 1000})).await;
    assert!(outcome.body.len() <= 1_200);
    let shown = outcome.body.lines().count() - 2;
    assert_eq!(
        outcome.cut,
        Some(format!(
            "There are more matches; read on with search_files {{\"limit\":1000,\"offset\":{shown},\"pattern\":\"needle\"}}"
        ))
    );
}

#[tokio::test]
async fn a_first_match_too_large_for_the_page_is_shown_cut_and_the_next_page_is_another() {
    // R3: 1,024 bytes are the least the setting takes; 224 of them are for matches.
    let line = |i: u8| format!("needle {i} {}\n", "x".repeat(280));
    let mut bench = Bench::with([("a", line(1) + &line(2))]);
    bench.limits.body_bytes = 1_024;
    let first = bench.outcome("search_files", json!({"pattern": "needle", "context": 1})).await;
    assert_eq!(first.summary, "first 1 match in 1 file");
    assert_eq!(
        first.body,
        format!("1 match in 1 file; 1 file searched\na\n1:needle 1 {}…\n", "x".repeat(207))
    );
    assert_eq!(
        first.cut.as_deref(),
        Some(
            "Lines are cut or left out for lack of room. There are more matches; read on with search_files \
             {\"context\":1,\"offset\":1,\"pattern\":\"needle\"}"
        )
    );
    let last = bench.outcome("search_files", json!({"pattern": "needle", "offset": 1})).await;
    assert_eq!(
        last.body,
        format!("1 match in 1 file; 1 file searched\na\n2:needle 2 {}…\n", "x".repeat(207))
    );
    assert_eq!(last.cut.as_deref(), Some("Lines are cut or left out for lack of room"));
}

#[tokio::test]
async fn context_for_which_there_is_no_room_is_said_to_be_left_out() {
    // R3
    let mut bench = Bench::with([("a", format!("{}\nneedle\n", "x".repeat(290)))]);
    bench.limits.body_bytes = 1_024;
    let before = bench.outcome("search_files", json!({"pattern": "needle", "context": 1})).await;
    assert_eq!(before.body, "1 match in 1 file; 1 file searched\na\n2:needle\n");
    assert_eq!(before.cut.as_deref(), Some("Lines are cut or left out for lack of room"));
    bench.write("a", format!("needle\n{}\n", "x".repeat(290)));
    let after = bench.outcome("search_files", json!({"pattern": "needle", "context": 1})).await;
    assert_eq!(after.body, "1 match in 1 file; 1 file searched\na\n1:needle\n");
    assert_eq!(after.cut.as_deref(), Some("Lines are cut or left out for lack of room"));
}

#[tokio::test]
async fn of_a_long_line_the_part_around_the_match_is_shown() {
    let bench = Bench::with([("a", format!("{}needle{}\n", "ä".repeat(5_000), "ö".repeat(5_000)))]);
    let body = bench.body("search_files", json!({"pattern": "needle"})).await;
    let line = body.lines().nth(2).unwrap();
    assert!(line.len() < 320, "{}", line.len());
    assert_eq!(line, format!("1:…{}needle{}…", "ä".repeat(50), "ö".repeat(97)));
}

#[tokio::test]
async fn utf_16_is_searched_and_crlf_does_not_hide_the_line_end() {
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("ein needle\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let bench = Bench::with([("wide", utf16), ("crlf", b"needle\r\n".to_vec())]);
    let body = bench.body("search_files", json!({"pattern": "needle$"})).await;
    assert_eq!(body, "2 matches in 2 files; 2 files searched\ncrlf\n1:needle\nwide\n1:ein needle\n");
}

#[tokio::test]
async fn a_pattern_that_is_wrong_or_too_large_is_refused_with_the_reason() {
    let bench = project();
    for (pattern, message) in [
        ("a(", "`pattern` cannot be used: unclosed group."),
        (
            "(?=a)",
            "`pattern` cannot be used: look-around, including look-ahead and look-behind, is not supported.",
        ),
        ("a\\nb", "`pattern` cannot be used: the literal \"\\n\" is not allowed in a regex."),
        ("\\w{500}{500}", "`pattern` cannot be used: compiled regex exceeds size limit of 4194304."),
    ] {
        assert_eq!(
            bench.refusal("search_files", json!({ "pattern": pattern })).await,
            (Code::PatternInvalid, message.to_owned())
        );
    }
    let long = "a".repeat(1_001);
    let (code, _) = bench.refusal("search_files", json!({ "pattern": long })).await;
    assert_eq!(code, Code::ToolArguments);
}

#[tokio::test]
async fn a_file_with_an_endless_line_is_left_out_and_counted() {
    let bench = Bench::with([
        ("a", format!("{}needle\n", "x".repeat(9 * 1024 * 1024))),
        ("b", "needle\n".to_owned()),
    ]);
    assert_eq!(
        bench.body("search_files", json!({"pattern": "needle"})).await,
        "1 match in 1 file; 1 file searched; 1 file with lines over 4 MiB left out\nb\n1:needle\n"
    );
}

#[tokio::test]
async fn no_match_is_an_answer() {
    let outcome = project().outcome("search_files", json!({"pattern": "nowhere", "path": "b"})).await;
    assert_eq!(
        (outcome.summary.as_str(), outcome.body.as_str()),
        ("no matches", "no matches; 2 files searched\n")
    );
    assert_eq!(outcome.seen, [Seen::Tree("b".into())]);
}

#[tokio::test]
async fn what_is_read_is_found_at_its_line_whatever_its_encoding_and_line_ends() {
    let late = |tail: &[u8]| ["plain\n".repeat(20_000).as_bytes(), tail].concat();
    let bench = Bench::with([
        ("mac", b"alpha\rcaf\x8e\rbeta r\x8esum\x8e\r".to_vec()),
        ("gbk", b"\xc5\xe4\xd6\xc3\n\xca\xfd\xbe\xdd\xbf\xe2 caf\n".repeat(3)),
        ("late", late(b"\nna\xefve caf\xe9\n")),
        ("late UTF-8", late("日本 café\n".as_bytes())),
        ("stray", [&b"a \xe9 b\n"[..], "naïve café\n".as_bytes()].concat()),
        ("wide", "one\ncafé\n".encode_utf16().flat_map(u16::to_be_bytes).collect()),
        ("UTF-32", "\u{feff}café\n".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()),
    ]);
    assert_eq!(
        bench.body("search_files", json!({"pattern": "café|résumé$"})).await,
        "6 matches in 5 files; 6 files searched; 1 binary file left out\nlate\n20002:naïve café\nlate UTF-8\n20001:日本 café\n\
         mac\n2:café\n3:beta résumé\nstray\n2:naïve café\nwide\n2:café\n"
    );
    assert_eq!(
        bench.body("search_files", json!({"pattern": "^数据库", "path": "gbk"})).await,
        "3 matches in 1 file; 1 file searched\ngbk\n2:数据库 caf\n4:数据库 caf\n6:数据库 caf\n"
    );
    assert_eq!(
        bench.body("search_files", json!({"pattern": "a \u{fffd} b", "path": "stray"})).await,
        "1 match in 1 file; 1 file searched\nstray\n1:a \u{fffd} b\n"
    );
}
