//! Connections that are cut at every event: nothing that was told is lost or told twice (H4).

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use support::{Gate, Script, Turn};

use super::{Bed, Events, seqs, text};

const TWO_STAGE: &str = "/api/chat/messages_two_stage";

/// A turn of one read and a long answer, which stops at the gate in its middle.
fn long(gate: &Gate) -> Script {
    let words =
        |turn: Turn, from: u32| (from..from + 30).fold(turn, |turn, n| turn.text(&format!("wört {n} ")));
    Script::new()
        .turn(|t| t.text("I look. ").call("read_file", json!({ "path": "notes.txt" })).end("tool_calls"))
        .turn(|t| words(words(t.reasoning("Hm."), 0).hold(gate), 30).end("stop"))
}

#[tokio::test]
async fn a_reader_that_is_cut_off_after_every_event_has_the_journal_without_a_gap_or_a_repeat() {
    // H4, T6
    let gate = Gate::new();
    let model = long(&gate).start();
    let bed = Bed::new(&model);
    let body =
        json!({ "external_id": "m-1", "content": "Talk.", "metadata": { "onDisconnect": "continue" } });
    let mut stream = bed.stream(TWO_STAGE, &body).await;
    let mut told = vec![stream.next().await.unwrap()];
    drop(stream);
    let path = format!("/api/v1/turns/{}/events", told[0].1["requestId"].as_str().unwrap());
    loop {
        // Half of it is told while the turn runs, the rest of one that has ended.
        if text(&told).contains("wört 20 ") {
            gate.open();
        }
        let id = told.iter().rev().find_map(|(id, _)| id.clone()).unwrap();
        let next = bed.ask(Method::GET, &path).header("last-event-id", id).send().await.unwrap();
        if next.status() == StatusCode::NO_CONTENT {
            break;
        }
        told.push(Events::of(next).next().await.unwrap());
    }
    let whole = Events::of(bed.ask(Method::GET, &path).send().await.unwrap()).all().await;
    assert_eq!(seqs(&told), seqs(&whole));
    assert_eq!(text(&told), text(&whole));
    let durable = |events: &[(Option<String>, Value)]| -> Vec<Value> {
        let all = events.iter().filter(|(id, _)| id.as_ref().is_some_and(|id| !id.contains('.')));
        all.map(|(_, event)| event.clone()).collect()
    };
    assert_eq!(durable(&told), durable(&whole));
    assert_eq!(told.iter().filter(|(_, event)| event["done"] == true).count(), 1);
    model.finish();
}
