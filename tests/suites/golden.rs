//! Journals of earlier versions of Orion (`tests/golden`), opened by this one. Each replays the same, or is reported
//! as one of another version. What waits in them, or was interrupted, can be answered (T5, T8).
//!
//! A line of the table below changes only together with the machine's version, which takes a decision record.

use std::sync::Arc;

use orion_engine::Engine;
use orion_protocol::{
    Answer, Envelope, Op, Query, RequestId, Sha256, TurnEvent, TurnReport, TurnStatus, WriteStatus,
};
use orion_providers::Providers;
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use support::{Folder, Script, ScriptedModel, within};

use crate::driver_desk::{options, to_end, tuning};

/// A golden journal in a data folder of its own, with the project's folder as it was.
struct Golden {
    data: Folder,
    project: Folder,
}

impl Golden {
    async fn of(name: &str) -> Self {
        let data = Folder::with([("data/orion.db", "")]);
        let files = [
            ("notes.txt", "The answer is 42.\n"),
            ("src/main.c", "int main;\n"),
            ("README.md", "# Foxes\n\nA project about foxes.\n"),
        ];
        let golden = Self { data, project: Folder::with(files) };
        let dump = std::fs::read_to_string(format!("{}/golden/{name}.sql", env!("CARGO_MANIFEST_DIR")));
        golden.sql(&format!("PRAGMA foreign_keys = OFF; {}", dump.unwrap())).await;
        let path = golden.project.path();
        golden.sql(&format!("UPDATE projects SET path = '{}'", path.display())).await;
        golden
    }

    async fn database(&self) -> sqlx::SqliteConnection {
        let file = self.data.path().join("data/orion.db");
        SqliteConnectOptions::new().filename(file).connect().await.unwrap()
    }

    async fn sql(&self, sql: &str) {
        let sql = sqlx::AssertSqlSafe(sql.to_owned());
        sqlx::raw_sql(sql).execute(&mut self.database().await).await.unwrap();
    }

    /// Its turns in the order they began.
    async fn turns(&self) -> Vec<RequestId> {
        let sql = "SELECT request_id FROM turns ORDER BY started_at_ms";
        let ids: Vec<String> = sqlx::query_scalar(sql).fetch_all(&mut self.database().await).await.unwrap();
        ids.iter().map(|id| id.parse().unwrap()).collect()
    }

    async fn engine(&self, model: &ScriptedModel) -> Engine {
        let options = options(&self.data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
        Engine::open(options).await.unwrap()
    }
}

async fn events(engine: &Engine, request_id: RequestId) -> Vec<Envelope> {
    let query = Query::Events { request_id, after_seq: 0 };
    let Answer::Events { envelopes } = engine.query(query).await.unwrap() else { panic!() };
    envelopes
}

fn nobody() -> ScriptedModel {
    Script::new().start()
}

// T5, T8
#[tokio::test]
async fn journals_of_earlier_versions_replay_the_same() {
    let mut found = Vec::new();
    for name in ["two_stage", "unified", "ends", "written", "waiting", "killed"] {
        let golden = Golden::of(name).await;
        let engine = golden.engine(&nobody()).await;
        for (number, request_id) in (1..).zip(golden.turns().await) {
            let replayed = engine.replay(request_id).await.unwrap();
            let same = if replayed.is_same() { "the same" } else { "another version" };
            found.push(format!("{name} {number}: {same}"));
        }
        engine.close().await.unwrap();
    }
    let expected = [
        "two_stage 1: the same",
        "two_stage 2: the same",
        "two_stage 3: the same",
        "unified 1: the same",
        "unified 2: the same",
        "ends 1: the same",
        "ends 2: the same",
        "ends 3: the same",
        "written 1: the same",
        "waiting 1: the same",
        "killed 1: the same",
        "killed 2: the same",
        "killed 3: the same",
    ];
    assert_eq!(found, expected);
}

fn asked(envelopes: &[Envelope]) -> Sha256 {
    let asked = envelopes.iter().rev().find_map(|envelope| match &envelope.event {
        TurnEvent::ApprovalRequested { digest, .. } => Some(*digest),
        _ => None,
    });
    asked.unwrap()
}

/// Answers the write that waits, with a model that says this then, and reads the turn to its end.
async fn answered(golden: &Golden, granted: bool) -> TurnReport {
    let model = Script::new().turn(|t| t.text("As you like.").end("stop")).start();
    let engine = golden.engine(&model).await;
    let request_id = golden.turns().await[0];
    let digest = asked(&events(&engine, request_id).await);
    let turn = engine.resume_turn(request_id, Some("scripted".into())).await.unwrap();
    engine.submit(Op::Approve { request_id, digest, granted }).await.unwrap();
    let envelopes = within("the turn to end", to_end(turn)).await;
    model.finish();
    assert!(engine.replay(request_id).await.unwrap().is_same(), "T5");
    engine.close().await.unwrap();
    envelopes.last().unwrap().event.terminal().unwrap().clone()
}

// T8, W7
#[tokio::test]
async fn a_write_that_waits_in_a_journal_of_an_earlier_version_can_be_approved() {
    let golden = Golden::of("waiting").await;
    let report = answered(&golden, true).await;
    assert_eq!((report.status, report.answer.as_str()), (TurnStatus::Completed, "As you like."));
    assert_eq!(report.writes[0].status, Some(WriteStatus::Written));
    assert_eq!(golden.project.read("notes.txt"), b"The answer is 43.\n");
}

#[tokio::test]
async fn a_write_that_waits_in_a_journal_of_an_earlier_version_can_be_rejected() {
    let golden = Golden::of("waiting").await;
    let report = answered(&golden, false).await;
    assert_eq!((report.status, report.answer.as_str()), (TurnStatus::Completed, "As you like."));
    assert_eq!(report.writes[0].status, Some(WriteStatus::Rejected));
    assert_eq!(golden.project.read("notes.txt"), b"The answer is 42.\n");
}

// A4, A5
#[tokio::test]
async fn a_turn_of_an_earlier_version_that_was_killed_is_found_and_can_be_stopped() {
    let golden = Golden::of("killed").await;
    let engine = golden.engine(&nobody()).await;
    engine.query(Query::State).await.unwrap();
    let turns = golden.turns().await;
    for request_id in &turns[..2] {
        assert_eq!(events(&engine, *request_id).await.last().unwrap().event, TurnEvent::Interrupted);
    }
    // A4: an answer that broke off is stopped, and nobody is asked to go on with it.
    engine.submit(Op::StopTurn { request_id: turns[0] }).await.unwrap();
    let told = events(&engine, turns[0]).await;
    assert_eq!(told.last().unwrap().event.terminal().unwrap().status, TurnStatus::Stopped);
    engine.submit(Op::StopTurn { request_id: turns[1] }).await.unwrap();
    let events = events(&engine, turns[1]).await;
    let report = events.last().unwrap().event.terminal().unwrap();
    assert_eq!(report.status, TurnStatus::Stopped);
    assert_eq!(report.writes[0].status, Some(WriteStatus::Discarded));
    assert_eq!(golden.project.read("notes.txt"), b"The answer is 42.\n");
    engine.close().await.unwrap();
}
