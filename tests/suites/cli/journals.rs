//! Journals from the command line: replayed, exported, and those that another version wrote (T5, T8).

use serde_json::json;
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use support::Script;

use super::writes::{on_disk, writer};
use super::{Desk, json as parsed, ran};

pub(super) fn sql(desk: &Desk, sql: &'static str) {
    desk.home.changes_journals();
    let file = desk.home.path().join("data/orion.db");
    let changed = async {
        let mut database = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
        sqlx::raw_sql(sql).execute(&mut database).await.unwrap().rows_affected()
    };
    assert!(tokio::runtime::Runtime::new().unwrap().block_on(changed) > 0, "{sql} changes nothing");
}

#[test]
fn a_turn_is_exported_as_text_with_what_its_tools_found() {
    let model = Script::new()
        .turn(|t| {
            t.reasoning("Let me see.")
                .text("I look. ")
                .call("read_file", json!({"path": "notes.txt"}))
                .end("tool_calls")
        })
        .turn(|t| t.text("It is ").text("42.").end("stop"))
        .start();
    let desk = Desk::new();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "What is the answer?"])).stdout);
    let (request, session) = (report["requestId"].as_str().unwrap(), report["sessionId"].as_str().unwrap());
    let exported = ran(&mut desk.orion(&["export", request]));
    assert_eq!((exported.code, exported.stderr.as_str()), (Some(0), ""));
    let expected = format!(
        "Turn {request}\nSession {session}\nModel scripted at command-line\n\n## You\n\nWhat is the answer?\n\n## Reasoning\n\nLet me see.\n\n## Orion\n\nI look. \n\n## read_file "
    );
    assert!(exported.stdout.starts_with(&expected), "{}", exported.stdout);
    assert!(exported.stdout.contains("The answer is 42.\n"), "{}", exported.stdout);
    assert!(
        exported.stdout.ends_with("\n## Orion\n\nIt is 42.\n\nThe turn completed.\n"),
        "{}",
        exported.stdout
    );
    model.finish();
}

#[test]
fn a_turn_of_another_version_is_named_by_its_first_different_event_and_can_be_rejected() {
    let model = writer().start();
    let desk = Desk::new();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "Make it 43."])).stdout);
    let request = report["requestId"].as_str().unwrap();
    model.finish();
    sql(
        &desk,
        "UPDATE journal SET body = json_set(body, '$.done.outcome.summary', 'Nothing')
         WHERE kind = 'input' AND body ->> '$.done.type' = 'tool'",
    );
    let replayed = ran(&mut desk.orion(&["replay", request]));
    assert_eq!(replayed.code, Some(1));
    let lines: Vec<&str> = replayed.stderr.lines().collect();
    assert!(
        lines[0].starts_with("recorded: {") && lines[0].contains("\"Write session for notes.txt\""),
        "{lines:?}"
    );
    assert!(lines[1].starts_with("now: {") && lines[1].contains("\"Nothing\""), "{lines:?}");
    assert_eq!(lines[2], "orion: Event 6 of this turn is not what was recorded.");
    assert_eq!(lines[4], "The first difference is in event.summary of tool_result, event 6 of the journal.");
    let approved = ran(&mut desk.orion(&["approve", request]));
    assert_eq!(approved.code, Some(1));
    assert!(approved.stderr.contains("written by another version of Orion"), "{}", approved.stderr);
    let shown = ran(&mut desk.orion(&["diff", request]));
    assert!(shown.stdout.contains("+The answer is 43."), "{}", shown.stdout);
    let rejected = ran(&mut desk.orion(&["approve", request, "--reject"]));
    assert_eq!((rejected.code, rejected.stdout.as_str()), (Some(130), ""), "{}", rejected.stderr);
    assert_eq!(on_disk(&desk, "notes.txt"), "The answer is 42.\n");
    let exported = ran(&mut desk.orion(&["export", request]));
    assert!(exported.stdout.ends_with("\nnotes.txt: rejected\n\nThe turn stopped.\n"), "{}", exported.stdout);
}
