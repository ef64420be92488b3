//! The limit of an answer at the wire (X2): sent, and left out once where the endpoint refuses it.

use futures_util::StreamExt;
use orion_core::model::{ModelRequest, Shape};
use orion_engine::endpoint::{Connector, ModelEvent, Patience};
use orion_engine::learned::{Learned, OfModel};
use orion_engine::received::Received;
use orion_protocol::Code;
use orion_providers::Providers;
use serde_json::{Value, json};
use support::{ScriptedModel, Turn, within};

use super::{Seen, at, question, quick, script, seen, text, turn};

/// DeepSeek's own words, which name no parameter outside of their sentence.
fn refusal() -> Turn {
    let body = json!({ "error": {
        "message": "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        "type": "invalid_request_error", "param": null, "code": "invalid_request_error" } });
    turn().status(400).body(body.to_string())
}

fn hello() -> Turn {
    turn().text("Hello.").end("stop")
}

async fn call(model: &ScriptedModel, limit: u32, learned: &OfModel) -> Vec<Seen> {
    let endpoint = at(&model.base_url());
    let endpoint =
        Providers::new(quick()).connect(&endpoint, None, Patience::default(), learned.clone()).unwrap();
    let request = ModelRequest { max_output_tokens: Some(limit), ..question() };
    seen(
        within(
            "the end of the call",
            endpoint.stream(request, endpoint.profile(), Received::default()).collect(),
        )
        .await,
    )
}

fn limits(model: &ScriptedModel) -> Vec<Value> {
    model.requests().iter().map(|request| request.body["max_tokens"].clone()).collect()
}

fn answered() -> Vec<Seen> {
    [text("Hello."), super::finish("stop"), ModelEvent::Ended].map(Seen::Event).into()
}

#[tokio::test]
async fn a_limit_that_is_refused_is_left_out_of_that_call_and_of_later_ones() {
    let model = script([refusal(), refusal(), refusal(), hello(), hello(), hello(), refusal(), hello()]);
    let known = Learned::default().of("here", "m");
    for (limit, left_out) in [(32_768, true), (32_768, true), (8_192, false), (8_193, true)] {
        let told = left_out.then_some(Seen::Event(ModelEvent::Changed(Shape::Limit)));
        let expected: Vec<Seen> = told.into_iter().chain(answered()).collect();
        assert_eq!(call(&model, limit, &known).await, expected, "{limit}");
    }
    let sent = limits(&model);
    // The first call tries the usage option and the name of the limit before the limit. The third has a smaller limit, which nobody has refused yet.
    let none = json!(null);
    let first = [json!(32_768), json!(32_768), none.clone(), none.clone()];
    let later = [none.clone(), json!(8_192), json!(8_193), none];
    assert_eq!(sent, [first, later].concat());
    assert_eq!(known.facts().refused_limit, Some(8_193));
    let other = Learned::default().of("here", "other").facts();
    assert_eq!(other.refused_limit, None);
    model.finish();
}

#[tokio::test]
async fn a_request_that_is_refused_without_its_limit_too_says_nothing_of_the_limit() {
    let model = script([refusal(), refusal(), refusal(), refusal(), refusal()]);
    let learned = OfModel::default();
    let told = call(&model, 32_768, &learned).await;
    assert_eq!(told, [Seen::Failed(Code::BadRequest)]);
    assert_eq!(limits(&model).len(), 5, "T4: four further requests");
    assert_eq!(learned.facts().refused_limit, None);
    model.finish();
}

// J4: judged by codes and status alone.
#[tokio::test]
async fn a_refusal_whose_code_gives_another_reason_is_not_asked_again() {
    let with =
        |status, code: &str| turn().status(status).body(json!({ "error": { "code": code } }).to_string());
    for (refusal, code) in [
        (with(400, "context_length_exceeded"), Code::ContextTooLong),
        (with(400, "content_filter"), Code::BadRequest),
        (with(400, "invalid_api_key"), Code::Authentication),
        (with(404, "odd"), Code::ModelUnknown),
        (turn().status(409).body("no"), Code::BadRequest),
    ] {
        let model = script([refusal]);
        assert_eq!(call(&model, 32_768, &OfModel::default()).await, [Seen::Failed(code)]);
        model.finish();
    }
}
