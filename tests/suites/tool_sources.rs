//! Tools that are not Orion's own: a source whose tools change from turn to turn, one that changes a file and whose process ends, and one whose
//! result is an image (A1, A5, D3, T5).

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use orion_core::tool::{Seen, ToolKind, ToolSpec};
use orion_engine::tools::{Context, Fixed, Output, Tool, ToolSource, built_in};
use orion_engine::{Engine, TurnHandle};
use orion_files::workspace;
use orion_protocol::{
    Answer, AskedBy, Code, Envelope, ErrorInfo, NoticeCode, Op, Outcome, Pending, PendingOf, Query, Reply,
    RequestId, Route, Sha256, StopReason, ToolStatus, TurnEvent, TurnOptions,
};
use orion_providers::Providers;
use serde_json::{Value, json};
use support::{Folder, Script, ScriptedModel, within};
use tokio::sync::Notify;

use crate::driver_desk::{Desk, options, to_end, tuning};

/// A tool that does what its function does.
struct Does<F> {
    spec: ToolSpec,
    run: F,
}

impl<F> std::fmt::Debug for Does<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.spec.name)
    }
}

impl<F> Tool for Does<F>
where
    F: Fn(Value, Context) -> BoxFuture<'static, Result<Output, ErrorInfo>> + Send + Sync + 'static,
{
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn run(&self, arguments: Value, context: Context) -> BoxFuture<'static, Result<Output, ErrorInfo>> {
        (self.run)(arguments, context)
    }
}

fn spec(name: &str, kind: ToolKind) -> ToolSpec {
    ToolSpec::new(name, "Does it.", json!({ "type": "object", "properties": {} }), kind)
}

fn says(name: &str, body: &'static str) -> Arc<dyn Tool> {
    let output = || Output { body: body.to_owned(), ..Output::default() };
    Arc::new(Does { spec: spec(name, ToolKind::Reads), run: move |_, _| ready(Ok(output())).boxed() })
}

async fn engine(data: &Folder, model: &ScriptedModel, sources: Vec<Arc<dyn ToolSource>>) -> Engine {
    let options = options(&data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
    Engine::with_sources(options, sources).await.unwrap()
}

/// The first time it has `early`, and afterwards `late`. The tool of Orion's own name never counts.
#[derive(Debug, Default)]
struct Changing(AtomicUsize);

impl ToolSource for Changing {
    fn tools<'a>(&'a self, _: &'a workspace::Project) -> BoxFuture<'a, Vec<Arc<dyn Tool>>> {
        let tool = match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => says("early", "It is early."),
            _ => says("late", "It is late."),
        };
        ready(vec![tool, says("read_file", "Not Orion's.")]).boxed()
    }
}

#[tokio::test]
async fn each_turn_has_the_tools_that_its_sources_have_then() {
    let read = || json!({ "path": "a.txt" });
    let model = Script::new()
        .turn(|t| t.call("early", json!({})).end("tool_calls"))
        .turn(|t| t.call("read_file", read()).end("tool_calls"))
        .turn(|t| t.text("Early.").end("stop"))
        .turn(|t| t.call("early", json!({})).end("tool_calls"))
        .turn(|t| t.call("late", json!({})).end("tool_calls"))
        .turn(|t| t.text("Late.").end("stop"))
        .start();
    let data = Folder::empty();
    let own: Arc<dyn ToolSource> = Arc::new(Fixed(built_in()));
    let engine = engine(&data, &model, vec![own, Arc::new(Changing::default())]).await;
    let desk = Desk::of(engine, Folder::with([("a.txt", "alpha\n")]), data).await;
    let first = desk.turn("What time is it?").await.report;
    let second = desk.turn("And now?").await.report;
    let statuses = |report: &orion_protocol::TurnReport| {
        report.tool_calls.iter().map(|call| call.status).collect::<Vec<_>>()
    };
    assert_eq!(statuses(&first), [Some(ToolStatus::Ok), Some(ToolStatus::Ok)]);
    assert_eq!(statuses(&second), [Some(ToolStatus::Failed), Some(ToolStatus::Ok)]);
    let requests = model.requests();
    let offers = |number: usize, name: &str| {
        let tools = requests[number].body["tools"].as_array().unwrap();
        tools.iter().filter(|tool| tool["function"]["name"] == name).count()
    };
    assert_eq!([offers(0, "early"), offers(0, "late"), offers(0, "read_file")], [1, 0, 1]);
    assert_eq!([offers(3, "early"), offers(3, "late"), offers(3, "read_file")], [0, 1, 1]);
    let last = |number: usize| requests[number].messages().last().unwrap()["content"].to_string();
    assert!(last(1).contains("It is early."));
    assert!(last(2).contains("alpha") && !last(2).contains("Not Orion's."), "Orion's own counts");
    assert!(last(4).contains("There is no tool `early`"));
    model.finish();
}

