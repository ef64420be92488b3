//! Questions of the model: each answer by a process of its own, and at a terminal by the run itself (A8, A7).

use serde_json::{Value, json};
use support::{Request, Script, ScriptedModel};

use super::writes::on;
use super::{Desk, json as parsed, ran, refused, replays};

fn questions() -> Value {
    json!({ "questions": [
        { "id": "colour", "question": "Which colour?", "kind": "choice", "options": ["red", "grey"] },
        { "id": "old", "question": "Keep the old one?", "kind": "yes_no" },
    ] })
}

fn text_of(request: &Request) -> String {
    request.messages().iter().filter_map(|it| it["content"].as_str()).collect::<Vec<_>>().join("\n")
}

/// A turn that waits with two questions, and its id.
fn asked(desk: &Desk, more: &[&str]) -> String {
    let model = Script::new().turn(|t| t.call("ask_user", questions()).end("tool_calls")).start();
    let told = ran(desk.run(&model, &["--json", "Paint it."]).args(more));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    model.finish();
    let report = parsed(&told.stdout);
    assert_eq!((&report["status"], &report["stopReason"]), (&json!("waiting"), &json!("clarification")));
    report["requestId"].as_str().unwrap().to_owned()
}

fn hears(words: &'static [&'static str]) -> ScriptedModel {
    let check = move |ask: &Request| {
        let told = text_of(ask);
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
    };
    Script::new().turn(|t| t.expect(check).text("I see.").end("stop")).start()
}

#[test]
fn the_answers_reach_the_model_whatever_mode_it_asks_in() {
    // A8
    for mode in ["plan", "act"] {
        let desk = Desk::new();
        let request = asked(&desk, &["--mode", mode]);
        let model =
            hears(&["status: ok", "colour: Which colour?\n- a blue one\nold: Keep the old one?\n- no\n"]);
        let told = on(&desk, &model, &["answer", &request, "old=no", "colour=a blue one", "--json"]);
        assert_eq!(told.code, Some(0), "{}", told.stderr);
        let report = parsed(&told.stdout);
        assert_eq!((&report["cycles"], &report["toolRuns"]), (&json!(1), &json!(1)), "it costs a cycle");
        model.finish();
        replays(&desk, &request);
        let (code, said) = refused(&desk, &["answer", &request, "--decline"]);
        assert_eq!((code, said.contains("This turn waits for no answer.")), (Some(1), true), "{said}");
        let exported = ran(&mut desk.orion(&["export", &request])).stdout;
        assert!(exported.contains("- a blue one"), "{exported}");
        let trace = parsed(&ran(&mut desk.orion(&["trace", &request, "--json"])).stdout);
        assert!(trace.as_array().unwrap().iter().any(|span| span["kind"] == "question"));
    }
}

#[test]
fn questions_of_a_turn_of_another_version_are_declined_and_not_answered() {
    // T8, A7
    for flag in ["--decline", "--dismiss"] {
        let desk = Desk::new();
        let request = asked(&desk, &[]);
        let later = "UPDATE journal SET body = json_insert(body, '$.setup.flags[#]', 999) WHERE n = 1";
        super::journals::sql(&desk, later);
        let (code, said) = refused(&desk, &["answer", &request, "old=no", "colour=red"]);
        assert_eq!((code, said.contains("written by another version of Orion")), (Some(1), true), "{said}");
        let told = ran(&mut desk.orion(&["answer", &request, flag]));
        assert_eq!(told.code, Some(130), "{}", told.stderr);
        let (code, said) = refused(&desk, &["answer", &request, flag]);
        assert_eq!((code, said.contains("This turn waits for no answer.")), (Some(1), true), "{said}");
    }
}

#[test]
fn declined_and_dismissed_are_results_of_their_own() {
    // A8
    for (flag, words) in [
        ("--decline", &["status: denied", "The user declined to answer."][..]),
        ("--dismiss", &["status: cancelled", "The user leaves this to you."]),
    ] {
        let desk = Desk::new();
        let request = asked(&desk, &[]);
        let check = move |ask: &Request| {
            assert!(words.iter().all(|word| ask.last_text().contains(word)), "{}", ask.last_text());
        };
        let model = Script::new()
            .turn(|t| t.expect(check).call("ask_user", questions()).end("tool_calls"))
            .turn(|t| {
                t.expect(|ask| assert!(ask.last_text().contains("DUPLICATE_BLOCKED"), "{}", ask.last_text()))
                    .text("As I think.")
                    .end("stop")
            })
            .start();
        let told = on(&desk, &model, &["answer", &request, flag]);
        assert_eq!(told.code, Some(0), "D2: it is not asked again: {}", told.stderr);
        model.finish();
        replays(&desk, &request);
    }
}

