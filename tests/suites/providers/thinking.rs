//! Telling a model to think or not: servers that name themselves, and those that refuse to be told.

use std::sync::Arc;

use futures_util::StreamExt;
use orion_core::model::{ModelRequest, ModelTuning, Shape, ThinkingSwitch};
use orion_core::tool::{ToolKind, ToolSet, ToolSpec};
use orion_engine::endpoint::{Connector, ModelEndpoint, ModelEvent, Patience, Unswitched};
use orion_engine::learned::{OfModel, Server};
use orion_engine::received::Received;
use orion_protocol::{ReasoningEffort, Thinking};
use orion_providers::Providers;
use serde_json::{Value, json};
use support::{Script, ScriptedModel, Turn, within};

use super::{at, question, quick, script, turn};

fn connect(model: &ScriptedModel, known: &OfModel) -> Arc<dyn ModelEndpoint> {
    let providers = Providers::new(quick());
    providers.connect(&at(&model.base_url()), None, Patience::default(), known.clone()).unwrap()
}

/// A field of the endpoint, as the settings are told it.
fn field(model: &ScriptedModel, known: &OfModel) -> Result<ThinkingSwitch, Unswitched> {
    Providers::new(quick()).thinking(&at(&model.base_url()), known)
}

/// A question to a model that is not to think.
fn off() -> ModelRequest {
    let tuning = ModelTuning { thinking: Some(Thinking::Off), ..ModelTuning::default() };
    ModelRequest { tuning, ..question() }
}

async fn call(model: &ScriptedModel, known: &OfModel, request: ModelRequest) -> Vec<ModelEvent> {
    let endpoint = connect(model, known);
    let profile = endpoint.profile();
    within("the end of the call", endpoint.stream(request, profile, Received::default()).collect()).await
}

/// A server that says what it is in its list of models alone.
fn listing(owner: &str) -> Script {
    let list = json!({ "data": [{ "id": "m", "owned_by": owner, "max_model_len": 8192 }] }).to_string();
    let none = ["/props", "/"]
        .iter()
        .fold(Script::new(), |none, path| none.page(path, |page| page.status(404).body("no")));
    let none = none.page("/v1/models", |page| page.body(list));
    let lists = ["/api/v1/models", "/api/v0/models"];
    lists.iter().fold(none, |none, path| none.page(path, |page| page.status(404).body("no")))
}

#[tokio::test]
async fn a_server_is_told_by_the_field_that_is_its_own_once_it_has_named_itself() {
    let props = r#"{"default_generation_settings":{"n_ctx":4096}}"#;
    let kwargs = json!({ "enable_thinking": false });
    let renders = |script: Script, path| script.post(path, |_| Turn::default().status(404).body("no"));
    let llama_cpp = Script::new().page("/props", move |page| page.header("server", "llama.cpp").body(props));
    for (script, server, key, value) in [
        (renders(llama_cpp, "/apply-template"), Server::LlamaCpp, "chat_template_kwargs", &kwargs),
        (renders(listing("vllm"), "/tokenize"), Server::Vllm, "chat_template_kwargs", &kwargs),
        (listing("sglang"), Server::Sglang, "chat_template_kwargs", &kwargs),
        (listing("organization_owner"), Server::LmStudio, "nothing", &Value::Null),
    ] {
        let hello = || turn().text("Hello.").end("stop");
        let (model, known) = (script.turn(|_| hello()).turn(|_| hello()).start(), OfModel::default());
        assert_eq!(field(&model, &known), Err(Unswitched::Unnamed));
        assert!(!connect(&model, &known).profile().switches_thinking());
        call(&model, &known, off()).await;
        let spec = |name: &str| ToolSpec::new(name, "Does it.", json!({ "type": "object" }), ToolKind::Reads);
        within("the name", connect(&model, &known).find_out(ToolSet::from_iter([spec("a"), spec("b")])))
            .await;
        assert_eq!(known.facts().server, Some(server));
        let can = key != "nothing";
        assert_eq!(field(&model, &known).is_ok(), can, "{server:?}");
        assert_eq!(connect(&model, &known).profile().switches_thinking(), can, "{server:?}");
        call(&model, &known, off()).await;
        let asked: Vec<Value> = model.requests().iter().map(|request| request.body.clone()).collect();
        let asked: Vec<&Value> = asked.iter().filter(|body| body["stream"] == json!(true)).collect();
        assert_eq!((asked.len(), &asked[0][key], &asked[1][key]), (2, &Value::Null, value), "{server:?}");
        model.finish();
    }
}

// X2
#[tokio::test]
async fn an_endpoint_that_refuses_to_be_told_gets_the_request_without_it_and_is_not_told_again() {
    let refusing =
        || turn().status(400).body(json!({ "error": { "message": "quill", "param": null } }).to_string());
    let hello = || turn().text("Hello.").end("stop");
    let (model, known) = (script([refusing(), hello(), hello()]), OfModel::default());
    known.note(|facts| facts.server = Some(Server::Vllm));
    let mut request = off();
    request.tuning.reasoning_effort = Some(ReasoningEffort::High);
    let told = call(&model, &known, request.clone()).await;
    assert!(told.contains(&ModelEvent::Changed(Shape::Thinking)), "{told:?}");
    assert_eq!(known.facts().refused, [Shape::Thinking].into());
    assert_eq!(field(&model, &known), Err(Unswitched::Refused));
    let endpoint = connect(&model, &known);
    assert!(!endpoint.profile().switches_thinking());
    call(&model, &known, request).await;
    let said: Vec<[Value; 2]> = model
        .requests()
        .iter()
        .map(|request| ["chat_template_kwargs", "reasoning_effort"].map(|key| request.body[key].clone()))
        .collect();
    // The effort says again what it said before.
    let without = [Value::Null, json!("high")];
    assert_eq!(said, [[json!({ "enable_thinking": false }), Value::Null], without.clone(), without]);
    model.finish();
}
