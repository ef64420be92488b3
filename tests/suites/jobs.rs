//! Jobs of a turn that runs: a tool that shows its output and asks in its middle, and one that is cancelled while it asks (A4, A5, A7, A8).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use orion_core::tool::{ToolKind, ToolSpec};
use orion_engine::tools::{Context, Fixed, Output, Tool, ToolSource};
use orion_engine::{Engine, TurnHandle};
use orion_protocol::{
    Code, Envelope, ErrorInfo, Op, PendingOf, Question, QuestionAnswer, QuestionKind, QuestionsAnswer, Reply,
    RequestId, Sha256, StopReason, ToolStatus, TurnEvent,
};
use orion_providers::Providers;
use serde_json::{Value, json};
use support::{Script, ScriptedModel, within};

use crate::driver_desk::{Desk, options, to_end, transcript, tuning};

/// A tool that shows a gigabyte, asks whether that is enough, and says what it heard.
#[derive(Debug, Default)]
struct Talks {
    /// The times that it began.
    began: Arc<AtomicUsize>,
}

const PIECE: usize = 64 * 1024;
const PIECES: usize = 16 * 1024;

fn enough() -> Question {
    let (id, question) = ("enough".to_owned(), "Is that enough?".to_owned());
    Question { id, question, kind: QuestionKind::YesNo, options: Vec::new() }
}

impl Tool for Talks {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("talk", "Talks.", json!({"type": "object", "properties": {}}), ToolKind::Reads)
    }

    fn run(&self, _: Value, context: Context) -> BoxFuture<'static, Result<Output, ErrorInfo>> {
        self.began.fetch_add(1, Ordering::SeqCst);
        async move {
            let piece = "x".repeat(PIECE);
            for number in 0..PIECES {
                context.person.show(&piece);
                if number % 64 == 0 {
                    tokio::task::yield_now().await;
                }
            }
            let body = format!("{:?}", context.person.ask(vec![enough()]).await?);
            Ok(Output { summary: "talked".into(), body, ..Output::default() })
        }
        .boxed()
    }
}

fn talking() -> Script {
    Script::new().turn(|t| t.call("talk", json!({})).end("tool_calls"))
}

async fn desk(model: &ScriptedModel) -> (Desk, Arc<AtomicUsize>) {
    let tool = Talks::default();
    let began = Arc::clone(&tool.began);
    (Desk::with_tools(model, vec![Arc::new(tool)]).await, began)
}

/// The events of a turn until it asks, and the digest of that.
async fn until_asked(turn: &mut TurnHandle) -> (Vec<Envelope>, Sha256) {
    let mut told = Vec::new();
    loop {
        let batch = within("a question", turn.next()).await.expect("it asks");
        let asked = batch.iter().find_map(|envelope| match &envelope.event {
            TurnEvent::Asked { digest, of: PendingOf::Questions { .. } } => Some(*digest),
            _ => None,
        });
        told.extend(batch);
        if let Some(digest) = asked {
            return (told, digest);
        }
    }
}

fn yes(request_id: RequestId, digest: Sha256) -> Op {
    let answers = vec![QuestionAnswer { id: "enough".into(), answer: vec!["yes".into()] }];
    let reply = Reply::Answer { answer: QuestionsAnswer::Answered { answers } };
    Op::Reply { request_id, digest, reply }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_shows_a_gigabyte_and_asks_in_its_middle() {
    let model = talking().turn(|t| t.text("Enough.").end("stop")).start();
    let (desk, began) = desk(&model).await;
    let mut turn = desk.ask("Talk.").await;
    let (mut told, digest) = until_asked(&mut turn).await;
    let shown: Vec<(u64, usize)> = told
        .iter()
        .filter_map(|envelope| match &envelope.event {
            TurnEvent::ToolOutput { offset, text, .. } => Some((*offset, text.len())),
            _ => None,
        })
        .collect();
    assert!(!shown.is_empty(), "the view sees it run");
    assert!(shown.iter().map(|(_, bytes)| bytes).sum::<usize>() < PIECE * PIECES / 4, "not all of it");
    assert!(shown.windows(2).all(|pair| pair[0].0 + pair[0].1 as u64 <= pair[1].0), "in order");
    desk.engine.submit(yes(turn.request_id(), digest)).await.unwrap();
    told.extend(to_end(turn).await);
    desk.check(&told).await;
    assert_eq!(began.load(Ordering::SeqCst), 1);
    let said = model.requests()[1].body.to_string();
    assert!(said.contains("Answered") && said.contains("yes"), "{said}");
    let kept = transcript(&told).iter().filter(|line| line.starts_with("result")).count();
    assert_eq!(kept, 1);
    model.finish();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_to_a_tool_whose_process_ended_is_given_to_it_when_it_runs_again() {
    let model = talking().turn(|t| t.text("Enough.").end("stop")).start();
    let (desk, began) = desk(&model).await;
    let mut turn = desk.ask("Talk.").await;
    let (_, digest) = until_asked(&mut turn).await;
    let request_id = turn.request_id();
    desk.engine.close().await.unwrap();
    drop(turn);
    let Desk { data, folder: _folder, engine, .. } = desk;
    drop(engine);

    let tool = Talks { began: Arc::clone(&began) };
    let tools: Vec<Arc<dyn ToolSource>> = vec![Arc::new(Fixed(vec![Arc::new(tool)]))];
    let providers = Arc::new(Providers::new(tuning()));
    let engine =
        Engine::with_sources(options(&data.path(), &model.base_url(), providers), tools).await.unwrap();
    let turn = within("the turn", engine.resume_to_answer(request_id, None)).await.unwrap();
    engine.submit(yes(request_id, digest)).await.unwrap();
    let told = within("the end", to_end(turn)).await;
    let report = told.last().unwrap().event.terminal().unwrap().clone();
    assert_eq!((report.stop_reason, report.answer.as_str()), (StopReason::Answered, "Enough."));
    assert_eq!((report.tool_runs, began.load(Ordering::SeqCst)), (1, 2), "A5: it is one run");
    assert!(!told.iter().any(|envelope| envelope.event.asks()), "nobody is asked twice");
    assert!(engine.replay(request_id).await.unwrap().is_same(), "T5");
    engine.close().await.unwrap();
    model.finish();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_asks_is_stopped_like_any_other() {
    let model = talking().start();
    let (desk, _) = desk(&model).await;
    let mut turn = desk.ask("Talk.").await;
    let (mut told, digest) = until_asked(&mut turn).await;
    let request_id = turn.request_id();
    desk.engine.submit(Op::StopTurn { request_id }).await.unwrap();
    told.extend(to_end(turn).await);
    desk.check(&told).await;
    let report = told.last().unwrap().event.terminal().unwrap();
    assert_eq!(report.tool_calls[0].status, Some(ToolStatus::Cancelled));
    let late = desk.engine.submit(yes(request_id, digest)).await.unwrap_err();
    assert_eq!(late.code, Code::NotWaiting);
    model.finish();
}
