//! What is printed shows every character of it: a person approves from what they see.

use serde_json::json;
use support::{Script, Turn};

use super::writes::begin;
use super::{Desk, json as parsed, ran};

/// Turned round, a character that cannot be seen, a tag, and a control of eight bits.
const HOSTILE: &str = "a\u{202e}b\u{200b}c\u{e0041}d\u{ff}e";
const CONTROL: &str = "f\u{9b}g\u{ad}";

fn deceives(text: &str) -> bool {
    text.contains(['\u{202e}', '\u{200b}', '\u{e0041}', '\u{9b}', '\u{ad}'])
}

#[test]
fn a_difference_a_trace_and_json_hide_nothing_and_turn_nothing_round() {
    let content = format!("{HOSTILE}\nDONE");
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({ "path": format!("{HOSTILE}{CONTROL}") })).end("tool_calls"))
        .turn(|t| t.call("write_plan_begin", begin("notes.txt", "overwrite")).end("tool_calls"))
        .turn(move |t| t.text(&content).end("stop"))
        .start();
    let desk = Desk::new();
    let events = ran(&mut desk.run(&model, &["--events", "Make it odd."]));
    assert_eq!(events.code, Some(3), "{}", events.stderr);
    assert!(!deceives(&events.stdout) && events.stdout.contains("\\u202e"), "{}", events.stdout);
    let asked: Vec<_> = events.stdout.lines().map(parsed).collect();
    // D1: a path is told in the form in which it is shown, and JSON stays the same value.
    let path = format!("{HOSTILE}{CONTROL}");
    let path = json!(orion_core::quoting::shown(path.as_bytes()));
    assert!(asked.iter().any(|envelope| envelope["event"]["arguments"]["path"] == path), "{}", events.stdout);

    let request = asked[0]["requestId"].as_str().unwrap();
    let diff = ran(&mut desk.orion(&["diff", request]));
    assert_eq!(
        diff.stdout,
        "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,1 +1,1 @@\n-The answer is 42.\n+a<U+202E>b<U+200B>c<U+E0041>d\u{ff}e\n"
    );
    for command in [&["trace", request][..], &["trace", request, "--json"], &["replay", request]] {
        let shown = ran(&mut desk.orion(command));
        assert_eq!((shown.code, deceives(&shown.stdout)), (Some(0), false), "{command:?}: {shown:?}");
    }
    let resumed = ran(&mut desk.orion(&["resume", request, "--json"]));
    assert!(!deceives(&resumed.stdout) && parsed(&resumed.stdout)["requestId"] == json!(request));
    model.finish();
}

#[test]
fn a_title_an_exported_turn_and_an_error_hide_nothing_either() {
    let answer = format!("{HOSTILE}{CONTROL}");
    let refused = |t: Turn| {
        t.status(400).body(json!({"error": {"message": format!("{HOSTILE}{CONTROL}")}}).to_string())
    };
    // Its shapes were all taken before, so the second one is not asked again.
    let model = Script::new().turn(move |t| t.text(&answer).end("stop")).turn(refused).start();
    let desk = Desk::new();
    let report = ran(&mut desk.run(&model, &["--json", &format!("{HOSTILE}{CONTROL}?")]));
    assert_eq!((report.code, deceives(&report.stdout)), (Some(0), false), "{report:?}");
    let request = parsed(&report.stdout)["requestId"].as_str().unwrap().to_owned();
    for command in [&["sessions"][..], &["sessions", "--json"], &["export", &request]] {
        let shown = ran(&mut desk.orion(command));
        assert_eq!((shown.code, deceives(&shown.stdout)), (Some(0), false), "{command:?}: {shown:?}");
    }
    let exported = ran(&mut desk.orion(&["export", &request])).stdout;
    assert!(exported.contains("a<U+202E>b<U+200B>c<U+E0041>d\u{ff}ef<U+009B>g<U+00AD>"), "{exported}");

    let failed = ran(&mut desk.run(&model, &["Hi"]));
    assert_eq!((failed.code, deceives(&failed.stderr)), (Some(1), false), "{failed:?}");
    assert!(failed.stderr.contains("a<U+202E>b"), "{failed:?}");
    let named = ran(&mut desk.orion(&["run", "--demo", "--project", &format!("/nowhere/{HOSTILE}"), "Hi"]));
    assert_eq!((named.code, deceives(&named.stderr)), (Some(1), false), "{named:?}");
    model.finish();
}

#[test]
fn the_parser_of_arguments_shows_every_character_of_them() {
    // Such as the name of a file, where `*` is on the command line.
    let name = format!("{HOSTILE}{CONTROL}\u{1b}[2J");
    let desk = Desk::new();
    for arguments in [&["trace", &name][..], &["run", "--mode", &name, "Hi"], &["run", "Hi", &name], &[&name]]
    {
        let told = ran(&mut desk.orion(arguments));
        assert_eq!((told.code, told.stdout.as_str()), (Some(2), ""), "{arguments:?}: {}", told.stderr);
        assert!(
            !deceives(&told.stderr) && !told.stderr.contains('\u{1b}'),
            "{arguments:?}: {:?}",
            told.stderr
        );
        let shown = "a<U+202E>b<U+200B>c<U+E0041>d\u{ff}ef<U+009B>g<U+00AD>␛[2J";
        assert!(told.stderr.starts_with("error: ") && told.stderr.contains(shown), "{}", told.stderr);
    }
}
