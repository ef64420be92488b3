//! The checks of a project at the end of a real turn, and its one repair (V1–V3): through `orion run`, with real commands in the sandbox.
//!
//! They need the packages `bubblewrap` and `make`, and the program `orion-sandbox` beside `orion`, and fail where one is missing.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use support::{Folder, Script, Turn, alone, binary};

use super::checks::{accept, traced};
use super::writes::{begin, on};
use super::{Desk, Ran, json as parsed, line, ran, replays, started};

/// It passes where the file says so, and a file outside of git's view says that it ran.
const MAKEFILE: &str = "test:\n\t@echo looked; echo x >> ran; grep -q good value.txt\n";

/// A project with a check that was accepted while it passed.
fn desk(value: &str) -> Desk {
    // The helper is looked for beside the program.
    let _ = binary("orion-sandbox");
    let files = [("Makefile", MAKEFILE), ("value.txt", value), (".gitignore", "ran\n")];
    let desk = Desk { home: Folder::with([("a", "of nobody here\n")]), project: Folder::with(files) };
    let accepted = accept(&desk, "make-test", &[]);
    assert!(matches!(accepted.code, Some(0 | 1)), "{}", accepted.stderr);
    forget(&desk);
    desk
}

fn runs(desk: &Desk) -> usize {
    fs::read_to_string(desk.project.path().join("ran")).map_or(0, |text| text.lines().count())
}

fn forget(desk: &Desk) {
    let _ = fs::remove_file(desk.project.path().join("ran"));
}

fn opens(t: Turn) -> Turn {
    t.call("write_plan_begin", begin("value.txt", "overwrite")).end("tool_calls")
}

/// A model that writes this, and says so.
fn writes(script: Script, value: &'static str) -> Script {
    script.turn(opens).turn(move |t| t.text(&format!("{value}\nDONE")).end("stop"))
}

fn events(told: &Ran) -> Vec<Value> {
    told.stdout.lines().map(parsed).map(|line| line["event"].clone()).collect()
}

fn ends_of(events: &[Value]) -> Vec<String> {
    let ended = events.iter().filter(|event| event["type"] == "check_ended");
    ended.map(|event| format!("{} {}", event["attempt"], event["run"]["status"].as_str().unwrap())).collect()
}

