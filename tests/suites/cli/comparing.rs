//! One message by both routes, in two sessions with the context that it had (P2, T9). Each step is a process.

use serde_json::{Value, json};
use support::{Gate, Script};

use super::forking::having_read;
use super::writes::{begin, on, on_disk};
use super::{Desk, Ran, json as parsed, ran, replays};

/// What two_stage and unified say of the same message: the first reads one file and answers, the second reads it twice.
fn both() -> Script {
    let notes = || json!({"path": "notes.txt"});
    Script::new()
        .turn(|t| t.call("read_file", notes()).usage(1_000, 10).end("tool_calls"))
        .turn(|t| t.text("42, in short.").usage(1_200, 20).end("stop"))
        .turn(|t| t.call("read_file", notes()).usage(1_000, 10).end("tool_calls"))
        .turn(|t| t.call("read_file", notes()).usage(1_100, 10).end("tool_calls"))
        .turn(|t| t.text("42, at length.").usage(1_300, 30).end("stop"))
}

fn sides(told: &Ran) -> Vec<Value> {
    parsed(&told.stdout)["sides"].as_array().unwrap().clone()
}

/// The titles of the project's sessions.
fn titles(desk: &Desk) -> Vec<String> {
    let listed = parsed(&ran(&mut desk.orion(&["sessions", "--json"])).stdout);
    let titles = listed.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned());
    let mut titles: Vec<String> = titles.collect();
    titles.sort();
    titles
}

#[test]
fn a_message_is_sent_once_more_by_each_route_with_the_context_that_it_had() {
    // P2, T9
    let (desk, request, session, _) = having_read();
    let before = ran(&mut desk.orion(&["replay", &request])).stdout;
    let model = both().start();
    let told = on(&desk, &model, &["compare", &request, "--json"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let requests = model.requests();
    model.finish();
    for (at, first) in [(0, &requests[0]), (1, &requests[2])] {
        let said = json!(first.messages()).to_string();
        for (part, is_in) in
            [("One?", true), ("What is it?", true), ("42, in C.", false), ("int main", false)]
        {
            assert_eq!(said.contains(part), is_in, "side {at}: {part} in {said}");
        }
    }
    let sides = sides(&told);
    let figures = |side: &Value| {
        let report = &side["report"];
        json!([
            side["route"],
            report["route"],
            report["mode"],
            report["answer"],
            report["modelCalls"],
            report["toolRuns"],
            report["duplicatesRefused"],
            report["status"]
        ])
    };
    assert_eq!(
        json!(sides.iter().map(figures).collect::<Vec<_>>()),
        json!([
            ["two_stage", "two_stage", "plan", "42, in short.", 2, 1, 0, "completed"],
            ["unified", "unified", "plan", "42, at length.", 3, 1, 1, "completed"],
        ])
    );
    for side in &sides {
        replays(&desk, side["report"]["requestId"].as_str().unwrap());
        assert!(side["sessionId"] != json!(session));
    }
    assert_eq!(ran(&mut desk.orion(&["replay", &request])).stdout, before, "the turn is as it was");
    assert_eq!(titles(&desk), ["One?", "Two-stage: One?", "Unified: One?"]);
    // Both count as turns of their own, by their routes.
    let stats = parsed(&ran(&mut desk.orion(&["stats", "--by", "route", "--json"])).stdout);
    let turns: Vec<(&Value, &Value)> =
        stats["rows"].as_array().unwrap().iter().map(|row| (&row["route"], &row["turns"])).collect();
    assert_eq!(turns, [(&json!("two_stage"), &json!(3)), (&json!("unified"), &json!(1))]);
    // Either session goes on.
    let model = Script::new().turn(|t| t.text("Yes.").end("stop")).start();
    let session = sides[1]["sessionId"].as_str().unwrap();
    assert_eq!(ran(&mut desk.run(&model, &["--session", session, "Sure?"])).code, Some(0));
    let said = json!(model.requests()[0].messages()).to_string();
    assert!(said.contains("One?") && said.contains("42, at length.") && !said.contains("in short"), "{said}");
    model.finish();
}

#[test]
fn the_figures_stand_side_by_side_and_the_answers_below() {
    let (desk, request, ..) = having_read();
    let model = both().start();
    let told = on(&desk, &model, &["compare", &request]);
    model.finish();
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let mut lines: Vec<&str> = told.stdout.lines().collect();
    // The time is what it is.
    let time = lines.iter().position(|line| line.starts_with("time")).unwrap();
    lines.remove(time);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = lines.into_iter().map(words).collect();
    assert_eq!(
        lines,
        [
            "two_stage unified",
            "ended answered answered",
            "model calls 2 3",
            "tool runs 1 1",
            "refused repeats 0 1",
            "reused 0 0",
            &lines[6],
            &lines[7],
            "cost unknown unknown",
            "",
            "two_stage",
            "",
            "42, in short.",
            "",
            "unified",
            "",
            "42, at length.",
        ]
    );
    // P4: two_stage drops the response at the call, so that its count is an estimate.
    assert!(lines[6].starts_with("tokens in about ") && lines[6].ends_with(" 3,400"), "{}", lines[6]);
    assert!(lines[7].starts_with("tokens out about ") && lines[7].ends_with(" 50"), "{}", lines[7]);
}

#[test]
fn nothing_that_changes_a_file_is_offered_and_none_is_changed() {
    // A1
    let (desk, request, ..) = having_read();
    let offers = |request: &support::Request| {
        let offered = request.tool_names();
        assert!(
            offered.contains(&"read_file") && !offered.iter().any(|name| name.contains("write")),
            "{offered:?}"
        );
    };
    // A model that calls it all the same.
    let model = Script::new()
        .turn(|t| {
            t.expect(offers).call("write_plan_begin", begin("notes.txt", "overwrite")).end("tool_calls")
        })
        .turn(|t| t.text("I may not.").end("stop"))
        .turn(|t| t.expect(offers).call("write_plan_begin", begin("new.txt", "create")).end("tool_calls"))
        .turn(|t| t.text("Nor may I.").end("stop"))
        .start();
    let told = on(&desk, &model, &["compare", &request, "--json"]);
    model.finish();
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert_eq!(
        sides(&told).iter().map(|side| side["report"]["writes"].clone()).collect::<Vec<_>>(),
        [json!([]), json!([])]
    );
    assert_eq!(on_disk(&desk, "notes.txt"), "The answer is 42.\n");
    assert!(!desk.project.path().join("new.txt").exists());
}

#[test]
fn a_side_that_waits_for_a_person_waits_on_and_the_other_one_goes_to_its_end() {
    // A7
    let desk = Desk::with_settings("[tools.read_file]\npermission = 'ask'\n");
    let model = Script::new().turn(|t| t.text("42.").end("stop")).start();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "What is it?"])).stdout);
    model.finish();
    let request = report["requestId"].as_str().unwrap();
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.text("42, unified.").end("stop"))
        .start();
    let told = on(&desk, &model, &["compare", request, "--json"]);
    model.finish();
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    let sides = sides(&told);
    assert_eq!(
        sides.iter().map(|side| side["report"]["stopReason"].clone()).collect::<Vec<_>>(),
        [json!("approval"), json!("answered")]
    );
    let waits = sides[0]["report"]["requestId"].as_str().unwrap();
    assert!(told.stderr.contains("two_stage waits: ") && told.stderr.contains(waits), "{}", told.stderr);
    let model = Script::new().turn(|t| t.text("42, two_stage.").end("stop")).start();
    let told = on(&desk, &model, &["approve", waits, "--json"]);
    model.finish();
    assert_eq!(
        (told.code, &parsed(&told.stdout)["answer"]),
        (Some(0), &json!("42, two_stage.")),
        "{}",
        told.stderr
    );
    replays(&desk, waits);
}

