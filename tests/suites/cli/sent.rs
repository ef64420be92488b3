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
        parsed(&ran(&mut desk.orion(&["trace", request, "--sent", call, "--json"])).stdout)
    };
    let bodies = bodies.lock().unwrap();
    let rebuilt = [sent(&first, "1"), sent(&first, "2"), sent(&second, "1")];
    for (rebuilt, body) in rebuilt.iter().zip(&*bodies) {
        let messages = rebuilt["messages"].as_array().unwrap().iter();
        let messages: Vec<_> =
            messages.map(|message| (message["role"].clone(), message["text"].clone())).collect();
        assert_eq!(messages, said(body));
        let tools = body["tools"].as_array().unwrap().iter();
        let tools: Vec<_> = tools.map(|tool| tool["function"]["name"].clone()).collect();
        assert_eq!(rebuilt["tools"], Value::Array(tools));
    }
    let counts = rebuilt.each_ref().map(|sent| (sent["same"].clone(), sent["count"].clone()));
    assert_eq!(
        counts,
        [(json!(1), json!(2)), (json!(2), json!(3)), (json!(4), json!(5))],
        "the one before it is its beginning"
    );

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
