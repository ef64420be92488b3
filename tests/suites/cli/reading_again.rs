//! Files that a session has read already (X6): what is answered by an earlier result, and what is read again. Each turn is a process.

use std::fs::{self, File};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use support::{Request, Script, ScriptedModel, Turn};

use super::{Desk, json as parsed, ran};

const NAMES: [&str; 3] = ["a.txt", "b.txt", "c.txt"];

/// One turn of a session, as its events.
fn turn(desk: &Desk, model: &ScriptedModel, session: &mut String, arguments: &[&str]) -> Vec<Value> {
    let address = model.base_url();
    let mut all = vec!["run", "--base-url", &address, "--model", "scripted", "--events"];
    if !session.is_empty() {
        all.extend(["--session", session]);
    }
    all.extend(arguments);
    let done = ran(&mut desk.orion(&all));
    let events: Vec<Value> = done.stdout.lines().map(parsed).collect();
    let first = events.first().unwrap_or_else(|| panic!("{}", done.stderr));
    let request = first["requestId"].as_str().unwrap().to_owned();
    first["sessionId"].as_str().unwrap().clone_into(session);
    let replay = ran(&mut desk.orion(&["replay", &request]));
    assert_eq!(replay.code, Some(0), "T5: {}{}", replay.stdout, replay.stderr);
    events.into_iter().map(|event| event["event"].clone()).collect()
}

fn report(events: &[Value]) -> Value {
    events.last().unwrap()["report"].clone()
}

fn counts(report: &Value) -> [u64; 4] {
    ["reused", "toolRuns", "cycles", "modelCalls"].map(|name| report[name].as_u64().unwrap())
}

fn with_three_files() -> Desk {
    let desk = Desk::new();
    for name in NAMES {
        fs::write(desk.project.path().join(name), format!("The text of {name}.\n")).unwrap();
    }
    desk
}

fn text_of(request: &Request) -> String {
    request.messages().iter().filter_map(|it| it["content"].as_str()).collect::<Vec<_>>().join("\n")
}

/// Reads the three files, one after the other, and then answers. Notes each request.
fn reads_three(seen: Arc<Mutex<Vec<Request>>>) -> ScriptedModel {
    let script = Script::new().forever(move |_, request| {
        seen.lock().unwrap().push(request.clone());
        let text = text_of(request);
        let asked = text.rfind("Read all").unwrap();
        let since = &text[asked..];
        let next = NAMES.iter().find(|name| !since.contains(*name));
        match next {
            Some(name) if !since.contains("budget") => {
                Turn::default().call("read_file", json!({ "path": name })).end("tool_calls")
            }
            _ => Turn::default().text("I have read them.").end("stop"),
        }
    });
    script.start()
}

#[test]
fn after_an_exhausted_budget_the_same_three_reads_run_no_tool() {
    let seen: Arc<Mutex<Vec<Request>>> = Arc::default();
    let model = reads_three(Arc::clone(&seen));
    let desk = with_three_files();
    let mut session = String::new();
    let first = report(&turn(&desk, &model, &mut session, &["--max-cycles", "3", "Read all of them."]));
    assert_eq!((&first["stopReason"], counts(&first)), (&json!("budget_exhausted"), [0, 3, 3, 4]));
    let before = seen.lock().unwrap().len();

    let events = turn(&desk, &model, &mut session, &["--max-cycles", "3", "Read all of them, go on."]);
    let second = report(&events);
    assert_eq!((&second["stopReason"], counts(&second)), (&json!("answered"), [3, 0, 0, 4]));
    let requests = seen.lock().unwrap();
    for request in &requests[before..] {
        let text = text_of(request);
        for name in NAMES {
            assert_eq!(text.matches(&format!("The text of {name}.")).count(), 1, "{name}: its box, once");
        }
    }
    let reused: Vec<(&Value, &Value, &Value)> = events
        .iter()
        .filter(|event| event["type"] == "call_reused")
        .map(|event| (&event["originalRequestId"], &event["count"], &event["limit"]))
        .collect();
    let turn = &first["requestId"];
    assert_eq!(
        reused,
        [(turn, &json!(1), &json!(3)), (turn, &json!(2), &json!(3)), (turn, &json!(3), &json!(3))]
    );
    assert!(events.iter().all(|event| event["type"] != "tool_call"), "no tool ran");
    let statuses: Vec<&Value> =
        second["toolCalls"].as_array().unwrap().iter().map(|call| &call["status"]).collect();
    assert_eq!(statuses, ["reused"; 3]);
    model.finish();
}

#[test]
fn the_command_line_says_so_and_so_does_the_trace() {
    let model = reads_three(Arc::default());
    let desk = with_three_files();
    let mut session = String::new();
    turn(&desk, &model, &mut session, &["--max-cycles", "3", "Read all of them."]);
    let told =
        ran(&mut desk.run(&model, &["--session", &session, "--max-cycles", "3", "Read all of them, go on."]));
    let line = "  Read a.txt · unchanged, so the earlier result is used (1 of 3)";
    assert!(told.stderr.lines().any(|it| it.ends_with(line)), "{}", told.stderr);
    model.finish();
}

