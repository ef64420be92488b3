//! `orion trace` (J2, J3).

use std::fs;

use serde_json::{Value, json};
use support::{Script, ScriptedModel};

use super::{Desk, json as parsed, ran};

/// A model that reads a file twice, is busy once, and answers.
fn reader() -> ScriptedModel {
    Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.status(503).body("{}"))
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.text("42.").end("stop"))
        .start()
}

/// A turn with that model, by its id.
fn read(desk: &Desk) -> String {
    let model = reader();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "What is it?"])).stdout);
    model.finish();
    report["requestId"].as_str().unwrap().to_owned()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

// No terminal says how wide it is: some programs ask `tput` then, which may be anybody's.
#[cfg(target_os = "linux")]
#[test]
fn where_no_terminal_is_no_program_is_asked_how_wide_it_is() {
    use std::os::unix::fs::PermissionsExt;

    let desk = Desk::new();
    let request = read(&desk);
    desk.home.write("bin/tput", "#!/bin/sh\n: > \"$HOME/asked\"\necho 80\n");
    let [bin, asked] = ["bin", "asked"].map(|name| desk.home.path().join(name));
    fs::set_permissions(bin.join("tput"), fs::Permissions::from_mode(0o755)).unwrap();
    let orion = desk.orion(&["trace", &request, "--tree"]);
    // Without the terminal of whoever runs the tests.
    let mut command = std::process::Command::new("setsid");
    command.arg("--wait").arg(orion.get_program()).args(orion.get_args()).current_dir(desk.project.path());
    command.env_clear().envs(orion.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let told = ran(command.env("PATH", path).stdin(std::process::Stdio::null()));
    assert_eq!((told.code, asked.exists()), (Some(0), false), "{}", told.stderr);
    assert!(told.stdout.contains("model call 1"), "{}", told.stdout);
}

// J2
#[test]
fn the_costs_of_the_model_calls_make_that_of_the_turn() {
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).usage(1_000, 10).end("tool_calls"))
        .turn(|t| t.text("It is 42.").usage(2_000, 20).end("stop"))
        .start();
    let desk = Desk::new();
    desk.home.write("config/prices.toml", "[command-line.scripted]\nprompt = 2\ncompletion = 10\n");
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "What is it?"])).stdout);
    model.finish();
    let request = report["requestId"].as_str().unwrap();
    let spans = lines(&ran(&mut desk.orion(&["trace", request, "--jsonl"])).stdout);
    let billionths = |cost: &Value| (cost.as_f64().unwrap() * 1e9).round();
    let costs = |kind: &str| -> Vec<f64> {
        let of_kind = spans.iter().filter(|span| span["kind"] == kind);
        of_kind.map(|span| billionths(&span["attributes"]["costUsd"])).collect()
    };
    // The first response is cut before its end (P1), so its tokens are Orion's own count.
    let [first, second] = costs("model_call")[..] else { panic!("{spans:?}") };
    assert!(first > 0.0, "{first}");
    assert_eq!(second, 4_200_000.0);
    assert_eq!(costs("turn"), [first + second]);
    assert_eq!(billionths(&report["costUsd"]), first + second);
}

