//! What the driver's suites share: an engine with a project, a session and a scripted model. Turns are read to their
//! end, and every rule is checked that holds for all turns.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use orion_core::model::{ModelRequest, Profile};
use orion_engine::config::{BaseUrl, EndpointConfig, Environment};
use orion_engine::endpoint::{Connector, ModelEndpoint, Patience};
use orion_engine::learned::OfModel;
use orion_engine::paths::Paths;
use orion_engine::secrets::{KeyStore, Keychain, Redactor};
use orion_engine::tools::{Fixed, Tool};
use orion_engine::{Engine, EngineOptions, Readers, TurnHandle};
use orion_protocol::{
    Answer, Endpoint, EndpointChange, EndpointPreset, Envelope, ErrorInfo, ModelChange, ModelSettings, Op,
    Outcome, Project, Query, Session, SessionId, TurnEvent, TurnOptions, TurnPlace, TurnReport, TurnState,
    TurnView,
};
use orion_providers::{Providers, Tuning, Waits};
use secrecy::SecretString;
use support::{Folder, ScriptedModel, within};

/// Endpoints that a test makes itself.
pub(crate) struct Own<F>(pub(crate) F);

impl<F> Debug for Own<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Own")
    }
}

impl<F: Fn() -> Arc<E> + Send + Sync, E: ModelEndpoint + 'static> Connector for Own<F> {
    fn connect(
        &self,
        _: &Endpoint,
        _: Option<SecretString>,
        _: Patience,
        _: OfModel,
    ) -> Result<Arc<dyn ModelEndpoint>, ErrorInfo> {
        Ok((self.0)())
    }

    fn body(&self, _: &ModelRequest, _: &Profile) -> Option<Vec<u8>> {
        None
    }

    fn presets(&self) -> Vec<EndpointPreset> {
        Vec::new()
    }

    fn discover(&self) -> BoxFuture<'_, Vec<EndpointPreset>> {
        Box::pin(async { Vec::new() })
    }
}

/// An engine at work in a project.
pub(crate) struct Desk {
    pub(crate) engine: Engine,
    pub(crate) project: Project,
    pub(crate) session: Session,
    pub(crate) folder: Folder,
    pub(crate) data: Folder,
}

/// A turn that was read to its end.
pub(crate) struct Told {
    pub(crate) envelopes: Vec<Envelope>,
    pub(crate) report: TurnReport,
}

/// Patience that a test has: nothing waits longer than it must.
pub(crate) fn tuning() -> Tuning {
    Tuning {
        near: Waits::all(Duration::from_millis(300)),
        backoff: Duration::from_millis(1),
        backoff_max: Duration::from_millis(2),
        retry_for: Some(Duration::from_millis(3)),
        after_finish: Duration::from_millis(200),
        demo_pace: Duration::ZERO,
        ..Tuning::default()
    }
}

/// Each box is a message of its own, which is easier to read in a test (R1).
pub(crate) fn options(data: &Path, base_url: &str, connector: Arc<dyn Connector>) -> EngineOptions {
    options_as("system", data, base_url, connector)
}

/// The same with another form of results (R1).
fn options_as(
    form: &'static str,
    data: &Path,
    base_url: &str,
    connector: Arc<dyn Connector>,
) -> EngineOptions {
    let variables = [("SCRIPTED_KEY", "sk-scripted-key-of-the-test"), ("ORION_RESULTS_AS", form)];
    let environment: Environment = variables.into_iter().collect();
    let endpoint = EndpointConfig {
        key_variable: orion_engine::config::KeyVariable::new("SCRIPTED_KEY"),
        ..EndpointConfig::at(BaseUrl::new(base_url).unwrap(), "scripted")
    };
    let no_keychain = Keychain::with(|| Err(keyring_core::Error::NoDefaultStore));
    EngineOptions {
        channel: orion_protocol::Channel::Window,
        paths: Paths { config_dir: data.join("config"), data_dir: data.join("data"), others: Vec::new() },
        environment: environment.clone(),
        endpoint: Some(("scripted".into(), endpoint)),
        connector,
        keys: KeyStore::new(environment, no_keychain, Redactor::default()),
        readers: Readers::Several,
    }
}

impl Desk {
    pub(crate) async fn with(model: &ScriptedModel) -> Self {
        Self::at(&model.base_url(), Folder::with([("a.txt", "alpha\n"), ("b.txt", "beta\n")])).await
    }

