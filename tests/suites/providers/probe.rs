//! Asking a server how it renders messages (R1): whom, in which words, and what follows.

use std::sync::Arc;

use futures_util::StreamExt;
use orion_core::model::{ModelRequest, ResultsAs};
use orion_core::tool::{ToolKind, ToolSet, ToolSpec};
use orion_engine::endpoint::{Connector, ModelEndpoint, Patience};
use orion_engine::learned::{Learned, OfModel, Server};
use orion_engine::received::Received;
use orion_protocol::{FormSource, Shape};
use orion_providers::Providers;
use serde_json::{Value, json};
use support::{Request, Script, ScriptedModel, Turn, within};

use super::{at, question, quick, turn};

fn tools() -> ToolSet {
    let spec = |name: &str| ToolSpec::new(name, "Does it.", json!({ "type": "object" }), ToolKind::Reads);
    ToolSet::from_iter([spec("read_file"), spec("list_files")])
}

fn connect(model: &ScriptedModel, learned: &OfModel) -> Arc<dyn ModelEndpoint> {
    Providers::new(quick())
        .connect(&at(&model.base_url()), None, Patience::default(), learned.clone())
        .unwrap()
}

const PROPS: &str = r#"{"default_generation_settings":{"n_ctx":4096}}"#;

/// Each message after its role, as a simple template prints it. `drops` is a role that it loses.
fn rendered(body: &Value, drops: &str) -> String {
    let mut prompt: String =
        body["tools"].as_array().unwrap().iter().map(|tool| tool["function"]["name"].to_string()).collect();
    for message in body["messages"].as_array().unwrap() {
        let role = message["role"].as_str().unwrap();
        if role != drops {
            prompt += &format!("<|{role}|>{}", message["content"].as_str().unwrap_or_default());
        }
    }
    prompt
}

fn llama_cpp(drops: &'static str) -> Script {
    Script::new().page("/props", |page| page.header("server", "llama.cpp").body(PROPS)).post(
        "/apply-template",
        move |asked: &Request| {
            Turn::default().body(json!({ "prompt": rendered(&asked.body, drops) }).to_string())
        },
    )
}

#[tokio::test]
async fn the_first_form_that_is_printed_whole_is_taken() {
    for (drops, form) in [("nothing", ResultsAs::Tool), ("tool", ResultsAs::User)] {
        let (model, known) = (llama_cpp(drops).start(), Learned::default().of("here", "m"));
        let endpoint = connect(&model, &known);
        assert_eq!(
            (endpoint.profile().results_as, endpoint.form_source()),
            (ResultsAs::User, FormSource::Default)
        );
        within("the rendering", endpoint.find_out(tools())).await;
        assert_eq!(
            (endpoint.profile().results_as, endpoint.form_source()),
            (form, FormSource::Rendering),
            "{drops}"
        );
        let printed = known.facts().printed.unwrap();
        assert!(printed.tools && !printed.ends_in_thought, "{printed:?}");
        assert_eq!(endpoint.profile().no_tool_messages, form == ResultsAs::User, "{drops}: in both routes");
        assert_eq!(known.facts().server, Some(Server::LlamaCpp));
        // What was refused counts before.
        known.note(|facts| facts.refused_shape(Shape::ToolMessages, None));
        assert_eq!(endpoint.profile().results_as, ResultsAs::User);
        model.finish();
    }
}

#[tokio::test]
async fn ollama_and_vllm_are_asked_in_their_own_words() {
    let ollama = Script::new()
        .page("/props", |page| page.status(404).body("no"))
        .page("/", |page| page.body("Ollama is running"))
        .page("/api/ps", |page| page.body("{}"))
        .post("/v1/chat/completions", |asked| {
            let only = (&asked.body["_debug_render_only"], &asked.body["stream"], &asked.body["max_tokens"]);
            assert_eq!(only, (&json!(true), &json!(false), &json!(1)));
            let shown = json!({ "_debug_info": { "rendered_template": rendered(&asked.body, "tool") } });
            Turn::default().header("content-type", "application/json").body(shown.to_string())
        });
    let list = json!({ "data": [{ "id": "m", "owned_by": "vllm", "max_model_len": 8192 }] }).to_string();
    let vllm = Script::new();
    let vllm =
        ["/props", "/"].iter().fold(vllm, |vllm, path| vllm.page(path, |page| page.status(404).body("no")));
    let vllm = vllm.page("/v1/models", |page| page.body(list)).post("/tokenize", |asked| {
        assert_eq!(asked.body["return_token_strs"], json!(true));
        let tokens: Vec<String> = rendered(&asked.body, "tool").chars().map(String::from).collect();
        Turn::default().body(json!({ "token_strs": tokens }).to_string())
    });
    for (script, server) in [(ollama, Server::Ollama), (vllm, Server::Vllm)] {
        let (model, known) = (script.start(), OfModel::default());
        let endpoint = connect(&model, &known);
        within("the rendering", endpoint.find_out(tools())).await;
        let facts = known.facts();
        assert_eq!(
            (facts.printed.and_then(|printed| printed.form), facts.server),
            (Some(ResultsAs::User), Some(server))
        );
        model.finish();
    }
}

#[tokio::test]
async fn a_server_that_does_not_name_itself_is_sent_nothing() {
    let model = Script::new().turn(|_| turn().text("Hello.").end("stop")).start();
    let known = OfModel::default();
    let endpoint = connect(&model, &known);
    let request = ModelRequest { tools: tools(), ..question() };
    within("the call", endpoint.stream(request, endpoint.profile(), Received::default()).collect::<Vec<_>>())
        .await;
    within("the rendering", endpoint.find_out(tools())).await;
    assert_eq!((known.facts().printed, known.facts().server), (None, None));
    assert_eq!(model.requests().len(), 1, "nothing but what the person asked");
    model.finish();
}

#[tokio::test]
async fn anything_odd_means_that_nothing_is_known() {
    for answer in ["", "{}", r#"{"prompt":7}"#, r#"{"prompt":"hello"}"#] {
        let model =
            llama_cpp("nothing").post("/apply-template", move |_| Turn::default().body(answer)).start();
        let known = OfModel::default();
        let endpoint = connect(&model, &known);
        within("the rendering", endpoint.find_out(tools())).await;
        assert_eq!(known.facts().printed.and_then(|printed| printed.form), None, "{answer}");
        assert_eq!(endpoint.form_source(), FormSource::Default);
        model.finish();
    }
}
