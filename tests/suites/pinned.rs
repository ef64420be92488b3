//! A journal names everything that its turn was given. A turn is resumed only if those texts are still the same (T8,
//! T9).

use std::sync::Arc;

use orion_engine::Engine;
use orion_protocol::{
    Answer, Code, Envelope, Op, Query, Reply, RequestId, Sha256, TurnEvent, TurnPlace, TurnState, TurnStatus,
};
use orion_providers::Providers;
use serde_json::json;
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use support::{Folder, Script, ScriptedModel};

use crate::driver_desk::{Desk, options, tuning};

/// A session of two turns, the second of which has read a file and waits with a write, as it lies on the disk.
struct Waiting {
    data: Folder,
    folder: Folder,
    request_id: RequestId,
    digest: Sha256,
}

impl Waiting {
    async fn new() -> Self {
        let begin = json!({"intent": "As you asked.", "target_file": "b.txt", "operation": "overwrite"});
        let model = Script::new()
            .turn(|t| t.text("Hello.").end("stop"))
            .turn(|t| t.call("read_file", json!({"path": "a.txt"})).end("tool_calls"))
            .turn(|t| t.call("write_plan_begin", begin).end("tool_calls"))
            .turn(|t| t.text("gamma\nDONE").end("stop"))
            .start();
        let desk = Desk::with(&model).await;
        desk.turn("Good morning.").await;
        let mut turn = desk.ask("Make it gamma.").await;
        let request_id = turn.request_id();
        let digest = loop {
            let batch = turn.next().await.expect("the turn asks");
            if let Some(digest) = batch.iter().find_map(asked) {
                break digest;
            }
        };
        desk.engine.close().await.unwrap();
        model.finish();
        let Desk { data, folder, .. } = desk;
        Self { data, folder, request_id, digest }
    }

    async fn sql(&self, sql: &str) -> u64 {
        self.data.changes_journals();
        let file = self.data.path().join("data/orion.db");
        let mut database = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
        let sql = sqlx::AssertSqlSafe(sql.replace("THIS", &format!("'{}'", self.request_id)));
        sqlx::raw_sql(sql).execute(&mut database).await.unwrap().rows_affected()
    }

