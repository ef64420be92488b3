//! The end of a server: turns are interrupted and can be resumed, whether it was asked to end or killed (H8).
#![cfg(unix)]

use std::time::Instant;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use support::{Gate, Script, within};

use super::{Bed, text};

#[tokio::test]
async fn streams_say_that_it_closes_and_the_next_start_goes_on_with_their_turns() {
    // H8, A5
    for signal in ["TERM", "KILL"] {
        let gate = Gate::new();
        let model = Script::new()
            .turn(|t| t.call("read_file", json!({ "path": "notes.txt" })).end("tool_calls"))
            .turn(|t| t.text("It is ").hold(&gate).text("lost").end("stop"))
            .turn(|t| t.text("It is 42.").end("stop"))
            .start();
        let mut bed = Bed::new(&model);
        let body = json!({ "external_id": "m-1", "content": "What is it?" });
        let mut stream = bed.stream("/api/chat/messages_two_stage", &body).await;
        let mut told = Vec::new();
        while !text(&told).contains("It is ") {
            told.push(stream.next().await.unwrap());
        }
        let began = Instant::now();
        let id = bed.server.id().to_string();
        let sent = std::process::Command::new("kill").args(["-s", signal, &id]).status().unwrap();
        assert!(sent.success());
        if signal == "TERM" {
            let last = within("the end of the stream", stream.all()).await.pop().unwrap().1;
            assert_eq!(last["closing"], true);
        }
        let ended = bed.server.wait().unwrap();
        assert!(began.elapsed().as_secs() < 5);
        assert_eq!(ended.success(), signal == "TERM");

        bed.again();
        let turn = format!("/api/v1/turns/{}", told[0].1["requestId"].as_str().unwrap());
        assert_eq!(bed.get(&turn).await["state"], "interrupted");
        // A5: nobody drives it, so its stream and the wait for its report end.
        let again = bed.stream("/api/chat/messages_two_stage", &body).await.all().await;
        let last = &again.last().unwrap().1;
        assert_eq!((&last["status"], &last["done"]), (&json!("interrupted"), &json!(true)));
        let report =
            bed.ask(Method::POST, "/api/chat/messages_two_stage").header("accept", "application/json");
        let report = within("the answer", report.json(&body).send()).await.unwrap();
        assert_eq!(report.status(), StatusCode::CONFLICT);
        let resume = json!({ "requestId": told[0].1["requestId"], "toolBatchId": 1 });
        let rest = bed.stream("/api/chat/messages_two_stage/resume", &resume).await.all().await;
        let last: &Value = &rest.last().unwrap().1;
        assert_eq!((&last["done"], &last["report"]["stopReason"]), (&json!(true), &json!("answered")));
    }
}
