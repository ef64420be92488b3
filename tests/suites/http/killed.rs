//! `kill -9` of the server at random moments of its turns: no event that was shown is lost, and the next start goes on (H8, A5).
//! Text of an answer that was still coming is no event yet: the model is asked for it once more.
#![cfg(unix)]

use std::time::{SystemTime, UNIX_EPOCH};

use reqwest::Method;
use serde_json::{Value, json};
use support::{Request, Script, Turn};

use super::{Bed, Events, text};

/// Kills of one run; `cargo xtask soak` asks for more.
const KILLS: u64 = 10;

/// Events of such a turn, about.
const EVENTS: u64 = 60;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A model that reads once in each turn, and then talks.
fn talking() -> Script {
    Script::new().forever(|_, request: &Request| {
        let has_read = request.messages().iter().any(|message| {
            message["content"].as_str().is_some_and(|text| text.contains("The answer is 42."))
        });
        match has_read {
            false => Turn::default().call("read_file", json!({ "path": "notes.txt" })).end("tool_calls"),
            true => {
                (0..EVENTS - 10).fold(Turn::default(), |turn, n| turn.text(&format!("word {n} "))).end("stop")
            }
        }
    })
}

#[tokio::test]
async fn a_server_that_is_killed_at_any_moment_loses_no_event_that_was_shown_and_the_next_one_goes_on() {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let mut dice = number("ORION_SEED").unwrap_or_else(now);
    eprintln!("ORION_SEED={dice}");
    let kills = number("ORION_KILLS").map_or(KILLS, |kills| kills.div_ceil(5));
    let model = talking().start();
    let mut bed = Bed::new(&model);
    for kill in 0..kills {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let events = 1 + (dice >> 33) % EVENTS;
        let body = json!({ "external_id": format!("m-{kill}"), "content": "Talk.", "metadata": { "onDisconnect": "continue" } });
        let path = "/api/chat/messages_two_stage";
        let mut stream = bed.stream(path, &body).await;
        let mut shown: Vec<(Option<String>, Value)> = Vec::new();
        while shown.len() < events as usize {
            let Some(event) = stream.next().await else { break };
            shown.push(event);
        }
        bed.server.kill().unwrap();
        bed.server.wait().unwrap();
        bed.again();
        let request = shown[0].1["requestId"].clone();
        let turn = format!("/api/v1/turns/{}", request.as_str().unwrap());
        let events = bed.ask(Method::GET, &format!("{turn}/events")).send().await.unwrap();
        let kept = Events::of(events).all().await;
        for (id, event) in &shown {
            let is_durable = id.as_ref().is_some_and(|id| !id.contains('.'));
            assert!(
                !is_durable || kept.iter().any(|(_, kept)| kept == event),
                "it was shown, and is gone: {event}"
            );
        }
        // The same message is the same turn, and begins no other.
        let again = bed.stream(path, &body).await.all().await;
        assert_eq!(again[0].1["requestId"], request);
        if again.last().unwrap().1["status"] == "interrupted" {
            let resume = json!({ "requestId": request });
            let rest = bed.stream("/api/chat/messages_two_stage/resume", &resume).await.all().await;
            assert_eq!(rest.last().unwrap().1["report"]["stopReason"], "answered");
        }
        let report = bed.get(&turn).await["report"].clone();
        assert_eq!(report["stopReason"], "answered");
        assert!(report["answer"].as_str().unwrap().ends_with("word 49 "), "{}", text(&again));
    }
}
