//! Lists for people and for scripts: tools, models, sessions, the trace of a turn.

use futures_util::future::join_all;
use orion_store::Store;
use serde_json::{Value, json};
use support::{Script, Turn};

use super::writes::writer;
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

#[test]
fn a_session_has_the_lines_that_it_wrote_until_that_is_undone() {
    let model = writer().turn(|t| t.text("It says 43 now.").end("stop")).start();
    let desk = Desk::new();
    let session = || {
        let json = parsed(&ran(&mut desk.orion(&["sessions", "--json"])).stdout)[0].clone();
        (json, ran(&mut desk.orion(&["sessions"])).stdout.contains(" +1 −1 "))
    };
    assert_eq!(ran(&mut desk.run(&model, &["--approve-writes", "Make it 43."])).code, Some(0));
    let (wrote, shows) = session();
    assert_eq!((&wrote["lines"], shows), (&json!({"added": 1, "removed": 1}), true));
    ran(&mut desk.orion(&["undo", wrote["sessionId"].as_str().unwrap()]));
    let (undone, shows) = session();
    assert_eq!((undone.get("lines"), shows), (None, false));
    model.finish();
}

// T7: a cost that is not known is never taken for 0, in a total neither.
#[test]
fn a_session_has_the_cost_of_its_turns_and_says_where_that_is_a_part() {
    let answer = |tokens: u32, text: String| move |t: Turn| t.text(&text).usage(tokens, 100).end("stop");
    let model = Script::new()
        // So long that there is something to sum up.
        .turn(answer(1_000, "One word. ".repeat(400)))
        .turn(answer(2_000, "They said words.".to_owned()))
        .turn(answer(3_000, "Yes.".to_owned()))
        .turn(answer(4_000, "No.".to_owned()))
        .start();
    let desk = Desk::new();
    desk.home.write("config/prices.toml", "[command-line.scripted]\nprompt = 2\ncompletion = 10\n");
    let listed = || {
        let listed = parsed(&ran(&mut desk.orion(&["sessions", "--json"])).stdout);
        let text = ran(&mut desk.orion(&["sessions"])).stdout;
        let newest = text.lines().next().unwrap();
        let words = newest.split_once("KB").unwrap().1.trim().to_owned();
        (listed[0]["spent"].clone(), words)
    };
    assert_eq!(ran(&mut desk.run(&model, &["Hello?"])).code, Some(0));
    let one = json!({"costUsd": 0.003, "pricedTurns": 1, "promptTokens": 1_000, "completionTokens": 100});
    assert_eq!(listed(), (one, "$0.0030  Hello?".to_owned()));
    // A compaction is a turn of its own (X4).
    let session = parsed(&ran(&mut desk.orion(&["sessions", "--json"])).stdout)[0]["sessionId"].clone();
    let at = ["--base-url", &model.base_url(), "--model", "scripted"];
    let compacted = ran(desk.orion(&["compact", session.as_str().unwrap()]).args(at));
    assert_eq!(compacted.code, Some(0), "{}", compacted.stderr);
    let two = json!({"costUsd": 0.008, "pricedTurns": 2, "promptTokens": 3_000, "completionTokens": 200});
    assert_eq!(listed(), (two, "$0.0080  Hello?".to_owned()));
    let other = ["run", "--continue", "--base-url", &model.base_url(), "--model", "unpriced", "And now?"];
    assert_eq!(ran(&mut desk.orion(&other)).code, Some(0));
    let three = json!({"costUsd": 0.008, "pricedTurns": 2, "promptTokens": 6_000, "completionTokens": 300});
    assert_eq!(listed(), (three, "at least $0.0080  Hello?".to_owned()));
    let new = ["run", "--base-url", &model.base_url(), "--model", "unpriced", "Another?"];
    assert_eq!(ran(&mut desk.orion(&new)).code, Some(0));
    let unknown = json!({"costUsd": null, "pricedTurns": 0, "promptTokens": 4_000, "completionTokens": 100});
    assert_eq!(listed(), (unknown, "cost unknown  Another?".to_owned()));
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
