//! Lists for people and for scripts: tools, models, sessions, the trace of a turn.

use futures_util::future::join_all;
use orion_store::Store;
use serde_json::{Value, json};
use support::Script;

use super::{Desk, json as parsed, ran};

fn column(list: &Value, key: &str) -> Vec<Value> {
    list.as_array().unwrap().iter().map(|item| item[key].clone()).collect()
}

#[test]
fn tools_are_listed_with_the_stricter_of_the_users_and_the_projects_permission() {
    let desk = Desk::with_settings("[tools.read_file]\npermission = 'ask'\n");
    desk.project.write(".orion/config.toml", "[tools.search_files]\npermission = 'deny'\n");
    let listed = parsed(&ran(&mut desk.orion(&["tools", "--json"])).stdout);
    let permissions: Vec<(Value, Value)> =
        column(&listed, "name").into_iter().zip(column(&listed, "permission")).collect();
    for expected in
        [("list_files", "allow"), ("read_file", "ask"), ("search_files", "deny"), ("file_info", "allow")]
    {
        assert!(
            permissions.contains(&(json!(expected.0), json!(expected.1))),
            "{expected:?} in {permissions:?}"
        );
    }
    let text = ran(&mut desk.orion(&["tools"]));
    assert_eq!(
        (text.code, text.stderr.as_str(), text.stdout.lines().count()),
        (Some(0), "", permissions.len())
    );
}

#[test]
fn models_are_those_the_endpoint_lists() {
    let model = Script::new().models(["one", "two"]).start();
    let desk = Desk::new();
    let text = ran(&mut desk.orion(&["models", "--base-url", &model.base_url()]));
    assert_eq!((text.code, text.stdout.as_str()), (Some(0), "one\ntwo\n"), "{}", text.stderr);
    let listed = parsed(&ran(&mut desk.orion(&["models", "--json", "--base-url", &model.base_url()])).stdout);
    assert_eq!(column(&listed, "id"), [json!("one"), json!("two")]);
    model.finish();
}

#[test]
fn sessions_are_those_of_the_project_the_newest_first_and_listing_makes_none() {
    let model = Script::new().turn(|t| t.text("1").end("stop")).turn(|t| t.text("2").end("stop")).start();
    let desk = Desk::new();
    assert_eq!(ran(&mut desk.orion(&["sessions"])).stdout, "");
    for message in ["The older one", "The newer one"] {
        assert_eq!(ran(&mut desk.run(&model, &[message])).code, Some(0));
    }
    let listed = parsed(&ran(&mut desk.orion(&["sessions", "--json"])).stdout);
    assert_eq!(column(&listed, "title"), [json!("The newer one"), json!("The older one")]);
    let elsewhere = support::Folder::empty();
    let other = ran(&mut desk.orion(&["sessions", "--project", &elsewhere.path().display().to_string()]));
    assert_eq!((other.code, other.stdout.as_str()), (Some(0), ""), "{}", other.stderr);
    model.finish();
}

#[tokio::test]
async fn sessions_are_listed_to_the_oldest() {
    let desk = Desk::new();
    let store = Store::open(&desk.home.path().join("data")).await.unwrap();
    let folder = desk.project.path();
    let project = store.open_project(&folder.display().to_string(), "project", 1).await.unwrap();
    join_all((0..250).map(|at_ms| store.new_session(project.project_id, at_ms))).await;
    store.close().await.unwrap();
    let listed = parsed(&ran(&mut desk.orion(&["sessions", "--json"])).stdout);
    assert_eq!(column(&listed, "updatedAtMs"), (0..250).rev().map(|at_ms| json!(at_ms)).collect::<Vec<_>>());
}

#[test]
fn the_trace_of_a_turn_has_its_calls_and_a_replay_says_the_same() {
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.text("It is 42.").end("stop"))
        .start();
    let desk = Desk::new();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "What is the answer?"])).stdout);
    let request = report["requestId"].as_str().unwrap();
    let spans = parsed(&ran(&mut desk.orion(&["trace", "--json", request])).stdout);
    let kinds = column(&spans, "kind");
    for kind in ["turn", "orchestration_phase", "model_call", "tool_call"] {
        assert!(kinds.contains(&json!(kind)), "{kind} in {kinds:?}");
    }
    let text = ran(&mut desk.orion(&["trace", request]));
    assert_eq!((text.code, text.stdout.lines().count()), (Some(0), kinds.len()), "{}", text.stderr);
    let replay = ran(&mut desk.orion(&["replay", request]));
    assert_eq!(replay.code, Some(0), "{}", replay.stderr); // T5
    assert_eq!(parsed(replay.stdout.lines().last().unwrap())["event"]["report"], report);
    model.finish();
}

#[test]
fn a_turn_that_is_not_there_is_an_error_that_says_so() {
    let ran = ran(&mut Desk::new().orion(&["trace", "0190f5c8-0000-7000-8000-000000000000"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.starts_with("orion: "), "{}", ran.stderr);
}
