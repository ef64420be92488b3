//! A turn that cannot go on: the disk refuses, or Orion has a defect. It ends by its machine and replays the same (T3, T5).

use orion_protocol::{Query, TurnEvent, TurnState, TurnStatus};
use serde_json::json;
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use support::{Gate, Script, within};

use crate::driver_desk::{Desk, to_end, transcript, turns_of, until_shown};

/// From now on the database refuses to record events of these types.
async fn refuses(desk: &Desk, types: &str) {
    let file = desk.data.path().join("data/orion.db");
    let mut database = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
    let sql = format!(
        "CREATE TRIGGER refuses BEFORE INSERT ON journal
         WHEN NEW.kind = 'event' AND json_extract(NEW.body, '$.event.type') IN ({types})
         BEGIN SELECT RAISE(ABORT, 'a refusal that the test plants'); END"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut database).await.unwrap();
}

#[tokio::test]
async fn a_step_that_the_disk_refuses_ends_the_turn_and_the_turn_replays_the_same() {
    let gate = Gate::new();
    let call = json!({"path": "a.txt"});
    let model = Script::new()
        .turn(|t| t.text("I look. ").hold(&gate).call("read_file", call).end("tool_calls"))
        .turn(|t| t.text("Here again.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Read it.").await;
    let request_id = turn.request_id();
    let mut told = until_shown(&mut turn, "I look. ").await;
    // The question has what was streamed recorded first.
    desk.engine.query(Query::Events { request_id, after_seq: 0 }).await.unwrap();
    refuses(&desk, "'tool_call'").await;
    gate.open();
    told.extend(within("the turn to end", to_end(turn)).await);
    let expected = ["asked Read it.", "action 1", "text I look. ", "ended Failed", "failed Some(Storage)"];
    assert_eq!(transcript(&told), expected);
    desk.check(&told).await;
    assert_eq!(desk.turn("And now?").await.report.answer, "Here again.");
    model.finish();
}

#[tokio::test]
async fn an_end_that_the_disk_refuses_is_shown_and_said_not_to_be_saved() {
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("So far.").hold(&gate).end("stop")).start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Talk.").await;
    let mut told = until_shown(&mut turn, "So far.").await;
    refuses(&desk, "'completed', 'failed'").await;
    gate.open();
    told.extend(within("the turn to end", to_end(turn)).await);
    // J1: that it was answered is not on the disk, and so is never shown.
    let expected = ["asked Talk.", "action 1", "text So far.", "failed Some(Storage)"];
    assert_eq!(transcript(&told), expected);
    let report = told.last().unwrap().event.terminal().unwrap();
    assert_eq!((report.status, report.answer.as_str()), (TurnStatus::Failed, "So far."));
    let said = &report.error.as_ref().unwrap().message;
    assert!(
        said.ends_with("This end could not be saved: after a restart the turn shows as interrupted."),
        "{said}"
    );
    let stored = turns_of(&desk.engine, desk.session.session_id).await.remove(0);
    assert_eq!(stored.state, TurnState::Interrupted);
    assert!(!stored.envelopes.iter().any(|it| matches!(it.event, TurnEvent::Failed { .. })));
    model.finish();
}
