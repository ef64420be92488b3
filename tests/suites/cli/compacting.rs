//! `orion compact` at the wire (X4): what is asked, what the next turns are given, and that an undone or failed compaction leaves no trace in
//! any request.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use support::{Request, Script, ScriptedModel, Turn};

use super::writes::begin;
use super::{Desk, Ran, json as parsed, ran};

/// How the model answers when it is asked for a summary.
pub(super) type Summary = fn(Turn) -> Turn;

pub(super) const SHORT: Summary =
    |turn| turn.text("The person looks for\nthe answer: it is 42.").usage(900, 9).end("stop");

fn is_for_a_summary(request: &Request) -> bool {
    request.last_text().starts_with("Sum up this conversation.")
}

fn respond(request: &Request, turn: Turn, summary: Summary) -> Turn {
    if is_for_a_summary(request) {
        return summary(turn);
    }
    let all: Vec<&str> =
        request.messages().iter().map(|message| message["content"].as_str().unwrap_or_default()).collect();
    let asked = all.iter().rposition(|text| text.starts_with("Please")).expect("a message of the person");
    let came = |words: &str| all[asked..].iter().any(|text| text.contains(words));
    match all[asked] {
        "Please write." if came("Result of the write session") => turn.text("Written.").end("stop"),
        "Please write." if came("Your next message is its content") => turn.text("new\nDONE").end("stop"),
        "Please write." => turn.call("write_plan_begin", begin("made.txt", "create")).end("tool_calls"),
        "Please read." if came("Result of call") => turn.text(&"It says 42. ".repeat(200)).end("stop"),
        "Please read." => turn.call("read_file", json!({ "path": "notes.txt" })).end("tool_calls"),
        other => turn.text(&format!("An answer to {other}")).end("stop"),
    }
}

/// A session that has read and written a file.
pub(super) struct Sitting {
    pub(super) desk: Desk,
    data: PathBuf,
    server: ScriptedModel,
    requests: Arc<Mutex<Vec<Request>>>,
    pub(super) session: String,
}

impl Sitting {
    pub(super) fn new(summary: Summary) -> Self {
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let seen = Arc::clone(&requests);
        let server = Script::new()
            .forever(move |_, request| {
                seen.lock().unwrap().push(request.clone());
                respond(request, Turn::default(), summary)
            })
            .start();
        let desk = Desk::new();
        let data = desk.home.path().join("data");
        let mut sitting = Self { desk, data, server, requests, session: String::new() };
        let first = sitting.said("Please read.");
        first["sessionId"].as_str().unwrap().clone_into(&mut sitting.session);
        sitting.said("Please write.");
        sitting
    }

    pub(super) fn orion(&self, arguments: &[&str]) -> Ran {
        ran(self.desk.orion(arguments).env("ORION_DATA_DIR", &self.data))
    }

    /// One turn: its report.
    pub(super) fn said(&self, message: &str) -> Value {
        let address = self.server.base_url();
        let mut arguments =
            vec!["run", "--base-url", &address, "--model", "scripted", "--json", "--approve-writes"];
        if !self.session.is_empty() {
            arguments.extend(["--session", &self.session]);
        }
        arguments.push(message);
        let done = self.orion(&arguments);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        parsed(&done.stdout)
    }

    pub(super) fn compact(&self, more: &[&str]) -> Ran {
        let address = self.server.base_url();
        let mut arguments = vec!["compact", &self.session];
        if !more.iter().any(|flag| ["--undo", "--show"].contains(flag)) {
            arguments.extend(["--base-url", &address, "--model", "scripted"]);
        }
        arguments.extend(more);
        self.orion(&arguments)
    }

    /// The body of the last request.
    fn last(&self) -> Request {
        self.requests.lock().unwrap().last().unwrap().clone()
    }

    /// The same session as it is now, in a data folder of its own.
    fn copied(&mut self, name: &str) -> PathBuf {
        let other = self.desk.home.path().join(name);
        copy(&self.data, &other);
        other
    }

    fn replays(&self, report: &Value) {
        let replay = self.orion(&["replay", report["requestId"].as_str().unwrap()]);
        assert_eq!(replay.code, Some(0), "{}{}", replay.stdout, replay.stderr);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &target) } else { fs::copy(&path, &target).map(|_| ()).unwrap() }
    }
}

