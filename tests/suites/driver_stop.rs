//! Stopping: at once, in any state, and nothing starts afterwards (A4).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use orion_core::tool::{ToolKind, ToolSpec};
use orion_engine::tools::{Context, Output, Tool};
use orion_protocol::{
    Answer, Code, ErrorInfo, Op, Outcome, Query, StopReason, ToolStatus, TurnOptions, TurnStatus,
};
use serde_json::{Value, json};
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use support::{Chunking, Fate, Gate, Script, within};
use tokio::sync::Notify;

use crate::driver_desk::{Desk, text, to_end, transcript, until_shown};

#[tokio::test]
async fn while_the_model_has_not_answered() {
    let model = Script::new().turn(|t| t.hang()).turn(|t| t.text("Back.").end("stop")).start();
    let desk = Desk::with(&model).await;
    let turn = desk.ask("Hello?").await;
    model.request(1).await;
    turn.stop();
    let told = desk.read(turn).await;
    assert_eq!(transcript(&told.envelopes), ["asked Hello?", "action 1", "ended Stopped", "stopped"]);
    assert_eq!((told.report.status, told.report.stop_reason), (TurnStatus::Stopped, StopReason::Stopped));
    model.dropped(1).await;
    assert_eq!(desk.turn("And now?").await.report.answer, "Back.");
    model.finish();
}

#[tokio::test]
async fn in_the_middle_of_an_answer_which_is_kept() {
    let gate = Gate::new();
    let model =
        Script::new().turn(|t| t.text("So far ").text("so good").hold(&gate).text(" no more")).start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Talk.").await;
    let request_id = turn.request_id();
    let first = until_shown(&mut turn, "so good").await;
    assert_eq!(desk.engine.submit(Op::StopTurn { request_id }).await, Ok(Outcome::Done));
    // The answer to the operation came once it was durable.
    let Answer::Events { envelopes } =
        desk.engine.query(Query::Events { request_id, after_seq: 0 }).await.unwrap()
    else {
        panic!()
    };
    assert_eq!(
        transcript(&envelopes),
        ["asked Talk.", "action 1", "text So far so good", "ended Stopped", "stopped"]
    );
    let rest = within("the end", to_end(turn)).await;
    desk.check(&[first, rest].concat()).await;
    model.dropped(1).await;
    let again = desk.engine.submit(Op::StopTurn { request_id }).await.unwrap_err();
    assert_eq!(again.code, Code::TurnOver);
    model.finish();
}

/// A tool that says when it runs, never ends, and says when it was dropped.
#[derive(Debug, Default)]
pub(crate) struct Endless {
    pub(crate) began: Arc<Notify>,
    pub(crate) dropped: Arc<AtomicBool>,
}

struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Tool for Endless {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("wait", "Waits.", json!({"type": "object", "properties": {}}), ToolKind::Reads)
    }

    fn run(&self, _: Value, _: Context) -> BoxFuture<'static, Result<Output, ErrorInfo>> {
        let (began, dropped) = (self.began.clone(), Dropped(self.dropped.clone()));
        async move {
            let _dropped = dropped;
            began.notify_one();
            std::future::pending().await
        }
        .boxed()
    }
}

#[tokio::test]
async fn while_a_tool_runs() {
    let model = Script::new().turn(|t| t.text("I wait. ").call("wait", json!({})).end("tool_calls")).start();
    let endless = Endless::default();
    let (began, dropped) = (endless.began.clone(), endless.dropped.clone());
    let tool: Arc<dyn Tool> = Arc::new(endless);
    let desk = Desk::with_tools(&model, vec![tool]).await;
    let turn = desk.ask("Wait.").await;
    within("the tool to begin", began.notified()).await;
    turn.stop();
    let told = desk.read(turn).await;
    assert!(dropped.load(Ordering::SeqCst), "the tool is gone");
    assert_eq!(
        transcript(&told.envelopes),
        [
            "asked Wait.",
            "action 1",
            "text I wait. ",
            "ended ToolCall",
            "tools 1",
            "call wait {}",
            "result Cancelled",
            "ended Stopped",
            "stopped"
        ]
    );
    let call = &told.report.tool_calls[0];
    assert_eq!(call.status, Some(ToolStatus::Cancelled));
    let query =
        Query::ToolCall { request_id: told.report.request_id, tool_call_id: call.tool_call_id.clone() };
    let Answer::ToolCall { call } = desk.engine.query(query).await.unwrap() else { panic!() };
    assert_eq!(call.result.as_deref(), Some(""), "nothing is left running in the records");
    model.finish();
}

