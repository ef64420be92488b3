//! What the person sees when something goes wrong: a sentence, what to do, what was streamed so far, and a next message that
//! works.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt};
use orion_core::model::{ModelRequest, Profile};
use orion_engine::Engine;
use orion_engine::endpoint::{Connector, ModelEndpoint, ModelEvent, Patience};
use orion_engine::learned::OfModel;
use orion_engine::received::Received;
use orion_protocol::{
    Answer, Code, Endpoint, EndpointPreset, ErrorInfo, ModelInfo, Op, Outcome, Query, RequestId, Route,
    SettingsChange, TurnEvent, TurnOptions, TurnStatus,
};
use orion_providers::{Providers, Tuning};
use secrecy::SecretString;
use serde_json::json;
use support::{Folder, Gate, Script, Turn, within};

use crate::driver_desk::{Desk, Own, Told, options, to_end, transcript, tuning, until_shown};

/// A turn that fails, and then one that does not.
async fn fails<A: FnOnce(Turn) -> Turn>(answers: impl IntoIterator<Item = A>) -> Told {
    let script = answers.into_iter().fold(Script::new(), Script::turn);
    let model = script.turn(|t| t.text("Here again.").end("stop")).start();
    let desk = Desk::with(&model).await;
    let told = desk.turn("Hello?").await;
    let error = told.report.error.clone().unwrap();
    assert_eq!(told.report.status, TurnStatus::Failed);
    assert_eq!(error.request_id, Some(told.report.request_id), "J4");
    assert!(!error.message.is_empty() && error.action.is_some(), "{error:?}");
    assert_eq!(desk.turn("And now?").await.report.answer, "Here again.");
    model.finish();
    told
}

fn code(told: &Told) -> Code {
    told.report.error.as_ref().unwrap().code
}

#[tokio::test]
async fn a_wrong_key() {
    let body =
        json!({"error": {"message": "Incorrect API key provided: sk-scripted-key-of-the-test"}}).to_string();
    let script = Script::new().turn(|t| t.status(401).body(body)).turn(|t| t.text("Here again.").end("stop"));
    let model = script.start();
    let desk = Desk::with(&model).await;
    let told = desk.turn("Hello?").await;
    assert_eq!(code(&told), Code::Authentication);
    // The provider repeats the key: it is kept out of what is shown and of what is stored.
    let shown = serde_json::to_string(&told.envelopes).unwrap();
    assert!(!shown.contains("sk-scripted-key"), "{shown}");
    assert_eq!(desk.turn("And now?").await.report.answer, "Here again.");
    model.finish();
    desk.engine.close().await.unwrap();
    let stored = std::fs::read(desk.data.path().join("data/orion.db")).unwrap();
    let key = b"sk-scripted-key";
    assert!(!stored.windows(key.len()).any(|window| window == key));
}

#[tokio::test]
async fn too_many_requests_for_longer_than_anyone_waits() {
    let told = fails([|t: Turn| t.status(429).header("retry-after", "3600").body("slow down")]).await;
    assert_eq!((code(&told), told.report.error.unwrap().retry_after_s), (Code::RateLimited, Some(3600)));
}

#[tokio::test]
async fn a_server_error_is_tried_again_and_then_told() {
    let failing: fn(Turn) -> Turn = |t| t.status(500).body("oops");
    let told = fails([failing; 3]).await;
    assert_eq!(
        transcript(&told.envelopes),
        ["asked Hello?", "action 1", "retrying 2", "retrying 3", "ended Failed", "failed Some(Overloaded)"]
    );
    assert_eq!(told.report.retries, 2);
}

#[tokio::test]
async fn a_cut_in_the_middle_keeps_the_text() {
    let told = fails([|t: Turn| {
        let t = t.text("So far ").text("so good, ");
        let bytes = t.rendered().len();
        t.text("and more").end("stop").reset_after(bytes)
    }])
    .await;
    assert_eq!(code(&told), Code::CutOff);
    assert_eq!(told.report.answer, "So far so good, ");
}

