//! A turn is bounded in tokens, seconds and bytes of a file (T7), whatever the endpoint does: the run ends, keeps what came, closes the
//! connection, and replays the same.

use std::io::Read;

use serde_json::{Value, json};
use support::{Chunking, Drip, Fate, Script, ScriptedModel, Turn};

use super::{Desk, Ran, ended, json as parsed, ran, started};

/// Words that do not repeat themselves, 68 KB of them. Then the connection stays open: nobody but Orion ends this.
fn endless(turn: Turn, say: impl Fn(Turn, &str) -> Turn) -> Turn {
    (0..10_000)
        .fold(turn, |turn, number| say(turn, &format!("{number} or ")))
        .hang()
        .chunking(Chunking::Random(7))
}

/// The report of such a run and what the person was told. The turn replays the same.
fn reported(desk: &Desk, told: &Ran) -> (Value, Vec<String>) {
    let events: Vec<Value> = told.stdout.lines().map(|line| parsed(line)["event"].clone()).collect();
    let report = events.last().unwrap()["report"].clone();
    let replay = ran(&mut desk.orion(&["replay", report["requestId"].as_str().unwrap()]));
    assert_eq!(replay.code, Some(0), "{}", replay.stderr); // T5
    let notices = events.iter().filter(|event| event["type"] == "notice");
    (report, notices.map(|event| event["message"].as_str().unwrap().to_owned()).collect())
}

fn said(text: impl Iterator<Item = usize>) -> String {
    text.map(|number| format!("{number} or ")).collect()
}

async fn dropped(model: &ScriptedModel, call: usize) {
    assert_eq!(model.dropped(call).await.fate, Fate::Dropped);
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off_at_half_as_much_again_as_its_limit() {
    // It ignores the limit that it is sent, and reports no usage.
    let model = Script::new().turn(|t| endless(t, |t, word| t.text(word))).start();
    let desk = Desk::new();
    let told = ran(&mut desk.run(&model, &["--events", "--max-output-tokens", "1000", "Count."]));
    assert_eq!(told.code, Some(5), "{}", told.stderr);
    dropped(&model, 1).await;
    let (report, notices) = reported(&desk, &told);
    assert_eq!((&report["stopReason"], &report["exhausted"]), (&json!("length"), &json!("tokens")));
    assert_eq!(report["answer"], said(0..10_000)[..6_000]);
    assert_eq!(notices, ["The answer was cut off: it was longer than 1000 tokens."]);
}

#[tokio::test]
async fn so_is_reasoning_without_end() {
    let model = Script::new().turn(|t| endless(t.text("Well. "), |t, word| t.reasoning(word))).start();
    let desk = Desk::new();
    let told = ran(&mut desk.run(&model, &["--events", "--max-output-tokens", "1000", "Count."]));
    assert_eq!(told.code, Some(5), "{}", told.stderr);
    dropped(&model, 1).await;
    let (report, _) = reported(&desk, &told);
    assert_eq!((&report["answer"], &report["exhausted"]), (&json!("Well. "), &json!("tokens")));
}

#[tokio::test]
async fn an_answer_that_comes_too_slowly_ends_with_the_time_of_the_turn_and_is_kept() {
    let model = Script::new().turn(|t| t.text("One, two, ").hang()).start();
    let desk = Desk::new();
    let told = ran(&mut desk.run(&model, &["--events", "--max-seconds", "1", "Count."]));
    assert_eq!(told.code, Some(4), "{}", told.stderr);
    dropped(&model, 1).await;
    let (report, notices) = reported(&desk, &told);
    assert_eq!(
        (&report["stopReason"], &report["exhausted"]),
        (&json!("budget_exhausted"), &json!("seconds"))
    );
    assert_eq!((&report["answer"], &report["status"]), (&json!("One, two, "), &json!("completed")));
    assert_eq!(notices, ["The time of this turn is used up: 1 seconds."]);
    assert!(report["durationMs"].as_u64().unwrap() >= 1_000, "{report}");
}

#[tokio::test]
async fn a_model_that_never_answers_at_all_ends_with_the_time_of_the_turn() {
    let model = Script::new().turn(Turn::hang).start();
    let desk = Desk::new();
    let told = ran(&mut desk.run(&model, &["--events", "--max-seconds", "1", "Count."]));
    assert_eq!(told.code, Some(4), "{}", told.stderr);
    let (report, _) = reported(&desk, &told);
    assert_eq!((&report["exhausted"], &report["answer"]), (&json!("seconds"), &json!("")));
}

#[tokio::test]
async fn an_answer_that_drips_for_ever_ends_with_the_time_of_the_turn_whatever_drips() {
    // Each piece puts off every timer for silence, and the tokens of a day would not reach their limit.
    let begin = |turn: Turn, drip| {
        match drip {
        Drip::Arguments => turn.text("One, ").delta(json!({
            "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "read_file", "arguments": "{\"path\":\"" } }],
        })),
        _ => turn.text("One, "),
    }
    };
    let drips = [Drip::Text, Drip::Reasoning, Drip::Arguments, Drip::Comments];
    let cases = drips.into_iter().flat_map(|drip| [(drip, true), (drip, false)]).map(|(drip, begun)| {
        let answer = if begun { begin(Turn::default(), drip) } else { Turn::default() };
        let (model, desk) = (Script::new().turn(|_| answer.drip(drip)).start(), Desk::new());
        // Each takes its second, and all of them the same one.
        let run = started(&mut desk.run(&model, &["--events", "--max-seconds", "1", "Count."]));
        (drip, begun, model, desk, run)
    });
    for (drip, begun, model, desk, (child, mut stdout)) in cases.collect::<Vec<_>>() {
        let mut events = String::new();
        stdout.read_to_string(&mut events).unwrap();
        let (code, stderr) = ended(child);
        assert_eq!(code, Some(4), "{drip:?}: {stderr}");
        dropped(&model, 1).await;
        let (report, notices) = reported(&desk, &Ran { code, stdout: events, stderr });
        assert_eq!(
            (&report["stopReason"], &report["exhausted"], &report["modelCalls"], &report["toolRuns"]),
            (&json!("budget_exhausted"), &json!("seconds"), &json!(1), &json!(0)),
            "{drip:?}"
        );
        assert_eq!(notices, ["The time of this turn is used up: 1 seconds."], "{drip:?}");
        let answer = report["answer"].as_str().unwrap();
        assert!(answer.starts_with(if begun { "One, " } else { "" }), "{drip:?}: {answer}");
        assert_eq!(answer.ends_with(" or "), drip == Drip::Text, "{drip:?}: {answer}");
        assert!(report["durationMs"].as_u64().unwrap() >= 1_000, "{drip:?}: {report}");
    }
}