/// Adds a line to `count.txt`. The first run never ends after that.
fn counts(began: Arc<Notify>) -> Arc<dyn Tool> {
    let runs = AtomicUsize::new(0);
    let run = move |_: Value, context: Context| {
        let file: PathBuf = context.project.root().join("count.txt");
        let hangs = runs.fetch_add(1, Ordering::SeqCst) == 0 && !file.exists();
        let began = began.clone();
        async move {
            let mut text = std::fs::read_to_string(&file).unwrap_or_default();
            text.push_str("once more\n");
            std::fs::write(&file, &text).unwrap();
            if hangs {
                began.notify_one();
                std::future::pending::<()>().await;
            }
            let file = vec![Seen::Path("count.txt".to_owned())];
            let (summary, body) = ("counted".to_owned(), text);
            Ok(Output { summary, body, seen: file.clone(), changed: file, ..Output::default() })
        }
        .boxed()
    };
    Arc::new(Does { spec: spec("count", ToolKind::Mutates), run })
}

/// The digest of the next question about a call, and who asks it.
async fn asked(turn: &mut TurnHandle) -> (Sha256, AskedBy, Vec<Envelope>) {
    let mut told = Vec::new();
    loop {
        let batch = within("a question", turn.next()).await.expect("it asks");
        let question = batch.iter().find_map(|envelope| match &envelope.event {
            TurnEvent::Asked { digest, of: PendingOf::Call { by, .. } } => Some((*digest, *by)),
            _ => None,
        });
        told.extend(batch);
        if let Some((digest, by)) = question {
            return (digest, by, told);
        }
    }
}

fn allow(request_id: RequestId, digest: Sha256) -> Op {
    Op::Reply { request_id, digest, reply: Reply::Allow { keep: None } }
}

// A5, D3, T5
#[tokio::test]
async fn a_tool_that_had_begun_to_change_something_runs_again_only_when_a_person_says_so() {
    let model = Script::new()
        .turn(|t| t.call("count", json!({})).end("tool_calls"))
        .turn(|t| t.call("read_file", json!({ "path": "count.txt" })).end("tool_calls"))
        .turn(|t| t.text("Twice.").end("stop"))
        .start();
    let data = Folder::empty();
    let began = Arc::new(Notify::new());
    let sources = |began: &Arc<Notify>| {
        let tools = built_in().into_iter().chain([counts(began.clone())]).collect();
        vec![Arc::new(Fixed(tools)) as Arc<dyn ToolSource>]
    };
    let first = engine(&data, &model, sources(&began)).await;
    let Desk { engine: first, session, folder, data, .. } = Desk::of(first, Folder::empty(), data).await;
    let mut turn = first.run_turn(session.session_id, "Count.".into(), Default::default()).await.unwrap();
    let (before, by, _) = asked(&mut turn).await;
    assert_eq!(by, AskedBy::Default, "a tool that changes something asks (A1)");
    let request_id = turn.request_id();
    first.submit(allow(request_id, before)).await.unwrap();
    within("the tool to begin", began.notified()).await;
    first.close().await.unwrap();
    drop((turn, first));

    let second = engine(&data, &model, sources(&began)).await;
    let mut turn = within("the turn", second.resume_turn(request_id, None)).await.unwrap();
    let (again, by, mut told) = asked(&mut turn).await;
    assert_eq!(by, AskedBy::Always, "nothing that was kept allows it");
    let is_told = |envelope: &Envelope| {
        matches!(&envelope.event, TurnEvent::Notice { code: NoticeCode::OutcomeUnknown, .. })
    };
    assert!(told.iter().any(is_told), "the outcome of the first run is not known");
    let late = second.submit(allow(request_id, before)).await.unwrap_err();
    assert_eq!(late.code, Code::NotWaiting, "A3: the first yes was for the first run");
    second.submit(allow(request_id, again)).await.unwrap();
    told.extend(within("the end", to_end(turn)).await);
    let report = told.last().unwrap().event.terminal().unwrap().clone();
    assert_eq!(report.stop_reason, StopReason::Answered);
    let statuses: Vec<_> = report.tool_calls.iter().map(|call| call.status.unwrap()).collect();
    assert_eq!(statuses, [ToolStatus::Ok, ToolStatus::Ok]);
    let count = std::fs::read_to_string(folder.path().join("count.txt")).unwrap();
    assert_eq!(count.lines().count(), 2, "once in each process");
    assert!(second.replay(request_id).await.unwrap().is_same(), "T5");
    second.close().await.unwrap();
    model.finish();
}

/// The beginning of an image of 2 × 1 pixels, which is all that is read of it here.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x01";

fn draws(image: &'static [u8]) -> Arc<dyn Tool> {
    let output = || Output { body: "drawn".to_owned(), image: Some(image.to_vec()), ..Output::default() };
    Arc::new(Does { spec: spec("draw", ToolKind::Reads), run: move |_, _| ready(Ok(output())).boxed() })
}

