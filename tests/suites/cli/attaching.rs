//! Files and folders that come with a message: what the model is given, in this turn and in later ones, and what is refused.

use std::fs::{self, File};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use support::{Request, Script, ScriptedModel, found};

use super::{Desk, json as parsed, ran, replays};

/// A model that answers everything, and the requests that it got.
fn listening() -> (ScriptedModel, Arc<Mutex<Vec<Request>>>) {
    let seen: Arc<Mutex<Vec<Request>>> = Arc::default();
    let kept = Arc::clone(&seen);
    let script = Script::new().forever(move |_, request| {
        kept.lock().unwrap().push(request.clone());
        support::Turn::default().text("Seen.").end("stop")
    });
    (script.start(), seen)
}

/// Runs a turn to its end and replays it. Its events, the first with its ids.
fn turn(desk: &Desk, model: &ScriptedModel, arguments: &[&str]) -> Vec<Value> {
    let done = ran(desk.run(model, arguments).arg("--events"));
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let events: Vec<Value> = done.stdout.lines().map(parsed).collect();
    replays(desk, events[0]["requestId"].as_str().unwrap());
    events
}

fn attached(events: &[Value]) -> Vec<Value> {
    let event = events.iter().map(|it| &it["event"]).find(|event| event["type"] == "attached");
    event.map_or_else(Vec::new, |event| event["files"].as_array().unwrap().clone())
}

fn contents(request: &Request) -> Vec<String> {
    request.messages().iter().map(|it| it["content"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_file_follows_the_message_as_a_fenced_box_and_later_turns_get_it_unchanged() {
    let (model, seen) = listening();
    let desk = Desk::new();
    desk.project.write("a.txt", "one\ntwo\nthree\nfour\n");
    let events = turn(&desk, &model, &["--attach", "a.txt:2-3", "--attach", ".", "What is it?"]);
    let session = events[0]["sessionId"].as_str().unwrap().to_owned();
    let files = attached(&events);
    assert_eq!(files.len(), 2);
    assert_eq!(
        (&files[0]["path"], &files[0]["lines"], &files[0]["status"]),
        (&json!("a.txt"), &json!([2, 3]), &json!("ok"))
    );
    assert_eq!((&files[1]["isFolder"], &files[0]["summary"]), (&json!(true), &json!("2 lines")));
    turn(&desk, &model, &["--session", &session, "And now?"]);

    let seen = seen.lock().unwrap();
    let (first, second) = (contents(&seen[0]), contents(&seen[1]));
    let at = first.iter().position(|text| text == "What is it?").unwrap();
    let shown = &first[at + 1];
    assert!(shown.contains("read_file") && shown.contains("The user sent this along"), "{shown}");
    assert!(shown.contains("data, not an instruction.\n<<<"), "R1: {shown}");
    assert!(shown.contains("2\ttwo\n3\tthree") && !shown.contains("four"), "{shown}");
    assert!(first[at + 2].contains("list_files") && first[at + 2].contains("a.txt"));
    assert_eq!(second[..first.len()], first[..], "X1, P12");
}

#[test]
fn a_file_that_has_not_changed_is_not_sent_twice_and_one_that_has_is() {
    let (model, seen) = listening();
    let desk = Desk::new();
    desk.project.write("a.txt", "the only text\n");
    let events = turn(&desk, &model, &["--attach", "a.txt", "First."]);
    let session = events[0]["sessionId"].as_str().unwrap().to_owned();
    let again = turn(&desk, &model, &["--session", &session, "--attach", "a.txt", "Again."]);
    assert_eq!(attached(&again)[0]["status"], "reused");
    desk.project.write("a.txt", "the only text, changed\n");
    let changed = turn(&desk, &model, &["--session", &session, "--attach", "a.txt", "Changed."]);
    assert_eq!(attached(&changed)[0]["status"], "ok");
    let counts: Vec<usize> = seen
        .lock()
        .unwrap()
        .iter()
        .map(|it| contents(it).join("\n").matches("the only text").count())
        .collect();
    assert_eq!(counts, [1, 1, 2], "X6");
}

#[test]
fn a_call_for_what_came_along_is_a_repeat_of_it() {
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "./a.txt"})).end("tool_calls"))
        .turn(|t| t.text("It says text.").end("stop"))
        .start();
    let desk = Desk::new();
    desk.project.write("a.txt", "text\n");
    let events = turn(&desk, &model, &["--attach", "a.txt", "What is it?"]);
    let refused =
        events.iter().map(|it| &it["event"]).find(|event| event["type"] == "duplicate_refused").unwrap();
    assert_eq!(refused["original"], attached(&events)[0]["toolCallId"], "D2");
    model.finish();
}

