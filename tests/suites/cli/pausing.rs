//! A turn that pauses after its tools, each answer by a process of its own (A2, A5, A7).

use serde_json::{Value, json};
use support::{Gate, Request, Script, ScriptedModel};

use super::writes::on;
use super::{Desk, json as parsed, line, ran, refused, replays, started};

const SECRET: &str = "The answer is 42.";

fn text_of(request: &Request) -> String {
    request.messages().iter().filter_map(|it| it["content"].as_str()).collect::<Vec<_>>().join("\n")
}

/// A turn that is paused after it has read `notes.txt`, and its id. The model was called once.
fn paused(desk: &Desk, more: &[&str]) -> (String, Value) {
    let model =
        Script::new().turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls")).start();
    let told = ran(desk.run(&model, &["--json", "Read it."]).args(more));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    model.finish();
    let report = parsed(&told.stdout);
    assert_eq!((&report["status"], &report["stopReason"]), (&json!("waiting"), &json!("paused")));
    (report["requestId"].as_str().unwrap().to_owned(), report)
}

/// A model that is told all of this and none of that, and has done.
fn hears(words: &'static [&'static str], never: &'static [&'static str]) -> ScriptedModel {
    let check = move |ask: &Request| {
        let told = text_of(ask);
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
        assert!(!never.iter().any(|word| told.contains(word)), "{told}");
    };
    Script::new().turn(|t| t.expect(check).text("I see.").end("stop")).start()
}

#[test]
fn the_next_request_has_the_edited_text_alone_and_later_turns_ask_before_they_read_the_file() {
    // A2, X6
    let desk = Desk::new();
    let (request, report) = paused(&desk, &["--pause-after-tool"]);
    desk.project.write("edited.md", "The answer is secret.\n");
    let model = hears(
        &["The user edited this result before you were given it.", "<<<", "The answer is secret.\n"],
        &[SECRET],
    );
    let told = on(&desk, &model, &["resume", &request, "1", "--edit-result", "edited.md"]);
    assert_eq!((told.code, told.stdout.as_str()), (Some(0), "I see.\n"), "{}", told.stderr);
    model.finish();
    replays(&desk, &request);
    let spans = parsed(&ran(&mut desk.orion(&["trace", &request, "--json"])).stdout);
    let pause = spans.as_array().unwrap().iter().find(|span| span["kind"] == "pause").unwrap().clone();
    let edited = &pause["attributes"]["edited"][0];
    assert_eq!(edited["bytes"], json!(22));
    assert!(edited["originalSha256"] != edited["sha256"] && edited["sha256"].is_string(), "{edited}");
    let exported = ran(&mut desk.orion(&["export", &request])).stdout;
    assert!(exported.contains("edited before the model was given it"), "{exported}");

    // Another turn, in another process, whatever it reads of the file.
    let session = report["sessionId"].as_str().unwrap();
    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| assert!(!text_of(ask).contains(SECRET), "{}", text_of(ask)))
                .call("read_file", json!({"path": "./notes.txt", "max_lines": 1}))
                .end("tool_calls")
        })
        .start();
    let told = ran(&mut desk.run(&model, &["--session", session, "--json", "Read it again."]));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    assert_eq!(parsed(&told.stdout)["stopReason"], json!("approval"));
    assert!(told.stderr.is_empty() || told.stderr.contains("took a result"), "{}", told.stderr);
    model.finish();
}

#[test]
fn a_dropped_result_is_named_and_not_told() {
    // A2
    let desk = Desk::with_settings("pause_after_tool = true\n");
    let (request, _) = paused(&desk, &[]);
    let model = hears(
        &["Result of call ", "status: ok, 52 bytes", "The user took the body of this result"],
        &[SECRET, "<<<"],
    );
    let told = on(&desk, &model, &["resume", &request, "--drop-result"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    model.finish();
    replays(&desk, &request);

    // X6: in a branch that knows nothing of it too (T9).
    let reads = Script::new().turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"));
    let model = reads.start();
    let told = ran(&mut desk.run(&model, &["--instead-of", &request, "--json", "Read it."]));
    assert_eq!(
        (told.code, &parsed(&told.stdout)["stopReason"]),
        (Some(3), &json!("approval")),
        "{}",
        told.stderr
    );
    model.finish();
}

#[test]
fn a_result_that_nobody_touches_is_told_as_it_is_and_every_step_pauses() {
    // A2
    let desk = Desk::new();
    let (request, _) = paused(&desk, &["--pause-after-tool"]);
    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| assert!(text_of(ask).contains(SECRET) && !text_of(ask).contains("The user")))
                .call("read_file", json!({"path": "src/main.c"}))
                .end("tool_calls")
        })
        .start();
    let told = on(&desk, &model, &["resume", &request]);
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    assert!(
        told.stderr.contains(&format!("It is paused. Resume it with `orion resume {request}`.")),
        "{}",
        told.stderr
    );
    model.finish();
    // The first step waits no more.
    let (code, said) = refused(&desk, &["resume", &request, "1"]);
    assert_eq!((code, said.contains("The turn is not paused after this step.")), (Some(1), true), "{said}");
    let model = hears(&[SECRET, "int main;"], &[]);
    assert_eq!(on(&desk, &model, &["resume", &request, "2"]).code, Some(0));
    model.finish();
    replays(&desk, &request);
}

