//! `kill -9` in the middle of a turn, and what `orion resume` makes of it in another process (A5).

use std::io::BufRead;

use serde_json::{Value, json};
use support::{Gate, Request, Script, ScriptedModel, Turn};

use super::writes::on;
use super::{Desk, journalled, json as parsed, line, ran, started};

const BROKE_OFF: &str = "Your last message broke off before it was complete.";

/// The texts of a request's messages.
fn said(request: &Request) -> Vec<&str> {
    request.messages().iter().filter_map(|message| message["content"].as_str()).collect()
}

/// The turn that the first line of its events names.
fn request_of(line: &str) -> String {
    parsed(line)["requestId"].as_str().unwrap().to_owned()
}

fn events(desk: &Desk, request: &str) -> Vec<Value> {
    let trace = ran(&mut desk.orion(&["replay", request]));
    assert_eq!(trace.code, Some(0), "T5: {}{}", trace.stdout, trace.stderr);
    trace.stdout.lines().filter(|line| line.starts_with('{')).map(parsed).collect()
}

#[tokio::test]
async fn an_answer_that_was_killed_is_kept_and_continued() {
    let desk = Desk::new();
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("Once upon").hold(&gate).text("?").end("stop")).start();
    let (mut child, mut stdout) = started(&mut desk.run(&model, &["--events", "Tell me a story."]));
    let request = request_of(&line(&mut stdout));
    gate.reached().await;
    journalled(&desk, "Once upon");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(model);

    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| {
                let said = said(ask);
                assert!(
                    said[said.len() - 1].contains(BROKE_OFF) && said[said.len() - 2] == "Once upon",
                    "{said:?}"
                );
            })
            .text(" a time.")
            .end("stop")
        })
        .start();
    let ended = on(&desk, &model, &["resume", &request, "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let report = parsed(&ended.stdout);
    assert_eq!((&report["answer"], &report["cycles"]), (&json!("Once upon\n\n a time."), &json!(1)));
    model.finish();

    // It is over: nothing is left to resume, and nobody is asked.
    let model = Script::new().start();
    let again = on(&desk, &model, &["resume", &request]);
    assert_eq!(
        (again.code, again.stderr.as_str()),
        (Some(1), "orion: This turn is over, so there is nothing to resume.\nSend a new message.\n")
    );
    model.finish();
}

#[tokio::test]
async fn a_file_that_was_read_before_the_crash_is_not_read_again() {
    let desk = Desk::new();
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.hold(&gate).text("?").end("stop"))
        .start();
    let (mut child, mut stdout) = started(&mut desk.run(&model, &["--events", "What is the answer?"]));
    let request = request_of(&line(&mut stdout));
    gate.reached().await;
    child.kill().unwrap();
    child.wait().unwrap();
    drop(model);
    std::fs::write(desk.project.path().join("notes.txt"), "The answer is 43.\n").unwrap();

    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| {
                let said = said(ask).join("\n");
                assert!(said.contains("The answer is 42.") && !said.contains(BROKE_OFF), "{said}");
            })
            .text("It was 42.")
            .end("stop")
        })
        .start();
    let ended = on(&desk, &model, &["resume", &request, "--json"]);
    let report = parsed(&ended.stdout);
    assert_eq!(
        (&report["answer"], &report["toolRuns"]),
        (&json!("It was 42."), &json!(1)),
        "{}",
        ended.stderr
    );
    model.finish();
}

#[tokio::test]
async fn a_turn_that_its_session_has_left_behind_is_not_resumed() {
    let desk = Desk::new();
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| t.text("Once").hold(&gate).end("stop"))
        .turn(|t| t.text("Yes.").end("stop"))
        .start();
    let (mut child, mut stdout) = started(&mut desk.run(&model, &["--events", "Tell me a story."]));
    let request = request_of(&line(&mut stdout));
    gate.reached().await;
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(ran(&mut desk.run(&model, &["--continue", "Are you there?"])).code, Some(0));
    let late = on(&desk, &model, &["resume", &request]);
    assert_eq!(
        (late.code, late.stderr.as_str()),
        (
            Some(1),
            "orion: The session has gone on since this turn was interrupted, so it cannot be resumed.\nSend a new message.\n"
        )
    );
}

