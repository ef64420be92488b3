//! Tools that stay in a request in which none may be called (P12): where a server is known for it, and where one refuses it.

use futures_util::StreamExt;
use orion_core::model::{FinalTools, ModelRequest, Shape};
use orion_core::tool::{ToolKind, ToolSet, ToolSpec};
use orion_engine::endpoint::{Connector, ModelEvent, Patience};
use orion_engine::learned::{Learned, OfModel};
use orion_engine::received::Received;
use orion_protocol::Code;
use orion_providers::Providers;
use serde_json::{Value, json};
use support::{ScriptedModel, Turn, within};

use super::{Seen, at, question, quick, script, seen, text, turn};

fn tools() -> ToolSet {
    ToolSet::from_iter([ToolSpec::new("read_file", "Reads.", json!({ "type": "object" }), ToolKind::Reads)])
}

/// What DeepSeek says in thinking mode to a choice that it does not take.
fn refusal() -> Turn {
    let body = json!({ "error": {
        "message": "Thinking mode does not support this tool_choice",
        "type": "invalid_request_error", "param": null, "code": "invalid_request_error" } });
    turn().status(400).body(body.to_string())
}

fn hello() -> Turn {
    turn().text("Hello.").end("stop")
}

async fn call(
    model: &ScriptedModel,
    forbids_tools: bool,
    limit: Option<u32>,
    learned: &OfModel,
) -> Vec<Seen> {
    let endpoint = at(&model.base_url());
    let endpoint =
        Providers::new(quick()).connect(&endpoint, None, Patience::default(), learned.clone()).unwrap();
    let request = ModelRequest { tools: tools(), forbids_tools, max_output_tokens: limit, ..question() };
    seen(
        within(
            "the end of the call",
            endpoint.stream(request, endpoint.profile(), Received::default()).collect(),
        )
        .await,
    )
}

fn answered() -> Vec<Seen> {
    [text("Hello."), super::finish("stop"), ModelEvent::Ended].map(Seen::Event).into()
}

/// The same after these parts were left out, each of which the caller is told of.
fn answered_without(parts: &[Shape]) -> Vec<Seen> {
    let told = parts.iter().map(|part| Seen::Event(ModelEvent::Changed(*part)));
    told.chain(answered()).collect()
}

/// The number of tools and the choice of each request.
fn choices(model: &ScriptedModel) -> Vec<(usize, Value)> {
    let of = |body: &Value| (body["tools"].as_array().map_or(0, Vec::len), body["tool_choice"].clone());
    model.requests().iter().map(|request| of(&request.body)).collect()
}

#[tokio::test]
async fn forbidden_tools_that_are_refused_are_withheld_from_then_on() {
    let model = script([refusal(), hello(), hello(), hello()]);
    let known = Learned::default().of("here", "m");
    for (forbids, changed) in [(true, &[Shape::ForbiddenTools][..]), (true, &[]), (false, &[])] {
        assert_eq!(call(&model, forbids, None, &known).await, answered_without(changed));
    }
    // A turn that begins now withholds them itself, or has calls in its conversation and says nothing of a choice.
    let none = json!("none");
    assert_eq!(choices(&model), [(1, none), (0, Value::Null), (1, Value::Null), (1, Value::Null)]);
    assert_eq!(known.facts().final_tools, Some(FinalTools::Withheld));
    model.finish();
}

#[tokio::test]
async fn of_a_limit_and_tools_only_what_was_refused_is_known_to_be() {
    // The tools, the usage option and the name of the limit are tried first, each alone.
    let model = script([refusal(), refusal(), refusal(), refusal(), hello()]);
    let known = Learned::default().of("here", "m");
    let told = call(&model, true, Some(32_768), &known).await;
    assert_eq!(told, answered_without(&[Shape::Limit]));
    let sent: Vec<Value> = model.requests().iter().map(|it| it.body["max_tokens"].clone()).collect();
    assert_eq!(sent, [json!(32_768), json!(32_768), json!(32_768), Value::Null, Value::Null]);
    assert_eq!(known.facts().refused_limit, Some(32_768));
    model.finish();
}

#[tokio::test]
async fn a_request_that_is_refused_in_any_case_fails_once() {
    let model = script([refusal(), refusal(), refusal(), refusal()]);
    let known = OfModel::default();
    let told = call(&model, true, None, &known).await;
    assert_eq!(told, [Seen::Failed(Code::BadRequest)]);
    assert_eq!(known.facts().final_tools, None);
    model.finish();
}

#[tokio::test]
async fn llama_cpp_is_known_by_its_answer() {
    for (server, expected) in [("llama.cpp", Some(FinalTools::Forbidden)), ("uvicorn", None)] {
        let model = script([hello().header("server", server)]);
        let known = Learned::default().of("here", "m");
        assert_eq!(call(&model, false, None, &known).await, answered());
        assert_eq!(known.facts().final_tools, expected, "{server}");
        let endpoint = Providers::new(quick())
            .connect(&at(&model.base_url()), None, Patience::default(), known)
            .unwrap();
        assert_eq!(endpoint.profile().final_tools, expected.unwrap_or_default());
    }
}
