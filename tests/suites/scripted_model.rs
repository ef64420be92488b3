//! The scripted model itself: it serves what its script says, byte for byte, and fails a test that is not as scripted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use futures_util::StreamExt;
use reqwest::Client;
use serde_json::{Value, json};
use support::{Chunking, Exchange, Fate, Framing, Gate, Script, ScriptedModel, Turn, hostile, within};

fn ask() -> Value {
    json!({ "model": "scripted", "stream": true, "messages": [{ "role": "user", "content": "Hello" }] })
}

/// One client for all, since making one reads the system's certificates; it keeps no connection from one test to the next.
static CLIENT: LazyLock<Client> =
    LazyLock::new(|| Client::builder().pool_max_idle_per_host(0).build().unwrap());

async fn send(model: &ScriptedModel, body: &Value) -> reqwest::Response {
    let request = CLIENT.post(format!("{}/chat/completions", model.base_url())).json(body);
    request.send().await.unwrap()
}

async fn body(model: &ScriptedModel) -> String {
    send(model, &ask()).await.text().await.unwrap()
}

/// The pieces the client reads the body in.
async fn pieces(model: &ScriptedModel) -> Vec<Vec<u8>> {
    let stream = send(model, &ask()).await.bytes_stream();
    stream.map(|piece| piece.unwrap().to_vec()).collect().await
}

/// What the model says when it is finished, or nothing.
fn verdict(model: ScriptedModel) -> String {
    match catch_unwind(AssertUnwindSafe(|| model.finish())) {
        Ok(()) => String::new(),
        Err(panic) => panic.downcast_ref::<String>().cloned().unwrap(),
    }
}

