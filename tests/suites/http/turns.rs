//! A turn over HTTP, from its message to its report (H4, H5).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use support::{Gate, Script, within};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::{Bed, Events, seqs, text};

const TWO_STAGE: &str = "/api/chat/messages_two_stage";

fn reading() -> Script {
    Script::new()
        .turn(|t| t.text("I look. ").call("read_file", json!({ "path": "notes.txt" })).end("tool_calls"))
        .turn(|t| t.text("It is ").text("42.").end("stop"))
}

fn message(id: &str) -> Value {
    json!({ "external_id": id, "sender": "ann", "content": "What is it?", "metadata": { "other": 1 } })
}

#[tokio::test]
async fn a_client_of_the_designs_reads_chunks_and_one_done_with_the_whole_report() {
    // H4
    for path in [TWO_STAGE, "/api/chat/messages"] {
        let model = reading().start();
        let bed = Bed::new(&model);
        let events = bed.stream(path, &message("m-1")).await.all().await;
        let done: Vec<_> = events.iter().filter(|(_, event)| event["done"] == true).collect();
        assert_eq!(done.len(), 1, "{path}");
        let (_, last) = events.last().unwrap();
        assert_eq!(last, &done[0].1);
        assert_eq!(last["fullContent"], last["report"]["answer"]);
        assert_eq!(text(&events), "I look. It is 42.");
        assert_eq!(last["report"]["stopReason"], "answered");
        assert_eq!(last["phase"], "complete");
        let numbers: Vec<u64> = (1..=last["seq"].as_u64().unwrap()).collect();
        assert_eq!(seqs(&events), numbers, "T2");
        let call = events.iter().find_map(|(_, event)| event.get("toolCalls")).unwrap();
        assert_eq!(call[0]["name"], "read_file");
        let result = events.iter().find_map(|(_, event)| event.get("toolResults")).unwrap();
        assert_eq!(result[0]["status"], "ok");
        model.finish();
    }
}

#[tokio::test]
async fn the_same_message_again_is_the_same_turn_and_another_content_by_its_name_is_refused() {
    // H4
    let model = reading().start();
    let mut bed = Bed::new(&model);
    let first = bed.stream(TWO_STAGE, &message("m-1")).await.all().await;
    let again = bed.stream(TWO_STAGE, &message("m-1")).await.all().await;
    assert_eq!(seqs(&again), seqs(&first));
    assert_eq!(again.last(), first.last());
    bed.server.kill().unwrap();
    bed.server.wait().unwrap();
    bed.again();
    let restarted = bed.stream(TWO_STAGE, &message("m-1")).await.all().await;
    assert_eq!(restarted.last(), first.last());
    let mut other = message("m-1");
    other["content"] = json!("Something else");
    let refused = bed.post(TWO_STAGE, &other).await;
    assert_eq!(refused.status(), StatusCode::CONFLICT);
    let problem: Value = refused.json().await.unwrap();
    assert_eq!(problem["requestId"], first[0].1["requestId"]);
    model.finish();
}

#[tokio::test]
async fn files_come_with_a_message_also_with_one_that_waits_and_leave_nothing_behind() {
    // H6
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| t.text("Al").hold(&gate).text("pha.").end("stop"))
        .turn(|t| t.text("Beta.").end("stop"))
        .start();
    let bed = Bed::new(&model);
    let with = |text: &str| {
        let data = STANDARD.encode(text);
        json!({ "onDisconnect": "continue", "attachments": [{ "name": "list.txt", "data": data }] })
    };
    let mut first = message("m-1");
    first["metadata"] = with("three foxes");
    let mut stream = bed.stream(TWO_STAGE, &first).await;
    let session = stream.until("text_chunk").await["sessionId"].as_str().unwrap().to_owned();
    let queue = format!("/api/v1/sessions/{session}/queue");
    let queued = json!({ "content": "And these?", "metadata": with("four hares") });
    assert_eq!(bed.post(&queue, &queued).await.status(), StatusCode::OK);
    gate.open();
    assert_eq!(stream.all().await.last().unwrap().1["fullContent"], "Alpha.");
    let sent = |request: &Value| request["messages"].to_string();
    assert!(sent(&model.request(1).await.body).contains("three foxes"));
    let second = sent(&model.request(2).await.body);
    assert!(second.contains("And these?") && second.contains("four hares"), "{second}");
    model.over(2).await;
    let sessions = bed.get("/api/v1/sessions").await["sessions"].clone();
    assert_eq!(sessions.as_array().map(Vec::len), Some(1), "{sessions}");
    model.finish();
}