#[tokio::test]
async fn a_server_that_goes_silent_in_the_middle_keeps_the_text() {
    let told = fails([|t: Turn| t.text("So far").hang()]).await;
    assert_eq!(code(&told), Code::IdleTimeout);
    assert_eq!(told.report.answer, "So far");
}

#[tokio::test]
async fn a_server_that_never_answers() {
    let model = Script::new().forever(|_, _| Turn::default().hang()).start();
    let desk = Desk::with(&model).await;
    let told = desk.turn("Hello?").await;
    assert_eq!(code(&told), Code::IdleTimeout);
    let tour = desk.ask_with("Then show me.", demo()).await;
    assert_eq!(desk.read(tour).await.report.status, TurnStatus::Completed);
}

#[tokio::test]
async fn no_server_at_all() {
    // A port that was free a moment ago: nothing listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let desk = Desk::at(&format!("http://127.0.0.1:{port}/v1"), Folder::empty()).await;
    let told = desk.turn("Hello?").await;
    assert_eq!(code(&told), Code::Connection);
    let tour = desk.ask_with("Then show me.", demo()).await;
    assert_eq!(desk.read(tour).await.report.status, TurnStatus::Completed);
}

// P2
#[tokio::test]
async fn the_two_stage_route_is_refused_when_it_is_switched_off() {
    let data = Folder::empty();
    data.write("config/config.toml", "two_stage_enabled = false\n");
    let options = options(&data.path(), "http://127.0.0.1:9/v1", Arc::new(Providers::new(tuning())));
    let desk = Desk::of(Engine::open(options).await.unwrap(), Folder::empty(), data).await;
    let asked = TurnOptions { route: Some(Route::TwoStage), ..TurnOptions::default() };
    let refused = desk.engine.run_turn(desk.session.session_id, "Hello?".into(), asked).await.unwrap_err();
    assert_eq!(refused.code, Code::RouteDisabled);
    assert!(refused.action.is_some());
    // Without a wish the turn takes the other route.
    let turn = desk.ask_with("Show me.", demo()).await;
    assert_eq!(desk.read(turn).await.report.route, Route::Unified);
}

#[tokio::test]
async fn what_cannot_be_started_is_refused_with_what_to_do() {
    let desk = Desk::at("http://127.0.0.1:9/v1", Folder::empty()).await;
    let start = async |text: &str, options| {
        let started = desk.engine.run_turn(desk.session.session_id, text.into(), options).await;
        let error = started.unwrap_err();
        assert!(error.action.is_some(), "{error:?}");
        error.code
    };
    assert_eq!(start(" \n", TurnOptions::default()).await, Code::Usage);
    let nowhere = TurnOptions { endpoint: Some("nowhere".into()), ..TurnOptions::default() };
    assert_eq!(start("Hello?", nowhere).await, Code::NoEndpoint);
    let opened = desk.engine.submit(Op::OpenProject { path: None }).await.unwrap_err();
    assert_eq!(opened.code, Code::Usage);
    let missing = desk.folder.path().join("missing").display().to_string();
    let opened = desk.engine.submit(Op::OpenProject { path: Some(missing) }).await.unwrap_err();
    assert_eq!(opened.code, Code::ProjectUnreadable);
}