#[test]
fn what_is_no_answer_to_the_pause_changes_nothing() {
    // A3, A7
    let desk = Desk::new();
    let (request, _) = paused(&desk, &["--pause-after-tool"]);
    desk.project.write("binary", [0xff, 0xfe, 0x00]);
    desk.project.write("long", "x".repeat(1024 * 1024 + 1));
    for (arguments, code, words) in [
        (&["resume", &request, "2"][..], 1, "The turn is not paused after this step."),
        (&["resume", &request, "7", "--drop-result"], 1, "The turn is not paused after this step."),
        (&["resume", &request, "--edit-result", "nowhere.md"], 2, "nowhere.md cannot be read as text."),
        (&["resume", &request, "--edit-result", "binary"], 2, "binary cannot be read as text."),
        (&["resume", &request, "--edit-result", "long"], 2, "The edited result is longer than 1 MiB."),
        (&["resume", &request, "--drop-result", "--call", "call_7"], 2, "This step has no such result."),
        (&["resume", &request, "--drop-result", "--edit-result", "notes.txt"], 2, "cannot be used with"),
        (&["approve", &request], 2, "This turn is paused, and asks for no approval."),
        (&["reject", &request], 2, "This turn is paused, and asks for no approval."),
    ] {
        let (exit, said) = refused(&desk, arguments);
        assert_eq!(exit, Some(code), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
    let model = hears(&[SECRET], &[]);
    assert_eq!(on(&desk, &model, &["resume", &request]).code, Some(0));
    model.finish();
    replays(&desk, &request);
    let (code, said) = refused(&desk, &["resume", &request, "1"]);
    assert_eq!((code, said.contains("not paused after this step")), (Some(1), true), "{said}");
}

#[test]
fn a_paused_turn_can_be_stopped_and_is_then_not_resumable() {
    // A4
    let desk = Desk::new();
    let (request, _) = paused(&desk, &["--pause-after-tool"]);
    let (code, said) = refused(&desk, &["reject", &request, "--stop"]);
    assert_eq!(code, Some(130), "{said}");
    for more in [&[][..], &["1"], &["--drop-result"]] {
        let (code, said) = refused(&desk, &[&["resume", request.as_str()], more].concat());
        assert_eq!(code, Some(1), "{said}");
    }
    replays(&desk, &request);
}

#[test]
fn of_two_that_resume_at_once_one_wins_and_the_model_is_called_once() {
    // A7
    for _ in 0..3 {
        let desk = Desk::new();
        let (request, _) = paused(&desk, &["--pause-after-tool"]);
        let model = Script::new().forever(|_, _| support::Turn::default().text("I see.").end("stop")).start();
        let url = model.base_url();
        let start = |more: &[&str]| {
            let mut command = desk.orion(&["resume", &request, "--base-url", &url, "--json"]);
            command.args(more).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        };
        let both = [start(&[]), start(&["--drop-result"])].map(|child| child.wait_with_output().unwrap());
        let mut codes: Vec<Option<i32>> = both.iter().map(|output| output.status.code()).collect();
        codes.sort();
        assert_eq!(codes, [Some(0), Some(1)], "{both:?}");
        let lost = both.iter().find(|output| output.status.code() == Some(1)).unwrap();
        let said = String::from_utf8_lossy(&lost.stderr);
        // It may have looked only when nothing waited any more: the turn ran already, or was over.
        let late = [
            "answered already",
            "already has a running turn",
            "nothing to resume",
            "not paused after this step",
        ];
        assert!(late.iter().any(|words| said.contains(words)), "{said}");
        assert_eq!(model.requests().len(), 1);
        replays(&desk, &request);
    }
}

#[tokio::test]
async fn an_edit_outlives_the_process_that_was_told_of_it() {
    // A5
    let desk = Desk::new();
    let (request, _) = paused(&desk, &["--pause-after-tool"]);
    desk.project.write("edited.md", "Nothing.");
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("So").hold(&gate).end("stop")).start();
    let url = model.base_url();
    let arguments = ["resume", &request, "--edit-result", "edited.md", "--events", "--base-url", &url];
    let (mut child, mut stdout) = started(&mut desk.orion(&arguments));
    line(&mut stdout);
    gate.reached().await;
    child.kill().unwrap();
    child.wait().unwrap();
    drop(model);
    let model = hears(&["Nothing."], &[SECRET]);
    let ended = on(&desk, &model, &["resume", &request]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    model.finish();
    replays(&desk, &request);
}

#[test]
fn a_paused_turn_of_another_version_is_stopped_and_not_resumed() {
    // T8, A4
    let desk = Desk::new();
    let (request, _) = paused(&desk, &["--pause-after-tool"]);
    super::journals::sql(
        &desk,
        "UPDATE journal SET body = json_insert(body, '$.setup.flags[#]', 999) WHERE n = 1",
    );
    let (code, said) = refused(&desk, &["resume", &request]);
    assert_eq!((code, said.contains("written by another version of Orion")), (Some(1), true), "{said}");
    let (code, said) = refused(&desk, &["reject", &request, "--stop"]);
    assert_eq!((code, said.contains("Stopped. The turn ends here")), (Some(130), true), "{said}");
    let (code, said) = refused(&desk, &["reject", &request, "--stop"]);
    assert_eq!((code, said.contains("waits for no approval")), (Some(1), true), "{said}");
}
