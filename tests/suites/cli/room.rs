//! `orion context`: what fills the model's room (X2).

use serde_json::{Value, json};
use support::{Script, Turn};

use super::{Desk, json as parsed, ran};

#[test]
fn the_room_is_shown_part_by_part_with_each_result_by_its_file() {
    let desk = Desk::new();
    desk.project.write("AGENTS.md", "Answer in one word.\n");
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.text("42.").usage(1_200, 10).end("stop"))
        .start();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "What is it?"])).stdout);
    model.finish();
    let session = report["sessionId"].as_str().unwrap();
    // Nothing is asked of the endpoint, which is gone by now.
    let base_url = "http://127.0.0.1:9/v1".to_owned();
    let room = |more: &[&str]| {
        let mut arguments = vec!["context", session, "--base-url", &base_url];
        arguments.extend(more);
        ran(&mut desk.orion(&arguments))
    };
    let view = parsed(&room(&["--json"]).stdout);
    let part = |kind: &str| -> Value {
        view["parts"].as_array().unwrap().iter().find(|part| part["kind"] == kind).unwrap().clone()
    };
    assert_eq!(
        [&view["model"], &view["window"], &view["counted"], &view["cut"]],
        [&json!("scripted"), &json!(32_768), &json!(true), &Value::Null]
    );
    assert_eq!(
        part("instructions")["bytes"],
        "\nThe project's own instructions (AGENTS.md):\nAnswer in one word.\n".len()
    );
    let turn = part("turn");
    assert_eq!(
        [&turn["text"], &turn["count"], &turn["requestId"]],
        [&json!("What is it?"), &json!(3), &report["requestId"]]
    );
    let of_box = &turn["boxes"][0];
    assert_eq!(
        [&of_box["name"], &of_box["arguments"]["path"], &of_box["emptied"]],
        [&json!("read_file"), &json!("notes.txt"), &json!(false)]
    );
    let sum: u64 =
        view["parts"].as_array().unwrap().iter().map(|part| part["tokens"].as_u64().unwrap()).sum();
    let tokens = view["tokens"].as_u64().unwrap();
    assert!(tokens <= sum && sum <= tokens + 4, "each part is rounded up: {tokens}, {sum}");
    assert_eq!(tokens, 1_210, "the server counted the answer too");

    let text = room(&[]);
    let lines: Vec<&str> = text.stdout.lines().collect();
    assert!(lines[0].starts_with(&format!("scripted: {tokens} of 24576 tokens, 4 %; ")), "{}", text.stdout);
    assert!(lines.last().unwrap().ends_with("%    read_file notes.txt"), "{}", text.stdout);

    let other = room(&["--model", "another"]);
    assert!(
        other.stdout.starts_with("another: about "),
        "another model counts in its own way: {}",
        other.stdout
    );
}

// X2
#[test]
fn the_window_is_that_of_the_flag_before_the_variables_and_the_settings() {
    let model = Script::new().forever(|_, _| Turn::default().text("Yes.").end("stop")).start();
    let settings = format!(
        "default_endpoint = 'here'\n[endpoints.here]\nbase_url = '{}'\nmodel = 'm'\nwindow = 4096\n[endpoints.here.models.'n:8b']\nwindow = 8192\n",
        model.base_url()
    );
    let desk = Desk::with_settings(&settings);
    let window = |variable: &str, flags: &[&str]| {
        let run = [&["run", "--events"], flags, &["Hello?"]].concat();
        let told = ran(desk.orion(&run).env("ORION_WINDOW", variable));
        assert_eq!(told.code, Some(0), "{}", told.stderr);
        parsed(told.stdout.lines().next().unwrap())["event"]["window"]["tokens"].as_u64().unwrap()
    };
    assert_eq!(window("", &[]), 4_096);
    assert_eq!(window("", &["--model", "n:8b"]), 8_192);
    assert_eq!(window("2048", &["--model", "n:8b"]), 2_048);
    assert_eq!(window("2048", &["--model", "n:8b", "--window", "16384"]), 16_384);
    assert_eq!(
        window("", &["--base-url", &model.base_url(), "--model", "n:8b", "--window", "16384"]),
        16_384
    );

    let session = parsed(&ran(&mut desk.orion(&["sessions", "--json"])).stdout)[0]["sessionId"].clone();
    let context = ["context", session.as_str().unwrap(), "--json", "--window", "1024"];
    let view = parsed(&ran(&mut desk.orion(&context)).stdout);
    assert_eq!([&view["window"], &view["windowSource"]], [&json!(1_024), &json!("setting")]);

    let wrong = ran(&mut desk.orion(&["run", "--window", "1023", "Hello?"]));
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("expected a whole number from 1024 to 10000000"), "{}", wrong.stderr);
    let ignored = ran(desk.orion(&["run", "Hello?"]).env("ORION_WINDOW", "all"));
    let said =
        "The environment variable ORION_WINDOW must be a whole number from 1024 to 10000000; it is ignored.";
    assert!(ignored.code == Some(0) && ignored.stderr.contains(said), "{}", ignored.stderr);
    model.finish();
}

