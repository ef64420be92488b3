//! A stop in each state that a turn can be in (A4): it is seen without waiting for anything, and what the turn began is gone within 2 s.
//!
//! The clock of each turn stands still, so no load of the machine can make a stop late: a stop that waited for 200 ms, or for 1 ms, would never
//! come to its end here. Two states may take time: an approved write on a disk that hangs, for which the test lets 2 s pass, and a command that does not
//! end, for which it lets 5 s pass.
//!
//! Elsewhere: a stop in the middle of content (`writing`), calls of the system that hang in a real process (`cli/hanging`), and a disk that hangs at any
//! moment (`driver_hanging`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use orion_core::tool::{ToolKind, ToolSpec};
use orion_engine::tools::{Context, Output, Tool};
use orion_engine::{Engine, TurnHandle};
use orion_protocol::{
    CommandAsked, ErrorInfo, Op, Query, Reply, SandboxLevel, ToolStatus, TurnEvent, TurnOptions, TurnReport,
    TurnStatus, WriteProposal, WriteStatus,
};
use orion_providers::{Providers, Tuning};
use serde_json::{Value, json};
use sqlx::ConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use support::{Folder, Gate, Script, ScriptedModel, Turn, within};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use crate::driver_desk::{Desk, options, to_end, tuning, until_shown};
use crate::driver_stop::Endless;
use crate::writing::{begin, until_ready};

/// Threads that may wait for the disk.
const THREADS: usize = 2;

/// What an approved write may still take (A4), and the resolution of a timer.
const LATE: Duration = Duration::from_millis(2_001);

/// The time that a command may still take (A4), and the resolution of a timer.
const ENDING: Duration = Duration::from_millis(5_001);

/// A turn in some state.
struct Begun {
    desk: Desk,
    turn: TurnHandle,
    model: Option<ScriptedModel>,
    /// Ends when what the turn had begun is gone.
    gone: BoxFuture<'static, ()>,
    /// Time that the stop needs.
    needs: Duration,
    /// Held up to the end of the turn.
    hung: Option<Hung>,
    /// What its report says.
    told: fn(&TurnReport),
}

impl Begun {
    fn new(desk: Desk, turn: TurnHandle, model: ScriptedModel) -> Self {
        Self {
            desk,
            turn,
            model: Some(model),
            gone: ready(()).boxed(),
            needs: Duration::ZERO,
            hung: None,
            told: |_| (),
        }
    }

    /// The response with this number is dropped.
    fn with_response(self, number: usize) -> Self {
        let model = Arc::new(self.model.expect("a response has a model"));
        let gone = async move {
            model.dropped(number).await;
        };
        Self { gone: gone.boxed(), model: None, ..self }
    }
}

/// Threads of the pool that wait until this is dropped.
struct Hung(#[allow(dead_code, reason = "dropping it is what it is for")] Vec<Sender<()>>);

impl Hung {
    fn threads(count: usize) -> Self {
        let hang = |_| {
            let (sender, receiver): (Sender<()>, Receiver<()>) = channel();
            tokio::task::spawn_blocking(move || receiver.recv());
            sender
        };
        Self((0..count).map(hang).collect())
    }
}

async fn until(turn: &mut TurnHandle, what: &str, is_it: fn(&TurnEvent) -> bool) {
    loop {
        let batch = within(what, turn.next()).await.expect("the turn goes on");
        if batch.iter().any(|envelope| is_it(&envelope.event)) {
            return;
        }
    }
}

/// A turn of this model that has come to an event.
async fn begun(model: ScriptedModel, options: TurnOptions, is_it: fn(&TurnEvent) -> bool) -> Begun {
    let desk = Desk::with(&model).await;
    desk.folder.write(".orion/config.toml", "[tools.list_files]\npermission = \"ask\"\n");
    let mut turn = desk.ask_with("Look.", options).await;
    until(&mut turn, "the turn to wait", is_it).await;
    Begun::new(desk, turn, model)
}

async fn connect() -> Begun {
    // It takes the connection, and never shakes hands.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let desk = Desk::at(&format!("https://{address}/v1"), Folder::empty()).await;
    let turn = desk.ask("Hello?").await;
    let (mut connection, _) = within("the connection", listener.accept()).await.unwrap();
    let mut hello = [0; 1];
    within("the first byte of it", connection.read_exact(&mut hello)).await.unwrap();
    let gone = async move {
        // What is left of it is read to its end.
        let mut rest = Vec::new();
        _ = within("the end of the connection", connection.read_to_end(&mut rest)).await;
    };
    Begun { desk, turn, model: None, gone: gone.boxed(), needs: Duration::ZERO, hung: None, told: |_| () }
}

async fn first_byte() -> Begun {
    let model = Script::new().turn(|t| t.hang()).start();
    let desk = Desk::with(&model).await;
    let turn = desk.ask("Hello?").await;
    model.request(1).await;
    Begun::new(desk, turn, model).with_response(1)
}

async fn stream() -> Begun {
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("So far").hold(&gate).text(" no more")).start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Talk.").await;
    until_shown(&mut turn, "So far").await;
    Begun::new(desk, turn, model).with_response(1)
}