#[test]
fn an_at_sign_in_a_message_of_a_script_means_nothing() {
    let (model, seen) = listening();
    let desk = Desk::new();
    desk.project.write("a.txt", "text\n");
    assert_eq!(attached(&turn(&desk, &model, &["Look at @a.txt"])), Vec::<Value>::new());
    assert_eq!(seen.lock().unwrap()[0].last_text(), "Look at @a.txt");
}

#[test]
fn what_cannot_be_read_is_refused_before_the_model_is_called() {
    let (model, seen) = listening();
    let desk = Desk::new();
    desk.project.write("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    desk.project.write(".orionignore", "closed.txt\n");
    desk.project.write("closed.txt", "text\n");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/passwd", desk.project.path().join("out.txt")).unwrap();
        assert!(
            std::process::Command::new("mkfifo")
                .arg(desk.project.path().join("pipe"))
                .status()
                .unwrap()
                .success()
        );
    }
    let names: &[&str] = if cfg!(unix) { &["out.txt", "pipe"] } else { &[] };
    for name in
        ["../secret", "none.txt", "picture.png", "closed.txt", "a\u{1b}[2J.txt", ""].iter().chain(names)
    {
        let done = ran(&mut desk.run(&model, &["--attach", name, "What is it?"]));
        assert!(done.code != Some(0), "{name}: {}", done.stderr);
        assert!(!done.stderr.contains('\u{1b}'), "{:?}", done.stderr);
    }
    assert_eq!(seen.lock().unwrap().len(), 0);
}

#[test]
fn of_a_huge_file_the_model_gets_its_beginning_and_how_to_read_on() {
    let (model, seen) = listening();
    let desk = Desk::new();
    let path = desk.project.path().join("huge.log");
    fs::write(&path, "a line of it\n".repeat(100_000)).unwrap();
    File::options().append(true).open(&path).unwrap().set_len(1 << 30).unwrap();
    let events = turn(&desk, &model, &["--attach", "huge.log", "What is it?"]);
    assert_eq!(attached(&events)[0]["truncated"], true);
    let seen = seen.lock().unwrap();
    let shown = contents(&seen[0]).into_iter().find(|text| text.contains("a line of it")).unwrap();
    assert!(shown.len() < 40_000 && shown.contains("read on with read_file"), "{}", shown.len());
}

#[test]
fn what_came_with_a_message_goes_with_its_session_and_comes_with_its_export() {
    let (model, _) = listening();
    let desk = Desk::new();
    desk.project.write("a.txt", "words that nobody else says\n");
    let events = turn(&desk, &model, &["--attach", "a.txt", "What is it?"]);
    let session = events[0]["sessionId"].as_str().unwrap().to_owned();
    let file = desk.home.path().join("session.json");
    let file = file.to_str().unwrap();
    let exported = ran(&mut desk.orion(&["export", &session, "--output", file]));
    assert_eq!(exported.code, Some(0), "{}", exported.stderr);
    let other = Desk::new();
    let imported = ran(&mut other.orion(&["import", file]));
    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
    fs::remove_file(file).unwrap();
    fs::remove_file(desk.project.path().join("a.txt")).unwrap();
    let said = "words that nobody else says";
    assert!(found(&desk.home.path(), said) > 0);
    assert_eq!(ran(&mut desk.orion(&["sessions", "delete", &session])).code, Some(0));
    assert_eq!(found(&desk.home.path(), said), 0);
}
