//! Models that repeat themselves and never end (P11): the run ends all the same, keeps what came, and closes the connection.

use serde_json::{Value, json};
use support::{Chunking, Fate, Script, ScriptedModel, Turn};

use super::{Desk, Ran, json as parsed, ran, refused, replays};

/// So much of it, and then the connection stays open: nobody but Orion ends this.
const LINES: usize = 4_000;

const CSS: &str = "  background-color: #fff;\n";

fn endless(turn: Turn) -> Turn {
    turn.hang().chunking(Chunking::PerEvent)
}

/// The report of `orion run` on a model that answers so, and what the person is told. The server has seen its connection closed, and the
/// turn replays the same.
async fn reported(answer: impl FnOnce(Turn) -> Turn) -> (Value, String) {
    let model = Script::new().turn(|t| endless(answer(t))).start();
    let desk = Desk::new();
    let told = ran(&mut desk.run(&model, &["--events", "List the files."]));
    assert_eq!(told.code, Some(5), "{}", told.stderr);
    assert_eq!(model.dropped(1).await.fate, Fate::Dropped);
    let events: Vec<Value> = told.stdout.lines().map(|line| parsed(line)["event"].clone()).collect();
    let report = &events.last().unwrap()["report"];
    assert_eq!((&report["status"], &report["stopReason"]), (&json!("completed"), &json!("length")));
    assert_eq!((&report["modelCalls"], &report["toolRuns"]), (&json!(1), &json!(0)));
    let replay = ran(&mut desk.orion(&["replay", report["requestId"].as_str().unwrap()]));
    assert_eq!(replay.code, Some(0), "{}", replay.stderr); // T5
    let notices = events.iter().filter(|event| event["code"] == "repeated_itself");
    let notices: Vec<&str> = notices.filter_map(|event| event["message"].as_str()).collect();
    assert_eq!(notices.len(), 1, "{notices:?}");
    (report.clone(), notices[0].to_owned())
}

#[tokio::test]
async fn an_endless_line_is_cut_off_and_its_text_kept() {
    let (report, notice) = reported(|t| (0..LINES).fold(t.text("Sure:\n"), |t, _| t.text(CSS))).await;
    let said = "Sure:\n".to_owned() + &CSS.repeat(LINES);
    assert_eq!(report["answer"], said[..5 * 1024]);
    assert!(notice.contains("its answer was cut off. The same text came 196 times in a row."), "{notice}");
}

// X1
#[test]
fn the_next_message_of_the_session_is_not_given_what_was_repeated() {
    let model = Script::new()
        .turn(|t| endless((0..LINES).fold(t.text("Sure:\n"), |t, _| t.text(CSS))))
        .turn(|t| {
            t.expect(|ask| {
                let said: Vec<&str> = ask.messages().iter().filter_map(|it| it["content"].as_str()).collect();
                assert!(said.contains(&"Sure:\n  background-color: #fff;"), "{said:?}");
            })
            .text("Done.")
            .end("stop")
        })
        .start();
    let desk = Desk::new();
    let first = ran(&mut desk.run(&model, &["--json", "Style it."]));
    let session = parsed(&first.stdout)["sessionId"].as_str().unwrap().to_owned();
    let second = ran(&mut desk.run(&model, &["--session", &session, "Shorter, please."]));
    assert_eq!((second.code, second.stdout.as_str()), (Some(0), "Done.\n"), "{}", second.stderr);
    model.finish();
}

#[tokio::test]
async fn a_line_without_end_is_cut_off_too() {
    // "no, " has four bytes: of such a text 16 KiB count.
    let (report, notice) = reported(|t| (0..3_000).fold(t, |t, _| t.text("no, no, "))).await;
    assert!(report["answer"] == "no, ".repeat(4_096), "{report}");
    assert!(notice.contains("4096 times"), "{notice}");
}

#[tokio::test]
async fn so_is_endless_reasoning() {
    let (report, notice) =
        reported(|t| (0..LINES).fold(t.text("Well. "), |t, _| t.reasoning("Let me think again. "))).await;
    assert_eq!(report["answer"], "Well. ");
    assert!(notice.contains("while it was still reasoning"), "{notice}");
}

