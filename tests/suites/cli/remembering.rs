//! A session of many turns at the wire (X1, P12): each request begins with the one before it, whatever the route, the model and the template.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use support::{Request, Script, Turn};

use super::{Desk, json as parsed, ran};

const TURNS: usize = 20;

/// What the person's last message asks for, and what came after it.
fn asked(request: &Request) -> (usize, String) {
    let all: String =
        request.messages().iter().filter_map(|it| it["content"].as_str()).collect::<Vec<_>>().join("\n");
    let at = all.rfind("Step ").expect("a step");
    let number = all[at + 5..].split(' ').next().unwrap().parse().unwrap();
    (number, all[at..].to_owned())
}

/// Whether a turn of the session writes a file.
fn writes(number: usize) -> bool {
    number == 5 || number == 12
}

fn is_for_content(request: &Request) -> bool {
    request.messages().last().is_some_and(|it| {
        it["content"].as_str().is_some_and(|text| text.contains("Your next message is its content"))
    })
}

fn respond(request: &Request, turn: Turn) -> Turn {
    let (number, since) = asked(request);
    if is_for_content(request) {
        return turn.text(&format!("made in step {number}\nDONE\n")).end("stop");
    }
    if since.contains("Result of") {
        return turn.text(&format!("Answer {number}.")).usage(100, 5).end("stop");
    }
    let turn = turn.text(&format!("I look, for step {number}."));
    let turn = if writes(number) {
        let plan = json!({ "intent": "make it", "target_file": format!("made-{number}.txt"), "operation": "create" });
        turn.call("write_plan_begin", plan)
    } else if number % 2 == 0 {
        turn.call("read_file", json!({ "path": "notes.txt", "start_line": 1, "max_lines": number }))
    } else {
        turn.call("list_files", json!({ "path": ".", "limit": number }))
    };
    turn.end("tool_calls")
}

/// The place of the first message that differs from the request before. The last one may have grown, where a template joins texts.
fn first_other(before: &[Value], after: &[Value], joins: bool) -> Option<usize> {
    before.iter().enumerate().position(|(place, message)| {
        let Some(now) = after.get(place) else { return true };
        let grown = joins
            && place + 1 == before.len()
            && now["role"] == message["role"]
            && now["content"]
                .as_str()
                .unwrap_or_default()
                .starts_with(message["content"].as_str().unwrap_or("\0"));
        now != message && !grown
    })
}

/// Names the first message that is another one than in the request that this one follows.
fn assert_extends(number: usize, before: &Request, request: &Request, joins: bool) {
    if let Some(place) = first_other(before.messages(), request.messages(), joins) {
        let now = request.messages().get(place);
        panic!("message {place} of request {number} was {} and is {now:?}", before.messages()[place]);
    }
}

fn remembers(model: &str, joins: bool) {
    let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
    let seen = Arc::clone(&requests);
    let server = Script::new()
        .forever(move |_, request| {
            seen.lock().unwrap().push(request.clone());
            respond(request, Turn::default())
        })
        .start();
    let desk = Desk::new();
    let mut session = String::new();
    for number in 1..=TURNS {
        let message = format!("Step {number} please.");
        let address = server.base_url();
        let mut arguments = vec!["run", "--base-url", &address, "--json", "--approve-writes"];
        if !session.is_empty() {
            arguments.extend(["--session", &session]);
        }
        if number == 8 {
            arguments.extend(["--route", "unified"]);
        }
        let model = if number >= 14 { format!("{model}-large") } else { model.to_owned() };
        arguments.extend(["--model", &model, &message]);
        let done = ran(&mut desk.orion(&arguments));
        assert_eq!(done.code, Some(0), "step {number}: {}", done.stderr);
        parsed(&done.stdout)["sessionId"].as_str().unwrap().clone_into(&mut session);
    }
    let requests = requests.lock().unwrap();
    assert_eq!(requests.len(), 2 * TURNS + 2, "a write asks for its content as well");
    // A write session is a branch: what follows it extends the request that opened it.
    let mut base: Option<&Request> = None;
    for (number, request) in requests.iter().enumerate() {
        if let Some(before) = base {
            assert_extends(number, before, request, joins);
        }
        if !is_for_content(request) {
            base = Some(request);
        }
    }
    let last = requests.last().unwrap();
    let text: String = last.messages().iter().filter_map(|it| it["content"].as_str()).collect();
    for number in 1..TURNS {
        assert!(
            text.contains(&format!("Step {number} please.")) && text.contains(&format!("Answer {number}.")),
            "{number}"
        );
    }
    assert_eq!(text.matches("The answer is 42.").count(), TURNS / 2 - 1, "each result that was read");
    assert!(!text.contains("made in step 5"), "content is not in the conversation");
    assert!(text.contains("written: made-5.txt"), "its end is");
    server.finish();
}

#[test]
fn each_request_of_twenty_turns_begins_with_the_one_before_it() {
    remembers("scripted", false);
}

// R1: the same for a template that refuses late system messages.
#[test]
fn so_it_does_where_a_template_joins_messages() {
    remembers("mistral", true);
}

