//! How a run ends: its exit code, and what it says about it.

use serde_json::json;
use support::{Fate, Gate, Script, hostile};

use super::{Desk, ended, json as parsed, line, ran, started};

#[test]
fn an_answer_ends_with_0_and_stands_alone_on_standard_output() {
    let model = Script::new().turn(|t| t.text("Forty-").text("two.").end("stop")).start();
    let ran = ran(&mut Desk::new().run(&model, &["What is the answer?"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Forty-two.\n"), "{}", ran.stderr);
    model.finish();
}

#[test]
fn a_tool_phase_is_told_on_standard_error_while_the_answer_streams_to_standard_output() {
    let model = Script::new()
        .turn(|t| t.text("I look.").call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.text("It is 42.").end("stop"))
        .start();
    let ran = ran(&mut Desk::new().run(&model, &["What is the answer?"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "I look.\n\nIt is 42.\n"), "{}", ran.stderr);
    // Without the time that it took.
    let told: Vec<&str> = ran
        .stderr
        .lines()
        .take(3)
        .map(|line| line.rsplit_once(" · ").map_or(line, |(said, _)| said))
        .collect();
    assert_eq!(
        told,
        [
            "scripted, at most 21 model calls, 8 tool runs, 128 requests for file content",
            "step 1",
            "  Read notes.txt · 1 line",
        ]
    );
    assert!(!ran.stderr.contains('\u{1b}'), "no colours where no terminal is: {}", ran.stderr);
    model.finish();
}

#[test]
fn the_arguments_of_a_call_are_told_as_json_to_whoever_asks_for_them() {
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.text("It is 42.").end("stop"))
        .start();
    let ran = ran(&mut Desk::new().run(&model, &["-v", "What is the answer?"]));
    let call = r#"  read_file {"max_lines":400,"path":"notes.txt","start_column":1,"start_line":1}"#;
    assert_eq!(ran.stderr.lines().nth(2), Some(call), "{}", ran.stderr);
    assert!(ran.stderr.contains("\n  Read notes.txt · 1 line · "), "{}", ran.stderr);
    model.finish();
}

#[test]
fn the_message_can_come_from_standard_input() {
    let model = Script::new()
        .turn(|t| t.expect(|ask| assert_eq!(ask.last_text(), "From a pipe.")).text("Yes.").end("stop"))
        .start();
    let desk = Desk::with_settings("");
    desk.home.write("message", "From a pipe.");
    let file = std::fs::File::open(desk.home.path().join("message")).unwrap();
    let ran = ran(desk.run(&model, &["-"]).stdin(file));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Yes.\n"), "{}", ran.stderr);
    model.finish();
}

#[test]
fn a_mark_at_the_head_of_standard_input_is_no_part_of_the_message() {
    let model = Script::new()
        .turn(|t| t.expect(|ask| assert_eq!(ask.last_text(), "From Windows.")).text("Yes.").end("stop"))
        .start();
    let desk = Desk::new();
    desk.home.write("message", "\u{feff}From Windows.");
    let file = std::fs::File::open(desk.home.path().join("message")).unwrap();
    let ran = ran(desk.run(&model, &["-"]).stdin(file));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Yes.\n"), "{}", ran.stderr);
    model.finish();
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_whose_name_is_not_unicode_is_refused_with_a_reason() {
    use std::os::unix::ffi::OsStrExt;

    let desk = Desk::new();
    let odd = desk.project.path().join(std::ffi::OsStr::from_bytes(b"od\xffd"));
    std::fs::create_dir(&odd).unwrap();
    let ran = ran(desk.orion(&["run", "--demo", "Hi"]).current_dir(&odd));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("od\u{fffd}d is not valid Unicode.\nRename it, or open another one."),
        "{}",
        ran.stderr
    );
}

#[test]
fn wrong_usage_ends_with_2_and_an_explanation() {
    let desk = Desk::new();
    let cases: [&[&str]; 8] = [
        &["run"],
        &["run", "--max-cycles", "25", "Hi"],
        &["run", "--max-tools", "0", "Hi"],
        &["run", "--route", "three-stage", "Hi"],
        &["run", "--json", "--events", "Hi"],
        &["run", "--base-url", "file:///etc/passwd", "Hi"],
        &["run", "--base-url", "http://127.0.0.1:1/v1", "--api-key-env", "sk-0123456789", "Hi"],
        &["run", "--demo", ""],
    ];
    for arguments in cases {
        let ran = ran(&mut desk.orion(arguments));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{arguments:?}: {}", ran.stderr);
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_failure_ends_with_1_says_what_to_do_and_keeps_what_was_streamed() {
    let model = Script::new().turn(|t| t.text("So far. ").text("And").cut_after(300)).start();
    let ran = ran(&mut Desk::new().run(&model, &["Hi"]));
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert_eq!(ran.stdout, "So far. \n");
    assert!(ran.stderr.contains("orion: "), "{}", ran.stderr);
}

#[test]
fn a_project_that_is_not_there_ends_with_1_before_anyone_is_called() {
    let model = Script::new().start();
    let desk = Desk::new();
    let nowhere = desk.home.path().join("nowhere").display().to_string();
    let ran = ran(&mut desk.run(&model, &["--project", &nowhere, "Hi"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
    assert!(ran.stderr.contains(&nowhere), "{}", ran.stderr);
    model.finish();
}

#[test]
fn a_tool_that_asks_ends_with_3_and_is_not_run() {
    let model =
        Script::new().turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls")).start();
    let desk = Desk::with_settings("[tools.read_file]\npermission = 'ask'\n");
    let ran = ran(&mut desk.run(&model, &["--json", "Hi"]));
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    let report = parsed(&ran.stdout);
    assert_eq!((&report["status"], &report["stopReason"]), (&json!("waiting"), &json!("approval")));
    assert_eq!((&report["toolRuns"], &report["toolCalls"][0]["status"]), (&json!(0), &json!(null)));
    model.finish();
}

#[test]
fn a_tool_that_asks_is_answered_by_another_command() {
    // A7
    let desk = Desk::with_settings("[tools.read_file]\npermission = 'ask'\n");
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.text("It is 42.").end("stop"))
        .start();
    let told = ran(&mut desk.run(&model, &["What is the answer?"]));
    let remarks: Vec<&str> = told.stderr.lines().skip(2).collect();
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    let [asked, how, figures] = remarks[..] else { panic!("{}", told.stderr) };
    let request = figures.rsplit(' ').next().unwrap();
    assert_eq!(
        [asked, how],
        [
            "read_file waits for your approval: \
             {\"max_lines\":400,\"path\":\"notes.txt\",\"start_column\":1,\"start_line\":1}",
            &format!("It waits for you: orion approve {request}, orion reject {request}, or Orion's window."),
        ]
    );
    assert!(figures.starts_with("1 model call, 0 tool runs, "), "{figures}");
    let url = model.base_url();
    let gone_on = ran(&mut desk.orion(&["approve", request, "--base-url", &url]));
    assert_eq!((gone_on.code, gone_on.stdout.as_str()), (Some(0), "It is 42.\n"), "{}", gone_on.stderr);
    assert_eq!(ran(&mut desk.orion(&["replay", request])).code, Some(0));
    model.finish();
}

#[test]
fn used_up_budgets_end_with_4() {
    let desk = Desk::new();
    let cycles =
        hostile::never_repeats("read_file", |n| json!({"path": "notes.txt", "start_line": n})).start();
    let repeats = hostile::repeats_one_call("read_file", json!({"path": "notes.txt"})).start();
    for (model, reason) in [(cycles, "budget_exhausted"), (repeats, "duplicates_exhausted")] {
        let ran = ran(&mut desk.run(&model, &["--json", "--max-duplicates", "1", "Hi"]));
        assert_eq!(
            (ran.code, &parsed(&ran.stdout)["stopReason"]),
            (Some(4), &json!(reason)),
            "{}",
            ran.stderr
        );
    }
}

// P7
#[test]
fn a_turn_without_an_answer_ends_with_5_and_says_how_to_try_again() {
    let model = Script::new()
        .turn(|t| t.end("stop"))
        .turn(|t| t.end("stop"))
        .turn(|t| t.text("42.").end("stop"))
        .start();
    let desk = Desk::new();
    let empty = ran(&mut desk.run(&model, &["Hi"]));
    assert_eq!((empty.code, empty.stdout.as_str()), (Some(5), ""), "{}", empty.stderr);
    assert_eq!(empty.stderr.matches("Asked once more: no answer came.").count(), 1, "{}", empty.stderr);
    assert!(empty.stderr.contains("\nTry again: orion run --session "), "{}", empty.stderr);
    let again = ran(&mut desk.run(&model, &["--continue"]));
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), "42.\n"), "{}", again.stderr);
    model.finish();
}

// P5, A1
#[test]
fn a_call_that_is_written_as_text_runs_if_it_only_reads_and_asks_if_it_does_more() {
    let as_text = |name: &str, arguments: &str| {
        format!("I look.\n<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {arguments}}}\n</tool_call>")
    };
    let desk = Desk::new();
    let read = as_text("read_file", r#"{"file_path": "notes.txt", "max_lines": "5"}"#);
    let model =
        Script::new().turn(|t| t.text(&read).end("stop")).turn(|t| t.text("It is 42.").end("stop")).start();
    let ran_it = ran(&mut desk.run(&model, &["Hi"]));
    assert_eq!(
        (ran_it.code, ran_it.stdout.as_str()),
        (Some(0), "I look.\n\n\nIt is 42.\n"),
        "{}",
        ran_it.stderr
    );
    model.finish();

    let write =
        as_text("write_plan_begin", r#"{"intent": "x", "target_file": "a.txt", "operation": "create"}"#);
    let model = Script::new().turn(|t| t.text(&write).end("stop")).start();
    let asks = ran(&mut desk.run(&model, &["--approve-writes", "Hi"]));
    assert_eq!(asks.code, Some(3), "{}", asks.stderr);
    model.finish();
}

#[test]
fn an_answer_cut_off_by_length_ends_with_5() {
    let model = Script::new().turn(|t| t.text("Once upon").end("length")).start();
    let ran = ran(&mut Desk::new().run(&model, &["Tell me a story."]));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(5), "Once upon\n"), "{}", ran.stderr);
    model.finish();
}

// P10
#[test]
fn an_answer_with_an_unknown_finish_reason_ends_with_5_and_one_whose_reason_is_accepted_with_0() {
    let model = || Script::new().turn(|t| t.text("Once upon").end("out_of_words")).start();
    let first = model();
    let told = ran(&mut Desk::new().run(&first, &["Tell me a story."]));
    assert_eq!((told.code, told.stdout.as_str()), (Some(5), "Once upon\n"), "{}", told.stderr);
    assert!(told.stderr.contains("out_of_words"), "word for word: {}", told.stderr);
    assert!(told.stderr.contains("add it to accepted_finish_reasons"), "{}", told.stderr);
    first.finish();

    let second = model();
    let told = ran(&mut Desk::new().run(&second, &["--json", "Tell me a story."]));
    let report = parsed(&told.stdout);
    let known = ["status", "stopReason", "answer", "error"].map(|name| report[name].clone());
    assert_eq!(told.code, Some(5));
    assert_eq!(known, [json!("completed"), json!("unknown"), json!("Once upon"), json!(null)]);
    second.finish();

    let third = model();
    let desk = Desk::with_settings(&format!(
        "default_endpoint = 'mine'\n[endpoints.mine]\nbase_url = '{}'\nmodel = 'm'\naccepted_finish_reasons = ['Out_Of_Words']\n",
        third.base_url()
    ));
    let told = ran(&mut desk.orion(&["run", "Tell me a story."]));
    assert_eq!((told.code, told.stdout.as_str()), (Some(0), "Once upon\n"), "{}", told.stderr);
    third.finish();
}

#[tokio::test]
async fn a_reader_that_goes_away_ends_the_run_cleanly_and_stops_the_turn() {
    let desk = Desk::new();
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| (0..100).fold(t.text("One\n").hold(&gate), |t, _| t.text("More\n")).hang())
        .start();
    let (child, mut stdout) = started(&mut desk.run(&model, &["Count."]));
    assert_eq!(line(&mut stdout), "One\n");
    drop(stdout);
    gate.open();
    assert_eq!(model.dropped(1).await.fate, Fate::Dropped);
    let (code, stderr) = ended(child);
    assert_eq!(code, Some(130), "{stderr}");
    assert!(!stderr.contains("orion: ") && !stderr.contains("panicked"), "{stderr}");
}
