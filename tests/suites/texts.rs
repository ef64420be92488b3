//! What a person says while an answer streams (A9) parts its text for no reader: not in a document, not for a search, and not in the report
//! of a turn that is ended without its machine (T5, T8).

use std::process::Command;
use std::sync::Arc;

use orion_engine::Engine;
use orion_protocol::{
    Answer, ChangesOf, Envelope, ExportFormat, FindHit, FindPart, Op, Query, RequestId, Sha256, TurnEvent,
};
use orion_providers::Providers;
use serde_json::json;
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use support::{Gate, Script, binary, within};

use crate::driver_desk::{Desk, options, to_end, tuning, until_shown};

const SAID: &str = "It is unchanged.";
const STEERED: &str = "And the other one?";

async fn steer(engine: &Engine, request_id: RequestId) {
    engine.submit(Op::Steer { request_id, text: STEERED.into() }).await.unwrap();
}

/// A turn whose answer was half there when a person said something.
async fn steered() -> (Desk, RequestId) {
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("It is un").hold(&gate).text("changed.").end("stop")).start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Has a.txt changed?").await;
    let request_id = turn.request_id();
    let mut envelopes = until_shown(&mut turn, "It is un").await;
    steer(&desk.engine, request_id).await;
    gate.open();
    envelopes.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&envelopes).await;
    let between = envelopes.iter().map(|it| it.event.chunk().is_some()).collect::<Vec<_>>();
    let at = envelopes.iter().position(|it| matches!(it.event, TurnEvent::Steered { .. })).unwrap();
    assert!(between[..at].contains(&true) && between[at..].contains(&true), "the message is between the two");
    model.finish();
    (desk, request_id)
}

// A9
#[tokio::test]
async fn a_document_has_the_answer_whole_and_the_message_after_it() {
    let (desk, request_id) = steered().await;
    for format in [ExportFormat::Markdown, ExportFormat::Html] {
        let export = desk.engine.export(ChangesOf::Turn { request_id }, format, false).await.unwrap();
        let page = String::from_utf8(export.content).unwrap();
        let [answer, message] = [SAID, STEERED].map(|text| page.find(text).expect(&page));
        assert!(answer < message, "{page}");
    }
    let data = desk.data.path();
    desk.engine.close().await.unwrap();
    let mut orion = Command::new(binary("orion"));
    orion.args(["export", &request_id.to_string(), "--format", "text"]);
    let homes = ["HOME", "ORION_CONFIG_DIR", "ORION_DATA_DIR"].into_iter();
    orion.env_clear().envs(homes.zip([data.clone(), data.join("config"), data.join("data")]));
    let exported = orion.output().unwrap();
    let exported = String::from_utf8(exported.stdout).unwrap();
    let parts = "\n## You\n\nHas a.txt changed?\n\n## Orion\n\nIt is unchanged.\n\n## You\n\nAnd the other one?\n\nThe turn completed.\n";
    assert!(exported.ends_with(parts), "{exported}");
}

// A9
#[tokio::test]
async fn a_word_is_found_that_came_in_two_pieces() {
    let (desk, request_id) = steered().await;
    let session_id = desk.session.session_id;
    let query = Query::Find { session_id, text: "unchanged".into(), from: None };
    let Answer::Find { page } = desk.engine.query(query).await.unwrap() else { panic!() };
    let [FindHit { request_id: of, part: FindPart::Text { .. }, times: 1 }] = page.hits.as_slice() else {
        panic!("{:?}", page.hits)
    };
    assert_eq!(*of, request_id);
}

fn asked(envelope: &Envelope) -> Option<Sha256> {
    match &envelope.event {
        TurnEvent::Asked { digest, .. } => Some(*digest),
        _ => None,
    }
}

// A4, A9, T8
#[tokio::test]
async fn the_report_of_a_turn_of_another_version_has_the_text_as_it_was_said() {
    let gate = Gate::new();
    let begin = json!({"intent": "As you asked.", "target_file": "b.txt", "operation": "overwrite"});
    let model = Script::new()
        .turn(|t| {
            t.text("It is un").hold(&gate).text("changed.").call("write_plan_begin", begin).end("tool_calls")
        })
        .turn(|t| t.text("gamma\nDONE").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Has a.txt changed? Change b.txt.").await;
    let request_id = turn.request_id();
    until_shown(&mut turn, "It is un").await;
    steer(&desk.engine, request_id).await;
    gate.open();
    while !within("the preview", turn.next()).await.unwrap().iter().any(|it| asked(it).is_some()) {}
    model.finish();
    let Desk { engine, data, folder: _folder, .. } = desk;
    engine.close().await.unwrap();
    // It has the turn as long as it is there.
    drop((engine, turn));

    data.changes_journals();
    let file = data.path().join("data/orion.db");
    let mut database = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
    let changed = sqlx::raw_sql(
        "UPDATE journal SET body = json_set(body, '$.done.outcome.summary', 'Nothing')
         WHERE kind = 'input' AND body ->> '$.done.type' = 'tool'",
    );
    assert_eq!(changed.execute(&mut database).await.unwrap().rows_affected(), 1);
    drop(database);

    let model = Script::new().start();
    let options = options(&data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
    let engine = Engine::open(options).await.unwrap();
    engine.submit(Op::StopTurn { request_id }).await.unwrap();
    let Answer::Events { envelopes } =
        engine.query(Query::Events { request_id, after_seq: 0 }).await.unwrap()
    else {
        panic!()
    };
    assert_eq!(envelopes.last().unwrap().event.terminal().unwrap().answer, SAID);
    engine.close().await.unwrap();
    model.finish();
}