#[tokio::test]
async fn a_client_that_hangs_up_at_once_cuts_nothing_in_half() {
    // H4
    let model = (0..6).fold(Script::new(), |script, _| script.turn(|t| t.text("Alpha.").end("stop"))).start();
    let bed = Bed::new(&model);
    let host = bed.address.strip_prefix("http://").unwrap();
    for at in 0..6 {
        let mut body = message(&format!("m-{at}"));
        body["metadata"]["onDisconnect"] = json!("continue");
        let text = body.to_string();
        let request = format!(
            "POST {TWO_STAGE} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{text}",
            bed.token,
            text.len()
        );
        let mut stream = TcpStream::connect(host).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        drop(stream);
        // The turn of that request, if it came to one: a second one would have no answer of the model.
        let again = bed.stream(TWO_STAGE, &body).await.all().await;
        assert_eq!(again.last().unwrap().1["fullContent"], "Alpha.");
    }
    model.finish();
}

#[tokio::test]
async fn no_route_begins_a_turn_beyond_those_that_may_run_at_once() {
    // H6
    let gate = Gate::new();
    let script = Script::new().turn(|t| t.text("Alpha.").end("stop"));
    let script =
        (0..8).fold(script, |script, _| script.turn(|t| t.text("Be").hold(&gate).text("ta.").end("stop")));
    let model = script.turn(|t| t.text("Gamma.").end("stop")).start();
    let bed = Bed::new(&model);
    let over = bed.stream(TWO_STAGE, &message("m-0")).await.all().await;
    let session = over[0].1["sessionId"].as_str().unwrap();
    let plain = json!({ "content": "And?" });
    let mut started = Vec::new();
    for _ in 0..8 {
        let answer = bed.post("/api/v1/turns", &plain).await;
        assert_eq!(answer.status(), StatusCode::CREATED);
        started.push(answer.json::<Value>().await.unwrap()["requestId"].as_str().unwrap().to_owned());
    }
    for path in ["/api/v1/turns", TWO_STAGE] {
        assert_eq!(bed.post(path, &plain).await.status(), StatusCode::TOO_MANY_REQUESTS, "{path}");
    }
    // A9: one that is queued waits for room.
    let queue = format!("/api/v1/sessions/{session}/queue");
    assert_eq!(bed.post(&queue, &plain).await.status(), StatusCode::OK);
    assert_eq!(bed.get(&queue).await["queue"]["messages"].as_array().map(Vec::len), Some(1));
    gate.open();
    for turn in started {
        let events = bed.ask(Method::GET, &format!("/api/v1/turns/{turn}/events")).send().await.unwrap();
        assert_eq!(Events::of(events).all().await.last().unwrap().1["fullContent"], "Beta.");
    }
    model.over(10).await;
    model.finish();
}

#[tokio::test]
async fn a_reader_that_is_cut_off_comes_again_with_its_last_id_and_has_the_rest() {
    // H4, T6
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({ "path": "notes.txt" })).end("tool_calls"))
        .turn(|t| t.text("Grüße, ").hold(&gate).text("Welt!").end("stop"))
        .start();
    let bed = Bed::new(&model);
    let mut body = message("m-1");
    body["metadata"]["onDisconnect"] = json!("continue");
    let mut stream = bed.stream(TWO_STAGE, &body).await;
    let mut told = Vec::new();
    while !text(&told).ends_with("Grüße, ") {
        told.push(stream.next().await.unwrap());
    }
    drop(stream);
    gate.open();
    let request = told[0].1["requestId"].as_str().unwrap().to_owned();
    let id = told.iter().rev().find_map(|(id, _)| id.clone()).unwrap();
    let path = format!("/api/v1/turns/{request}/events");
    let rest = bed.ask(Method::GET, &path).header("last-event-id", id).send();
    let rest = Events::of(within("the rest", rest).await.unwrap()).all().await;
    let union = [told, rest].concat();
    assert_eq!(text(&union), "Grüße, Welt!");
    // Whoever has all of it is told not to come again.
    let last = union.last().unwrap().0.clone().unwrap();
    let nothing = bed.ask(Method::GET, &path).header("last-event-id", last).send().await.unwrap();
    assert_eq!(nothing.status(), StatusCode::NO_CONTENT);
    let whole = Events::of(bed.ask(Method::GET, &path).send().await.unwrap()).all().await;
    assert_eq!(seqs(&union), seqs(&whole));
    model.finish();
}