#[tokio::test]
async fn so_are_endless_arguments_of_a_call() {
    let piece = |arguments: &str| json!({"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]});
    let (report, notice) = reported(|t| {
        let begun = json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "read_file", "arguments": "{\"path\":\""}}]});
        (0..LINES).fold(t.text("I look.").delta(begun), |t, _| t.delta(piece("../src/")))
    })
    .await;
    assert_eq!(report["answer"], "I look.");
    assert!(notice.contains("cut off in a tool call, which did not run"), "{notice}");
}

/// A model whose file only repeats itself, and what it does after that.
fn styling(then: impl FnOnce(Script) -> Script) -> Script {
    let plan = json!({"intent": "Style it.", "target_file": "style.css", "operation": "create"});
    then(
        Script::new()
            .turn(|t| t.call("write_plan_begin", plan).end("tool_calls"))
            .turn(|t| endless((0..LINES).fold(t.text("body {\n"), |t, _| t.text(CSS)))),
    )
}

/// The turn that waits after `orion run` with these flags, and what the person was told.
async fn asked(desk: &Desk, model: &ScriptedModel, flags: &[&str]) -> (String, String) {
    let told = ran(&mut desk.run(model, &[flags, &["--events", "Style it."]].concat()));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    assert_eq!(model.dropped(2).await.fate, Fate::Dropped);
    let events: Vec<Value> = told.stdout.lines().map(|line| parsed(line)["event"].clone()).collect();
    let repeats = events.last().unwrap();
    assert_eq!(
        (&repeats["type"], &repeats["of"]["type"], &repeats["of"]["times"], &repeats["of"]["bytes"]),
        (&json!("asked"), &json!("repeats"), &json!(196), &json!(5_120))
    );
    assert!(!desk.project.path().join("style.css").exists());
    let request = parsed(told.stdout.lines().last().unwrap())["requestId"].as_str().unwrap().to_owned();
    (request, told.stderr)
}

fn answer(desk: &Desk, model: &ScriptedModel, request: &str, more: &[&str]) -> Ran {
    let base_url = model.base_url();
    ran(desk.orion(&["approve", request, "--base-url", &base_url]).args(more))
}