#[test]
fn a_compaction_is_one_call_and_the_next_turn_is_given_its_entry() {
    let sitting = Sitting::new(SHORT);
    let before = sitting.last();
    let done = sitting.compact(&["--json"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let report = parsed(&done.stdout);
    let bounds = &report["bounds"];
    assert_eq!([&bounds["modelCalls"], &bounds["toolRuns"], &bounds["writePrompts"]], [2, 0, 0]);
    assert_eq!((&report["modelCalls"], &report["stopReason"]), (&1.into(), &"answered".into()));
    let asked = sitting.last();
    let (all, added) = asked.messages().split_at(before.messages().len() + 1);
    assert_eq!(all[..before.messages().len()], *before.messages(), "P12: the same beginning");
    assert!(added.len() == 1 && is_for_a_summary(&asked), "and a last word");

    let next = sitting.said("Please go on.");
    let given = sitting.last();
    let [system, entry, message] = given.messages() else { panic!("{:?}", given.conversation()) };
    assert_eq!(system, &before.messages()[0], "the system text is sent again");
    assert_eq!(message["content"], "Please go on.");
    let entry = entry["content"].as_str().unwrap();
    for part in [
        "\nThe person looks for\nthe answer: it is 42.\n",
        "\n- called \"read_file\" {\"",
        "\n- create \"made.txt\": written, 4 bytes, SHA-256 ",
        "\n- the person allowed \"write_plan_begin\": \"made.txt: 1 lines added, 0 removed\"",
    ] {
        assert!(entry.contains(part), "{part:?} is not in {entry}");
    }
    assert!(!entry.contains("It says 42."), "what was said is summed up");
    let list = parsed(&sitting.orion(&["sessions", "--json"]).stdout);
    assert_eq!(list[0]["happened"]["type"], "answered", "the turn after the compaction: {list}");
    let shown = sitting.compact(&["--show"]);
    assert_eq!((shown.code, shown.stdout.trim_end()), (Some(0), entry));
    let view = parsed(&sitting.compact(&["--show", "--json"]).stdout);
    assert_eq!(
        (&view["state"], &view["entry"]["facts"][0]["name"]),
        (&"in_force".into(), &"read_file".into())
    );
    sitting.replays(&report);
    sitting.replays(&next);
    let again = sitting.said("Please go on.");
    assert_eq!(sitting.last().messages()[..3], *given.messages(), "it stays");
    sitting.replays(&again);
    sitting.server.finish();
}

#[test]
fn the_answer_and_what_became_of_the_room_are_shown() {
    let sitting = Sitting::new(SHORT);
    let done = sitting.compact(&[]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "The person looks for\nthe answer: it is 42.\n"));
    assert!(done.stderr.contains("The conversation was compacted: 2 turns, about "), "{}", done.stderr);
    assert!(
        done.stderr.contains("at most 2 model calls, 0 tool runs, 0 requests for file content"),
        "{}",
        done.stderr
    );
    let list = parsed(&sitting.orion(&["sessions", "--json"]).stdout);
    assert_eq!(list[0]["happened"]["type"], "summarized", "{list}");
    sitting.server.finish();
}

/// The bodies of the requests of these messages, in the data folder `data`.
fn bodies(sitting: &mut Sitting, data: PathBuf, messages: &[&str]) -> Vec<String> {
    let own = std::mem::replace(&mut sitting.data, data);
    let bodies = messages.iter().map(|message| {
        sitting.said(message);
        String::from_utf8(sitting.last().raw).unwrap()
    });
    let bodies = bodies.collect();
    sitting.data = own;
    bodies
}

// X4, T8
#[test]
fn after_an_undo_each_request_is_to_the_byte_what_it_would_be_without_the_compaction() {
    let mut sitting = Sitting::new(SHORT);
    let untouched = sitting.copied("untouched");
    assert_eq!(sitting.compact(&[]).code, Some(0));
    let early = sitting.copied("undone at once");
    let between = sitting.said("Please go on.");
    let undone = sitting.compact(&["--undo"]);
    assert_eq!((undone.code, undone.stdout.as_str()), (Some(0), ""), "{}", undone.stderr);
    sitting.replays(&between);
    let late = sitting.said("Please end.");
    sitting.replays(&late);
    let undone_late = String::from_utf8(sitting.last().raw).unwrap();

    let own = std::mem::replace(&mut sitting.data, early.clone());
    assert_eq!(sitting.compact(&["--undo"]).code, Some(0));
    sitting.data = own;
    let messages = ["Please go on.", "Please end."];
    let expected = bodies(&mut sitting, untouched, &messages);
    assert_eq!(bodies(&mut sitting, early, &messages), expected);
    assert_eq!(undone_late, expected[1]);
    // It is undone once.
    let again = sitting.compact(&["--undo"]);
    assert!(
        again.code == Some(1) && again.stderr.starts_with("orion: This conversation is not compacted."),
        "{}",
        again.stderr
    );
    sitting.server.finish();
}

#[test]
fn a_summary_call_that_fails_loops_or_calls_a_tool_changes_no_request() {
    let bad: [(&str, Option<i32>, Summary); 6] = [
        ("refused", Some(1), |turn| turn.status(400).body("{\"error\":{\"message\":\"no\"}}")),
        ("broken off", Some(1), |turn| turn.text("Half").cut_after(20)),
        ("a loop", Some(5), |turn| turn.text(&"all work and no play\n".repeat(2_000)).end("stop")),
        ("a call", Some(1), |turn| turn.call("read_file", json!({ "path": "notes.txt" })).end("tool_calls")),
        ("cut off", Some(5), |turn| turn.text("Half").end("length")),
        ("nothing", Some(1), |turn| turn.text("").end("stop")),
    ];
    for (what, code, summary) in bad {
        let mut sitting = Sitting::new(summary);
        let untouched = sitting.copied("untouched");
        let tried = sitting.compact(&[]);
        assert_eq!(tried.code, code, "{what}: {}", tried.stderr);
        assert!(
            tried.stderr.contains("The conversation was not compacted: it is as it was."),
            "{what}: {}",
            tried.stderr
        );
        let tried = sitting.data.clone();
        let messages = ["Please go on.", "Please end."];
        let expected = bodies(&mut sitting, untouched, &messages);
        assert_eq!(bodies(&mut sitting, tried, &messages), expected, "{what}");
        sitting.server.finish();
    }
}

// A cut or a second compaction stands on the first one.
#[test]
fn a_compaction_that_another_one_replaced_is_undone_after_it() {
    let sitting = Sitting::new(SHORT);
    assert_eq!(sitting.compact(&[]).code, Some(0));
    let first = sitting.compact(&["--show"]).stdout;
    // An entry alone is nothing to sum up.
    let nothing = sitting.compact(&[]);
    assert!(
        nothing.code == Some(1) && nothing.stderr.contains("There is nothing to compact"),
        "{}",
        nothing.stderr
    );
    sitting.said("Please read.");
    assert_eq!(sitting.compact(&[]).code, Some(0));
    let second = sitting.compact(&["--show"]).stdout;
    assert_ne!(first, second);
    assert!(second.contains("create \"made.txt\""), "facts of turns before the first one stay: {second}");
    assert_eq!(sitting.compact(&["--undo"]).code, Some(0));
    assert_eq!(sitting.compact(&["--show"]).stdout, first);
    assert_eq!(sitting.compact(&["--undo"]).code, Some(0));
    assert_eq!(sitting.compact(&["--show"]).code, Some(1));
    sitting.server.finish();
}

#[test]
fn what_cannot_be_compacted_is_told_with_what_to_do() {
    let desk = Desk::new();
    let none = "0190f5c8-0000-7000-8000-000000000000";
    for flags in [&[][..], &["--show"], &["--undo"]] {
        let told = ran(&mut desk.orion(&[&["compact", none], flags].concat()));
        assert_eq!(told.code, Some(1));
        assert!(told.stderr.starts_with("orion: There is no such session"), "{}", told.stderr);
    }
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("notes.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("The answer is 43.\nDONE").end("stop"))
        .start();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "Make it 43."])).stdout);
    let session = report["sessionId"].as_str().unwrap();
    let address = model.base_url();
    let waiting = ran(&mut desk.orion(&["compact", session, "--base-url", &address, "--model", "scripted"]));
    assert_eq!(waiting.code, Some(1));
    assert!(
        waiting.stderr.contains("This session waits for you: it asks about a write of notes.txt."),
        "{}",
        waiting.stderr
    );
    let shown = ran(&mut desk.orion(&["compact", session, "--show"]));
    assert!(
        shown.code == Some(1) && shown.stderr.starts_with("orion: This conversation is not compacted."),
        "{}",
        shown.stderr
    );
    model.finish();
}
