//! What scripts read: the report and the events.

use orion_protocol::{Envelope, TurnReport};
use serde_json::{Value, json};
use support::{Folder, Script, ScriptedModel};

use super::{Desk, json as parsed, ran};

fn reads_one_file() -> ScriptedModel {
    Script::new()
        .turn(|t| {
            t.text("I look.").call("read_file", json!({"path": "notes.txt"})).usage(100, 20).end("tool_calls")
        })
        .turn(|t| t.text("It is 42.").usage(200, 10).end("stop"))
        .start()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_report_has_every_field_of_j5_and_null_where_nothing_is_known() {
    let model = reads_one_file();
    let ran = ran(&mut Desk::new().run(&model, &["--json", "--mode", "plan", "What is the answer?"]));
    assert_eq!((ran.code, ran.stdout.lines().count()), (Some(0), 1), "{}", ran.stderr);
    let report = parsed(&ran.stdout);
    let mut fields = keys(&report);
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "answer",
            "bounds",
            "changes",
            "channel",
            "checks",
            "costUsd",
            "cycles",
            "duplicatesRefused",
            "durationMs",
            "error",
            "evaluation",
            "exhausted",
            "exitCode",
            "mode",
            "model",
            "modelCalls",
            "parentRequestId",
            "phaseReached",
            "phases",
            "projectId",
            "projectName",
            "requestId",
            "retries",
            "reused",
            "route",
            "sessionId",
            "status",
            "steered",
            "stopReason",
            "summary",
            "toolCalls",
            "toolRuns",
            "usage",
            "writePrompts",
            "writes",
        ]
    );
    let known = |names: &[&str]| names.iter().map(|name| report[*name].clone()).collect::<Vec<_>>();
    assert_eq!(
        known(&[
            "route",
            "mode",
            "model",
            "status",
            "phaseReached",
            "stopReason",
            "cycles",
            "toolRuns",
            "modelCalls"
        ]),
        [
            json!("two_stage"),
            json!("plan"),
            json!("scripted"),
            json!("completed"),
            json!("complete"),
            json!("answered"),
            json!(1),
            json!(1),
            json!(2)
        ]
    );
    assert_eq!(known(&["costUsd", "exhausted", "checks", "error"]), vec![json!(null); 4]);
    let told = [json!("Answered: 1 tool run."), json!(0), json!("command_line")];
    assert_eq!(known(&["summary", "exitCode", "channel"]), told);
    let bounds = json!({
        "modelCalls": 11, "toolRuns": 3, "writePrompts": 48, "furtherRequests": 236,
        "outputTokens": 9_191_424, "seconds": 1_800, "costUsd": null,
    });
    assert_eq!(report["bounds"], bounds);
    assert_eq!(report["writes"], json!([]));
    let mut usage = keys(&report["usage"]);
    usage.sort_unstable();
    assert_eq!(usage, ["cachedTokens", "completionTokens", "estimated", "promptTokens", "reasoningTokens"]);
    let mut call = keys(&report["toolCalls"][0]);
    call.sort_unstable();
    assert_eq!(call, ["durationMs", "leaked", "name", "signature", "status", "toolBatchId", "toolCallId"]);
    model.finish();
}

#[test]
fn the_report_of_a_failed_turn_holds_the_error() {
    let model = Script::new().turn(|t| t.status(401).body(r#"{"error":{"message":"No such key."}}"#)).start();
    let ran = ran(&mut Desk::new().run(&model, &["--json", "Hi"]));
    assert_eq!(ran.code, Some(1));
    let report = parsed(&ran.stdout);
    assert_eq!((&report["status"], &report["error"]["code"]), (&json!("failed"), &json!("authentication")));
    assert_eq!(report["error"]["requestId"], report["requestId"]); // J4
    model.finish();
}

#[test]
fn events_are_envelopes_in_order_and_the_last_is_terminal() {
    let model = reads_one_file();
    let ran = ran(&mut Desk::new().run(&model, &["--events", "What is the answer?"]));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let envelopes: Vec<Envelope> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut seq = 0;
    let mut answer = String::new();
    for envelope in &envelopes {
        if envelope.event.is_durable() {
            seq += 1;
        }
        assert_eq!(envelope.seq, seq, "{envelope:?}"); // T2, E1
        if let orion_protocol::TurnEvent::TextChunk { offset, text } = &envelope.event {
            assert_eq!(*offset, answer.len() as u64);
            answer.push_str(text);
        }
    }
    let terminal = envelopes.iter().filter(|envelope| envelope.event.terminal().is_some()).count();
    assert_eq!(terminal, 1); // T3
    let report: &TurnReport = envelopes.last().unwrap().event.terminal().unwrap();
    assert_eq!((report.answer.as_str(), answer.as_str()), ("I look.\n\nIt is 42.", "I look.It is 42."));
    model.finish();
}

#[test]
fn the_flags_of_a_turn_reach_its_policy() {
    let model = Script::new().turn(|t| t.text("Hi.").end("stop")).start();
    let flags = ["--route", "unified", "--max-cycles", "2", "--max-tools", "3", "--max-duplicates", "4"];
    let ran = ran(Desk::new().run(&model, &flags).args(["--events", "Hi"]));
    let started = parsed(ran.stdout.lines().next().unwrap());
    let policy = &started["event"]["policy"];
    let numbers = ["route", "maxCycles", "maxTools", "maxDuplicates"].map(|key| policy[key].clone());
    assert_eq!(numbers, [json!("unified"), json!(2), json!(3), json!(4)]);
    model.finish();
}

#[test]
fn the_switch_in_the_environment_turns_the_two_stage_route_off() {
    let model = Script::new().turn(|t| t.text("Hi.").end("stop")).start();
    let desk = Desk::new();
    let off = |command: &mut std::process::Command| ran(command.env("ORION_TWO_STAGE_ENABLED", "false"));
    let unified = off(&mut desk.run(&model, &["--json", "Hi"]));
    assert_eq!(parsed(&unified.stdout)["route"], json!("unified"));
    let refused = off(&mut desk.run(&model, &["--json", "--route", "two-stage", "Hi"]));
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), "")); // P2
    assert!(
        refused.stderr.starts_with("orion: The two-stage route is switched off.\n"),
        "{}",
        refused.stderr
    );
    model.finish();
}

