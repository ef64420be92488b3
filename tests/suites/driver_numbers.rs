//! The numbers of a model over turns (X2): what one turn finds out counts from the next one on, and what the person set counts first.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use orion_core::model::{ModelRequest, Profile};
use orion_engine::Engine;
use orion_engine::endpoint::{Connector, ModelEndpoint, Patience};
use orion_engine::learned::OfModel;
use orion_protocol::{
    Endpoint, EndpointPreset, Envelope, ErrorInfo, NoticeCode, TurnEvent, WindowInForce, WindowSource,
};
use orion_providers::Providers;
use secrecy::SecretString;
use serde_json::json;
use support::{Folder, Script, ScriptedModel, Turn, within};

use crate::driver_desk::{Desk, options, tuning};

/// Orion's own endpoints, and what is known of their models.
#[derive(Debug)]
struct Watched(Providers, Mutex<Vec<OfModel>>);

impl Connector for Watched {
    fn connect(
        &self,
        endpoint: &Endpoint,
        key: Option<SecretString>,
        patience: Patience,
        learned: OfModel,
    ) -> Result<Arc<dyn ModelEndpoint>, ErrorInfo> {
        self.1.lock().unwrap().push(learned.clone());
        self.0.connect(endpoint, key, patience, learned)
    }

    fn body(&self, request: &ModelRequest, profile: &Profile) -> Option<Vec<u8>> {
        self.0.body(request, profile)
    }

    fn presets(&self) -> Vec<EndpointPreset> {
        self.0.presets()
    }

    fn discover(&self) -> BoxFuture<'_, Vec<EndpointPreset>> {
        self.0.discover()
    }
}

impl Watched {
    /// Waits until the window of the model is known.
    async fn knows_window(&self) {
        let learned = self.1.lock().unwrap().last().unwrap().clone();
        let known = async {
            while learned.facts().window.is_none() {
                tokio::task::yield_now().await;
            }
        };
        within("the window to be known", known).await;
    }
}

async fn desk(model: &ScriptedModel, data: Folder) -> (Desk, Arc<Watched>) {
    let connector = Arc::new(Watched(Providers::new(tuning()), Mutex::default()));
    let options = options(&data.path(), &model.base_url(), connector.clone());
    let folder = Folder::with([("a.txt", format!("{}\n", "alpha ".repeat(20)).repeat(2_000).as_str())]);
    (Desk::of(Engine::open(options).await.unwrap(), folder, data).await, connector)
}

/// What the turn says of its window.
fn window(envelopes: &[Envelope]) -> (u32, WindowSource) {
    match &envelopes[0].event {
        TurnEvent::TurnStarted { window: Some(WindowInForce { tokens, source }), .. } => (*tokens, *source),
        other => panic!("no window but {other:?}"),
    }
}

fn limits(model: &ScriptedModel) -> Vec<serde_json::Value> {
    model.requests().iter().map(|request| request.body["max_tokens"].clone()).collect()
}

fn hello(turn: Turn) -> Turn {
    turn.text("Hello.").end("stop")
}

fn props(n_ctx: u32) -> String {
    json!({ "default_generation_settings": { "n_ctx": n_ctx } }).to_string()
}

#[tokio::test]
async fn what_the_endpoint_says_counts_from_the_next_turn_on_and_in_the_next_process() {
    let llama = |turn: Turn| hello(turn.header("server", "llama.cpp"));
    let script = Script::new().turn(llama).turn(llama).turn(llama);
    let model = script.page("/props", |page| page.body(props(4_096))).start();
    let (desk_of_one, connector) = desk(&model, Folder::empty()).await;
    let first = desk_of_one.turn("One?").await;
    connector.knows_window().await;
    let second = desk_of_one.turn("Two?").await;
    assert_eq!(window(&first.envelopes), (32_768, WindowSource::Assumed));
    assert_eq!(window(&second.envelopes), (4_096, WindowSource::Endpoint));
    desk_of_one.engine.close().await.unwrap();
    let (desk_of_two, _) = desk(&model, desk_of_one.data).await;
    let third = desk_of_two.turn("Three?").await;
    assert_eq!(window(&third.envelopes), (4_096, WindowSource::Endpoint));
    assert_eq!(limits(&model), [json!(8_192), json!(1_024), json!(1_024)]);
    model.finish();
}