/// A turn whose tool runs and never ends, and whether that tool was dropped.
async fn endless() -> (Begun, Arc<AtomicBool>) {
    let model = Script::new().turn(|t| t.call("wait", json!({})).end("tool_calls")).start();
    let tool = Endless::default();
    let (began, dropped) = (tool.began.clone(), tool.dropped.clone());
    let desk = Desk::with_tools(&model, vec![Arc::new(tool)]).await;
    let turn = desk.ask("Wait.").await;
    within("the tool to begin", began.notified()).await;
    (Begun::new(desk, turn, model), dropped)
}

async fn until_dropped(dropped: Arc<AtomicBool>) {
    let is_gone = async {
        while !dropped.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
    };
    within("the tool to be dropped", is_gone).await;
}

async fn tool() -> Begun {
    let (begun, dropped) = endless().await;
    Begun { gone: until_dropped(dropped).boxed(), ..begun }
}

/// A command that ends as little as its tool.
#[derive(Debug)]
struct Command(Endless);

impl Tool for Command {
    fn spec(&self) -> ToolSpec {
        ToolSpec { kind: ToolKind::RunsCommands, ..self.0.spec() }
    }

    fn run(&self, arguments: Value, context: Context) -> BoxFuture<'static, Result<Output, ErrorInfo>> {
        self.0.run(arguments, context)
    }

    fn prepare(&self, _: Value, _: Context) -> BoxFuture<'static, Result<CommandAsked, ErrorInfo>> {
        let command = CommandAsked {
            line: "wait".to_owned(),
            folder: ".".to_owned(),
            reason: None,
            seconds: 60,
            level: SandboxLevel::Full,
            gaps: Vec::new(),
            reads: Vec::new(),
            needs_outside: false,
            asks_since: None,
            hosts: Vec::new(),
            offered_hosts: Vec::new(),
            runs: Vec::new(),
            unread: None,
        };
        ready(Ok(command)).boxed()
    }
}

async fn command() -> Begun {
    let model = Script::new().turn(|t| t.call("wait", json!({})).end("tool_calls")).start();
    let tool = Endless::default();
    let (began, dropped) = (tool.began.clone(), tool.dropped.clone());
    let desk = Desk::with_tools(&model, vec![Arc::new(Command(tool))]).await;
    let turn = desk.ask_with("Wait.", TurnOptions { allow_commands: true, ..TurnOptions::default() }).await;
    within("the command to begin", began.notified()).await;
    let told = |report: &TurnReport| assert_eq!(report.tool_calls[0].status, Some(ToolStatus::Cancelled));
    Begun { gone: until_dropped(dropped).boxed(), needs: ENDING, told, ..Begun::new(desk, turn, model) }
}

async fn commit() -> Begun {
    let (begun, dropped) = endless().await;
    let mut other = lock(&begun.desk).await;
    // Whoever asks has the turn record first what it said, and that waits for the database.
    let (engine, request_id) = (begun.desk.engine.clone(), begun.turn.request_id());
    let asking = tokio::spawn(async move { engine.query(Query::Events { request_id, after_seq: 0 }).await });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let gone = async move {
        until_dropped(dropped).await;
        assert!(!asking.is_finished(), "the database has not answered");
        sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
        asking.await.unwrap().unwrap();
    };
    Begun { gone: gone.boxed(), ..begun }
}

/// Another process writes to the database.
async fn lock(desk: &Desk) -> SqliteConnection {
    let file = desk.data.path().join("data/orion.db");
    let mut other = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    other
}

async fn call_asked() -> Begun {
    let model = Script::new().turn(|t| t.call("list_files", json!({})).end("tool_calls")).start();
    let asked = |event: &TurnEvent| matches!(event, TurnEvent::Asked { .. });
    begun(model, TurnOptions::default(), asked).await
}

async fn question() -> Begun {
    let questions = json!([{ "id": "a", "question": "Which one?", "kind": "text", "options": [] }]);
    let model = Script::new()
        .turn(|t| t.call("ask_user", json!({ "questions": questions })).end("tool_calls"))
        .start();
    let asked = |event: &TurnEvent| matches!(event, TurnEvent::Asked { .. });
    begun(model, TurnOptions::default(), asked).await
}

async fn pause() -> Begun {
    let model =
        Script::new().turn(|t| t.call("read_file", json!({ "path": "a.txt" })).end("tool_calls")).start();
    let options = TurnOptions { pause_after_tool: Some(true), ..TurnOptions::default() };
    begun(model, options, |event| matches!(event, TurnEvent::Asked { .. })).await
}