#[tokio::test]
async fn the_sessions_of_a_folder_that_was_moved_go_on_where_it_is_now() {
    let desk = Desk::at("http://127.0.0.1:9/v1", Folder::empty()).await;
    let project_id = desk.project.project_id;
    let locate = |path: std::path::PathBuf| {
        let path = Some(path.display().to_string());
        desk.engine.submit(Op::LocateProject { project_id, path })
    };
    let moved = Folder::with([("a.md", "A\n")]);
    let Outcome::Project { project } = locate(moved.path()).await.unwrap() else { panic!() };
    assert_eq!((project.project_id, project.available), (project_id, true));
    let query = Query::Files { project_id, filter: String::new(), limit: 10 };
    let Answer::Files { files, .. } = desk.engine.query(query).await.unwrap() else { panic!() };
    assert_eq!(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["a.md"]);

    // A path belongs to one project, and only a folder that is there can be one.
    let other = Folder::empty();
    let path = Some(other.path().display().to_string());
    desk.engine.submit(Op::OpenProject { path }).await.unwrap();
    assert_eq!(locate(other.path()).await.unwrap_err().code, Code::Usage);
    assert_eq!(locate(other.path().join("gone")).await.unwrap_err().code, Code::ProjectUnreadable);
    let path = None;
    let nowhere = desk.engine.submit(Op::LocateProject { project_id, path }).await.unwrap_err();
    assert_eq!(nowhere.code, Code::Usage);
}

fn demo() -> TurnOptions {
    TurnOptions { endpoint: Some("demo".into()), ..TurnOptions::default() }
}

/// An endpoint with defects: its first stream panics after a word, its second ends without saying so, its third repeats
/// the key in two errors.
#[derive(Debug)]
struct Broken(u32);

impl ModelEndpoint for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn model(&self) -> &str {
        "broken"
    }

    fn profile(&self) -> Profile {
        Profile::default()
    }

    fn stream(&self, _: ModelRequest, _: Profile, _: Received) -> BoxStream<'static, ModelEvent> {
        let word = orion_core::model::ModelDelta::Text { text: "A word. ".into() };
        let first = stream::iter([ModelEvent::Deltas(vec![word])]);
        match self.0 {
            0 => first.chain(stream::poll_fn(|_| panic!("a defect that the test plants"))).boxed(),
            1 => first.boxed(),
            _ => {
                let said = "sk-scripted-key-of-the-test is not a key";
                let error = ErrorInfo::new(Code::Authentication, said, "Set another key.").with_detail(said);
                let retrying = ModelEvent::Retrying { attempt: 2, delay_ms: 1, cause: error.clone() };
                stream::iter([retrying]).chain(first).chain(stream::iter([ModelEvent::Failed(error)])).boxed()
            }
        }
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ErrorInfo>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

#[tokio::test]
async fn a_defect_ends_the_turn_and_not_the_program() {
    let (data, logs) = (Folder::empty(), Folder::empty());
    let _logged = logged(&logs);
    let connected = AtomicU32::new(0);
    let own = Own(move || Arc::new(Broken(connected.fetch_add(1, Ordering::Relaxed))));
    let options = options(&data.path(), "http://127.0.0.1:9/v1", Arc::new(own));
    let desk = Desk::of(Engine::open(options).await.unwrap(), Folder::empty(), data).await;
    for text in ["It panics.", "It just ends."] {
        let turn = desk.ask(text).await;
        let envelopes = support::within("the turn to end", crate::driver_desk::to_end(turn)).await;
        let report = envelopes.last().unwrap().event.terminal().unwrap().clone();
        assert_eq!((report.status, report.error.unwrap().code), (TurnStatus::Failed, Code::Internal));
        assert_eq!(report.answer, "A word. ");
        // T5: also of the one that panicked.
        desk.check(&envelopes).await;
    }
    let log = String::from_utf8(logs.read("logs/orion.log")).unwrap();
    assert!(log.contains("a model call ended without a last event"), "{log}");
    let turn = desk.ask("It tells a secret.").await;
    let envelopes = support::within("the turn to end", crate::driver_desk::to_end(turn)).await;
    let errors = envelopes.iter().filter_map(|envelope| match &envelope.event {
        TurnEvent::Retrying { cause, .. } => Some(cause),
        event => event.terminal()?.error.as_ref(),
    });
    let said: Vec<_> = errors.map(|error| (error.message.as_str(), error.detail.as_deref())).collect();
    assert_eq!(said, [("[redacted] is not a key", Some("[redacted] is not a key")); 2]);

    let turns = crate::driver_desk::turns_of(&desk.engine, desk.session.session_id).await;
    let ends: Vec<String> = turns.iter().map(|turn| transcript(&turn.envelopes).pop().unwrap()).collect();
    assert_eq!(
        ends,
        ["failed Some(Internal)", "failed Some(Internal)", "failed Some(Authentication)"],
        "the end is recorded"
    );
    let texts: Vec<String> = turns.iter().map(|turn| crate::driver_desk::text(&turn.envelopes)).collect();
    assert_eq!(texts, ["A word. "; 3], "and the text");
    desk.engine.close().await.unwrap();
    let database = std::fs::read(desk.data.path().join("data/orion.db")).unwrap();
    assert!(!database.windows(11).any(|part| part == b"sk-scripted"), "the key is in the database");
}