    async fn engine(&self, model: &ScriptedModel) -> Engine {
        let options = options(&self.data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
        Engine::open(options).await.unwrap()
    }

    fn answer(&self, granted: bool) -> Op {
        Op::Reply {
            request_id: self.request_id,
            digest: self.digest,
            reply: if granted { Reply::YES } else { Reply::NO },
        }
    }
}

fn asked(envelope: &Envelope) -> Option<Sha256> {
    match &envelope.event {
        TurnEvent::Asked { digest, .. } => Some(*digest),
        _ => None,
    }
}

async fn events(engine: &Engine, request_id: RequestId) -> Vec<Envelope> {
    let query = Query::Events { request_id, after_seq: 0 };
    let Answer::Events { envelopes } = engine.query(query).await.unwrap() else { panic!() };
    envelopes
}

async fn state(engine: &Engine, request_id: RequestId) -> TurnState {
    let session_id = events(engine, request_id).await[0].session_id;
    let query = Query::Session { session_id, place: TurnPlace::Newest, turns: 50 };
    let Answer::Session { page } = engine.query(query).await.unwrap() else { panic!() };
    page.turns.iter().find(|turn| turn.request_id == request_id).unwrap().state
}

const TOOL_ROW: &str = "UPDATE journal SET body = json_set(body, '$.done.outcome.status', 'failed')
    WHERE request_id = THIS AND kind = 'input' AND body ->> '$.done.type' = 'tool'";

/// What is changed in a database, and how. Each has to change a row.
const CHANGES: [(&str, &str); 14] = [
    ("the status of an outcome", TOOL_ROW),
    (
        "which body an outcome names",
        "UPDATE journal SET body = json_set(body, '$.body', (SELECT sha256 FROM turn_texts LIMIT 1))
         WHERE request_id = THIS AND kind = 'input' AND body ->> '$.done.type' = 'tool'",
    ),
    (
        "the digest of an outcome, to one of nothing",
        "UPDATE journal SET body = json_set(body, '$.body', printf('%064d', 0))
         WHERE request_id = THIS AND kind = 'input' AND body ->> '$.done.type' = 'tool'",
    ),
    (
        "the body of an outcome",
        "UPDATE blobs SET body = CAST('~' || substr(CAST(body AS TEXT), 2) AS BLOB) WHERE sha256 IN
         (SELECT body ->> '$.body' FROM journal WHERE request_id = THIS AND kind = 'input' AND body ->> '$.done.type' = 'tool')",
    ),
    (
        "a text of the history",
        "UPDATE blobs SET body = CAST(replace(CAST(body AS TEXT), 'morning', 'evening') AS BLOB)
         WHERE CAST(body AS TEXT) LIKE '%Good morning.%'",
    ),
    (
        "which text stands in the history",
        "UPDATE turn_texts SET sha256 = (SELECT sha256 FROM turn_texts WHERE request_id = THIS AND kind = 'said')
         WHERE request_id <> THIS AND kind = 'said'",
    ),
    (
        "what was cut from a result",
        "UPDATE journal SET body = json_set(body, '$.done.outcome.cut', 'The rest is not worth reading.')
         WHERE request_id = THIS AND kind = 'input' AND body ->> '$.done.type' = 'tool'",
    ),
    (
        "the files on which a result depends",
        "UPDATE journal SET body = json_set(body, '$.done.outcome.seen', json('[]'))
         WHERE request_id = THIS AND kind = 'input' AND body ->> '$.done.type' = 'tool'",
    ),
    (
        "a setting of the model",
        "UPDATE journal SET body = json_set(body, '$.setup.tuning', json('{\"temperature\":0.5}'))
         WHERE request_id = THIS AND n = 1",
    ),
    (
        "what a tool was said to do",
        "UPDATE blobs SET body = CAST(replace(CAST(body AS TEXT), 'file', 'pile') AS BLOB) WHERE sha256 IN
         (SELECT body ->> '$.tools' FROM journal WHERE request_id = THIS AND n = 1)",
    ),
    (
        "the system text",
        "UPDATE blobs SET body = CAST(body || 'Obey files.' AS BLOB), bytes = bytes + 11 WHERE sha256 IN
         (SELECT body ->> '$.system' FROM journal WHERE request_id = THIS AND n = 1)",
    ),
    (
        "a number of the policy",
        "UPDATE journal SET body = json_set(body, '$.setup.policy.maxCycles', 20) WHERE request_id = THIS AND n = 1",
    ),
    (
        "a recorded event",
        "UPDATE journal SET body = json_set(body, '$.event.summary', 'much') WHERE request_id = THIS
         AND kind = 'event' AND body ->> '$.event.type' = 'tool_result'",
    ),
    (
        "the version of the machine, to a later one",
        "UPDATE journal SET body = json_insert(body, '$.setup.flags[#]', 999) WHERE request_id = THIS AND n = 1",
    ),
];

// T8
#[tokio::test]
async fn a_turn_whose_journal_is_not_what_it_was_is_never_resumed_and_can_be_read_and_rejected() {
    for (what, change) in CHANGES {
        let waiting = Waiting::new().await;
        assert!(waiting.sql(change).await > 0, "{what} is not changed");
        let model = Script::new().start();
        let engine = waiting.engine(&model).await;
        let before = events(&engine, waiting.request_id).await;
        assert_eq!(before.iter().rev().find_map(asked), Some(waiting.digest), "{what}");
        assert_eq!(state(&engine, waiting.request_id).await, TurnState::OtherVersion, "{what}");
        let query = Query::Write { request_id: waiting.request_id, write: 1 };
        assert!(matches!(engine.query(query).await, Ok(Answer::Write { .. })), "{what}");
        let approved = engine.submit(waiting.answer(true)).await.unwrap_err();
        assert_eq!(approved.code, Code::OtherVersion, "{what}");
        // A new message is told what the turn waits for, as everywhere.
        let message = engine.run_turn(before[0].session_id, "And now?".into(), Default::default()).await;
        let told = message.err().unwrap();
        assert_eq!((told.code, told.request_id), (Code::TurnWaiting, Some(waiting.request_id)), "{what}");
        let resumed = engine.resume_turn(waiting.request_id, None).await.unwrap_err();
        assert_eq!(resumed.code, Code::OtherVersion, "{what}");
        assert_eq!(events(&engine, waiting.request_id).await, before, "{what}: nothing is changed by that");

        engine.submit(waiting.answer(false)).await.unwrap();
        assert_eq!(state(&engine, waiting.request_id).await, TurnState::Over, "{what}");
        let after = events(&engine, waiting.request_id).await;
        let told: Vec<String> = after[before.len()..].iter().map(|event| kind(&event.event)).collect();
        assert_eq!(told, ["answered", "write_done", "stopped"], "{what}");
        let seqs: Vec<u32> = after.iter().filter(|e| e.event.is_durable()).map(|e| e.seq).collect();
        assert_eq!(seqs, (1..=u32::try_from(seqs.len()).unwrap()).collect::<Vec<_>>(), "T2");
        assert_eq!(waiting.folder.read("b.txt"), b"beta\n", "{what}");
        engine.close().await.unwrap();
        model.finish();
    }
}

// A3, A7, T8
#[tokio::test]
async fn what_was_approved_before_another_version_came_cannot_be_rejected_any_more() {
    let waiting = Waiting::new().await;
    let given = "INSERT INTO journal (request_id, n, kind, seq, at_ms, body)
                 SELECT request_id, n + 1, kind, seq + 1, at_ms, json_set(body, '$.seq', seq + 1, '$.event',
                     json_object('type', 'answered', 'digest', body ->> '$.event.digest', 'given',
                         json_object('type', 'allowed', 'edited', NULL, 'kept', NULL)))
                 FROM journal WHERE request_id = THIS AND body ->> '$.event.type' = 'asked'";
    assert_eq!(waiting.sql(given).await, 1);
    let model = Script::new().start();
    let engine = waiting.engine(&model).await;
    let before = events(&engine, waiting.request_id).await;
    let rejected = engine.submit(waiting.answer(false)).await.unwrap_err();
    assert_eq!(rejected.code, Code::NotWaiting);
    assert_eq!(events(&engine, waiting.request_id).await, before, "nothing is changed by that");
    engine.submit(Op::StopTurn { request_id: waiting.request_id }).await.unwrap();
    let after = events(&engine, waiting.request_id).await;
    let told: Vec<String> = after[before.len()..].iter().map(|event| kind(&event.event)).collect();
    assert_eq!(told, ["write_done", "stopped"]);
    engine.close().await.unwrap();
    model.finish();
}

fn kind(event: &TurnEvent) -> String {
    serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned()
}

// T8
#[tokio::test]
async fn a_journal_is_run_once_for_all_pages_and_anew_to_be_resumed() {
    let waiting = Waiting::new().await;
    let model = Script::new().start();
    let engine = waiting.engine(&model).await;
    assert_eq!(state(&engine, waiting.request_id).await, TurnState::Waiting);
    // Nobody changes the rows of a journal. Done all the same, it shows that they are not read again.
    assert!(waiting.sql(TOOL_ROW).await > 0);
    assert_eq!(state(&engine, waiting.request_id).await, TurnState::Waiting);
    assert_eq!(engine.submit(waiting.answer(true)).await.unwrap_err().code, Code::OtherVersion);
    assert_eq!(waiting.folder.read("b.txt"), b"beta\n");
    engine.close().await.unwrap();
    model.finish();
}

// A4, T8
#[tokio::test]
async fn a_turn_of_another_version_can_be_stopped_and_asked_anew() {
    let waiting = Waiting::new().await;
    waiting.sql(TOOL_ROW).await;
    let model = Script::new().turn(|t| t.text("Anew.").end("stop")).start();
    let engine = waiting.engine(&model).await;
    engine.submit(Op::StopTurn { request_id: waiting.request_id }).await.unwrap();
    let events = events(&engine, waiting.request_id).await;
    let report = events.last().unwrap().event.terminal().unwrap().clone();
    assert_eq!((report.status, report.cycles, report.model_calls), (TurnStatus::Stopped, 2, 2));
    assert_eq!((report.tool_runs, report.write_prompts, report.writes.len()), (2, 1, 1));
    // Once.
    let again = engine.submit(Op::StopTurn { request_id: waiting.request_id }).await.unwrap_err();
    assert_eq!(again.code, Code::TurnOver);
    let turn = engine.run_turn(events[0].session_id, "Again.".into(), Default::default()).await.unwrap();
    let report = turn.report().await.unwrap();
    assert_eq!((report.answer.as_str(), report.parent_request_id), ("Anew.", Some(waiting.request_id)));
    engine.close().await.unwrap();
    model.finish();
}

// T8: fields that are new since, and those that nobody knows, do not count.
#[tokio::test]
async fn a_journal_without_a_new_field_and_with_an_unknown_one_is_resumed() {
    let waiting = Waiting::new().await;
    let changed = waiting
        .sql(
            "UPDATE journal SET body = json_set(json_remove(body, '$.event.sha256'), '$.event.novel', json('[1]'))
             WHERE request_id = THIS AND kind = 'event'",
        )
        .await;
    assert!(changed > 0);
    let model = Script::new().turn(|t| t.text("Done.").end("stop")).start();
    let engine = waiting.engine(&model).await;
    assert_eq!(state(&engine, waiting.request_id).await, TurnState::Waiting);
    let turn = engine.resume_turn(waiting.request_id, None).await.unwrap();
    engine.submit(waiting.answer(true)).await.unwrap();
    let report = turn.report().await.unwrap();
    assert_eq!(report.answer, "Done.");
    assert_eq!(waiting.folder.read("b.txt"), b"gamma\n");
    let replayed = engine.replay(waiting.request_id).await.unwrap();
    assert!(replayed.is_same(), "{:?}", replayed.difference);
    engine.close().await.unwrap();
    model.finish();
}

// T8, T9: each text is kept once, and the row of a turn is as long in a long session as in a short one.
#[tokio::test]
async fn a_turn_costs_no_more_space_in_a_long_session() {
    const TURNS: usize = 40;
    let model = (0..TURNS).fold(Script::new(), |model, n| {
        model.turn(move |t| t.text(&format!("Answer {n} {}", "words ".repeat(100))).end("stop"))
    });
    let model = model.start();
    let desk = Desk::with(&model).await;
    let mut parents = vec![None];
    for n in 0..TURNS {
        let told = desk.turn(&format!("Question {n} {}", "words ".repeat(100))).await;
        assert_eq!(Some(told.report.parent_request_id), parents.last().copied(), "T9");
        parents.push(Some(told.report.request_id));
    }
    desk.engine.close().await.unwrap();
    model.finish();
    let file = desk.data.path().join("data/orion.db");
    let mut database = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
    let texts: (i64, i64) =
        sqlx::query_as("SELECT count(*), count(DISTINCT sha256) FROM turn_texts WHERE kind = 'said'")
            .fetch_one(&mut database)
            .await
            .unwrap();
    assert_eq!(texts, (2 * TURNS as i64, 2 * TURNS as i64));
    let blobs: i64 = sqlx::query_scalar("SELECT count(*) FROM blobs").fetch_one(&mut database).await.unwrap();
    assert_eq!(blobs, 2 * TURNS as i64 + 2, "the system text and the tools are kept once");
    let setups: Vec<i64> = sqlx::query_scalar(
        "SELECT length(body) FROM journal JOIN turns USING (request_id) WHERE n = 1 ORDER BY ordinal",
    )
    .fetch_all(&mut database)
    .await
    .unwrap();
    // A number may have another digit.
    assert!(setups[TURNS - 1] <= setups[1] + 8, "{setups:?}");
}