#[tokio::test]
async fn so_does_a_file_that_drips_for_ever_and_what_came_is_shown() {
    let begin = json!({"intent": "Count.", "target_file": "count.txt", "operation": "create"});
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin).end("tool_calls"))
        .turn(|t| t.text("One, ").drip(Drip::Text))
        .start();
    let desk = Desk::new();
    let told = ran(&mut desk.run(&model, &["--events", "--max-seconds", "1", "Count."]));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    dropped(&model, 2).await;
    let ready = told.stdout.lines().map(parsed).find(|line| line["event"]["type"] == "write_ready");
    let fault = &ready.expect("what came is proposed")["event"]["proposal"]["faults"][0];
    assert_eq!(fault["kind"], "incomplete");
    assert!(fault["what"].as_str().unwrap().contains("The time of this turn is used up"), "{fault}");
}

#[tokio::test]
async fn a_file_without_end_is_cut_off_at_its_limit_and_waits_for_the_person() {
    let begin = json!({"intent": "Count.", "target_file": "count.txt", "operation": "create"});
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin).end("tool_calls"))
        .turn(|t| endless(t, |t, word| t.text(word)))
        .start();
    let desk = Desk::new();
    let told = ran(&mut desk.run(&model, &["--events", "--max-file-bytes", "20000", "Count."]));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    dropped(&model, 2).await;
    let ready = told.stdout.lines().map(parsed).find(|line| line["event"]["type"] == "write_ready");
    let proposal = &ready.expect("what came is proposed")["event"]["proposal"];
    assert_eq!(proposal["bytes"], json!(20_000));
    let fault = proposal["faults"][0]["what"].as_str().unwrap();
    assert!(fault.contains("The content of count.txt is longer than 20000 bytes."), "{fault}");
}

#[test]
fn a_limit_on_an_unknown_price_says_so_and_a_flag_that_is_no_amount_is_refused() {
    let model = Script::new().turn(|t| t.text("Yes.").end("stop")).start();
    let desk = Desk::new();
    let told = ran(&mut desk.run(&model, &["--events", "--max-cost", "0.5", "Hello?"]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let (report, notices) = reported(&desk, &told);
    assert_eq!((&report["costUsd"], &report["bounds"]["costUsd"]), (&json!(null), &json!(null)));
    assert_eq!(notices, ["The price of scripted is not known, so this turn is not limited to $0.50."]);
    let told = ran(&mut desk.run(&model, &["--max-cost", "much", "Hello?"]));
    assert_eq!(told.code, Some(2));
    assert!(told.stderr.contains("an amount of US dollars from 0.001 to 1000000"), "{}", told.stderr);
    model.finish();
}