#[tokio::test]
async fn every_word_renders_its_event() {
    let model = Script::new()
        .turn(|t| {
            t.comment("wait").reasoning("Hm").text("Hi").call("f", json!({"a": 1})).usage(3, 4).end("stop")
        })
        .start();
    let head = r#"data: {"choices":[{"delta":"#;
    let tail = r#""finish_reason":null,"index":0}],"created":1750000000,"id":"chatcmpl-1","model":"scripted","object":"chat.completion.chunk"}"#;
    let lines = [
        ": wait".to_owned(),
        format!(r#"{head}{{"reasoning_content":"Hm"}},{tail}"#),
        format!(r#"{head}{{"content":"Hi"}},{tail}"#),
        format!(
            r#"{head}{{"tool_calls":[{{"function":{{"arguments":"{{\"a\":1}}","name":"f"}},"id":"call_1","index":0,"type":"function"}}]}},{tail}"#
        ),
        r#"data: {"choices":[],"id":"chatcmpl-1","object":"chat.completion.chunk","usage":{"completion_tokens":4,"prompt_tokens":3,"total_tokens":7}}"#
            .to_owned(),
        format!(r#"{head}{{}},{tail}"#).replace("null", r#""stop""#),
        "data: [DONE]".to_owned(),
    ];
    assert_eq!(body(&model).await, lines.map(|line| line + "\n\n").concat());
    model.finish();
}

#[tokio::test]
async fn the_client_reads_the_pieces_that_the_chunking_says() {
    let turn = |chunking| move |t: Turn| t.raw("abc").raw("def").chunking(chunking);
    for (chunking, expected) in [
        (Chunking::PerEvent, vec!["abc", "def"]),
        (Chunking::Whole, vec!["abcdef"]),
        (Chunking::EveryByte, vec!["a", "b", "c", "d", "e", "f"]),
        (Chunking::At(vec![1, 4, 9]), vec!["a", "bcd", "ef"]),
    ] {
        let model = Script::new().turn(turn(chunking)).start();
        assert_eq!(
            pieces(&model).await,
            expected.into_iter().map(|piece| piece.as_bytes().to_vec()).collect::<Vec<_>>()
        );
        model.finish();
    }
}

#[tokio::test]
async fn random_cuts_depend_on_their_seed_alone_and_lose_nothing() {
    let long = "0123456789".repeat(50);
    let mut read = Vec::new();
    for seed in [1, 1, 2] {
        let model = Script::new().turn(|t| t.raw(long.as_str()).chunking(Chunking::Random(seed))).start();
        let pieces = pieces(&model).await;
        assert_eq!(pieces.concat(), long.as_bytes());
        read.push(pieces);
        model.finish();
    }
    assert_eq!(read[0], read[1]);
    assert_ne!(read[0], read[2]);
}

#[tokio::test]
async fn a_gate_holds_the_stream_until_it_is_opened() {
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.raw("before").hold(&gate).raw("after")).start();
    let mut stream = send(&model, &ask()).await.bytes_stream();
    assert_eq!(stream.next().await.unwrap().unwrap(), "before");
    gate.reached().await;
    assert_eq!(model.exchanges()[0].fate, Fate::Open);
    gate.open();
    assert_eq!(within("the rest", stream.next()).await.unwrap().unwrap(), "after");
    assert!(stream.next().await.is_none());
    assert_eq!(model.over(1).await.fate, Fate::Sent);
    model.finish();
}

#[test]
fn a_wait_needs_no_clock_of_the_tests_own_runtime() {
    let without_clock = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_eq!(without_clock.block_on(within("what is there", async { 1 })), 1);
}

#[tokio::test]
async fn a_dropped_stream_is_seen() {
    let model = Script::new().turn(|t| t.text("and then").hang()).start();
    let mut stream = send(&model, &ask()).await.bytes_stream();
    stream.next().await.unwrap().unwrap();
    drop(stream);
    let Exchange { fate, written_at, over_at, .. } = model.dropped(1).await;
    assert_eq!(fate, Fate::Dropped);
    assert!(written_at.unwrap() < over_at.unwrap());
    model.finish();
}

#[tokio::test]
async fn a_cut_or_reset_breaks_the_body_after_exactly_its_bytes() {
    for turn in [Turn::default().raw("abcdef").cut_after(4), Turn::default().raw("abcdef").reset_after(4)] {
        let model = Script::new().turn(|_| turn).start();
        let mut stream = send(&model, &ask()).await.bytes_stream();
        assert_eq!(stream.next().await.unwrap().unwrap(), "abcd");
        assert!(stream.next().await.unwrap().is_err());
        assert_eq!(model.over(1).await.fate, Fate::Cut);
        model.finish();
    }
}

#[tokio::test]
async fn a_body_until_the_end_of_the_connection_ends_without_an_error_even_when_cut() {
    let model = Script::new().turn(|t| t.raw("abcdef").framing(Framing::UntilClose).cut_after(4)).start();
    assert_eq!(body(&model).await, "abcd");
    model.finish();
}

#[tokio::test]
async fn a_model_that_only_hangs_never_answers() {
    let model = Script::new().turn(Turn::hang).start();
    let body = ask();
    tokio::select! {
        _ = send(&model, &body) => panic!("it answered"),
        request = model.request(1) => assert_eq!(request.conversation(), [("user", "Hello")]),
    }
    assert_eq!(model.dropped(1).await.written_at, None);
    model.finish();
}

#[tokio::test]
async fn a_status_comes_with_its_headers_and_its_body() {
    let model = Script::new().turn(|t| t.status(503).header("Retry-After", "1").body("busy")).start();
    let response = send(&model, &ask()).await;
    assert_eq!(response.status(), 503);
    assert_eq!(response.headers()["retry-after"], "1");
    assert_eq!(response.headers()["content-type"], "application/json");
    assert_eq!(response.text().await.unwrap(), "busy");
    model.finish();
}

#[tokio::test]
async fn one_connection_carries_one_answer_after_the_other() {
    let model = Script::new().turn(|t| t.raw("one")).turn(|t| t.raw("two")).start();
    let client = Client::new();
    for expected in ["one", "two"] {
        let request = client.post(format!("{}/chat/completions", model.base_url())).json(&ask());
        let response = request.send().await.unwrap();
        assert_eq!(response.text().await.unwrap(), expected);
    }
    model.finish();
}

#[tokio::test]
async fn models_are_listed_when_scripted_and_a_fault_when_not() {
    let url = |model: &ScriptedModel| format!("{}/models", model.base_url());
    let model = Script::new().models(["one", "two"]).start();
    let listed: Value = reqwest::get(url(&model)).await.unwrap().json().await.unwrap();
    assert_eq!(
        listed["data"].as_array().unwrap().iter().map(|m| &m["id"]).collect::<Vec<_>>(),
        ["one", "two"]
    );
    assert_eq!(model.listings().len(), 1);
    model.finish();

    let model = Script::new().start();
    assert_eq!(reqwest::get(url(&model)).await.unwrap().status(), 400);
    assert!(verdict(model).ends_with("- nobody scripted GET /v1/models"));
}

#[tokio::test]
async fn a_request_nobody_scripted_fails_the_test() {
    let model = Script::new().turn(|t| t.text("Hi").end("stop")).start();
    body(&model).await;
    assert_eq!(send(&model, &ask()).await.status(), 400);
    assert!(verdict(model).ends_with(r#"- request 2 is one nobody scripted; its last message: "Hello""#));
}

#[tokio::test]
async fn an_answer_nobody_asked_for_fails_the_test_also_when_the_model_is_just_dropped() {
    let script = || Script::new().turn(|t| t.end("stop")).turn(|t| t.end("stop"));
    let model = script().start();
    body(&model).await;
    assert!(verdict(model).ends_with("- 1 scripted answers nobody asked for, after 1 requests"));

    let model = script().start();
    let panic = catch_unwind(AssertUnwindSafe(|| drop(model))).unwrap_err();
    assert!(
        panic
            .downcast_ref::<String>()
            .unwrap()
            .ends_with("- 2 scripted answers nobody asked for, after 0 requests")
    );
}

#[tokio::test]
async fn an_expectation_that_does_not_hold_fails_the_test() {
    let model = Script::new()
        .turn(|t| t.expect(|ask| assert_eq!(ask.last_text(), "Bye", "the text")).end("stop"))
        .start();
    assert_eq!(send(&model, &ask()).await.status(), 400);
    assert!(
        verdict(model).contains("request 1 is not as expected: assertion `left == right` failed: the text")
    );
}

#[tokio::test]
async fn what_a_strict_endpoint_would_refuse_fails_the_test() {
    let with = |change: fn(&mut Value)| {
        let mut body = ask();
        change(&mut body);
        body
    };
    let call = json!({ "id": "c1", "type": "function", "function": { "name": "f", "arguments": "{}" } });
    let calling = |messages: &[Value]| {
        let mut body = ask();
        let made = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
        body["messages"].as_array_mut().unwrap().push(made);
        body["messages"].as_array_mut().unwrap().extend_from_slice(messages);
        body
    };
    for (body, fault) in [
        (json!([]), "its body is not a JSON object"),
        (with(|b| b["model"] = json!("")), "it names no model"),
        (with(|b| b["stream"] = json!(false)), "it does not ask for a stream"),
        (with(|b| b["messages"] = json!([])), "it has no messages"),
        (with(|b| b["tools"] = json!([])), "its tools are not a list with something in it"),
        (
            with(|b| b["tools"] = json!([{ "type": "function", "function": { "name": "a b" } }])),
            "tool 0: its name is not one an endpoint takes",
        ),
        (with(|b| b["messages"][0]["role"] = json!("robot")), r#"message 0: its role is "robot""#),
        (with(|b| b["messages"][0]["content"] = json!(null)), "message 0: it has no text"),
        (calling(&[]), r#"the calls ["c1"] have no result"#),
        (
            calling(&[json!({ "role": "user", "content": "?" })]),
            r#"message 2: the calls ["c1"] before it have no result"#,
        ),
        (
            calling(&[json!({ "role": "tool", "tool_call_id": "c2", "content": "?" })]),
            r#"message 2: it answers the call "c2", which nobody made; the calls ["c1"] have no result"#,
        ),
    ] {
        let model = Script::new().start();
        assert_eq!(send(&model, &body).await.status(), 400);
        assert!(verdict(model).ends_with(&format!("- request 1 is wrong: {fault}")), "{fault}");
    }
    let answered = calling(&[json!({ "role": "tool", "tool_call_id": "c1", "content": "?" })]);
    let model = Script::new().turn(|t| t.end("stop")).start();
    assert_eq!(send(&model, &answered).await.status(), 200);
    model.finish();
}

#[tokio::test]
async fn hostile_models_never_end() {
    let path = |n: usize| json!({ "path": n });
    let a = || ("f", json!({ "path": "a" }));
    for (script, per_answer, expected) in [
        (hostile::repeats_one_call("f", json!({ "path": "a" })), 1, vec![r#""a""#; 60]),
        (hostile::alternates([a(), ("f", json!({ "path": "b" }))]), 1, [r#""a""#, r#""b""#].repeat(30)),
        (hostile::never_repeats("f", path), 1, vec![]),
        (hostile::fifty_calls_at_once("f", path), 50, vec![]),
        (hostile::calls_in_the_final_answer("f", path), 1, vec![]),
    ] {
        let model = script.start();
        let mut paths = Vec::new();
        for _ in 0..60 {
            let body = body(&model).await.replace('\\', "");
            paths.extend(
                body.split(r#""arguments":"{"path":"#)
                    .skip(1)
                    .map(|rest| rest.split('}').next().unwrap().to_owned()),
            );
        }
        let expected = match expected[..] {
            [] => (1..=60 * per_answer).map(|n: usize| n.to_string()).collect(),
            _ => expected.iter().map(ToString::to_string).collect::<Vec<_>>(),
        };
        assert_eq!(paths, expected);
        model.finish();
    }
}