#[test]
fn what_cannot_be_compared_is_refused_and_leaves_no_session() {
    let (desk, request, ..) = having_read();
    let none = "0190a000-0000-7000-8000-000000000000";
    let away = ["--base-url", "http://127.0.0.1:9/v1"];
    for (arguments, code, words) in [
        (&["compare", none, away[0], away[1]][..], 1, "There is no such turn"),
        (&["compare", "one", away[0], away[1]], 2, "invalid value 'one'"),
        (&["compare", &request, "--route", "three_stage"], 2, "invalid value 'three_stage'"),
        (&["compare", &request], 1, "which is not available"),
    ] {
        let told = ran(&mut desk.orion(arguments));
        assert_eq!((told.code, told.stderr.contains(words)), (Some(code), true), "{}", told.stderr);
    }
    // P2: a route that is switched off is refused before anything begins, also where it is the second.
    std::fs::write(desk.home.path().join("config/config.toml"), "two_stage_enabled = false\n").unwrap();
    for routes in ["two-stage,unified", "unified,two-stage"] {
        let told = ran(desk.orion(&["compare", &request, "--route", routes]).args(away));
        assert_eq!(told.code, Some(1), "{}", told.stderr);
        assert!(told.stderr.contains("The two-stage route is switched off."), "{}", told.stderr);
    }
    assert_eq!(titles(&desk), ["One?"]);
    let model = Script::new().turn(|t| t.text("Alone.").end("stop")).start();
    let told = on(&desk, &model, &["compare", &request, "--route", "unified", "--json"]);
    model.finish();
    assert_eq!((told.code, sides(&told).len()), (Some(0), 1), "{}", told.stderr);
    assert_eq!(titles(&desk), ["One?", "Unified: One?"]);
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_stops_the_turn_that_runs_and_the_other_one_does_not_begin() {
    // A4
    use rustix::process::{Pid, Signal, kill_process};
    let (desk, request, ..) = having_read();
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("Once").hold(&gate).end("stop")).start();
    let base_url = model.base_url();
    let mut command = desk.orion(&["compare", &request, "--json", "--base-url", &base_url]);
    let (child, mut stdout) = super::started(&mut command);
    gate.reached().await;
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let told = parsed(&super::line(&mut stdout));
    let (code, stderr) = super::ended(child);
    assert_eq!(code, Some(130), "{stderr}");
    let sides = told["sides"].as_array().unwrap();
    assert_eq!((sides.len(), &sides[0]["report"]["stopReason"]), (1, &json!("stopped")));
    assert_eq!(titles(&desk), ["One?", "Two-stage: One?"]);
    assert_eq!(model.requests().len(), 1);
}

#[test]
fn the_questions_of_a_side_are_shown_in_full() {
    // A8
    let desk = Desk::new();
    let model = Script::new().turn(|t| t.text("42.").end("stop")).start();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "What is it?"])).stdout);
    model.finish();
    let question = format!("Which one{}?", ", after all that was said of it".repeat(10));
    let shown = format!("one: {question}\n  - this\n  - that\n");
    let questions = json!({ "questions": [
        { "id": "one", "question": question, "kind": "choice", "options": ["this", "that"] },
    ] });
    let model = Script::new()
        .turn(|t| t.call("ask_user", questions).end("tool_calls"))
        .turn(|t| t.text("42, unified.").end("stop"))
        .start();
    let told = on(&desk, &model, &["compare", report["requestId"].as_str().unwrap()]);
    model.finish();
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    assert!(told.stderr.contains("two_stage waits: Answer with `orion answer "), "{}", told.stderr);
    assert!(told.stderr.contains(&shown), "{}", told.stderr);
}
