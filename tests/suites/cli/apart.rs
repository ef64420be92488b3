//! Sessions that are named, pinned, archived and deleted by one process, while another one shows them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use orion_engine::Engine;
use orion_protocol::{Happened, Session, Update};
use orion_providers::Providers;
use serde_json::{Value, json};
use support::{Script, within};
use tokio::sync::broadcast::Receiver;

use super::{Desk, json as parsed, ran};
use crate::driver_desk::{options, tuning};
use crate::driver_facade::state;

/// A session of another process is to be seen within 2 s. This computer may be busy.
const SEEN_WITHIN: Duration = Duration::from_secs(10);

fn titles(desk: &Desk, arguments: &[&str]) -> Vec<Value> {
    let listed = parsed(&ran(desk.orion(&["sessions", "--json"]).args(arguments)).stdout);
    listed.as_array().unwrap().iter().map(|session| session["title"].clone()).collect()
}

fn id(desk: &Desk, title: &str) -> String {
    let listed = parsed(&ran(&mut desk.orion(&["sessions", "--json"])).stdout);
    let found = listed.as_array().unwrap().iter().find(|session| session["title"] == title).unwrap();
    found["sessionId"].as_str().unwrap().to_owned()
}

fn two(desk: &Desk) {
    let model = Script::new().turn(|t| t.text("1").end("stop")).turn(|t| t.text("2").end("stop")).start();
    for message in ["The older one", "The newer one"] {
        assert_eq!(ran(&mut desk.run(&model, &[message])).code, Some(0));
    }
    model.finish();
}

#[test]
fn a_session_is_named_pinned_and_put_away_and_a_message_brings_it_back() {
    let desk = Desk::new();
    two(&desk);
    let older = id(&desk, "The older one");
    let named = parsed(&ran(&mut desk.orion(&["sessions", "rename", &older, "Foxes", "--json"])).stdout);
    assert_eq!((&named["title"], &named["happened"]), (&json!("Foxes"), &json!({ "type": "answered" })));
    let pinned = ran(&mut desk.orion(&["sessions", "pin", &older]));
    assert_eq!((pinned.code, pinned.stderr.as_str()), (Some(0), "The session is pinned.\n"));
    let away = parsed(&ran(&mut desk.orion(&["sessions", "archive", &older, "--json"])).stdout);
    // What is archived is pinned no more.
    assert_eq!((&away["pinned"], &away["archived"]), (&json!(false), &json!(true)));
    assert_eq!(titles(&desk, &[]), ["The newer one"]);
    assert_eq!(titles(&desk, &["--archived"]), ["Foxes"]);
    ran(&mut desk.orion(&["sessions", "archive", &older, "--undo"]));
    assert_eq!(titles(&desk, &["--archived"]), [] as [Value; 0]);
    ran(&mut desk.orion(&["sessions", "archive", &older]));
    let model = Script::new().turn(|t| t.text("3").end("stop")).start();
    assert_eq!(ran(&mut desk.run(&model, &["--session", &older, "And now?"])).code, Some(0));
    assert_eq!(titles(&desk, &[]), ["Foxes", "The newer one"]);
    model.finish();
}

/// Waits until the sessions are as they should be, and returns how long it took since another process had changed them.
async fn seen(
    window: &Engine,
    updates: &mut Receiver<Update>,
    as_they_should: impl Fn(&[Session], &[Session]) -> bool,
) -> Duration {
    let since = Instant::now();
    within("the window to hear of it", async {
        loop {
            while !matches!(updates.recv().await.unwrap(), Update::Lagged) {}
            let state = state(window).await;
            if as_they_should(&state.sessions, &state.apart) {
                break since.elapsed();
            }
        }
    })
    .await
}

// The window goes on while a command runs: each waits for the other's transactions.
#[tokio::test(flavor = "multi_thread")]
async fn what_another_process_names_pins_puts_away_and_deletes_is_soon_told_here() {
    let desk = Desk::new();
    two(&desk);
    let (older, newer) = (id(&desk, "The older one"), id(&desk, "The newer one"));
    let options = options(&desk.home.path(), "http://127.0.0.1:9/v1", Arc::new(Providers::new(tuning())));
    let window = Engine::open(options).await.unwrap();
    window.watch_neighbours().await;
    let mut updates = window.updates();
    let before = state(&window).await;
    assert_eq!(before.sessions.iter().map(|s| s.happened).collect::<Vec<_>>(), [Some(Happened::Answered); 2]);
    let orion = |arguments: &[&str]| {
        let done = ran(&mut desk.orion(arguments));
        assert_eq!(done.code, Some(0), "{}", done.stderr);
    };

    orion(&["sessions", "rename", &older, "Foxes"]);
    let named = seen(&window, &mut updates, |plain, _| plain.iter().any(|s| s.title == "Foxes")).await;
    orion(&["sessions", "pin", &older]);
    let pinned =
        seen(&window, &mut updates, |plain, apart| plain.len() == 1 && apart.len() == 1 && apart[0].pinned)
            .await;
    orion(&["sessions", "archive", &newer]);
    let away = seen(&window, &mut updates, |plain, apart| {
        plain.is_empty() && apart.iter().filter(|s| s.archived).count() == 1
    })
    .await;
    orion(&["sessions", "delete", &older]);
    let deleted = seen(&window, &mut updates, |plain, apart| plain.is_empty() && apart.len() == 1).await;
    let took = [named, pinned, away, deleted];
    assert!(took.iter().all(|time| *time < SEEN_WITHIN), "{took:?}");
    window.close().await.unwrap();
}