/// The requests of a turn whose tool draws, in one route, to a model that takes images or none.
async fn drawn(image: &'static [u8], route: Route, takes_images: bool) -> Vec<Value> {
    let model = Script::new()
        .turn(|t| t.call("draw", json!({})).end("tool_calls"))
        .turn(|t| t.text("Seen.").end("stop"))
        .start();
    let data = Folder::empty();
    let sources: Vec<Arc<dyn ToolSource>> = vec![Arc::new(Fixed(vec![draws(image)]))];
    let engine = engine(&data, &model, sources).await;
    let desk = Desk::of(engine, Folder::empty(), data).await;
    desk.save_endpoint(&model.base_url()).await;
    desk.takes_images(Some(takes_images)).await;
    let options =
        TurnOptions { endpoint: Some("e".to_owned()), route: Some(route), ..TurnOptions::default() };
    desk.read(desk.ask_with("Draw.", options).await).await;
    let messages = model.requests()[1].messages().to_vec();
    model.finish();
    messages
}

// R1
#[tokio::test]
async fn the_image_of_a_result_goes_to_a_model_that_takes_images() {
    let url = format!("data:image/png;base64,{}", STANDARD.encode(PNG));
    let boxed = drawn(PNG, Route::TwoStage, true).await;
    let content = &boxed.last().unwrap()["content"];
    assert!(content[0]["text"].as_str().unwrap().contains("drawn"), "{content}");
    assert_eq!(content[1]["image_url"]["url"], url);
    // A message of a tool has no images, so the next one has them.
    let natively = drawn(PNG, Route::Unified, true).await;
    let [.., tool, shown] = natively.as_slice() else { panic!("{natively:?}") };
    assert_eq!((&tool["role"], &shown["role"]), (&json!("tool"), &json!("user")));
    assert_eq!(shown["content"][1]["image_url"]["url"], url);
    let none = drawn(PNG, Route::TwoStage, false).await;
    let text = none.last().unwrap()["content"].as_str().unwrap().to_owned();
    assert!(
        text.contains("drawn") && text.contains("image"),
        "the model is told what it does not see: {text}"
    );
    let odd = drawn(b"no image", Route::TwoStage, true).await;
    assert!(odd.last().unwrap()["content"].as_str().unwrap().contains("The image is left out"));
}

// X1: what the model is told of a change is a change. T9: a fork has what its turn had.
#[tokio::test]
async fn the_image_of_a_result_is_no_part_of_what_the_next_turn_begins_with_and_stays_with_a_fork() {
    let model = Script::new()
        .turn(|t| t.call("draw", json!({})).end("tool_calls"))
        .turn(|t| t.text("Seen.").end("stop"))
        .turn(|t| t.text("Still seen.").end("stop"))
        .turn(|t| t.text("Seen there, too.").end("stop"))
        .start();
    let data = Folder::empty();
    let engine = engine(&data, &model, vec![Arc::new(Fixed(vec![draws(PNG)]))]).await;
    let desk = Desk::of(engine, Folder::empty(), data).await;
    desk.save_endpoint(&model.base_url()).await;
    desk.takes_images(Some(true)).await;
    let options = TurnOptions { endpoint: Some("e".to_owned()), ..TurnOptions::default() };
    let first = desk.read(desk.ask_with("Draw.", options.clone()).await).await;
    desk.read(desk.ask_with("And now?", options.clone()).await).await;
    let url = format!("data:image/png;base64,{}", STANDARD.encode(PNG));
    let (drawn, later) = (model.requests()[1].body.to_string(), model.requests()[2].body.to_string());
    assert!(drawn.contains(&url) && later.contains(&url));
    assert!(!later.contains("From here on"), "nothing has changed: {later}");

    let of = first.envelopes[0].request_id;
    let forked = desk.engine.submit(Op::Fork { request_id: of, phase: Some(3) }).await.unwrap();
    let Outcome::Forked { request_id: fork, .. } = forked else { panic!("{forked:?}") };
    let session_id = desk.session.session_id;
    desk.engine.submit(Op::DeleteSession { session_id }).await.unwrap();
    let query = Query::Events { request_id: fork, after_seq: 0 };
    let Ok(Answer::Events { envelopes }) = desk.engine.query(query).await else { panic!() };
    let digest = Pending::after_all(envelopes.iter().map(|envelope| &envelope.event)).unwrap().digest;
    let turn = within("the fork", desk.engine.resume_to_answer(fork, None)).await.unwrap();
    let reply = Reply::Resume { edits: Vec::new() };
    desk.engine.submit(Op::Reply { request_id: fork, digest, reply }).await.unwrap();
    within("the end", to_end(turn)).await;
    let there = model.requests()[3].body.to_string();
    assert!(there.contains(&url), "the fork has the image: {there}");
    desk.engine.close().await.unwrap();
    model.finish();
}
