//! Journals of the first version and of one with a flag less (`tests/golden`), in this Orion: they replay to the same events, and what waits in them
//! goes on by the rules that it began with (T5, T8).

use std::sync::Arc;

use orion_engine::Engine;
use orion_protocol::{
    Answer, Envelope, Op, Query, Reply, RequestId, Sha256, TurnEvent, TurnReport, TurnStatus, WriteStatus,
};
use orion_providers::Providers;
use orion_store::Store;
use serde_json::json;
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
        let files = [
            ("notes.txt", "The answer is 42.\n"),
            ("src/main.c", "int main;\n"),
            ("README.md", "# Foxes\n\nA project about foxes.\n"),
        ];
        let golden = Self { data: Folder::empty(), project: Folder::with(files) };
        let store = Store::open(&golden.data.path().join("data")).await.unwrap();
        store.close().await.unwrap();
        let rows = std::fs::read_to_string(format!("{}/golden/{name}.sql", env!("CARGO_MANIFEST_DIR")));
        golden.sql(&format!("PRAGMA foreign_keys = OFF; {}", rows.unwrap())).await;
        golden.sql(&format!("UPDATE projects SET path = '{}'", golden.project.path().display())).await;
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

// T5, T8
#[tokio::test]
async fn the_journals_of_earlier_versions_replay_the_same() {
    for name in ["first", "without_a_flag"] {
        let golden = Golden::of(name).await;
        let model = Script::new().start();
        let engine = golden.engine(&model).await;
        let turns = golden.turns().await;
        assert_eq!(turns.len(), 3);
        for (number, request_id) in (1..).zip(turns) {
            let replayed = engine.replay(request_id).await.unwrap();
            assert!(replayed.is_same(), "turn {number} of {name}: {:?}", replayed.difference);
            assert!(
                replayed.recorded.len() > 10 && replayed.unknown_flags.is_empty(),
                "turn {number} of {name}"
            );
        }
        engine.close().await.unwrap();
    }
}

fn asked(envelopes: &[Envelope]) -> Sha256 {
    let asked = envelopes.iter().rev().find_map(|envelope| match &envelope.event {
        TurnEvent::Asked { digest, .. } => Some(*digest),
        _ => None,
    });
    asked.unwrap()
}

/// Answers the write that waits, with a model that reads a file of the turn before and then answers, and reads the turn to its end.
async fn answered(golden: &Golden, granted: bool) -> TurnReport {
    let read = json!({"path": "notes.txt"});
    let model = Script::new()
        .turn(|t| t.call("read_file", read).end("tool_calls"))
        .turn(|t| t.text("As you like.").end("stop"))
        .start();
    let engine = golden.engine(&model).await;
    let request_id = golden.turns().await[1];
    let digest = asked(&events(&engine, request_id).await);
    let turn = engine.resume_turn(request_id, Some("scripted".into())).await.unwrap();
    engine
        .submit(Op::Reply { request_id, digest, reply: if granted { Reply::YES } else { Reply::NO } })
        .await
        .unwrap();
    let envelopes = within("the turn to end", to_end(turn)).await;
    model.finish();
    assert!(engine.replay(request_id).await.unwrap().is_same(), "T5");
    engine.close().await.unwrap();
    envelopes.last().unwrap().event.terminal().unwrap().clone()
}

// T8, X6, W7
#[tokio::test]
async fn what_waits_goes_on_by_the_rules_that_it_began_with() {
    // The box of the turn before answers the read, or the tool runs again.
    for (name, reused) in [("first", 1), ("without_a_flag", 0)] {
        let golden = Golden::of(name).await;
        let report = answered(&golden, true).await;
        assert_eq!((report.status, report.answer.as_str()), (TurnStatus::Completed, "As you like."));
        assert_eq!((name, report.reused, report.tool_runs), (name, reused, 2 - reused));
        assert_eq!(report.writes[0].status, Some(WriteStatus::Written));
        assert_eq!(golden.project.read("answer.txt"), b"42\n");
    }
}

// T8, A6
#[tokio::test]
async fn a_write_that_waits_in_a_journal_of_an_earlier_version_can_be_rejected() {
    let golden = Golden::of("first").await;
    let report = answered(&golden, false).await;
    assert_eq!((report.status, report.answer.as_str()), (TurnStatus::Completed, "As you like."));
    assert_eq!(report.writes[0].status, Some(WriteStatus::Rejected));
    assert!(!golden.project.path().join("answer.txt").exists());
}

// T8
#[tokio::test]
async fn a_turn_by_a_rule_that_is_not_known_here_is_not_gone_on_with() {
    let golden = Golden::of("first").await;
    golden.data.changes_journals();
    golden
        .sql("UPDATE journal SET body = json_insert(body, '$.setup.flags[#]', 999) WHERE kind = 'input' AND n = 1")
        .await;
    let model = Script::new().start();
    let engine = golden.engine(&model).await;
    let request_id = golden.turns().await[1];
    let refused = engine.resume_turn(request_id, Some("scripted".into())).await.unwrap_err();
    assert_eq!(refused.code, orion_protocol::Code::OtherVersion);
    assert_eq!(engine.replay(request_id).await.unwrap().unknown_flags, [999]);
    engine.close().await.unwrap();
}
