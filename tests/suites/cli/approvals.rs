//! Answers to a question, each by a process of its own: kept, changed, with a reason, too late (A1, A3, A6, A7).

use std::fs;

use serde_json::{Value, json};
use support::{Folder, Script, ScriptedModel};

use super::writes::{begin, on, on_disk};
use super::{Desk, Ran, json as parsed, ran, refused, replays};

const ASKS: &str =
    "[tools.read_file]\npermission = 'ask'\nrules = [{ match = 'secret/**', permission = 'deny' }]\n";

/// A turn that waits with `read_file notes.txt`, and its id.
fn waiting() -> (Desk, String) {
    let desk = Desk::with_settings(ASKS);
    let model =
        Script::new().turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls")).start();
    let told = ran(&mut desk.run(&model, &["--json", "Read it."]));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    model.finish();
    (desk, parsed(&told.stdout)["requestId"].as_str().unwrap().to_owned())
}

/// A model that is told all of this, and has done.
fn hears(words: &'static [&'static str]) -> ScriptedModel {
    let check = move |ask: &support::Request| {
        for word in words {
            assert!(ask.last_text().contains(word), "{}", ask.last_text());
        }
    };
    Script::new().turn(|t| t.expect(check).text("As you say.").end("stop")).start()
}

#[test]
fn a_call_runs_with_the_arguments_that_the_person_gave_it_and_the_model_is_told() {
    // A3
    let (desk, request) = waiting();
    let again = |path: &'static str| json!({ "path": path });
    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| {
                let told = ask.last_text();
                assert!(told.starts_with("Result of call "), "{told}");
                let (ran, rest) = told.split_once('\n').unwrap();
                assert!(ran.contains(r#"read_file {"max_lines":400,"path":"src/main.c""#), "{told}");
                let changed = "The user changed the arguments before the call ran. You had asked for \
                               {\"max_lines\":400,\"path\":\"notes.txt\"";
                assert!(rest.contains(changed) && rest.contains("int main;"), "{told}");
            })
            // Both are in the ledger.
            .call("read_file", again("notes.txt"))
            .end("tool_calls")
        })
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("DUPLICATE_BLOCKED"), "{}", ask.last_text()))
                .call("read_file", again("./src/main.c"))
                .end("tool_calls")
        })
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("DUPLICATE_BLOCKED"), "{}", ask.last_text()))
                .text("It is C.")
                .end("stop")
        })
        .start();
    let told = on(&desk, &model, &["approve", &request, "--edit", r#"{"path":"./src/main.c"}"#, "--json"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let report = parsed(&told.stdout);
    let statuses: Vec<&str> =
        report["toolCalls"].as_array().unwrap().iter().map(|call| call["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["ok", "duplicate", "duplicate"]);
    let spans = parsed(&ran(&mut desk.orion(&["trace", &request, "--json"])).stdout);
    let span = |kind: &str| {
        let all = spans.as_array().unwrap();
        all.iter().find(|span| span["kind"] == kind).unwrap()["attributes"].clone()
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    assert!(text(&span("tool_call")["arguments"]).contains("notes.txt"), "what was proposed");
    assert_eq!(span("approval")["granted"], json!(true), "what was decided");
    assert!(text(&span("approval")["effective"]).contains("src/main.c"), "what ran");
    assert_eq!(report["toolCalls"][0]["signature"], span("approval")["effectiveSignature"]);
    replays(&desk, &request);
    model.finish();
}

#[test]
fn arguments_that_leave_the_schema_the_project_or_the_rules_are_refused_and_change_nothing() {
    // A3
    let (desk, request) = waiting();
    for (arguments, code, words) in [
        ("not json", 2, "expected a JSON object"),
        ("[1]", 2, "expected a JSON object"),
        ("{}", 1, "`path` is missing"),
        (r#"{"path":7}"#, 1, "`path` must be a string, not 7"),
        (r#"{"path":"notes.txt","command":"rm"}"#, 1, "there is no argument `command`"),
        (r#"{"path":"../notes.txt"}"#, 1, "A path of these arguments leads out of the project."),
        (r#"{"path":"a/../../notes.txt"}"#, 1, "A path of these arguments leads out of the project."),
        (r#"{"path":"/etc/passwd"}"#, 1, "A path of these arguments leads out of the project."),
        (r#"{"path":"secret/key"}"#, 1, "The rules do not allow the call with these arguments."),
        (r#"{"path":"src/../secret/key"}"#, 1, "The rules do not allow the call with these arguments."),
    ] {
        let (exit, said) = refused(&desk, &["approve", &request, "--edit", arguments]);
        assert_eq!(exit, Some(code), "{arguments}: {said}");
        assert!(said.contains(words), "{arguments}: {said}");
    }
    // It waits on, as it was asked.
    let model = hears(&["The answer is 42."]);
    assert_eq!(on(&desk, &model, &["approve", &request]).code, Some(0));
    replays(&desk, &request);
    model.finish();
}

#[test]
fn a_reason_reaches_the_model_and_the_same_call_is_not_asked_about_again() {
    // A6
    let (desk, request) = waiting();
    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| {
                let told = ask.last_text();
                assert!(told.contains("status: denied"), "{told}");
                assert!(told.contains("The user says why: Read the main file\ninstead."), "{told}");
            })
            .call("read_file", json!({"path": "notes.txt"}))
            .end("tool_calls")
        })
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("DUPLICATE_BLOCKED"), "{}", ask.last_text()))
                .text("So be it.")
                .end("stop")
        })
        .start();
    let told = on(&desk, &model, &["reject", &request, "--reason", " Read the main file\ninstead. "]);
    assert_eq!((told.code, told.stdout.as_str()), (Some(0), "So be it.\n"), "{}", told.stderr);
    replays(&desk, &request);
    model.finish();
}

#[test]
fn a_rejection_can_end_the_turn_too() {
    let (desk, request) = waiting();
    let (code, said) = refused(&desk, &["reject", &request, "--stop", "--reason", "Enough."]);
    assert_eq!(code, Some(130), "{said}");
    replays(&desk, &request);
    let (code, said) = refused(&desk, &["approve", &request]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("waits for no approval"), "{said}");
}

#[test]
fn of_two_answers_at_once_one_wins_and_neither_runs_the_call_twice() {
    // A7
    let (desk, request) = waiting();
    let model = hears(&[]);
    let url = model.base_url();
    let start = |command: &str| {
        let mut command = desk.orion(&[command, &request, "--base-url", &url, "--json"]);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let both = [start("approve"), start("reject")].map(|child| child.wait_with_output().unwrap());
    let codes: Vec<Option<i32>> = both.iter().map(|output| output.status.code()).collect();
    assert!(codes == [Some(0), Some(1)] || codes == [Some(1), Some(0)], "{both:?}");
    let (won, lost) = if codes[0] == Some(0) { (&both[0], &both[1]) } else { (&both[1], &both[0]) };
    let said = String::from_utf8_lossy(&lost.stderr);
    assert!(said.contains("answered already") || said.contains("waits for no approval"), "{said}");
    let report = parsed(&String::from_utf8_lossy(&won.stdout));
    assert_eq!(report["toolRuns"], json!(u32::from(codes[0] == Some(0))));
    replays(&desk, &request);
    model.finish();
}

/// A turn that writes a line more into this file, how it ended, and its id.
fn writes(desk: &Desk, path: &str, arguments: &[&str], answers: bool) -> (Ran, String) {
    let script = Script::new()
        .turn(|t| t.call("write_plan_begin", begin(path, "overwrite")).end("tool_calls"))
        .turn(|t| t.text(&format!("{}new\nDONE", on_disk(desk, path))).end("stop"));
    let script = if answers { script.turn(|t| t.text("Written.").end("stop")) } else { script };
    let model = script.start();
    let told = ran(desk.run(&model, &["--json", "Write it."]).args(arguments));
    model.finish();
    let request = parsed(&told.stdout)["requestId"].as_str().unwrap().to_owned();
    (told, request)
}

fn kept(desk: &Desk) -> Vec<Value> {
    let listed = ran(&mut desk.orion(&["permissions", "--json"]));
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    parsed(&listed.stdout).as_array().unwrap().clone()
}

/// Approves a write and keeps that.
fn keep(desk: &Desk, request: &str, kept_for: &str) {
    let model = hears(&["The file is as approved."]);
    let told = on(desk, &model, &["approve", request, "--keep", kept_for]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    replays(desk, request);
    model.finish();
}

#[test]
fn an_approval_that_is_kept_lifts_the_question_until_it_is_revoked() {
    // A1
    let desk = Desk::new();
    let (told, request) = writes(&desk, "notes.txt", &[], false);
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    keep(&desk, &request, "project");
    let listed = kept(&desk);
    let [approval] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!(
        (&approval["tool"], &approval["pattern"], &approval["keptFor"], &approval["usedAtMs"]),
        (&json!("write_plan_begin"), &json!("notes.txt"), &json!("project"), &json!(null))
    );
    // A session of its own, in another process: the file is written unasked, and no other one is.
    let (told, request) = writes(&desk, "notes.txt", &[], true);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    replays(&desk, &request);
    assert_eq!(on_disk(&desk, "notes.txt"), "The answer is 42.\nnew\nnew\n");
    assert!(kept(&desk)[0]["usedAtMs"].as_i64() >= approval["createdAtMs"].as_i64(), "{:?}", kept(&desk));
    let (told, _) = writes(&desk, "src/main.c", &[], false);
    assert_eq!(told.code, Some(3), "{}", told.stderr);

    let id = approval["approvalId"].as_str().unwrap();
    assert_eq!(ran(&mut desk.orion(&["permissions", "revoke", id])).code, Some(0));
    assert_eq!(kept(&desk), Vec::<Value>::new());
    let again = ran(&mut desk.orion(&["permissions", "revoke", id]));
    assert_eq!(again.code, Some(1));
    assert!(again.stderr.contains("No such approval is kept"), "{}", again.stderr);
    let (told, _) = writes(&desk, "notes.txt", &[], false);
    assert_eq!(told.code, Some(3), "it asks again: {}", told.stderr);
    // What a turn relied on is in its journal: it replays the same without the approval.
    replays(&desk, &request);
}

#[test]
fn an_approval_for_a_session_holds_in_no_other_one_and_goes_with_it() {
    let desk = Desk::new();
    let (told, request) = writes(&desk, "notes.txt", &[], false);
    let session = parsed(&told.stdout)["sessionId"].as_str().unwrap().to_owned();
    keep(&desk, &request, "session");
    let (told, _) = writes(&desk, "notes.txt", &["--session", &session], true);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let (told, _) = writes(&desk, "notes.txt", &[], false);
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    assert_eq!(kept(&desk)[0]["sessionId"], json!(session));
    assert_eq!(ran(&mut desk.orion(&["sessions", "delete", &session])).code, Some(0));
    assert_eq!(kept(&desk), Vec::<Value>::new());
}

#[test]
fn another_folder_at_the_same_path_inherits_nothing() {
    // A1
    let desk = Desk::new();
    let (_, request) = writes(&desk, "notes.txt", &[], false);
    keep(&desk, &request, "project");
    let path = desk.project.path();
    let files = |text: &str| {
        fs::create_dir(&path).unwrap();
        fs::write(path.join("notes.txt"), text).unwrap();
    };
    // Another one, while the first is elsewhere; and one in its place, which may get its number on the disk.
    let aside = Folder::empty();
    let moved = aside.path().join("moved");
    fs::rename(&path, &moved).unwrap();
    files("another\n");
    let (told, _) = writes(&desk, "notes.txt", &[], false);
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    for _ in 0..3 {
        fs::remove_dir_all(&path).unwrap();
        files("a third\n");
        let (told, _) = writes(&desk, "notes.txt", &[], false);
        assert_eq!(told.code, Some(3), "{}", told.stderr);
    }
    // The folder itself has it still.
    fs::remove_dir_all(&path).unwrap();
    fs::rename(&moved, &path).unwrap();
    let (told, _) = writes(&desk, "notes.txt", &[], true);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
}

#[test]
fn only_a_question_that_nobody_configured_can_be_kept() {
    // A1
    let (desk, request) = waiting();
    let (code, said) = refused(&desk, &["approve", &request, "--keep", "project"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("This approval cannot be kept"), "{said}");
    let model = hears(&["The answer is 42."]);
    assert_eq!(on(&desk, &model, &["approve", &request]).code, Some(0));
    model.finish();

    // Files that can run code later always ask.
    let desk = Desk::new();
    desk.project.write("package.json", "{}\n");
    let (told, request) = writes(&desk, "package.json", &[], false);
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    let (code, said) = refused(&desk, &["approve", &request, "--keep", "project"]);
    assert_eq!(code, Some(2), "{said}");
    assert_eq!(kept(&desk), Vec::<Value>::new());

    // A rule that is written down later wins over what was kept.
    let desk = Desk::new();
    let (_, request) = writes(&desk, "notes.txt", &[], false);
    keep(&desk, &request, "project");
    desk.project.write(".orion/config.toml", "[tools.write_plan_begin]\npermission = 'ask'\n");
    let (told, _) = writes(&desk, "notes.txt", &[], false);
    assert_eq!(told.code, Some(3), "{}", told.stderr);
}

#[test]
fn a_write_takes_a_reason_and_no_arguments() {
    let desk = Desk::new();
    let (_, request) = writes(&desk, "notes.txt", &[], false);
    let (code, said) = refused(&desk, &["approve", &request, "--edit", "{}"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("A write has no arguments to change."), "{said}");
    let model = hears(&["the user rejected it", "The user says why: Too short."]);
    let told = on(&desk, &model, &["reject", &request, "--reason", "Too short."]);
    assert_eq!((told.code, told.stdout.as_str()), (Some(0), "As you say.\n"), "{}", told.stderr);
    assert_eq!(on_disk(&desk, "notes.txt"), "The answer is 42.\n");
    replays(&desk, &request);
    model.finish();
}
