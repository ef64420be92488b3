//! Words in all sessions (`orion sessions --search`), and a text in one (0050).

use std::path::Path;
use std::sync::Arc;

use orion_engine::Engine;
use orion_protocol::{Answer, Query, SearchPage};
use orion_providers::Providers;
use orion_store::Store;
use serde_json::{Value, json};
use support::{Gate, Script, found, within};

use super::{Desk, json as parsed, ran};
use crate::driver_desk::{self, options, tuning};

/// A session in which this was asked and answered; its id and that of its turn.
fn said(desk: &Desk, asked: &str, answer: &str) -> [String; 2] {
    let model = Script::new().turn(|t| t.text(answer).end("stop")).start();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", asked])).stdout);
    model.finish();
    ["sessionId", "requestId"].map(|id| report[id].as_str().unwrap().to_owned())
}

fn search(desk: &Desk, words: &str) -> Vec<Value> {
    let told = ran(&mut desk.orion(&["sessions", "--search", words, "--json"]));
    assert_eq!((told.code, told.stderr.as_str()), (Some(0), ""), "{words}");
    parsed(&told.stdout).as_array().unwrap().clone()
}

#[test]
fn words_of_all_sessions_are_printed_with_session_time_turn_and_sentence() {
    let desk = Desk::new();
    let [first, asked] = said(&desk, "Where do the foxes sleep?", "Under the old oak.\nIt is *warm* there.");
    let [second, _] = said(&desk, "And the owls?", "In the oaken beam.");
    let hits = search(&desk, "oak");
    let seen: Vec<_> = hits
        .iter()
        .map(|hit| (hit["session"]["sessionId"].as_str().unwrap(), hit["text"].as_str().unwrap()))
        .collect();
    assert_eq!(
        seen,
        [(second.as_str(), "In the oaken beam."), (first.as_str(), "Under the old oak. It is *warm* there.")]
    );
    let [hit] = &search(&desk, "old oak")[..] else { panic!("one text has both words") };
    assert_eq!(
        (&hit["requestId"], &hit["foundIn"], &hit["onPath"]),
        (&json!(asked), &json!("answer"), &json!(true))
    );
    assert_eq!(hit["marks"], json!([{"from": 10, "to": 13}, {"from": 14, "to": 17}]));
    let line = ran(&mut desk.orion(&["sessions", "--search", "warm"]));
    assert_eq!(line.code, Some(0));
    assert!(line.stdout.starts_with(&format!("{first}  20")), "{}", line.stdout);
    assert!(
        line.stdout.ends_with(&format!(" UTC  {asked}  Under the old oak. It is *warm* there.\n")),
        "{}",
        line.stdout
    );
    // A title is of no turn.
    let titles = search(&desk, "foxes");
    assert_eq!((&titles[0]["foundIn"], &titles[0]["requestId"]), (&json!("title"), &Value::Null));
    for nothing in ["", "  ", "\"", "*", "NOT", "cat", "oak cat", "text:oak AND"] {
        assert_eq!(search(&desk, nothing), [json!(null); 0], "{nothing}");
    }
}

#[test]
fn what_a_model_hides_in_an_answer_is_shown_and_never_sent_to_the_terminal() {
    let desk = Desk::new();
    said(&desk, "?", "an owl \u{1b}[2J\u{202e}\u{7} in the dark");
    let line = ran(&mut desk.orion(&["sessions", "--search", "owl"])).stdout;
    assert!(!line.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{line:?}");
}

#[test]
fn an_imported_session_is_found_and_a_deleted_one_is_in_no_part_of_the_index() {
    let (desk, other) = (Desk::new(), Desk::new());
    let [session, _] = said(&desk, "Do you know the quetzalpfiff?", "The quetzalpfiff is a song.");
    said(&desk, "Another one", "It stays.");
    let file = desk.home.path().join("session.jsonl");
    let file = file.to_str().unwrap();
    assert_eq!(ran(&mut desk.orion(&["export", &session, "--output", file])).code, Some(0));
    assert_eq!(ran(&mut other.orion(&["import", file])).code, Some(0));
    assert_eq!(search(&other, "quetzal").len(), 3, "the title, the message and the answer");
    // FTS5 stores only the end of a word that begins like the one before it.
    let data = other.home.path().join("data");
    assert!(found(&data, "quetzalpfiff") > 0);
    let deleted = ran(&mut other.orion(&["sessions", "delete", &session]));
    assert_eq!(deleted.code, Some(0), "{}", deleted.stderr);
    assert_eq!(found(&data, "etzalpfiff"), 0);
    assert_eq!(search(&other, "quetzal"), [json!(null); 0]);
    assert_eq!(search(&desk, "quetzal").len(), 3);
}

async fn asked(engine: &Engine, words: &str) -> SearchPage {
    let query = Query::Search { text: words.into(), after: None, limit: 10 };
    let Answer::Search { page } = engine.query(query).await.unwrap() else { panic!() };
    page
}

/// Waits until a word is in the index, without a search of the window, which would enter it.
async fn entered(data: &Path, word: &str) {
    let store = Store::open(data).await.unwrap();
    within("the word to be in the index", async {
        while store.search(word, None, 10).await.unwrap().found.is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    store.close().await.unwrap();
}

// 0067
#[tokio::test(flavor = "multi_thread")]
async fn what_commands_said_is_entered_by_a_window() {
    let desk = Desk::new();
    said(&desk, "First", "A quetzalpfiff.");
    let home = desk.home.path();
    let window = options(&home, "http://127.0.0.1:9/v1", Arc::new(Providers::new(tuning())));
    let window = Engine::open(window).await.unwrap();
    window.watch_neighbours().await;
    entered(&home.join("data"), "quetzalpfiff").await;
    said(&desk, "Second", "An owl.");
    entered(&home.join("data"), "owl").await;
    window.close().await.unwrap();
}

// 0067
#[tokio::test]
async fn what_a_turn_in_the_window_said_is_entered_after_it() {
    let model = Script::new().turn(|t| t.text("A quetzalpfiff.").end("stop")).start();
    let desk = driver_desk::Desk::with(&model).await;
    desk.engine.go_on_with_queues();
    desk.turn("First").await;
    entered(&desk.data.path().join("data"), "quetzalpfiff").await;
    model.finish();
}

// 0067
#[tokio::test]
async fn a_search_in_the_window_finds_what_a_turn_that_still_runs_was_asked() {
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.hold(&gate).text("An owl.").end("stop")).start();
    let desk = driver_desk::Desk::with(&model).await;
    let turn = desk.ask("Where is the quetzalpfiff?").await;
    let page = asked(&desk.engine, "quetzalpfiff").await;
    assert_eq!((page.found.len(), page.filling), (2, false), "the title and the message");
    gate.open();
    desk.read(turn).await;
    model.finish();
}
