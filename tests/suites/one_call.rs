//! One call of a turn is read without the rest of the turn's journal, however long that is.

use std::path::Path;

use orion_protocol::{
    Answer, CallId, Code, Envelope, Op, Query, QuestionAnswer, QuestionsAnswer, Reply, RequestId, StoredCall,
    TurnEvent, TurnOptions,
};
use serde_json::json;
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use support::{Script, within};

use crate::driver_desk::{Desk, to_end};

/// Makes events of this type unreadable: whoever reads one of them fails.
async fn unreadable(desk: &Desk, types: &str) {
    desk.data.changes_journals();
    let file = desk.data.path().join("data/orion.db");
    let mut database = open(&file).await;
    let sql = "UPDATE journal SET body = CAST(replace(CAST(body AS BLOB), CAST('\"event\":' AS BLOB), x'22ff223a312c226576656e74223a') AS TEXT)
               WHERE kind = 'event' AND body ->> '$.event.type' IN (SELECT value FROM json_each(?))";
    let changed = sqlx::query(sql).bind(types).execute(&mut database).await.unwrap();
    assert!(changed.rows_affected() > 0, "{types}");
}

async fn open(file: &Path) -> sqlx::SqliteConnection {
    SqliteConnectOptions::new().filename(file).connect().await.unwrap()
}

async fn call(desk: &Desk, request_id: RequestId, tool_call_id: &CallId) -> StoredCall {
    let query = Query::ToolCall { request_id, tool_call_id: tool_call_id.clone() };
    let Answer::ToolCall { call } = desk.engine.query(query).await.unwrap() else { panic!() };
    call
}

fn ids(envelopes: &[Envelope]) -> Vec<CallId> {
    let ids = envelopes.iter().filter_map(|envelope| match &envelope.event {
        TurnEvent::ToolCall { tool_call_id, .. } => Some(vec![tool_call_id.clone()]),
        TurnEvent::Attached { files } => Some(files.iter().map(|file| file.tool_call_id.clone()).collect()),
        _ => None,
    });
    ids.flatten().collect()
}

#[tokio::test]
async fn a_call_a_question_and_a_file_that_came_along_are_read_alone() {
    // A8
    let question = json!({"id": "colour", "question": "Which colour?", "kind": "text"});
    let model = Script::new()
        .turn(|t| t.text("I look. ").call("read_file", json!({"path": "a.txt"})).end("tool_calls"))
        .turn(|t| t.call("ask_user", json!({"questions": [question]})).end("tool_calls"))
        .turn(|t| t.call("ask_user", json!({"questions": []})).end("tool_calls"))
        .turn(|t| t.text("It is done.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let options = TurnOptions { attach: vec!["b.txt".into()], ..TurnOptions::default() };
    let mut turn = desk.ask_with("Paint it.", options).await;
    let request_id = turn.request_id();
    let mut envelopes = Vec::new();
    let digest = loop {
        let batch = within("a question", turn.next()).await.unwrap();
        let asked = batch.iter().find_map(|it| match &it.event {
            TurnEvent::Asked { digest, .. } => Some(*digest),
            _ => None,
        });
        envelopes.extend(batch);
        if let Some(digest) = asked {
            break digest;
        }
    };
    assert_eq!(
        call(&desk, request_id, ids(&envelopes).last().unwrap()).await.result,
        None,
        "not answered yet"
    );
    let answer = QuestionsAnswer::Answered {
        answers: vec![QuestionAnswer { id: "colour".into(), answer: vec!["grey".into()] }],
    };
    desk.engine.submit(Op::Reply { request_id, digest, reply: Reply::Answer { answer } }).await.unwrap();
    envelopes.extend(within("the turn to end", to_end(turn)).await);
    model.finish();

    // Everything that stands between the beginning of the turn and its calls, and after them.
    unreadable(&desk, r#"["text_chunk", "phase_ended", "tool_result", "completed"]"#).await;
    let all = desk.engine.query(Query::Events { request_id, after_seq: 0 }).await.unwrap_err();
    assert_eq!(all.code, Code::Storage, "whoever reads everything fails");
    let mut told = Vec::new();
    for id in ids(&envelopes) {
        let StoredCall { name, result, .. } = call(&desk, request_id, &id).await;
        told.push((name, result.unwrap_or_default()));
    }
    let words = ["beta", "alpha", "- grey", "a list from 1 to 3 entries"];
    assert_eq!(
        told.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["read_file", "read_file", "ask_user", "ask_user"]
    );
    for ((_, result), word) in told.iter().zip(words) {
        assert!(result.contains(word), "{word}: {told:?}");
    }
}