#[test]
fn what_is_no_answer_changes_nothing() {
    // A3, A7
    let desk = Desk::new();
    let request = asked(&desk, &[]);
    #[cfg(unix)]
    let long = format!("colour={}", "x".repeat(100 * 1024));
    for (arguments, code, words) in [
        (&["answer", &request][..], 2, "required"),
        (&["answer", &request, "red"], 2, "expected the id of a question"),
        (&["answer", &request, "colour=red"], 2, "These are not the answers"),
        (&["answer", &request, "colour=red", "old=perhaps"], 2, "These are not the answers"),
        (&["answer", &request, "colour=red", "old=no", "more=x"], 2, "These are not the answers"),
        // The command line of a program is shorter than that on Windows.
        #[cfg(unix)]
        (&["answer", &request, &long, &long, &long, "old=no"], 2, "The answers are longer than 256 KiB."),
        (&["approve", &request], 2, "This turn waits for answers, and asks for no approval."),
        (&["reject", &request], 2, "This turn waits for answers, and asks for no approval."),
        (&["resume", &request, "1"], 1, "The turn is not paused after this step."),
    ] {
        let (exit, said) = refused(&desk, arguments);
        assert_eq!(exit, Some(code), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
    let (code, said) = refused(&desk, &["resume", &request]);
    assert_eq!(code, Some(3), "it asks again: {said}");
    assert!(said.contains(&format!("orion answer {request} colour=… old=…")), "{said}");
    let model = hears(&["- red"]);
    assert_eq!(on(&desk, &model, &["answer", &request, "colour=red", "old=yes"]).code, Some(0));
    model.finish();
    replays(&desk, &request);
}

#[test]
fn a_call_whose_questions_are_not_well_formed_is_an_ordinary_refused_call() {
    // A8, R2
    let question = json!({ "id": "a", "question": "Why?", "kind": "text" });
    let of = |questions: Value| json!({ "questions": questions });
    let cases = [
        (json!({}), "`questions` is missing"),
        (of(json!([])), "`questions` must be a list from 1 to 3 entries, not a list of 0"),
        (
            of(json!([question, question, question, question])),
            "`questions` must be a list from 1 to 3 entries",
        ),
        (of(json!([question, question])), "two questions have the id `a`"),
        (
            of(json!([{ "id": "a", "question": "Why?", "kind": "essay" }])),
            "`questions/0/kind`: \"essay\" is not one of",
        ),
        (of(json!([{ "id": "a", "kind": "text" }])), "is missing"),
        (of(json!([{ "id": "a", "question": " ", "kind": "text" }])), "its text has 1 to 1000 characters"),
        (of(json!([{ "id": "a b", "question": "Why?", "kind": "text" }])), "its id has 1 to 40 letters"),
        (of(json!([{ "id": "a", "question": "Which?", "kind": "choice" }])), "it has 2 to 10 options"),
        (
            of(json!([{ "id": "a", "question": "Which?", "kind": "several", "options": ["x", "x"] }])),
            "two of its options are the same",
        ),
        (
            of(json!([{ "id": "a", "question": "Yes?", "kind": "yes_no", "options": ["x", "y"] }])),
            "only choice and several have options",
        ),
    ];
    for (arguments, words) in cases {
        let desk = Desk::new();
        let model = Script::new()
            .turn(|t| t.call("ask_user", arguments.clone()).end("tool_calls"))
            .turn(move |t| {
                t.expect(move |ask| assert!(ask.last_text().contains(words), "{words}: {}", ask.last_text()))
                    .text("Well.")
                    .end("stop")
            })
            .start();
        let told = ran(&mut desk.run(&model, &["--json", "Go."]));
        assert_eq!(told.code, Some(0), "{arguments}: {}", told.stderr);
        assert_eq!(parsed(&told.stdout)["toolCalls"][0]["status"], json!("failed"), "{arguments}");
        model.finish();
    }
}

#[test]
fn of_two_that_answer_at_once_one_wins_and_the_model_is_called_once() {
    // A7
    let desk = Desk::new();
    let request = asked(&desk, &[]);
    let model = Script::new().forever(|_, _| support::Turn::default().text("I see.").end("stop")).start();
    let url = model.base_url();
    let start = |more: &[&str]| {
        let mut command = desk.orion(&["answer", &request, "--base-url", &url, "--json"]);
        command.args(more).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command.spawn().unwrap()
    };
    let both = [start(&["--decline"]), start(&["colour=red", "old=no"])];
    let both = both.map(|child| child.wait_with_output().unwrap());
    let mut codes: Vec<Option<i32>> = both.iter().map(|output| output.status.code()).collect();
    codes.sort();
    assert_eq!(codes, [Some(0), Some(1)], "{both:?}");
    let lost = both.iter().find(|output| output.status.code() == Some(1)).unwrap();
    let said = String::from_utf8_lossy(&lost.stderr);
    assert!(said.contains("answered already") || said.contains("waits for no answer"), "{said}");
    assert_eq!(model.requests().len(), 1);
    replays(&desk, &request);
}

#[test]
fn where_nobody_is_at_the_keyboard_the_questions_are_shown_in_full_with_their_options() {
    // A8
    let question = format!("Which colour{}?", ", after all that was said of it".repeat(10));
    let shown = format!(
        "colour: {question}\n  - red\n  - grey\nold: Keep the old one? (yes or no)\nAnswer with `orion answer "
    );
    let questions = json!({ "questions": [
        { "id": "colour", "question": question, "kind": "choice", "options": ["red", "grey"] },
        { "id": "old", "question": "Keep the old one?", "kind": "yes_no" },
    ] });
    let model = Script::new().turn(|t| t.call("ask_user", questions).end("tool_calls")).start();
    let desk = Desk::new();
    let told = ran(&mut desk.run(&model, &["Paint it."]));
    model.finish();
    assert_eq!((told.code, told.stderr.matches(&shown).count()), (Some(3), 1), "{}", told.stderr);
    let (_, request) = told.stderr.rsplit_once("orion trace ").unwrap();
    let (code, said) = refused(&desk, &["resume", request.trim()]);
    assert_eq!((code, said.matches(&shown).count()), (Some(3), 1), "{said}");
}