// V1, V3
#[test]
fn a_turn_that_wrote_runs_its_checks_and_one_that_did_not_runs_none() {
    let desk = desk("good\n");
    let model = writes(Script::new(), "good too").turn(|t| t.text("It is good.").end("stop")).start();
    let told = ran(&mut desk.run(&model, &["--approve-writes", "Improve it."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert_eq!(told.stdout, "It is good.\n");
    assert!(told.stderr.contains("Checks passed · 1 of 1 · "), "{}", told.stderr);
    assert_eq!(runs(&desk), 1);
    model.finish();
    let model = Script::new().turn(|t| t.text("It is good.").end("stop")).start();
    let told = ran(&mut desk.run(&model, &["--json", "Is it good?"]));
    let report = parsed(&told.stdout);
    assert_eq!((&report["evaluation"], &report["checks"]), (&json!("skipped"), &json!([])));
    assert_eq!(runs(&desk), 1);
    model.finish();
}

// V2
#[test]
fn what_the_turn_broke_is_repaired_once_and_the_turn_replays() {
    let desk = desk("good\n");
    let model = writes(Script::new(), "bad").turn(|t| t.text("It is better.").end("stop"));
    let model = model
        .turn(|t| {
            opens(t.expect(|ask| {
                let told = ask.last_text();
                assert!(told.contains("Check make-test: make test\nstatus: exit code "), "{told}");
                assert!(told.contains("looked\n"), "{told}");
            }))
        })
        .turn(|t| t.text("good again\nDONE").end("stop"))
        .start();
    let told = ran(&mut desk.run(&model, &["--approve-writes", "--events", "Improve it."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    model.finish();
    let events = events(&told);
    assert_eq!(ends_of(&events), ["1 failed", "2 passed"]);
    let report = &events.last().unwrap()["report"];
    assert_eq!((&report["evaluation"], &report["stopReason"]), (&json!("passed"), &json!("answered")));
    assert_eq!(fs::read_to_string(desk.project.path().join("value.txt")).unwrap(), "good again\n");
    assert_eq!(runs(&desk), 2);
    replays(&desk, report["requestId"].as_str().unwrap());
}

// V2
#[test]
fn a_repair_that_does_not_mend_it_ends_with_exit_code_6() {
    let desk = desk("good\n");
    let model = writes(Script::new(), "bad").turn(|t| t.text("It is better.").end("stop"));
    let model = model.turn(|t| t.text("I cannot mend it.").end("stop")).start();
    let told = ran(&mut desk.run(&model, &["--approve-writes", "Improve it."]));
    assert_eq!(told.code, Some(6), "{}", told.stderr);
    assert!(told.stderr.contains("Checks failed: make-test · 0 of 1 · "), "{}", told.stderr);
    assert_eq!(runs(&desk), 1);
    model.finish();
}

// V2
#[test]
fn what_was_red_before_starts_no_repair() {
    let desk = desk("bad\n");
    let model = writes(Script::new(), "worse").turn(|t| t.text("It is better.").end("stop")).start();
    let told = ran(&mut desk.run(&model, &["--approve-writes", "--json", "Improve it."]));
    assert_eq!(told.code, Some(6), "{}", told.stderr);
    assert_eq!(parsed(&told.stdout)["checks"][0]["failedBefore"], true);
    model.finish();
}

// V1
#[test]
fn a_check_whose_script_the_model_changes_does_not_run() {
    let desk = desk("good\n");
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("Makefile", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("test:\n\t@echo x >> ran\nDONE").end("stop"))
        .turn(|t| t.text("It passes now.").end("stop"))
        .start();
    let told = ran(&mut desk.run(&model, &["--approve-writes", "--json", "Make it pass."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let report = parsed(&told.stdout);
    let check = &report["checks"][0];
    assert_eq!((&report["evaluation"], &check["reason"]), (&json!("skipped"), &json!("script_changed")));
    assert_eq!(runs(&desk), 0);
    model.finish();
}

// V1
#[test]
fn no_checks_run_where_they_are_switched_off_and_they_do_where_they_are_asked_for() {
    let desk = desk("good\n");
    let model = writes(Script::new(), "good too").turn(|t| t.text("Done.").end("stop")).start();
    let told = ran(&mut desk.run(&model, &["--approve-writes", "--no-checks", "--json", "Improve it."]));
    let report = parsed(&told.stdout);
    assert_eq!((&report["evaluation"], &report["checks"], runs(&desk)), (&Value::Null, &Value::Null, 0));
    model.finish();
    desk.project.write(".orion/config.toml", "checks = false\n");
    let model = writes(Script::new(), "good as well").turn(|t| t.text("Done.").end("stop")).start();
    let told = ran(&mut desk.run(&model, &["--approve-writes", "--checks", "--json", "Improve it."]));
    assert_eq!((&parsed(&told.stdout)["evaluation"], runs(&desk)), (&json!("passed"), 1));
    model.finish();
}

// A5
#[test]
fn a_check_that_was_killed_runs_again_when_the_turn_is_resumed() {
    let slow = "test:\n\t@echo x >> ran; until test -e go; do sleep 0.05; done\n";
    let files = [("Makefile", slow), ("value.txt", "good\n"), (".gitignore", "ran\ngo\n"), ("go", "")];
    let _ = binary("orion-sandbox");
    let desk = Desk { home: Folder::with([("a", "of nobody here\n")]), project: Folder::with(files) };
    let accepted = accept(&desk, "make-test", &[]);
    assert_eq!(accepted.code, Some(0), "{}", accepted.stderr);
    forget(&desk);
    fs::remove_file(desk.project.path().join("go")).unwrap();
    let model = writes(Script::new(), "good too").turn(|t| t.text("Done.").end("stop")).start();
    let (mut child, mut stdout) =
        started(&mut desk.run(&model, &["--approve-writes", "--events", "Improve it."]));
    let request = parsed(&line(&mut stdout))["requestId"].as_str().unwrap().to_owned();
    while parsed(&line(&mut stdout))["event"]["type"] != "check_started" {}
    child.kill().unwrap();
    child.wait().unwrap();
    model.finish();
    desk.project.write("go", "");
    let model = Script::new().start();
    let ended = on(&desk, &model, &["resume", &request, "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(parsed(&ended.stdout)["evaluation"], "passed");
    assert!((1..=2).contains(&runs(&desk)), "the kill came before its first line or after it");
    model.finish();
    replays(&desk, &request);
}

// V1, V3
#[test]
fn where_no_sandbox_holds_it_a_check_does_not_run_by_itself() {
    let desk = desk("good\n");
    let program = alone(&binary("orion"), &desk.home.path());
    let unheld = |orion: &Command| {
        let mut other = Command::new(&program);
        other.args(orion.get_args()).env_clear().current_dir(desk.project.path());
        other.envs(orion.get_envs().filter_map(|(name, value)| Some((name, value?))));
        ran(&mut other)
    };
    let model = writes(Script::new(), "good too").turn(|t| t.text("It is good.").end("stop")).start();
    let told = unheld(&desk.run(&model, &["--approve-writes", "Improve it."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert!(told.stderr.contains("Checks skipped: make-test"), "{}", told.stderr);
    assert!(told.stderr.contains("no sandbox holds it"), "{}", told.stderr);
    assert_eq!(runs(&desk), 0);
    model.finish();
    // Here not even the program is there that would run it.
    let asked = unheld(&desk.orion(&["check", "make-test"]));
    assert_eq!((asked.code, runs(&desk)), (Some(5), 0), "{}", asked.stderr);
    assert!(asked.stdout.contains("it could not be started"), "{}", asked.stdout);
}

// V1, V3
#[test]
fn a_turn_that_writes_nothing_starts_no_process() {
    let desk = desk("good\n");
    let model = Script::new().turn(|t| t.call("read_file", json!({"path": "value.txt"})).end("tool_calls"));
    let model = model.turn(|t| t.text("It is good.").end("stop")).start();
    let (told, begun) = traced(&desk, &desk.run(&model, &["Is it good?"]));
    assert_eq!((told.code, told.stdout.as_str()), (Some(0), "It is good.\n"), "{}", told.stderr);
    assert_eq!(begun.len(), 1, "the program itself: {begun:?}");
    assert_eq!(runs(&desk), 0);
    model.finish();
}