fn writer() -> ScriptedModel {
    Script::new()
        .turn(|t| t.call("write_plan_begin", begin("a.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("hello\nDONE\n").end("stop"))
        .start()
}

async fn write_asked() -> Begun {
    begun(writer(), TurnOptions::default(), |event| matches!(event, TurnEvent::Asked { .. })).await
}

/// An approved write, on a disk that does not answer from the moment of the approval. On a busy machine the file may be written by then.
async fn write() -> Begun {
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("a.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("hello\nDONE\n").end("stop"))
        .forever(|_, _| Turn::default().hang())
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write.").await;
    let (_, _, WriteProposal { digest, .. }) = until_ready(&mut turn).await;
    let (engine, request_id) = (desk.engine.clone(), turn.request_id());
    let op = Op::Reply { request_id, digest, reply: Reply::Write { hunks: None, despite_faults: false } };
    tokio::spawn(async move { engine.submit(op).await });
    until(&mut turn, "the approval", |event| matches!(event, TurnEvent::Answered { .. })).await;
    let hung = Hung::threads(THREADS);
    let told = |report: &TurnReport| {
        let status = report.writes[0].status;
        assert!(matches!(status, Some(WriteStatus::Unknown | WriteStatus::Written)), "{status:?}");
    };
    Begun { hung: Some(hung), needs: LATE, told, ..Begun::new(desk, turn, model) }
}

async fn back_off() -> Begun {
    let model = Script::new().turn(|t| t.status(503).body("busy")).start();
    let data = Folder::empty();
    let hour = Duration::from_secs(3_600);
    let tuning = Tuning { backoff: hour, backoff_max: hour, retry_for: Some(hour), ..tuning() };
    let options = options(&data.path(), &model.base_url(), Arc::new(Providers::new(tuning)));
    let desk = Desk::of(Engine::open(options).await.unwrap(), Folder::empty(), data).await;
    let mut turn = desk.ask("Hello?").await;
    until(&mut turn, "the pause", |event| matches!(event, TurnEvent::Retrying { .. })).await;
    Begun::new(desk, turn, model)
}

/// A tool that waits for a disk that does not answer.
async fn hanging_disk() -> Begun {
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| {
            t.text("I look.").hold(&gate).call("read_file", json!({ "path": "a.txt" })).end("tool_calls")
        })
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Look.").await;
    until_shown(&mut turn, "I look.").await;
    let hung = Hung::threads(THREADS);
    gate.open();
    until(&mut turn, "the call", |event| matches!(event, TurnEvent::ToolCall { .. })).await;
    let told = |report: &TurnReport| assert_eq!(report.tool_calls[0].status, Some(ToolStatus::Cancelled));
    Begun { hung: Some(hung), told, ..Begun::new(desk, turn, model) }
}

type Reach = fn() -> BoxFuture<'static, Begun>;

const STATES: [(&str, Reach); 13] = [
    ("connect", || connect().boxed()),
    ("first byte", || first_byte().boxed()),
    ("stream", || stream().boxed()),
    ("tool run", || tool().boxed()),
    ("command", || command().boxed()),
    ("hanging disk", || hanging_disk().boxed()),
    ("call asked", || call_asked().boxed()),
    ("question", || question().boxed()),
    ("pause", || pause().boxed()),
    ("write asked", || write_asked().boxed()),
    ("write", || write().boxed()),
    ("commit", || commit().boxed()),
    ("back-off", || back_off().boxed()),
];

async fn stop(state: &str, begun: Begun) {
    let Begun { desk, turn, model, gone, needs, hung, told } = begun;
    // The clock stands still as long as there is work for a thread of the pool.
    let still = Hung::threads(1);
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    turn.stop();
    if !needs.is_zero() {
        // The turn knows of the stop when it answers: a stop comes before everything else.
        turn.report_now().await.unwrap();
        tokio::time::advance(needs).await;
    }
    let request_id = turn.request_id();
    gone.await;
    let envelopes = within(&format!("the end of a stop: {state}"), to_end(turn)).await;
    assert_eq!(began.elapsed(), needs, "{state}");
    let report = envelopes.last().unwrap().event.terminal().unwrap();
    assert_eq!((report.status, report.error.is_none()), (TurnStatus::Stopped, true), "{state}");
    told(report);
    let file = std::fs::read(desk.folder.path().join("a.txt")).ok();
    assert!(state == "write" || file.is_none_or(|file| file == b"alpha\n"), "{state}: nothing is written");
    assert!(desk.engine.replay(request_id).await.unwrap().is_same(), "T5: {state}");
    tokio::time::resume();
    drop((still, hung));
    if let Some(model) = model {
        model.finish();
    }
}

#[test]
fn in_every_state_a_stop_waits_for_nothing_and_what_the_turn_began_is_gone() {
    for (state, reach) in STATES {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(THREADS)
            .build()
            .unwrap();
        runtime
            .block_on(async { tokio::spawn(async move { stop(state, reach().await).await }).await })
            .unwrap();
    }
}