/// Orion's own endpoints, and the patience that each connection was asked to have.
#[derive(Debug)]
struct Patient(Providers, Mutex<Vec<Patience>>);

impl Connector for Patient {
    fn connect(
        &self,
        endpoint: &Endpoint,
        key: Option<SecretString>,
        patience: Patience,
        learned: OfModel,
    ) -> Result<Arc<dyn ModelEndpoint>, ErrorInfo> {
        self.1.lock().unwrap().push(patience);
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

#[tokio::test]
async fn a_turn_is_as_patient_with_its_model_as_the_settings_say_when_it_begins() {
    let answers = |script: Script, text: &'static str| script.turn(move |t| t.text(text).end("stop"));
    let model = ["One.", "Two.", "Three."].into_iter().fold(Script::new(), answers).start();
    let data = Folder::empty();
    let connector = Arc::new(Patient(Providers::new(tuning()), Mutex::default()));
    let options = options(&data.path(), &model.base_url(), connector.clone());
    let desk = Desk::of(Engine::open(options).await.unwrap(), Folder::empty(), data).await;
    for (settings, text) in
        [("", "One."), ("idle_timeout_s = 5\n", "Two."), ("idle_timeout_s = 600\nretry_s = 0\n", "Three.")]
    {
        desk.data.write("config/config.toml", settings);
        let change = SettingsChange { two_stage_enabled: Some(true), ..SettingsChange::default() };
        desk.engine.submit(Op::SaveSettings { change }).await.unwrap();
        assert_eq!(desk.turn("Hello?").await.report.answer, text);
    }
    let seconds = Duration::from_secs;
    let (turn, retry) = (Some(seconds(1_800)), |retry| Some(seconds(retry)));
    let patience = |silence, seconds| Patience { silence, turn, retry: retry(seconds) };
    assert_eq!(
        *connector.1.lock().unwrap(),
        [patience(None, 60), patience(Some(seconds(5)), 60), patience(Some(seconds(600)), 0)]
    );
    model.finish();
}

/// A desk whose provider is asked again after these many milliseconds.
async fn patient(model: &support::ScriptedModel, pause: Duration) -> Desk {
    let data = Folder::empty();
    let tuning = Tuning { backoff: pause, backoff_max: pause, retry_for: Some(pause), ..tuning() };
    let options = options(&data.path(), &model.base_url(), Arc::new(Providers::new(tuning)));
    Desk::of(Engine::open(options).await.unwrap(), Folder::empty(), data).await
}

fn busy_once() -> support::ScriptedModel {
    Script::new().turn(|t| t.status(503).body("busy")).turn(|t| t.text("Now.").end("stop")).start()
}

/// Reads until the turn says that it waits to be tried again.
async fn until_retrying(turn: &mut orion_engine::TurnHandle) -> (u64, RequestId) {
    loop {
        let batch = within("the pause", turn.next()).await.expect("the turn goes on");
        for envelope in batch {
            if let TurnEvent::Retrying { delay_ms, .. } = envelope.event {
                return (delay_ms, envelope.request_id);
            }
        }
    }
}

#[tokio::test]
async fn the_next_try_is_made_after_the_pause_and_not_before() {
    let pause = Duration::from_millis(300);
    let model = busy_once();
    let desk = patient(&model, pause).await;
    assert_eq!(desk.turn("Hello?").await.report.answer, "Now.");
    let [first, second] = &model.requests()[..] else { panic!("not two requests") };
    assert!(second.at - first.at >= pause, "{:?}", second.at - first.at);
    model.finish();
}

#[tokio::test]
async fn a_person_can_skip_the_pause_before_the_next_try() {
    let model = busy_once();
    let desk = patient(&model, Duration::from_secs(3_600)).await;
    let mut turn = desk.ask("Hello?").await;
    let (delay_ms, request_id) = until_retrying(&mut turn).await;
    assert_eq!(delay_ms, 3_600_000);
    assert_eq!(desk.engine.submit(Op::RetryNow { request_id }).await, Ok(Outcome::Done));
    let told = within("the end", to_end(turn)).await;
    assert_eq!(told.last().unwrap().event.terminal().unwrap().answer, "Now.");
    // A7: what waits no more cannot be answered.
    let over = desk.engine.submit(Op::RetryNow { request_id }).await.unwrap_err();
    assert_eq!(over.code, Code::TurnOver);
    model.finish();
}

#[tokio::test]
async fn nothing_is_skipped_where_nothing_waits() {
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("So ").hold(&gate).text("far.").end("stop")).start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Hello?").await;
    until_shown(&mut turn, "So ").await;
    let request_id = turn.request_id();
    let error = desk.engine.submit(Op::RetryNow { request_id }).await.unwrap_err();
    assert_eq!(error.code, Code::NotWaiting);
    gate.open();
    within("the end", to_end(turn)).await;
    model.finish();
}

#[tokio::test]
async fn a_turn_that_waits_to_be_tried_again_stops_at_once() {
    // A4
    let model = Script::new().turn(|t| t.status(503).body("busy")).start();
    let desk = patient(&model, Duration::from_secs(3_600)).await;
    let mut turn = desk.ask("Hello?").await;
    until_retrying(&mut turn).await;
    turn.stop();
    let told = within("the end", to_end(turn)).await;
    assert_eq!(told.last().unwrap().event.terminal().unwrap().status, TurnStatus::Stopped);
    model.finish();
}

/// Writes what is logged into a folder. Everything of a test runs on its own thread.
fn logged(folder: &Folder) -> tracing::subscriber::DefaultGuard {
    let (subscriber, _) = orion_engine::logging::subscriber(
        &folder.path().join("logs"),
        &orion_engine::config::Environment::default(),
        orion_engine::secrets::Redactor::default(),
    );
    tracing::subscriber::set_default(subscriber)
}

#[tokio::test]
async fn a_failed_call_leaves_a_line_in_the_log_without_what_was_said() {
    let logs = Folder::empty();
    let _logged = logged(&logs);
    let refusal =
        json!({"error": {"message": "You said: a canary in a coal mine, sk-scripted-key-of-the-test"}});
    let model = Script::new()
        .turn(|t| t.status(503).body("busy with a canary"))
        .turn(|t| t.status(400).body(refusal.to_string()))
        // Again, without the usage option, by another name of the limit, without it, and without all of them.
        .turn(|t| t.status(400).body(refusal.to_string()))
        .turn(|t| t.status(400).body(refusal.to_string()))
        .turn(|t| t.status(400).body(refusal.to_string()))
        .turn(|t| t.status(400).body(refusal.to_string()))
        .start();
    let desk = Desk::with(&model).await;
    let told = desk.turn("Is there a canary?").await;
    assert_eq!(code(&told), Code::BadRequest);
    let text = String::from_utf8(logs.read("logs/orion.log")).unwrap();
    for line in [
        "a model call failed and is tried again",
        "a model call failed",
        "Overloaded",
        "BadRequest",
        "(status 400)",
        "endpoint=\"scripted\"",
    ] {
        assert!(text.contains(line), "{line:?} in {text}");
    }
    assert!(!text.contains("canary") && !text.contains("sk-scripted"), "{text}");
    model.finish();
}