// Ollama keeps the end of a conversation that is too long, and counts what it read.
#[tokio::test]
async fn a_server_that_cut_a_conversation_is_sent_less_from_the_next_turn_on() {
    let message = "word ".repeat(14_000);
    // One count alone may leave out what was in a cache.
    let counted = |turn: Turn| turn.text("Yes.").usage(4_000, 5).end("stop");
    let model = Script::new().turn(counted).turn(counted).turn(hello).start();
    let (desk, _) = desk(&model, Folder::empty()).await;
    let before = desk.turn(&message).await;
    let first = desk.turn("And?").await;
    let cut =
        |envelope: &Envelope| matches!(envelope.event, TurnEvent::Notice { code: NoticeCode::ServerCut, .. });
    assert_eq!([&before, &first].map(|turn| turn.envelopes.iter().any(cut)), [false, true]);
    let second = desk.turn("And now?").await;
    assert_eq!(window(&second.envelopes), (4_000, WindowSource::Endpoint));
    let cut = |envelope: &Envelope| matches!(envelope.event, TurnEvent::ContextCut { .. });
    assert!(second.envelopes.iter().any(cut), "what does not fit leaves");
    model.finish();
}

// X5: the refusal, and the size of what was refused.
#[tokio::test]
async fn a_conversation_that_was_refused_for_its_length_bounds_the_next_turns() {
    let long = "word ".repeat(8_000);
    let refusal = json!({ "error": { "message": "too long", "code": "context_length_exceeded" } });
    let model = Script::new()
        .turn(hello)
        .turn(|turn| turn.status(400).body(refusal.to_string()))
        .turn(hello)
        .turn(hello)
        .start();
    let (desk, _) = desk(&model, Folder::empty()).await;
    desk.turn(&long).await;
    let second = desk.turn("Two?").await;
    let before = second.envelopes.iter().find_map(|envelope| match envelope.event {
        TurnEvent::ContextCut { tokens_before, .. } => Some(tokens_before),
        _ => None,
    });
    let third = desk.turn("Three?").await;
    let (tokens, source) = window(&third.envelopes);
    assert_eq!((Some(u64::from(tokens)), source), (before, WindowSource::Endpoint));
    assert!(tokens < 32_768);
    model.finish();
}

#[tokio::test]
async fn what_the_person_set_counts_before_what_the_endpoint_says() {
    let model = Script::new().turn(hello).page("/v1/models", |page| page.body("{}")).start();
    let data = Folder::with([(
        "config/config.toml",
        &*format!(
            "[endpoints.mine]\nbase_url = '{}'\nmodel = 'm'\nwindow = 4096\nmax_output_tokens = 100\n",
            model.base_url()
        ),
    )]);
    let (desk, _) = desk(&model, data).await;
    let options = orion_protocol::TurnOptions { endpoint: Some("mine".into()), ..Default::default() };
    let turn = desk.ask_with("Hello?", options).await;
    let told = desk.read(turn).await;
    assert_eq!(window(&told.envelopes), (4_096, WindowSource::Setting));
    assert_eq!(limits(&model), [json!(100)]);
    model.finish();
}

// R3: in a small window a result is no more than a third of the room.
#[tokio::test]
async fn a_result_leaves_room_for_others_in_a_small_window() {
    let llama = |turn: Turn| hello(turn.header("server", "llama.cpp"));
    let model = Script::new()
        .turn(llama)
        .turn(|turn| turn.call("read_file", json!({ "path": "a.txt" })).end("tool_calls"))
        .turn(hello)
        .page("/props", |page| page.body(props(8_192)))
        .start();
    let (desk, connector) = desk(&model, Folder::empty()).await;
    desk.turn("One?").await;
    connector.knows_window().await;
    desk.turn("Read it.").await;
    let request = &model.requests()[2];
    let result = request
        .messages()
        .iter()
        .filter_map(|message| message["content"].as_str())
        .find(|text| text.contains("alpha"));
    // 6,144 tokens of room, at 4 bytes each.
    let length = result.map_or(0, str::len);
    assert!((7_000..9_500).contains(&length), "{length}");
    model.finish();
}
