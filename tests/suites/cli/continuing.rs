//! *Continue*: the same context, a fresh budget, no message to write (X7).

use serde_json::{Value, json};
use support::{Script, ScriptedModel};

use super::{Desk, json as parsed, ran};

/// Reads, and may do no more: what is said then is the final answer.
fn spends_its_step(last: impl FnOnce(support::Turn) -> support::Turn) -> ScriptedModel {
    Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(last)
        .start()
}

fn remarks(stderr: &str) -> Vec<&str> {
    stderr
        .lines()
        .filter(|line| ["Answered", "Not finished", "Continue"].iter().any(|word| line.starts_with(word)))
        .collect()
}

#[test]
fn a_session_continues_without_a_message_with_what_it_read_and_the_budget_that_was_chosen_for_it() {
    let desk = Desk::new();
    let model = spends_its_step(|t| t.text("It is 42.").end("stop"));
    let first = ran(&mut desk.run(&model, &["--max-cycles", "1", "--max-duplicates", "2", "--events", "Hi"]));
    model.finish();
    let started = parsed(first.stdout.lines().next().unwrap());
    let chosen = |started: &Value| {
        ["maxCycles", "maxTools", "maxDuplicates"].map(|key| started["event"]["chosen"][key].clone())
    };
    assert_eq!(chosen(&started), [json!(1), Value::Null, json!(2)]);

    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| {
                let said = ask.conversation();
                assert!(said.iter().any(|(_, text)| text.contains("The answer is 42.")), "{said:?}");
                assert_eq!(said.last(), Some(&("user", "Continue.")));
            })
            .text("Done.")
            .end("stop")
        })
        .start();
    let session = started["sessionId"].as_str().unwrap();
    let on = ran(&mut desk.run(&model, &["--events", "--session", session]));
    let started = parsed(on.stdout.lines().next().unwrap());
    let policy =
        ["maxCycles", "maxTools", "maxDuplicates"].map(|key| started["event"]["policy"][key].clone());
    assert_eq!((on.code, policy), (Some(0), [json!(1), json!(1), json!(2)]), "{}", on.stderr);
    assert_eq!(chosen(&started), [json!(1), Value::Null, json!(2)], "and so does the one after it");
    model.finish();
}

#[test]
fn a_flag_beats_the_budget_of_the_last_turn_and_a_message_does_not_inherit_it() {
    let desk = Desk::new();
    let answers = || Script::new().turn(|t| t.text("Yes.").end("stop")).start();
    let cycles = |arguments: &[&str]| {
        let model = answers();
        let ran = ran(&mut desk.run(&model, arguments));
        model.finish();
        parsed(ran.stdout.lines().next().unwrap())["event"]["policy"]["maxCycles"].clone()
    };
    let asked = [
        cycles(&["--events", "--max-cycles", "7", "Hi"]),
        cycles(&["--events", "--continue"]),
        cycles(&["--events", "--continue", "--max-cycles", "5"]),
        cycles(&["--events", "--continue", "And now?"]),
    ];
    assert_eq!(asked, [json!(7), json!(7), json!(5), json!(8)]);
}

// P3: the report says what ended it, and so does the exit code.
#[test]
fn a_finished_forced_answer_is_answered_and_one_that_asked_for_a_tool_is_not_finished() {
    let desk = Desk::new();
    let finished = spends_its_step(|t| t.text("It is 42.").end("stop"));
    let asks = spends_its_step(|t| {
        t.text("I also need").call("read_file", json!({"path": "more.txt"})).end("tool_calls")
    });
    let cases = [(finished, "Answered"), (asks, "Not finished")];
    for (model, headline) in cases {
        let ran = ran(&mut desk.run(&model, &["--max-cycles", "1", "Hi"]));
        let said = remarks(&ran.stderr);
        assert_eq!(
            (ran.code, said[0]),
            (Some(4), &*format!("{headline}: all 1 step used.")),
            "{}",
            ran.stderr
        );
        assert!(said[1].starts_with("Continue with a fresh budget: orion run --session "), "{}", ran.stderr);
        model.finish();
    }
}

#[test]
fn an_answer_that_was_cut_off_is_not_finished() {
    let model = Script::new().turn(|t| t.text("Once upon").end("length")).start();
    let ran = ran(&mut Desk::new().run(&model, &["Tell me a story."]));
    assert_eq!(remarks(&ran.stderr)[0], "Not finished: cut off at the length limit.");
    model.finish();
}

#[test]
fn without_a_session_there_is_nothing_to_continue() {
    let desk = Desk::new();
    let nothing = ran(&mut desk.orion(&["run", "--demo", "--continue"]));
    assert_eq!(
        (nothing.code, nothing.stderr.as_str()),
        (Some(2), "orion: There is nothing to continue here.\nGive a message: orion run \"…\".\n")
    );
    let no_message = ran(&mut desk.orion(&["run", "--demo"]));
    assert_eq!(no_message.code, Some(2), "{}", no_message.stderr);
}