/// Lists, reads two files and answers in pieces, whatever came before.
fn looking() -> ScriptedModel {
    Script::new()
        .forever(|_, request| {
            let said = said(request).join("\n");
            let turn = Turn::default();
            let results = said.matches("Result of call").count();
            let may_call = request.body["tools"].is_array();
            match results {
                _ if !may_call || results > 2 => {
                    let words = "The answer is 42, as notes.txt says.".split(' ');
                    words.fold(turn, |turn, word| turn.text(word)).end("stop")
                }
                0 => turn.text("I look. ").call("list_files", json!({})).end("tool_calls"),
                1 => turn.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"),
                _ => turn.text("And ").call("read_file", json!({"path": "src/main.c"})).end("tool_calls"),
            }
        })
        .start()
}

/// After each line of events that the turn prints, the process is killed. Every other time the process that resumes is killed too.
#[test]
fn a_turn_that_is_killed_anywhere_is_resumed_to_its_end() {
    let model = looking();
    let whole = ran(&mut Desk::new().run(&model, &["--events", "What is the answer?"]));
    let lines = whole.stdout.lines().count();
    assert!(lines > 20, "{}", whole.stdout);
    let mut resumed = 0;
    for lines in (1..lines).step_by(2) {
        let desk = Desk::new();
        let (mut child, mut stdout) = started(&mut desk.run(&model, &["--events", "What is the answer?"]));
        let first = line(&mut stdout);
        let request = request_of(&first);
        let mut shown = vec![first];
        shown.extend((&mut stdout).lines().take(lines - 1).map(Result::unwrap));
        child.kill().unwrap();
        child.wait().unwrap();
        if lines % 4 == 1 {
            let address = model.base_url();
            let again = ["resume", &request, "--events", "--base-url", &address];
            let (mut child, mut stdout) = started(&mut desk.orion(&again));
            shown.push(line(&mut stdout));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let ended = on(&desk, &model, &["resume", &request, "--json"]);
        if ended.code == Some(1) {
            // It had come to its end before it was killed.
            assert!(ended.stderr.contains("is over"), "{}", ended.stderr);
        } else {
            resumed += 1;
            assert!(
                matches!(ended.code, Some(0 | 4)),
                "after {lines} lines: {:?} {}",
                ended.code,
                ended.stderr
            );
        }
        let replayed = events(&desk, &request);
        let exported = ran(&mut desk.orion(&["trace", &request, "--json"]));
        assert_eq!(exported.code, Some(0));
        let kind = |event: &Value| event["event"]["type"].as_str().unwrap().to_owned();
        let durable: Vec<&Value> = replayed.iter().filter(|event| !kind(event).ends_with("_chunk")).collect();
        let ends = durable.iter().filter(|event| kind(event) == "completed").count();
        assert_eq!(ends, 1, "T3: after {lines} lines");
        // T2: the crash is an event that a later process recorded, so a replay has a gap for it.
        let seqs: Vec<u64> = durable.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
        assert!(seqs.windows(2).all(|pair| pair[0] < pair[1]), "T2: {seqs:?}");
        let bounds = &durable[0]["event"]["bounds"];
        let report = &durable.last().unwrap()["event"]["report"];
        for count in ["modelCalls", "toolRuns"] {
            assert!(report[count].as_u64() <= bounds[count].as_u64(), "T4: {count} after {lines} lines");
        }
        // J1: what was shown of the durable events is there.
        for line in shown.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            if !kind(&line).ends_with("_chunk") && kind(&line) != "interrupted" {
                assert!(
                    durable.iter().any(|event| event["seq"] == line["seq"]),
                    "after {lines} lines: {line}"
                );
            }
        }
    }
    assert!(resumed > 5, "{resumed}");
}