#[tokio::test]
async fn nobody_chooses_for_the_person_what_becomes_of_a_file_that_repeats_itself() {
    // P11, A7: not the flag that approves writes, not a bare yes, not the end of the process.
    let model = styling(|script| script).start();
    let desk = Desk::with_settings("[tools.write_plan_begin]\npermission = \"allow\"\n");
    let (request, _) = asked(&desk, &model, &["--approve-writes"]).await;
    model.finish();
    let model = Script::new().start();
    let how = format!(
        "The content only repeats itself. Choose: orion approve {request} --repeats go-on|keep-one|discard"
    );
    for more in [&[][..], &["--approve-writes"], &["--despite-faults"]] {
        let refused = answer(&desk, &model, &request, more);
        assert_eq!(
            (refused.code, refused.stderr),
            (Some(2), format!("orion: There is nothing to approve yet.\n{how}\n"))
        );
    }
    let resumed =
        ran(&mut desk.orion(&["resume", &request, "--approve-writes", "--base-url", &model.base_url()]));
    assert_eq!(resumed.code, Some(3), "{}", resumed.stderr);
    assert!(resumed.stderr.starts_with(&format!("{how}\n")), "{}", resumed.stderr);
    let next = ran(&mut desk.run(&model, &["--continue", "And now?"]));
    assert_eq!(next.code, Some(1));
    assert!(
        next.stderr.contains("whose content only repeats itself") && next.stderr.contains(&how),
        "{}",
        next.stderr
    );
    let replay = ran(&mut desk.orion(&["replay", &request]));
    assert_eq!(replay.code, Some(0), "{}", replay.stderr); // T5
    assert!(!replay.stdout.contains(r#""type":"chosen""#));
    model.finish();
}

#[tokio::test]
async fn one_of_the_repeats_is_kept_and_can_then_be_written() {
    let model = styling(|script| script).start();
    let desk = Desk::new();
    let (request, _) = asked(&desk, &model, &[]).await;
    model.finish();
    let model = Script::new().turn(|t| t.text("Styled.").end("stop")).start();
    let kept = answer(&desk, &model, &request, &["--repeats", "keep-one", "--json"]);
    assert_eq!(
        (kept.code, &parsed(&kept.stdout)["stopReason"]),
        (Some(3), &json!("approval")),
        "{}",
        kept.stderr
    );
    let diff = ran(&mut desk.orion(&["diff", &request]));
    assert!(diff.stdout.ends_with("+body {\n+  background-color: #fff;\n"), "{}", diff.stdout);
    let written = answer(&desk, &model, &request, &["--despite-faults"]);
    assert_eq!((written.code, written.stdout.as_str()), (Some(0), "Styled.\n"), "{}", written.stderr);
    let file = std::fs::read_to_string(desk.project.path().join("style.css")).unwrap();
    assert_eq!(file, "body {\n  background-color: #fff;\n");
    assert_eq!(ran(&mut desk.orion(&["replay", &request])).code, Some(0));
    model.finish();
}

#[tokio::test]
async fn a_file_that_may_repeat_itself_is_gone_on_with() {
    // W4: in another process, which cuts it off no more.
    let model = styling(|script| script).start();
    let desk = Desk::new();
    let (request, _) = asked(&desk, &model, &[]).await;
    model.finish();
    let rest = CSS.repeat(1_000);
    let rest = rest[5 * 1024 - "body {\n".len()..].to_owned() + "}\nDONE";
    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| {
                assert!(ask.last_text().contains("Go on exactly where it stops"), "{}", ask.last_text())
            })
            .text(&rest)
            .end("stop")
        })
        .turn(|t| t.text("Styled.").end("stop"))
        .start();
    let written = answer(&desk, &model, &request, &["--repeats", "go-on", "--approve-writes"]);
    assert_eq!((written.code, written.stdout.as_str()), (Some(0), "Styled.\n"), "{}", written.stderr);
    let file = std::fs::read_to_string(desk.project.path().join("style.css")).unwrap();
    assert!(file == "body {\n".to_owned() + &CSS.repeat(1_000) + "}\n", "{} bytes", file.len());
    // A7: of two answers the first counts.
    let again = answer(&desk, &model, &request, &["--repeats", "discard"]);
    assert_eq!(
        (again.code, again.stderr.lines().next()),
        (Some(1), Some("orion: This turn does not wait for a choice about repeats."))
    );
    model.finish();
}

#[tokio::test]
async fn what_is_discarded_is_not_written_and_the_model_goes_on() {
    for discard in [&["--repeats", "discard"][..], &["--reject"]] {
        let model = styling(|script| script).start();
        let desk = Desk::new();
        let (request, _) = asked(&desk, &model, &[]).await;
        model.finish();
        let model = Script::new()
            .turn(|t| {
                t.expect(|ask| {
                    assert!(ask.last_text().contains("the user discarded it"), "{}", ask.last_text())
                })
                .text("Then not.")
                .end("stop")
            })
            .start();
        let left = answer(&desk, &model, &request, discard);
        assert_eq!((left.code, left.stdout.as_str()), (Some(0), "Then not.\n"), "{}", left.stderr);
        assert!(!desk.project.path().join("style.css").exists());
        model.finish();
    }
}

#[tokio::test]
async fn a_turn_that_waits_with_repeats_is_stopped_and_takes_no_reason() {
    // A4, A6
    let model = styling(|script| script).start();
    let desk = Desk::new();
    let (request, _) = asked(&desk, &model, &[]).await;
    model.finish();
    let (code, said) = refused(&desk, &["reject", &request, "--reason", "Too long."]);
    let how = format!("Discard the content without one: orion approve {request} --repeats discard\n");
    assert_eq!((code, said.ends_with(&how)), (Some(2), true), "{said}");
    let (code, said) = refused(&desk, &["reject", &request, "--stop"]);
    assert_eq!(code, Some(130), "{said}");
    assert!(!desk.project.path().join("style.css").exists());
    replays(&desk, &request);
}