#[test]
fn a_session_goes_on_with_its_id_or_with_continue() {
    let model = Script::new()
        .turn(|t| t.text("Blue.").end("stop"))
        .turn(|t| {
            t.expect(|ask| assert!(ask.conversation().contains(&("assistant", "Blue."))))
                .text("Blue again.")
                .end("stop")
        })
        .turn(|t| {
            t.expect(|ask| assert!(ask.conversation().contains(&("assistant", "Blue again."))))
                .text("Still.")
                .end("stop")
        })
        .start();
    let desk = Desk::new();
    let first = parsed(&ran(&mut desk.run(&model, &["--json", "Which colour?"])).stdout);
    let session = first["sessionId"].as_str().unwrap();
    let second = parsed(&ran(&mut desk.run(&model, &["--json", "--session", session, "And now?"])).stdout);
    let third = parsed(&ran(&mut desk.run(&model, &["--json", "--continue", "And now?"])).stdout);
    assert_eq!((&second["sessionId"], &third["sessionId"]), (&first["sessionId"], &first["sessionId"]));
    model.finish();
}

#[test]
fn a_session_is_worked_on_in_its_own_project_wherever_the_command_is_run() {
    let model = Script::new()
        .turn(|t| t.text("Hello.").end("stop"))
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("The answer is 42."), "{}", ask.last_text()))
                .text("42.")
                .end("stop")
        })
        .turn(|t| t.text("Yes.").end("stop"))
        .start();
    let desk = Desk::new();
    let first = parsed(&ran(&mut desk.run(&model, &["--json", "Hello."])).stdout);
    let session = first["sessionId"].as_str().unwrap();
    // Its settings hold, and nothing of the folder that the command is run in.
    desk.project.write(".orion/config.toml", "default_endpoint = 'evil'\n");
    let other = Folder::with([("notes.txt", "Something else."), (".orion/config.toml", "max_cycles = 5\n")]);
    let go_on = ["--session", session, "What is the answer?"];
    let here = ran(desk.run(&model, &go_on).current_dir(other.path()));
    assert_eq!((here.code, here.stdout.as_str()), (Some(0), "42.\n"), "{}", here.stderr);
    let (own, others) = (desk.project.path(), other.path());
    let settings = own.join(".orion").join("config.toml");
    assert!(here.stderr.starts_with(&format!("{}:1:", settings.display())), "{}", here.stderr);
    assert!(!here.stderr.contains(&others.display().to_string()), "{}", here.stderr);

    let named = ["--project", ".", "--session", session, "And now?"];
    let there = ran(desk.run(&model, &named).current_dir(&others));
    let refusal = format!(
        "orion: The session {session} belongs to the project {}, not to {}.\n\
         Leave out --project to continue it, or leave out --session to begin a new one.\n",
        own.display(),
        others.display()
    );
    assert_eq!((there.code, there.stdout.as_str(), there.stderr), (Some(2), "", refusal));
    assert_eq!(ran(&mut desk.run(&model, &named)).code, Some(0));
    model.finish();
}

#[test]
fn faults_in_the_settings_are_told_on_standard_error_and_stop_nothing() {
    let model = Script::new().turn(|t| t.text("Hi.").end("stop")).start();
    let desk = Desk::with_settings("[limits]\nmax_cycle = 5\n");
    desk.project.write(".orion/config.toml", "default_endpoint = 'evil'\n");
    let ran = ran(&mut desk.run(&model, &["Hi"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Hi.\n"));
    let told: Vec<&str> = ran.stderr.lines().take(4).collect();
    let user = desk.home.path().join("config").join("config.toml");
    let project = desk.project.path().join(".orion").join("config.toml");
    assert_eq!(
        told,
        [
            format!("{}:2:1: `limits.max_cycle` is not a setting.", user.display()),
            "Did you mean `max_cycles`?".to_owned(),
            format!(
                "{}:1:1: `default_endpoint` is refused: a project's file cannot set this.",
                project.display()
            ),
            format!("Remove it here; you can set it in {}.", user.display()),
        ]
    );
    model.finish();
}
