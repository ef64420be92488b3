//! Models that repeat themselves and never end (P11): the run ends all the same, keeps what came, and closes the connection.

use serde_json::{Value, json};
use support::{Chunking, Fate, Script, Turn};

use super::{Desk, json as parsed, ran};

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

#[tokio::test]
async fn content_of_a_file_that_repeats_itself_is_cut_off_and_shown_to_the_person() {
    // W4: nobody else can tell whether the file is meant to be so.
    let plan = json!({"intent": "Style it.", "target_file": "style.css", "operation": "create"});
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", plan).end("tool_calls"))
        .turn(|t| endless((0..LINES).fold(t.text("body {\n"), |t, _| t.text(CSS))))
        .start();
    let desk = Desk::new();
    let told = ran(&mut desk.run(&model, &["--json", "Style it."]));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    assert_eq!(model.dropped(2).await.fate, Fate::Dropped);
    let report = parsed(&told.stdout);
    let request = report["requestId"].as_str().unwrap();
    assert_eq!((&report["stopReason"], &report["writePrompts"]), (&json!("approval"), &json!(1)));
    let shown = ran(&mut desk.orion(&["diff", request]));
    let content = "body {\n".to_owned() + &CSS.repeat(LINES);
    let added = content[..5 * 1024].lines().map(|line| format!("+{line}\n")).collect::<String>();
    assert!(shown.stdout.contains(&added), "{}", shown.stdout);
    assert_eq!(ran(&mut desk.orion(&["replay", request])).code, Some(0));
    assert!(!desk.project.path().join("style.css").exists());
    model.finish();
}
