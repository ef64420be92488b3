//! A summary before a cut (X4) at the wire: what is asked, what the turn and those after it are given, and that a summary that comes to nothing is
//! a plain cut. Each turn is a process.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use support::{Request, Script, ScriptedModel, Turn};

use super::{Desk, json as parsed, ran};

/// A room that five long messages fill.
const SETTINGS: &str = "compact_at_cuts = true\n";

fn is_for_a_summary(request: &Request) -> bool {
    request.last_text().starts_with("Sum up this conversation.")
}

fn text_of(request: &Request) -> String {
    request.messages().iter().filter_map(|it| it["content"].as_str()).collect::<Vec<_>>().join("\n")
}

/// A model that reads once, answers at length, and sums up as `summary` says.
fn model(summary: fn(Turn) -> Turn) -> (ScriptedModel, Arc<Mutex<Vec<Request>>>) {
    let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
    let seen = Arc::clone(&requests);
    let server = Script::new()
        .page("/props", |page| {
            page.header("content-type", "application/json")
                .body(json!({ "default_generation_settings": { "n_ctx": 8_192 } }).to_string())
        })
        .forever(move |_, request| {
            seen.lock().unwrap().push(request.clone());
            let turn = Turn::default();
            if is_for_a_summary(request) {
                summary(turn)
            } else if !text_of(request).contains("Result of call") && request.last_text() == "Read it." {
                turn.call("read_file", json!({ "path": "notes.txt" })).end("tool_calls")
            } else {
                turn.text("So. ").end("stop")
            }
        })
        .start();
    (server, requests)
}

/// One turn of the session, as its events. It replays the same.
fn turn(desk: &Desk, model: &ScriptedModel, session: &mut String, message: &str) -> Vec<Value> {
    let address = model.base_url();
    let mut all = vec!["run", "--base-url", &address, "--model", "scripted", "--events"];
    if !session.is_empty() {
        all.extend(["--session", session]);
    }
    all.push(message);
    let done = ran(&mut desk.orion(&all));
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let events: Vec<Value> = done.stdout.lines().map(parsed).collect();
    let request = events[0]["requestId"].as_str().unwrap();
    events[0]["sessionId"].as_str().unwrap().clone_into(session);
    let replay = ran(&mut desk.orion(&["replay", request]));
    assert_eq!(replay.code, Some(0), "T5: {}{}", replay.stdout, replay.stderr);
    events
}

fn of<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().map(|it| &it["event"]).filter(|event| event["type"] == kind).collect()
}

/// Turns until something is done about the room: the events of that turn.
fn until_full(desk: &Desk, model: &ScriptedModel, session: &mut String) -> Vec<Value> {
    turn(desk, model, session, "Read it.");
    for number in 0..40 {
        let events = turn(desk, model, session, &format!("Question {number}. {}", "Why? ".repeat(1_000)));
        if of(&events, "compacted").len() + of(&events, "context_cut").len() > 0 {
            return events;
        }
    }
    panic!("the room is never full");
}

#[test]
fn the_conversation_is_summed_up_and_the_entry_can_be_read_and_undone() {
    let (model, requests) = model(|turn| turn.text("They ask why, and why.").usage(900, 9).end("stop"));
    let desk = Desk::with_settings(SETTINGS);
    let mut session = String::new();
    let events = until_full(&desk, &model, &mut session);
    assert_eq!((of(&events, "compacted").len(), of(&events, "context_cut").len()), (1, 0));
    let report = &events.last().unwrap()["event"]["report"];
    assert_eq!((&report["answer"], &report["modelCalls"]), (&json!("So. "), &json!(2)));
    assert_eq!(report["bounds"]["modelCalls"], json!(22), "T4");
    let facts = of(&events, "compacted")[0]["entry"]["facts"].as_array().unwrap().clone();
    assert!(facts.iter().any(|fact| fact["name"] == "read_file"), "by the journal: {facts:?}");
    {
        let requests = requests.lock().unwrap();
        let [.., asked, next] = &requests[..] else { panic!() };
        assert!(is_for_a_summary(asked) && !text_of(asked).contains(&next.last_text()[..12]));
        let told = text_of(next);
        assert!(told.contains("They ask why, and why.") && told.contains("called \"read_file\""), "{told}");
        assert!(!told.contains("Question 0.") && next.last_text().starts_with("Question"), "{told}");
    }
    // P12: the next turn's request begins with this one's.
    turn(&desk, &model, &mut session, "And now?");
    let (before, after) = {
        let requests = requests.lock().unwrap();
        let [.., before, after] = &requests[..] else { panic!() };
        (before.messages().to_vec(), after.messages().to_vec())
    };
    assert_eq!(after[..before.len()], before[..]);
    let shown = ran(&mut desk.orion(&["compact", &session, "--show"]));
    assert!(shown.stdout.contains("They ask why, and why."), "{}", shown.stdout);
    let undone = ran(&mut desk.orion(&["compact", &session, "--undo"]));
    assert_eq!(undone.code, Some(0), "{}", undone.stderr);
}

#[test]
fn a_summary_that_comes_to_nothing_is_a_plain_cut_and_is_told() {
    let summaries: [fn(Turn) -> Turn; 4] = [
        |turn| turn.status(400).body("{\"error\":{\"message\":\"no\"}}"),
        |turn| turn.text("It was").call("read_file", json!({"path": "notes.txt"})).end("tool_calls"),
        |turn| (0..2_000).fold(turn, |turn, _| turn.text("the same line\n")).hang(),
        |turn| turn.text("It was").end("length"),
    ];
    for summary in summaries {
        let (model, _) = model(summary);
        let desk = Desk::with_settings(SETTINGS);
        let mut session = String::new();
        let events = until_full(&desk, &model, &mut session);
        assert_eq!((of(&events, "compacted").len(), of(&events, "context_cut").len()), (0, 1));
        let codes: Vec<&Value> = of(&events, "notice").iter().map(|notice| &notice["code"]).collect();
        assert_eq!(codes, [&json!("summing_up"), &json!("not_compacted")]);
        let report = &events.last().unwrap()["event"]["report"];
        assert_eq!((&report["answer"], &report["toolRuns"]), (&json!("So. "), &json!(0)));
    }
}

#[test]
fn without_the_setting_nothing_is_summed_up() {
    let (model, requests) = model(|turn| turn.text("Never.").end("stop"));
    let desk = Desk::new();
    let mut session = String::new();
    let events = until_full(&desk, &model, &mut session);
    assert_eq!((of(&events, "compacted").len(), of(&events, "context_cut").len()), (0, 1));
    assert!(!requests.lock().unwrap().iter().any(is_for_a_summary));
}
