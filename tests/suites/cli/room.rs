//! `orion context`: what fills the model's room (X2).

use serde_json::{Value, json};
use support::Script;

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
    // The server counted 1,200 tokens without the answer, which is the least that came since.
    assert!((1_200..1_230).contains(&tokens), "{tokens}");

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

#[test]
fn an_unknown_session_has_no_room() {
    let none = ran(&mut Desk::new().orion(&["context", "01890000-0000-7000-8000-000000000000", "--demo"]));
    assert_eq!((none.code, none.stdout.as_str()), (Some(1), ""), "{}", none.stderr);
}