    /// A desk whose results go to the model in this form (R1).
    pub(crate) async fn sent_as(model: &ScriptedModel, form: &'static str) -> Self {
        let (folder, data) = (Folder::with([("a.txt", "alpha\n"), ("b.txt", "beta\n")]), Folder::empty());
        let options = options_as(form, &data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
        Self::of(Engine::open(options).await.unwrap(), folder, data).await
    }

    pub(crate) async fn at(base_url: &str, folder: Folder) -> Self {
        let data = Folder::empty();
        let options = options(&data.path(), base_url, Arc::new(Providers::new(tuning())));
        Self::of(Engine::open(options).await.unwrap(), folder, data).await
    }

    /// A desk whose endpoint `e`, with the model `m`, is in the settings file.
    pub(crate) async fn with_endpoint(base_url: &str, folder: Folder) -> Self {
        let desk = Self::at(base_url, folder).await;
        desk.save_endpoint(base_url).await;
        desk
    }

    /// Saves the endpoint `e`, with the model `m`.
    pub(crate) async fn save_endpoint(&self, base_url: &str) {
        let change = EndpointChange {
            name: "e".to_owned(),
            base_url: base_url.to_owned(),
            model: "m".to_owned(),
            api_key: None,
            key_variable: None,
            allow_http: false,
            window: None,
            max_output_tokens: None,
            models: BTreeMap::new(),
            make_default: false,
        };
        assert_eq!(self.engine.submit(Op::SaveEndpoint { change }).await, Ok(Outcome::Done));
    }

    /// Says whether the model `m` takes images.
    pub(crate) async fn takes_images(&self, takes_images: Option<bool>) {
        let settings = ModelSettings { takes_images, ..ModelSettings::default() };
        let change = ModelChange { endpoint: "e".to_owned(), model: Some("m".to_owned()), settings };
        assert_eq!(self.engine.submit(Op::SaveModel { change }).await, Ok(Outcome::Done));
    }

    pub(crate) async fn with_tools(model: &ScriptedModel, tools: Vec<Arc<dyn Tool>>) -> Self {
        let data = Folder::empty();
        let options = options(&data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
        let engine = Engine::with_sources(options, vec![Arc::new(Fixed(tools))]).await.unwrap();
        Self::of(engine, Folder::empty(), data).await
    }

    pub(crate) async fn of(engine: Engine, folder: Folder, data: Folder) -> Self {
        let path = Some(folder.path().display().to_string());
        let Outcome::Project { project } = engine.submit(Op::OpenProject { path }).await.unwrap() else {
            panic!()
        };
        let session = new_session(&engine, &project).await;
        Self { engine, project, session, folder, data }
    }

    /// Starts a turn in the desk's session.
    pub(crate) async fn ask(&self, text: &str) -> TurnHandle {
        self.ask_with(text, TurnOptions::default()).await
    }

    pub(crate) async fn ask_with(&self, text: &str, options: TurnOptions) -> TurnHandle {
        self.engine.run_turn(self.session.session_id, text.into(), options).await.unwrap()
    }

    /// A whole turn.
    pub(crate) async fn turn(&self, text: &str) -> Told {
        let turn = self.ask(text).await;
        self.read(turn).await
    }

    /// Reads a turn to its end and holds it against the rules.
    pub(crate) async fn read(&self, turn: TurnHandle) -> Told {
        let envelopes = within("the turn to end", to_end(turn)).await;
        self.check(&envelopes).await;
        let report = envelopes.last().unwrap().event.terminal().unwrap().clone();
        Told { envelopes, report }
    }

    /// T2, T3, T4, J1 and T5 of a turn that ended.
    pub(crate) async fn check(&self, envelopes: &[Envelope]) {
        let seqs: Vec<u32> = envelopes.iter().filter(|e| e.event.is_durable()).map(|e| e.seq).collect();
        assert_eq!(seqs, (1..=u32::try_from(seqs.len()).unwrap()).collect::<Vec<_>>(), "T2");
        let ends: Vec<usize> =
            (0..envelopes.len()).filter(|&i| envelopes[i].event.terminal().is_some()).collect();
        assert_eq!(ends, [envelopes.len() - 1], "T3");
        let report = envelopes.last().unwrap().event.terminal().unwrap();
        assert!(report.model_calls <= report.bounds.model_calls, "T4");
        assert!(report.tool_runs <= report.bounds.tool_runs, "T4");
        // The report puts a blank line between the texts of two phases.
        let letters = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(
            letters(&report.answer),
            letters(&text(envelopes)),
            "the report holds all the text that was shown"
        );

        let request_id = envelopes[0].request_id;
        let turns = turns_of(&self.engine, envelopes[0].session_id).await;
        let stored = turns.iter().find(|turn| turn.request_id == request_id).unwrap();
        assert_eq!(stored.state, TurnState::Over);
        assert_eq!(
            transcript(&stored.envelopes),
            transcript(envelopes),
            "J1: what was shown is what is kept"
        );
        let replayed = self.engine.replay(request_id).await.unwrap();
        assert_eq!(replayed.replayed, replayed.recorded, "T5");
        assert!(replayed.is_same());
    }
}

pub(crate) async fn new_session(engine: &Engine, project: &Project) -> Session {
    let op = Op::NewSession { project_id: project.project_id };
    let Outcome::Session { session } = engine.submit(op).await.unwrap() else { panic!() };
    session
}

pub(crate) async fn to_end(mut turn: TurnHandle) -> Vec<Envelope> {
    let mut envelopes = Vec::new();
    while let Some(batch) = turn.next().await {
        envelopes.extend(batch);
    }
    envelopes
}

/// Reads until this much of the answer was shown.
pub(crate) async fn until_shown(turn: &mut TurnHandle, wanted: &str) -> Vec<Envelope> {
    let mut envelopes = Vec::new();
    while !text(&envelopes).contains(wanted) {
        envelopes.extend(within("the text to be shown", turn.next()).await.expect("the turn goes on"));
    }
    envelopes
}

/// The answer's text.
pub(crate) fn text(envelopes: &[Envelope]) -> String {
    let chunks = envelopes.iter().filter_map(|envelope| match &envelope.event {
        TurnEvent::TextChunk { text, .. } => Some(text.as_str()),
        _ => None,
    });
    chunks.collect()
}

/// A turn in a few words a line, text joined.
pub(crate) fn transcript(envelopes: &[Envelope]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for envelope in envelopes {
        let line = match &envelope.event {
            TurnEvent::TurnStarted { text, .. } => format!("asked {text}"),
            TurnEvent::PhaseStarted { model_call: Some(call), is_final: true, .. } => format!("final {call}"),
            TurnEvent::PhaseStarted { model_call: Some(call), .. } => format!("action {call}"),
            TurnEvent::PhaseStarted { model_call: None, .. } => {
                format!("tools {}", envelope.tool_batch_id.unwrap())
            }
            TurnEvent::PhaseEnded { cause, .. } => format!("ended {cause:?}"),
            TurnEvent::TextChunk { text, .. } => match lines.last_mut() {
                Some(last) if last.starts_with("text ") => {
                    last.push_str(text);
                    continue;
                }
                _ => format!("text {text}"),
            },
            TurnEvent::ReasoningChunk { text, .. } => match lines.last_mut() {
                Some(last) if last.starts_with("thought ") => {
                    last.push_str(text);
                    continue;
                }
                _ => format!("thought {text}"),
            },
            TurnEvent::ToolCall { name, arguments, .. } => format!("call {name} {arguments}"),
            TurnEvent::ToolResult { status, .. } => format!("result {status:?}"),
            TurnEvent::CallsBlocked { names, .. } => format!("blocked {}", names.len()),
            TurnEvent::DuplicateRefused { name, count, .. } => format!("refused {name} {count}"),
            TurnEvent::Notice { code, .. } => format!("notice {code:?}"),
            TurnEvent::Retrying { attempt, .. } => format!("retrying {attempt}"),
            TurnEvent::Completed { report } => format!("completed {:?}", report.stop_reason),
            TurnEvent::Stopped { .. } => "stopped".into(),
            TurnEvent::Failed { report } => {
                format!("failed {:?}", report.error.as_ref().map(|error| error.code))
            }
            TurnEvent::WriteProgress { .. } | TurnEvent::ToolOutput { .. } | TurnEvent::PromptProgress(_) => {
                continue;
            }
            other => format!("{other:?}"),
        };
        lines.push(line);
    }
    lines
}

/// The newest turns of a session, as a window that opens it gets them.
pub(crate) async fn turns_of(engine: &Engine, session_id: SessionId) -> Vec<TurnView> {
    let query = Query::Session { session_id, place: TurnPlace::Newest, turns: 50 };
    let Answer::Session { page } = engine.query(query).await.unwrap() else { panic!() };
    page.turns
}
