//! Asking an endpoint for its window at the wire (X2): whom, how often, and that no answer is needed.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use orion_engine::endpoint::{Connector, ModelEndpoint, Patience};
use orion_engine::learned::{Asked, Learned, OfModel};
use orion_engine::received::Received;
use orion_protocol::Endpoint;
use orion_providers::Providers;
use serde_json::json;
use support::{Gate, Script, ScriptedModel, Turn, within};

use super::{KEY, at, question, quick, turn};

fn endpoint(model: &ScriptedModel, learned: &OfModel) -> Arc<dyn ModelEndpoint> {
    let endpoint = Endpoint { model: "m".into(), ..at(&model.base_url()) };
    Providers::new(quick())
        .connect(&endpoint, Some(KEY.into()), Patience::default(), learned.clone())
        .unwrap()
}

async fn call(endpoint: &Arc<dyn ModelEndpoint>) {
    within(
        "the end of the call",
        endpoint.stream(question(), endpoint.profile(), Received::default()).collect::<Vec<_>>(),
    )
    .await;
}

/// What is known once something is.
async fn window(learned: &OfModel) -> Option<u32> {
    let known = async {
        while learned.facts().window.is_none() {
            tokio::task::yield_now().await;
        }
    };
    within("the window", known).await;
    learned.facts().in_force()
}

fn hello() -> Turn {
    turn().text("Hello.").end("stop")
}

#[tokio::test]
async fn llama_cpp_is_asked_for_its_properties_once() {
    let props = json!({ "default_generation_settings": { "n_ctx": 4096 }, "total_slots": 1 }).to_string();
    let model = Script::new()
        .turn(|_| hello().header("server", "llama.cpp"))
        .turn(|_| hello().header("server", "llama.cpp"))
        .page("/props", |page| page.body(props))
        .start();
    let learned = Learned::default().of("here", "m");
    let endpoint = endpoint(&model, &learned);
    call(&endpoint).await;
    assert_eq!(window(&learned).await, Some(4_096));
    call(&endpoint).await;
    let pages = model.pages();
    let asked: Vec<_> = pages.iter().map(|page| (page.path.as_str(), page.header("authorization"))).collect();
    assert_eq!(asked, [("/props", Some("Bearer sk-secret-0123456789"))]);
    model.finish();
}

#[tokio::test]
async fn ollama_is_asked_what_runs() {
    let running = json!({ "models": [{ "name": "m:latest", "context_length": 4096 }] }).to_string();
    let event = json!({ "system_fingerprint": "fp_ollama", "choices": [{ "index": 0, "delta": { "content": "Hello." } }] });
    let model = Script::new()
        .turn(|turn| turn.raw(format!("data: {event}\n\ndata: [DONE]\n\n").as_bytes()))
        .page("/api/ps", |page| page.body(running))
        .start();
    let learned = OfModel::default();
    call(&endpoint(&model, &learned)).await;
    assert_eq!(window(&learned).await, Some(4_096));
    model.finish();
}

#[tokio::test]
async fn any_other_server_is_asked_for_its_list_while_the_answer_streams() {
    let list = json!({ "data": [{ "id": "m", "max_model_len": 8192 }] }).to_string();
    let gate = Gate::new();
    let model = Script::new()
        .turn(|turn| turn.text("Hello").hold(&gate).text(".").end("stop"))
        .page("/v1/models", |page| page.body(list))
        .start();
    let learned = OfModel::default();
    let endpoint = endpoint(&model, &learned);
    let answer = tokio::spawn(async move { call(&endpoint).await });
    assert_eq!(window(&learned).await, Some(8_192), "the answer still streams");
    gate.open();
    answer.await.unwrap();
    model.finish();
}

#[tokio::test]
async fn an_endpoint_without_an_answer_works_as_well() {
    // Nobody asks there: it would be a fault.
    let elsewhere = Script::new().start();
    for page in [
        turn().status(404).body("no"),
        turn().status(500).body("{"),
        turn().body("<html>"),
        turn().body(r#"{"data":[{"id":"m","max_model_len":7}]}"#),
        turn().status(302).header("location", &format!("{}/models", elsewhere.base_url())).body(""),
        turn().hang(),
    ] {
        let model = Script::new().turn(|_| hello()).turn(|_| hello()).page("/v1/models", |_| page).start();
        let learned = OfModel::default();
        let endpoint = endpoint(&model, &learned);
        call(&endpoint).await;
        assert_eq!(model.page().await.path, "/v1/models");
        let since = std::time::Instant::now();
        call(&endpoint).await;
        assert!(since.elapsed() < Duration::from_secs(5), "no call waits for the window");
        assert_eq!((learned.facts().in_force(), model.pages().len()), (None, 1));
        model.finish();
    }
    elsewhere.finish();
}

#[tokio::test]
async fn an_endpoint_whose_window_the_person_set_is_not_asked() {
    let model = Script::new().turn(|_| hello()).start();
    let learned = OfModel::default();
    let set = Endpoint { window: Some(8_192), ..at(&model.base_url()) };
    let endpoint = Providers::new(quick()).connect(&set, None, Patience::default(), learned.clone()).unwrap();
    call(&endpoint).await;
    assert!(learned.ask(Asked::Window), "nobody has asked yet");
    model.finish();
}

// llama.cpp says its window with the refusal of a request that is too long.
#[tokio::test]
async fn a_refusal_that_says_the_window_is_remembered() {
    let body = json!({ "error": { "code": 400, "message": "too long", "type": "exceed_context_size_error",
        "n_prompt_tokens": 5000, "n_ctx": 4096 } });
    let model = Script::new().turn(|turn| turn.status(400).body(body.to_string())).start();
    let learned = OfModel::default();
    call(&endpoint(&model, &learned)).await;
    assert_eq!(learned.facts().in_force(), Some(4_096));
    model.finish();
}