#[tokio::test]
async fn while_the_database_does_not_answer() {
    let tool = Endless::default();
    let (began, dropped) = (tool.began.clone(), tool.dropped.clone());
    let model = Script::new().turn(|t| t.call("wait", json!({})).end("tool_calls")).start();
    let desk = Desk::with_tools(&model, vec![Arc::new(tool)]).await;
    let turn = desk.ask("Wait.").await;
    let request_id = turn.request_id();
    within("the tool to begin", began.notified()).await;
    let file = desk.data.path().join("data/orion.db");
    let mut other = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    // Whoever asks has the turn record first what it said, and that waits for the database.
    let engine = desk.engine.clone();
    let asking = tokio::spawn(async move { engine.query(Query::Events { request_id, after_seq: 0 }).await });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    turn.stop();
    let gone = async {
        while !dropped.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
    };
    within("the tool to be dropped", gone).await;
    assert!(!asking.is_finished(), "the database has not answered");
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    let told = desk.read(turn).await;
    assert_eq!(told.report.tool_calls[0].status, Some(ToolStatus::Cancelled));
    asking.await.unwrap().unwrap();
    let tool_call_id = told.report.tool_calls[0].tool_call_id.clone();
    let Answer::ToolCall { call } =
        desk.engine.query(Query::ToolCall { request_id, tool_call_id }).await.unwrap()
    else {
        panic!()
    };
    assert_eq!(call.result.as_deref(), Some(""), "nothing is left running in the records");
    model.finish();
}

#[tokio::test]
async fn a_reader_that_does_not_keep_up_holds_up_no_stop() {
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| {
            (0..20_000).fold(t, |t, n| t.text(&format!("x{n} "))).hold(&gate).chunking(Chunking::PerEvent)
        })
        .start();
    let desk = Desk::with(&model).await;
    let turn = desk.ask("Talk.").await;
    model.request(1).await;
    // Nobody reads the handle, and the connection is dropped all the same.
    turn.stop();
    model.dropped(1).await;
    assert_eq!(desk.read(turn).await.report.status, TurnStatus::Stopped);
}

#[tokio::test]
async fn letting_go_of_a_turn_stops_it() {
    let gate = Gate::new();
    let model = Script::new()
        .turn(|t| t.text("So far").hold(&gate).text(" no more").end("stop"))
        .turn(|t| t.text("Back.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Talk.").await;
    let request_id = turn.request_id();
    until_shown(&mut turn, "So far").await;
    drop(turn);
    assert_eq!(model.dropped(1).await.fate, Fate::Dropped);
    // The next message waits for nothing but the end of that turn.
    let mut next =
        desk.engine.run_turn(desk.session.session_id, "And now?".into(), TurnOptions::default()).await;
    while matches!(&next, Err(error) if error.code == Code::TurnActive) {
        tokio::task::yield_now().await;
        next = desk.engine.run_turn(desk.session.session_id, "And now?".into(), TurnOptions::default()).await;
    }
    assert_eq!(desk.read(next.unwrap()).await.report.answer, "Back.");
    let Answer::Events { envelopes } =
        desk.engine.query(Query::Events { request_id, after_seq: 0 }).await.unwrap()
    else {
        panic!()
    };
    assert_eq!(text(&envelopes), "So far");
    desk.check(&envelopes).await;
    model.finish();
}

#[tokio::test]
async fn a_session_runs_one_turn_at_a_time() {
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("One").hold(&gate).text(" is done.").end("stop")).start();
    let desk = Desk::with(&model).await;
    let turn = desk.ask("First").await;
    let refused = desk
        .engine
        .run_turn(desk.session.session_id, "Second".into(), TurnOptions::default())
        .await
        .unwrap_err();
    assert_eq!(refused.code, Code::TurnActive);
    assert!(refused.action.is_some());
    gate.open();
    assert_eq!(desk.read(turn).await.report.answer, "One is done.");
    model.finish();
}
