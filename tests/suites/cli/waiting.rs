//! A new message in a session whose turn waits is refused, with the turn and how to answer it (A7). Repeats are in `repeating`.

use serde_json::{Value, json};
use support::Script;

use super::writes::writer;
use super::{Desk, Ran, json as parsed, ran};

/// Begins a turn that waits, and sends another message to its session. Its id, and how the second run ends.
fn refused(desk: &Desk, script: Script, more: &[&str]) -> (String, Ran) {
    let model = script.start();
    let told = ran(desk.run(&model, &["--json", "Do it."]).args(more));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    let report = parsed(&told.stdout);
    let id = |name: &str| report[name].as_str().unwrap().to_owned();
    let next = ran(&mut desk.run(&model, &["--session", &id("sessionId"), "And now?"]));
    model.finish();
    (id("requestId"), next)
}

fn calls(tool: &str, arguments: Value) -> Script {
    Script::new().turn(|t| t.call(tool, arguments).end("tool_calls"))
}

fn is_told(next: Ran, message: &str, how: &str) {
    let stderr = format!("orion: {message}\n{how}\n");
    assert_eq!(next, Ran { code: Some(1), stdout: String::new(), stderr });
}

#[test]
fn with_a_write() {
    let (request, next) = refused(&Desk::new(), writer(), &[]);
    let how =
        format!("Look at the write with `orion diff {request}` and answer with `orion approve {request}`.");
    is_told(next, "This session waits for you: it asks about a write of notes.txt.", &how);
}

#[test]
fn with_a_call() {
    let desk = Desk::with_settings("[tools.read_file]\npermission = 'ask'\n");
    let (request, next) = refused(&desk, calls("read_file", json!({"path": "notes.txt"})), &[]);
    let how = format!("Answer it with `orion approve {request}` or `orion reject {request}`.");
    is_told(next, "This session waits for you: it asks whether read_file may run.", &how);
}

// A8
#[test]
fn with_questions() {
    let questions = json!({ "questions": [
        { "id": "colour", "question": "Which colour?", "kind": "choice", "options": ["red", "grey"] },
        { "id": "old", "question": "Keep the old one?", "kind": "yes_no" },
    ] });
    let (request, next) = refused(&Desk::new(), calls("ask_user", questions), &[]);
    let how = format!("Answer with `orion answer {request} colour=… old=…`, or `--decline`.");
    is_told(next, "This session waits for you: the model asks you something.", &how);
}

// A2
#[test]
fn with_a_pause() {
    let read = calls("read_file", json!({"path": "notes.txt"}));
    let (request, next) = refused(&Desk::new(), read, &["--pause-after-tool"]);
    let how = format!(
        "It is paused. Resume it with `orion resume {request}`. Look at the result with `orion export {request}`; \
         --edit-result FILE or --drop-result changes what the model is given."
    );
    is_told(next, "This session is paused: it waits for you to resume it.", &how);
}

// T8
#[test]
fn in_a_turn_of_another_version() {
    let desk = Desk::new();
    let model = writer().start();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "Make it 43."])).stdout);
    let (request, session) = (report["requestId"].as_str().unwrap(), report["sessionId"].as_str().unwrap());
    super::journals::sql(
        &desk,
        "UPDATE journal SET body = json_insert(body, '$.setup.flags[#]', 999) WHERE n = 1",
    );
    let next = ran(&mut desk.run(&model, &["--session", session, "And now?"]));
    model.finish();
    let how = format!("End it with `orion reject {request} --stop`.");
    is_told(next, "This session waits for you, in a turn that another version of Orion wrote.", &how);
    // What it is told to do works.
    assert_eq!(ran(&mut desk.orion(&["reject", request, "--stop"])).code, Some(130));
}