// J2
#[test]
fn a_trace_has_one_row_for_each_call_and_says_what_a_model_call_was_spent_on() {
    let desk = Desk::new();
    let request = read(&desk);
    let spans = lines(&ran(&mut desk.orion(&["trace", &request, "--jsonl"])).stdout);
    let seen: Vec<_> = spans
        .iter()
        .map(|span| {
            (span["kind"].as_str().unwrap(), span["name"].as_str().unwrap(), span["parentId"].as_u64())
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("turn", "turn", None),
            ("tool_registration", "tools", Some(1)),
            ("orchestration_phase", "action", Some(1)),
            ("model_call", "model call", Some(3)),
            ("orchestration_phase", "tool 1", Some(1)),
            ("tool_call", "read_file", Some(5)),
            ("orchestration_phase", "action", Some(1)),
            ("model_call", "model call", Some(7)),
            ("error", "retrying", Some(8)),
            ("duplicate_tool_call", "read_file", Some(8)),
            ("orchestration_phase", "action", Some(1)),
            ("model_call", "model call", Some(11)),
        ]
    );
    assert_eq!((&spans[5]["path"], &spans[5]["status"]), (&json!("notes.txt"), &json!("ok")));
    let kinds = |span: &Value| -> Vec<String> {
        let parts = span["parts"].as_array().unwrap().iter();
        parts.map(|part| part["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds(&spans[3]), ["connecting", "first_token", "arguments"]);
    assert_eq!(kinds(&spans[7]), ["connecting", "backoff", "connecting", "first_token", "arguments"]);
    assert_eq!(kinds(&spans[11]), ["connecting", "first_token", "text"]);
    let calls: Vec<_> = spans.iter().filter_map(|span| span["call"].as_u64()).collect();
    assert_eq!(calls, [1, 2, 3]);
}

#[test]
fn bars_show_each_step_with_its_file_and_its_time() {
    let desk = Desk::new();
    let request = read(&desk);
    let tree = ran(&mut desk.orion(&["trace", &request, "--tree"])).stdout;
    let labels: Vec<_> = tree
        .lines()
        .take(12)
        .map(|line| line.chars().take(38).collect::<String>().trim_end().to_owned())
        .collect();
    assert_eq!(
        labels,
        [
            "turn",
            "  tools",
            "  action",
            "    model call 1",
            "  tool 1",
            "    read_file notes.txt",
            "  action",
            "    model call 2",
            "      retrying (failed)",
            "      read_file notes.txt (refused)",
            "  action",
            "    model call 3",
        ]
    );
    for (line, drawn) in tree.lines().zip(["─", "◆", "─", "", "─", "█", "─", "", "◆", "◆", "─", ""])
    {
        assert!(line.contains(drawn), "{drawn} in {line}");
    }
}

// J3
#[test]
fn a_page_of_a_turn_stands_alone_and_shows_whatever_came_as_text() {
    // Nothing in it repeats itself (P11).
    let long: String = (0..20_000).map(|number| number.to_string()).collect();
    let path = "<script>alert(1)</script>\u{202e}\u{0}\u{1b}[31m";
    let model = Script::new()
        .turn(|t| {
            t.call("read_file", json!({"path": path, "deep": [[[["\"><img src=x>"]]]]})).end("tool_calls")
        })
        .turn(|t| t.call("<b>no tool</b>", json!({"path": long})).end("tool_calls"))
        .turn(|t| t.text("Done.").end("stop"))
        .start();
    let desk = Desk::new();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "Read it."])).stdout);
    model.finish();
    let request = report["requestId"].as_str().unwrap();
    let file = desk.home.path().join("turn.html");
    let wrote = ran(&mut desk.orion(&["trace", request, "--html", file.to_str().unwrap()]));
    assert_eq!(wrote.code, Some(0), "{}", wrote.stderr);
    let page = fs::read_to_string(&file).unwrap();
    assert!(page.contains("content=\"default-src 'none'; style-src 'sha256-"), "{page}");
    for tag in [
        "<script", "<img", "<b>", "<link", "<iframe", "style=", "onload", "href", "src=\"", "\u{202e}",
        "\u{1b}",
    ] {
        assert!(!page.contains(tag), "{tag} in {page}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&lt;U+202E&gt;"), "{page}");
    assert!(page.len() < 200_000, "{} bytes", page.len());
    assert!(page.matches("<svg").count() >= 8 && page.contains("<rect"), "{page}");
    let again = ran(&mut desk.orion(&["trace", request, "--html", file.to_str().unwrap()]));
    assert_ne!(again.code, Some(0), "a file that is there is not replaced");
    let forced = ran(&mut desk.orion(&["trace", request, "--html", file.to_str().unwrap(), "--force"]));
    assert_eq!(forced.code, Some(0), "{}", forced.stderr);
}