// X1, X3
#[test]
fn a_message_that_fits_nowhere_is_not_sent_and_takes_nothing_from_the_session() {
    let desk = Desk::new();
    let long = "word ".repeat(12_000);
    let model = Script::new()
        .turn(|t| t.text("A fox.").end("stop"))
        .turn(|t| {
            t.expect(|ask| {
                let sent = json!(ask.messages()).to_string();
                assert!(sent.contains("What is it?") && !sent.contains("word word"), "{sent}");
            })
            .text("Yes.")
            .end("stop")
        })
        .start();
    let ask = |text: &str, more: &[&str]| {
        ran(&mut desk.run(&model, &[&["--window", "8192", "--json"], more, &[text]].concat()))
    };
    let first = parsed(&ask("What is it?", &[]).stdout);
    let session = first["sessionId"].as_str().unwrap();
    let refused = ask(&long, &["--session", session]);
    let report = parsed(&refused.stdout);
    assert_eq!((&report["error"]["code"], &report["modelCalls"]), (&json!("context_too_long"), &json!(0)));
    let message = report["error"]["message"].as_str().unwrap();
    assert!(message.contains("The model's window has 8,192, and 2,048 of them"), "{message}");
    let next = ask("Sure?", &["--session", session]);
    assert_eq!(next.code, Some(0), "{}", next.stderr);
    model.finish();
}

// X3
#[test]
fn a_person_has_the_conversation_cut_to_half_before_a_message() {
    let desk = Desk::new();
    desk.project.write("long.txt", format!("{}\n", "alpha beta ".repeat(8)).repeat(200));
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "long.txt"})).end("tool_calls"))
        .turn(|t| t.text("Greek.").end("stop"))
        .turn(|t| {
            t.expect(|ask| {
                let sent = json!(ask.messages()).to_string();
                assert!(sent.contains("Read it.") && !sent.contains("alpha beta"), "{sent}");
            })
            .text("Yes.")
            .end("stop")
        })
        .start();
    let first = parsed(&ran(&mut desk.run(&model, &["--json", "Read it."])).stdout);
    let session = first["sessionId"].as_str().unwrap();
    let told = ran(&mut desk.run(&model, &["--session", session, "--events", "--make-room", "Sure?"]));
    let cut: Vec<Value> =
        told.stdout.lines().map(parsed).filter(|it| it["event"]["type"] == "context_cut").collect();
    assert_eq!((cut.len(), &cut[0]["event"]["cause"]), (1, &json!("person")), "{}", told.stdout);
    let request = cut[0]["requestId"].as_str().unwrap();
    let replay = ran(&mut desk.orion(&["replay", request]));
    assert_eq!(replay.code, Some(0), "T5: {}{}", replay.stdout, replay.stderr);
    model.finish();
}

#[test]
fn an_unknown_session_has_no_room() {
    let none = ran(&mut Desk::new().orion(&["context", "01890000-0000-7000-8000-000000000000", "--demo"]));
    assert_eq!((none.code, none.stdout.as_str()), (Some(1), ""), "{}", none.stderr);
}
