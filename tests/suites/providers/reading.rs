//! The part of a prompt that a server has read, and the time that it is likely to take: requests for it, and events of it.

use std::time::Duration;

use futures_util::StreamExt;
use orion_core::model::{Message, ModelRequest, Shape};
use orion_engine::endpoint::{Connector, ModelEvent, Patience};
use orion_engine::learned::{Learned, OfModel, Server};
use orion_engine::received::Received;
use orion_protocol::PromptProgress;
use orion_providers::Providers;
use serde_json::{Value, json};
use support::{ScriptedModel, Turn, within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{Seen, at, finish, question, quick, script, seen, text, turn};

/// A model at llama.cpp.
fn hello() -> Turn {
    turn().header("server", "llama.cpp").text("Hello.").end("stop")
}

fn answered() -> [Seen; 3] {
    [text("Hello."), finish("stop"), ModelEvent::Ended].map(Seen::Event)
}

async fn call(model: &ScriptedModel, known: &OfModel) -> Vec<Seen> {
    let mut at = at(&model.base_url());
    at.window = Some(8_192);
    let endpoint = Providers::new(quick()).connect(&at, None, Patience::default(), known.clone()).unwrap();
    let events = endpoint.stream(question(), endpoint.profile(), Received::default()).collect();
    seen(within("the end of the call", events).await)
}

fn asks(model: &ScriptedModel) -> Vec<Value> {
    model.requests().into_iter().map(|request| request.body["return_progress"].clone()).collect()
}

fn reads(processed: u32) -> Value {
    json!({
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": null}}],
        "prompt_progress": {"total": 31_000, "cache": 11_900, "processed": processed, "time_ms": 900},
    })
}

#[tokio::test]
async fn a_server_that_named_itself_llama_cpp_is_asked_how_far_it_reads_and_what_it_says_is_told() {
    let reading =
        Turn::default().header("server", "llama.cpp").event(reads(12_300)).text("Hello.").end("stop");
    let (model, known) = (script([hello(), reading]), Learned::default().of("here", "m"));
    assert_eq!(call(&model, &known).await, answered());
    assert_eq!(known.facts().server, Some(Server::LlamaCpp));
    let mut told = call(&model, &known).await;
    let Seen::Event(ModelEvent::Reading(progress)) = told.remove(0) else { panic!("{told:?}") };
    let expected = PromptProgress {
        total: Some(31_000),
        cached: Some(11_900),
        processed: Some(12_300),
        left_ms: Some(42_075),
        elapsed_ms: progress.elapsed_ms,
    };
    assert_eq!(progress, expected);
    assert_eq!(told, answered());
    assert_eq!(asks(&model), [Value::Null, json!(true)]);
    assert!(known.facts().taken.contains(&Shape::ReadingProgress));
    model.finish();
}

#[tokio::test]
async fn a_server_that_refuses_to_say_how_far_it_reads_gets_the_request_without_the_question() {
    let refusing = || {
        turn().header("server", "llama.cpp").status(400).body(
            json!({ "error": { "message": "amber", "param": "return_progress", "code": "unknown_parameter" } })
                .to_string(),
        )
    };
    let (model, known) = (script([refusing(), hello(), hello()]), Learned::default().of("here", "m"));
    known.note(|facts| facts.server = Some(Server::LlamaCpp));
    let mut expected: Vec<Seen> = vec![Seen::Event(ModelEvent::Changed(Shape::ReadingProgress))];
    expected.extend(answered());
    assert_eq!(call(&model, &known).await, expected);
    assert!(known.facts().refused.contains(&Shape::ReadingProgress));
    assert_eq!(call(&model, &known).await, answered());
    assert_eq!(asks(&model), [json!(true), Value::Null, Value::Null]);
    model.finish();
}

/// A server that reads 40 KB a second and says nothing of it.
async fn silent() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut lengths = Vec::new();
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut request = Vec::new();
            while !request.ends_with(b"}}") {
                socket.read_buf(&mut request).await.unwrap();
            }
            let new = request.len() - lengths.last().copied().unwrap_or(0);
            lengths.push(request.len());
            let mut pulse = tokio::time::interval(Duration::from_millis(new as u64 / 40));
            pulse.tick().await;
            pulse.tick().await;
            let answer = Turn::default().text("Hello.").end("stop").rendered();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            socket.write_all(&[head.as_bytes(), &answer].concat()).await.unwrap();
        }
    });
    base_url
}

#[tokio::test]
async fn of_a_server_that_says_nothing_the_time_is_estimated_by_the_last_prompts() {
    let providers = Providers::new(quick());
    let base_url = silent().await;
    let mut conversation = vec![Message::user("x".repeat(20_000))];
    let begin = async |messages: &[Message]| {
        let known = super::taken();
        let endpoint = providers.connect(&at(&base_url), None, Patience::default(), known).unwrap();
        let request = ModelRequest { messages: messages.to_vec(), ..question() };
        let mut events = endpoint.stream(request, endpoint.profile(), Received::default());
        let first = within("the first event", events.next()).await;
        (first, events)
    };
    let (first, events) = begin(&conversation).await;
    assert_eq!(first, Some(ModelEvent::Connected), "nothing is known yet");
    within("the end of the call", events.collect::<Vec<_>>()).await;
    conversation.push(Message::user("y".repeat(400_000)));
    let (first, _) = begin(&conversation).await;
    let Some(ModelEvent::Reading(progress)) = first else { panic!("{first:?}") };
    let expected = PromptProgress { left_ms: progress.left_ms, ..PromptProgress::default() };
    assert_eq!(progress, expected);
    // Ten seconds at the pace of the server, and more where this computer was slow at the first prompt.
    assert!(progress.left_ms.is_some_and(|left| left >= 9_000), "{progress:?}");
}