// X3, T8: what a cut left is what the turns that follow begin with, and each of them replays the same.
#[test]
fn a_cut_is_told_once_and_stays() {
    let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
    let seen = Arc::clone(&requests);
    let server = Script::new()
        .forever(move |_, request| {
            seen.lock().unwrap().push(request.clone());
            let (number, since) = asked(request);
            if since.contains("Result of") {
                return Turn::default().text(&format!("Answer {number}.")).end("stop");
            }
            let arguments = json!({ "path": format!("{number}.txt"), "max_lines": 5_000 });
            Turn::default().call("read_file", arguments).end("tool_calls")
        })
        .start();
    let desk = Desk::new();
    let mut session = String::new();
    let mut cuts = Vec::new();
    for number in 1..=6 {
        // 30 KB each: three of them fill more than 80 % of 24,576 tokens.
        let text: String =
            (0..1_000).map(|line| format!("file {number}, line {line:>5} of many\n")).collect();
        std::fs::write(desk.project.path().join(format!("{number}.txt")), text).unwrap();
        let message = format!("Step {number} please.");
        let address = server.base_url();
        let mut arguments = vec!["run", "--base-url", &address, "--model", "scripted", "--events"];
        if !session.is_empty() {
            arguments.extend(["--session", &session]);
        }
        arguments.push(&message);
        let done = ran(&mut desk.orion(&arguments));
        assert_eq!(done.code, Some(0), "step {number}: {}", done.stderr);
        let events: Vec<Value> = done.stdout.lines().map(parsed).collect();
        let cut = events.iter().filter(|event| event["event"]["type"] == "context_cut");
        cuts.extend(cut.map(|event| (number, event["event"]["boxes"].as_array().unwrap().len())));
        events[0]["sessionId"].as_str().unwrap().clone_into(&mut session);
        let replay = ran(&mut desk.orion(&["replay", events[0]["requestId"].as_str().unwrap()]));
        assert_eq!(replay.code, Some(0), "step {number}: {}{}", replay.stdout, replay.stderr);
    }
    assert_eq!(cuts, [(3, 2), (5, 2)]);
    let requests = requests.lock().unwrap();
    let changed: Vec<usize> = (1..requests.len())
        .filter(|&at| first_other(requests[at - 1].messages(), requests[at].messages(), false).is_some())
        .collect();
    assert_eq!(changed, [5, 9], "requests change their beginning where they are cut alone");
    let last = requests.last().unwrap();
    let text: String = last.messages().iter().filter_map(|it| it["content"].as_str()).collect();
    assert_eq!(text.matches("left the conversation to make room").count(), 4);
    assert!(text.contains("file 6, line   999") && !text.contains("file 1, line"));
    server.finish();
}

// P12: a server that keeps the tools in its prompt is sent the same tools in each request; where none may be called, they are forbidden.
#[test]
fn tools_stay_where_a_server_is_known_to_keep_them_in_its_prompt() {
    let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
    let seen = Arc::clone(&requests);
    let server = Script::new()
        .forever(move |_, request| {
            seen.lock().unwrap().push(request.clone());
            let turn = Turn::default().header("server", "llama.cpp");
            if is_for_content(request) {
                return turn.text("first line\n").end("length");
            }
            if request.messages().last().unwrap()["content"].as_str().unwrap().contains("Go on") {
                return turn.text("second line\nDONE\n").end("stop");
            }
            let (number, since) = asked(request);
            if request.body["tool_choice"] == "none" || since.contains("Result of") || number == 1 {
                return turn.text(&format!("Answer {number}.")).end("stop");
            }
            let plan = json!({ "intent": "make it", "target_file": "made.txt", "operation": "create" });
            match number {
                2 => turn.call("read_file", json!({ "path": "notes.txt" })).end("tool_calls"),
                _ => turn.call("write_plan_begin", plan).end("tool_calls"),
            }
        })
        .start();
    let desk = Desk::new();
    let mut session = String::new();
    for number in 1..=3 {
        let message = format!("Step {number} please.");
        let address = server.base_url();
        let mut arguments =
            vec!["run", "--base-url", &address, "--model", "scripted", "--json", "--approve-writes"];
        if !session.is_empty() {
            arguments.extend(["--session", &session]);
        }
        if number == 2 {
            arguments.extend(["--max-cycles", "1"]);
        }
        arguments.push(&message);
        let done = ran(&mut desk.orion(&arguments));
        let report = parsed(&done.stdout);
        let expected = if number == 2 { "budget_exhausted" } else { "answered" };
        assert_eq!(report["stopReason"], expected, "step {number}: {}", done.stderr);
        report["sessionId"].as_str().unwrap().clone_into(&mut session);
    }
    let requests = requests.lock().unwrap();
    let mut forbidden = Vec::new();
    for (number, request) in requests.iter().enumerate() {
        assert_eq!(request.body["tools"], requests[0].body["tools"], "request {number}");
        if request.body["tool_choice"] == "none" {
            forbidden.push(number);
        }
    }
    // 0: the first answer. 1, 2: a read, and the final answer. 3 to 6: a write, its content in two messages, and the answer.
    assert_eq!(forbidden, [2, 4, 5]);
    for (number, before) in [(2, 1), (4, 3), (5, 3), (6, 3)] {
        assert_extends(number, &requests[before], &requests[number], false);
    }
    server.finish();
}