/// Changes a file without changing its size or its time of last change.
fn change_unseen(desk: &Desk, name: &str, text: &str) {
    let path = desk.project.path().join(name);
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), text.len() as u64);
    fs::write(&path, text).unwrap();
    File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
}

#[test]
fn a_file_that_changed_between_two_turns_is_read_again_even_if_size_and_time_are_the_same() {
    let seen: Arc<Mutex<Vec<Request>>> = Arc::default();
    let model = reads_three(Arc::clone(&seen));
    let desk = with_three_files();
    let mut session = String::new();
    turn(&desk, &model, &mut session, &["--max-cycles", "3", "Read all of them."]);
    change_unseen(&desk, "b.txt", "The TEXT of b.txt.\n");
    fs::remove_file(desk.project.path().join("c.txt")).unwrap();
    let second =
        report(&turn(&desk, &model, &mut session, &["--max-cycles", "3", "Read all of them, go on."]));
    assert_eq!(counts(&second), [1, 2, 2, 4]);
    let statuses: Vec<&Value> =
        second["toolCalls"].as_array().unwrap().iter().map(|call| &call["status"]).collect();
    assert_eq!(statuses, ["reused", "ok", "failed"]);
    let last = text_of(seen.lock().unwrap().last().unwrap());
    assert!(last.contains("The TEXT of b.txt."), "{last}");
    // The newer result is the one that answers from now on.
    fs::write(desk.project.path().join("c.txt"), "The text of c.txt.\n").unwrap();
    let third = report(&turn(&desk, &model, &mut session, &["Read all of them, once more."]));
    assert_eq!(
        counts(&third),
        [2, 1, 1, 4],
        "a failed read answers nothing: the box of c.txt is not the latest"
    );
    model.finish();
}

#[test]
fn a_file_that_was_closed_to_tools_since_is_not_answered_from_its_box() {
    let model = reads_three(Arc::default());
    let desk = with_three_files();
    let mut session = String::new();
    turn(&desk, &model, &mut session, &["--max-cycles", "3", "Read all of them."]);
    fs::write(desk.project.path().join(".orionignore"), "b.txt\n").unwrap();
    let second =
        report(&turn(&desk, &model, &mut session, &["--max-cycles", "3", "Read all of them, go on."]));
    assert_eq!(counts(&second), [2, 1, 1, 4]);
    model.finish();
}

#[test]
fn listings_and_searches_run_again() {
    let calls = [
        ("list_files", json!({ "path": "." })),
        ("search_files", json!({ "pattern": "text" })),
        ("file_info", json!({ "path": "a.txt" })),
    ];
    let model = Script::new()
        .forever(move |_, request| {
            let text = text_of(request);
            let since = &text[text.rfind("Look around").unwrap()..];
            match calls.iter().find(|(name, _)| !since.contains(name)) {
                Some((name, arguments)) => Turn::default().call(name, arguments.clone()).end("tool_calls"),
                None => Turn::default().text("Seen.").end("stop"),
            }
        })
        .start();
    let desk = with_three_files();
    let mut session = String::new();
    for _ in 0..2 {
        let report = report(&turn(&desk, &model, &mut session, &["Look around."]));
        assert_eq!(counts(&report)[..2], [0, 3]);
    }
    model.finish();
}

/// A model that reads the same file for ever, in ten turns: each ends within its bounds, and the file is read once.
fn for_ever(route: &str) {
    let model = Script::new()
        .forever(|_, request| {
            if request.body["tools"].as_array().is_none_or(Vec::is_empty) {
                return Turn::default().text("I give up.").end("stop");
            }
            Turn::default().call("read_file", json!({ "path": "a.txt" })).end("tool_calls")
        })
        .start();
    let desk = with_three_files();
    let mut session = String::new();
    for number in 0..10 {
        let events = turn(&desk, &model, &mut session, &["--route", route, "What is in it?"]);
        let report = report(&events);
        assert_eq!(
            (&report["status"], &report["stopReason"]),
            (&json!("completed"), &json!("duplicates_exhausted"))
        );
        let [reused, runs, _, calls] = counts(&report);
        assert_eq!((reused, runs), if number == 0 { (0, 1) } else { (1, 0) }, "turn {number}");
        assert!(calls <= report["bounds"]["modelCalls"].as_u64().unwrap(), "T4: {report}");
        assert_eq!(report["duplicatesRefused"], 3);
    }
    model.finish();
}

#[test]
fn a_model_that_reads_the_same_file_for_ever_ends_each_turn_within_its_bounds() {
    for_ever("two-stage");
}

#[test]
fn so_it_does_in_the_unified_route() {
    for_ever("unified");
}
