//! `orion trace --sent`: what a model was sent, rebuilt from the journal (T5, T8).

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use support::Script;

use super::{Desk, json as parsed, ran};

/// Role and text of each message in a request body.
fn said(body: &Value) -> Vec<(Value, Value)> {
    let messages = body["messages"].as_array().unwrap().iter();
    messages.map(|message| (message["role"].clone(), message["content"].clone())).collect()
}

#[test]
fn what_was_sent_is_rebuilt_as_the_server_got_it_and_says_what_is_new() {
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let keep = || {
        let bodies = Arc::clone(&bodies);
        move |ask: &support::Request| bodies.lock().unwrap().push(ask.body.clone())
    };
    let model = Script::new()
        .turn(|t| t.expect(keep()).call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.expect(keep()).text("42.").end("stop"))
        .turn(|t| t.expect(keep()).text("Yes.").end("stop"))
        .start();
    let desk = Desk::new();
    let first = parsed(&ran(&mut desk.run(&model, &["--json", "What is it?"])).stdout);
    let second = parsed(&ran(&mut desk.run(&model, &["--json", "--continue", "Sure?"])).stdout);
    model.finish();
    let sent = |report: &Value, call: &str| {
        let request = report["requestId"].as_str().unwrap();
        ran(&mut desk.orion(&["trace", request, "--sent", call])).stdout
    };
    let bodies = bodies.lock().unwrap();
    let rebuilt = [sent(&first, "1"), sent(&first, "2"), sent(&second, "1")];
    for (rebuilt, body) in rebuilt.iter().zip(&*bodies) {
        for (role, text) in said(body) {
            let (role, text) = (role.as_str().unwrap(), text.as_str().unwrap_or_default());
            assert!(
                rebuilt.contains(&format!(" {role}")) && rebuilt.contains(text),
                "{role}: {text}\n{rebuilt}"
            );
        }
        for tool in body["tools"].as_array().unwrap() {
            assert!(rebuilt.lines().next().unwrap().contains(tool["function"]["name"].as_str().unwrap()));
        }
    }
    // The request before it is its beginning.
    for (rebuilt, counts) in rebuilt.iter().zip([(2, 1), (3, 2), (5, 4)]) {
        let (count, same) = counts;
        let head = rebuilt.lines().next().unwrap();
        assert!(
            head.contains(&format!(": {count} messages, "))
                && head.contains(&format!("the first {same} as before")),
            "{head}"
        );
    }

    let request = first["requestId"].as_str().unwrap();
    let text = ran(&mut desk.orion(&["trace", request, "--sent", "2"]));
    assert!(text.stdout.starts_with("Call 2 of 2 to scripted: 3 messages, "), "{}", text.stdout);
    assert!(text.stdout.contains("\n--- 2 user, 11 B\nWhat is it?\n"), "{}", text.stdout);
    assert!(text.stdout.contains("\n--- 3 system, new, "), "{}", text.stdout);
    let none = ran(&mut desk.orion(&["trace", request, "--sent", "3"]));
    assert_eq!(
        (none.code, none.stderr.as_str()),
        (
            Some(2),
            "orion: The turn has no model call 3: it has made 2.\nChoose one of them, counted from 1.\n"
        )
    );
}

/// The body of a call's request, as `orion trace` has it.
fn body(desk: &Desk, report: &Value, call: usize) -> String {
    let request = report["requestId"].as_str().unwrap();
    let shown = ran(&mut desk.orion(&["trace", request, "--sent", &call.to_string(), "--json"]));
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    shown.stdout.strip_suffix('\n').unwrap().to_owned()
}

#[test]
fn the_body_of_a_request_is_to_the_byte_what_the_server_got_and_no_key_is_in_it() {
    let begin = json!({"intent": "Write.", "target_file": "new.txt", "operation": "create"});
    let model = Script::new()
        .turn(|t| t.reasoning("Hm.").call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.call("write_plan_begin", begin).end("tool_calls"))
        .turn(|t| t.text("A line.\nDONE").end("stop"))
        .turn(|t| t.text("Written. \u{1f98a}").end("stop"))
        .turn(|t| t.text("Yes.").end("stop"))
        .start();
    let desk = Desk::new();
    // A template that refuses late system messages: results go as messages of the user.
    let ask = |more: &[&str]| {
        let base_url = model.base_url();
        let run = [
            "run",
            "--json",
            "--approve-writes",
            "--api-key-env",
            "MINE_KEY",
            "--base-url",
            &base_url,
            "--model",
            "mistral",
        ];
        let told = ran(desk.orion(&[&run[..], more].concat()).env("MINE_KEY", "sk-of-the-test-0001"));
        assert_eq!(told.code, Some(0), "{}", told.stderr);
        parsed(&told.stdout)
    };
    let (first, second) = (ask(&["Write, please. \u{1f98a}"]), ask(&["--continue", "Sure?"]));
    let requests = model.requests();
    assert_eq!(requests[0].header("authorization"), Some("Bearer sk-of-the-test-0001"));
    let calls = (1..=4).map(|call| body(&desk, &first, call)).chain([body(&desk, &second, 1)]);
    for (shown, request) in calls.zip(&requests) {
        assert_eq!(shown.as_bytes(), request.raw);
        assert!(!shown.contains("sk-of-the-test"), "{shown}");
    }
    model.finish();
}

// X2: a limit that an endpoint refuses is left out.
#[test]
fn the_body_is_without_what_was_left_out_because_the_endpoint_refuses_it() {
    let model = Script::new()
        .turn(|t| t.status(400).body(r#"{"error":{"message":"too large","param":"max_tokens"}}"#))
        // Not the name of the limit.
        .turn(|t| t.status(400).body(r#"{"error":{"message":"too large","param":"max_tokens"}}"#))
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.text("42.").end("stop"))
        .turn(|t| t.text("Yes.").end("stop"))
        .start();
    let desk = Desk::new();
    let first = parsed(&ran(&mut desk.run(&model, &["--json", "What is it?"])).stdout);
    let second = parsed(&ran(&mut desk.run(&model, &["--json", "--continue", "Sure?"])).stdout);
    let raw: Vec<Vec<u8>> = model.requests().into_iter().map(|request| request.raw).collect();
    let limits = raw.iter().map(|raw| String::from_utf8_lossy(raw).contains("max_tokens"));
    assert_eq!(limits.collect::<Vec<_>>(), [true, false, false, false, false]);
    let shown = [body(&desk, &first, 1), body(&desk, &first, 2), body(&desk, &second, 1)];
    assert_eq!(shown.map(String::into_bytes).as_slice(), &raw[2..]);
    let replayed = ran(&mut desk.orion(&["replay", first["requestId"].as_str().unwrap()]));
    assert_eq!(replayed.code, Some(0), "{}", replayed.stderr); // T5
    model.finish();
}

#[test]
fn the_demo_model_was_sent_no_body() {
    let desk = Desk::new();
    let report = parsed(&ran(&mut desk.orion(&["run", "--demo", "--json", "Hello?"])).stdout);
    let shown =
        ran(&mut desk.orion(&["trace", report["requestId"].as_str().unwrap(), "--sent", "1", "--json"]));
    let said = "orion: The demo model is built in: no request was sent.\nAsk a model that is connected.\n";
    assert_eq!((shown.code, shown.stdout.as_str(), shown.stderr.as_str()), (Some(2), "", said));
}