#[tokio::test]
async fn a_turn_that_pauses_after_a_tool_is_resumed_by_the_third_route() {
    // H4, A2
    let model = reading().start();
    let bed = Bed::new(&model);
    let mut body = message("m-1");
    body["metadata"]["pauseAfterTool"] = json!(true);
    let mut stream = bed.stream(TWO_STAGE, &body).await;
    let asked = stream.until("asked").await;
    assert_eq!(asked["status"], "waiting");
    let request = asked["requestId"].clone();
    let resume = |batch: u32| json!({ "requestId": request, "toolBatchId": batch });
    let path = "/api/chat/messages_two_stage/resume";
    let wrong = bed.post(path, &resume(7)).await;
    assert_eq!(wrong.status(), StatusCode::CONFLICT);
    assert_eq!(wrong.json::<Value>().await.unwrap()["code"], "approval_stale");
    let rest = bed.stream(path, &resume(1)).await.all().await;
    assert!(rest.last().unwrap().1["fullContent"].as_str().unwrap().ends_with("It is 42."));
    // T6: the first stream stayed open, and has the end too.
    assert_eq!(stream.all().await.last(), rest.last());
    let over = bed.post(path, &resume(1)).await;
    assert_eq!(over.status(), StatusCode::GONE);
    model.finish();
}

#[tokio::test]
async fn a_write_is_approved_by_its_digest_and_what_grants_more_is_for_the_person_at_the_computer() {
    // H3, A3
    let begin = json!({ "intent": "As you asked.", "target_file": "notes.txt", "operation": "overwrite" });
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin).end("tool_calls"))
        .turn(|t| t.text("The answer is 43.\nDONE").end("stop"))
        .turn(|t| t.text("Done.").end("stop"))
        .start();
    let bed = Bed::new(&model);
    let waiting = bed.ask(Method::POST, TWO_STAGE).header("accept", "application/json");
    let waiting = within("the report", waiting.json(&message("m-1")).send()).await.unwrap();
    assert_eq!(waiting.status(), StatusCode::ACCEPTED);
    let report: Value = waiting.json().await.unwrap();
    assert_eq!((&report["status"], &report["stopReason"]), (&json!("waiting"), &json!("approval")));
    let turn = format!("/api/v1/turns/{}", report["requestId"].as_str().unwrap());
    let told = bed.get(&turn).await;
    assert_eq!(told["state"], "waiting");
    let digest = &told["pending"]["digest"];
    let path = format!("{turn}/reply");
    let reply =
        |digest: &Value, keep: Value| json!({ "digest": digest, "reply": { "type": "allow", "keep": keep } });
    let kept = bed.post(&path, &reply(digest, json!("session"))).await;
    assert_eq!(kept.status(), StatusCode::FORBIDDEN);
    let stale = bed.post(&path, &reply(&json!("0".repeat(64)), Value::Null)).await;
    assert_eq!(stale.json::<Value>().await.unwrap()["code"], "approval_stale");
    assert_eq!(bed.project.read("notes.txt"), b"The answer is 42.\n");
    let allowed = bed.post(&path, &reply(digest, Value::Null)).await;
    assert_eq!(allowed.status(), StatusCode::OK);
    let events = Events::of(bed.ask(Method::GET, &format!("{turn}/events")).send().await.unwrap());
    assert_eq!(events.all().await.last().unwrap().1["report"]["writes"][0]["status"], "written");
    assert_eq!(bed.project.read("notes.txt"), b"The answer is 43.\n");
    let again = bed.post(&path, &reply(digest, Value::Null)).await;
    assert_eq!(again.json::<Value>().await.unwrap()["code"], "not_waiting");
    let undone = bed.post(&format!("{turn}/undo"), &json!({})).await;
    assert_eq!(undone.status(), StatusCode::OK);
    assert_eq!(bed.project.read("notes.txt"), b"The answer is 42.\n");
    model.finish();
}

#[tokio::test]
async fn a_turn_that_nobody_reads_any_more_is_stopped_and_one_that_is_to_go_on_is_not() {
    // H5
    for (on_disconnect, ends) in [("stop", "stopped"), ("continue", "completed")] {
        let gate = Gate::new();
        let model = Script::new().turn(|t| t.text("Al").hold(&gate).text("pha").end("stop")).start();
        let bed = Bed::new(&model);
        let mut body = message("m-1");
        body["metadata"]["onDisconnect"] = json!(on_disconnect);
        let mut stream = bed.stream(TWO_STAGE, &body).await;
        let request = stream.until("text_chunk").await["requestId"].as_str().unwrap().to_owned();
        drop(stream);
        if on_disconnect == "continue" {
            gate.open();
        } else {
            model.dropped(1).await;
        }
        // This reader came too late to keep the first turn going.
        let path = format!("/api/v1/turns/{request}/events");
        let events = Events::of(bed.ask(Method::GET, &path).send().await.unwrap()).all().await;
        assert_eq!(events.last().unwrap().1["event"]["type"], ends);
        if on_disconnect == "continue" {
            model.finish();
        }
    }
}
