//! Commands where no box can be set up: their files alone are held, each asks, and what a full sandbox keeps as it is, is compared (C2, C3).
//!
//! The program `bwrap` is covered for `orion` alone, by a mount of `bwrap` itself. Deliberately not here: what gets out of such a sandbox, which
//! `orion-sandbox` tries.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::{Script, ScriptedModel, binary};

use super::{Desk, Ran, json as parsed, ran, replays};

/// Puts a hook into the repository, and prints a line.
const LINE: &str = "mkdir -p .git/hooks && echo '#!/bin/sh' > .git/hooks/post-commit && echo built";

/// The program with all that it was given, where no `bwrap` can be used.
fn without_bwrap(orion: &Command) -> Command {
    let mut outer = Command::new("bwrap");
    outer.args(["--dev-bind", "/", "/"]);
    for folder in ["/usr/bin", "/bin", "/usr/local/bin"].map(std::path::Path::new) {
        // One folder may be the other.
        let program = folder.join("bwrap");
        if program.exists() && !folder.is_symlink() {
            outer.args(["--ro-bind", "/dev/null"]).arg(program);
        }
    }
    outer.arg("--").arg(orion.get_program()).args(orion.get_args()).env_clear().stdin(Stdio::null());
    outer.envs(orion.get_envs().filter_map(|(name, value)| Some((name, value?))));
    outer.env("PATH", "/usr/bin:/bin");
    outer.current_dir(orion.get_current_dir().unwrap());
    outer
}

fn desk() -> Desk {
    let _ = binary("orion-sandbox");
    let desk = Desk::new();
    std::fs::create_dir(desk.project.path().join(".git")).unwrap();
    desk.project.write(".git/HEAD", "ref: refs/heads/main\n");
    desk
}

fn asks() -> ScriptedModel {
    Script::new().turn(|t| t.call("run_command", json!({"command": LINE})).end("tool_calls")).start()
}

fn hears(words: &'static str) -> ScriptedModel {
    let check = move |ask: &support::Request| assert!(ask.last_text().contains(words), "{}", ask.last_text());
    Script::new().turn(move |t| t.expect(check).text("Done.").end("stop")).start()
}

fn request(told: &Ran) -> String {
    assert_eq!(told.code, Some(3), "{}{}", told.stdout, told.stderr);
    told.stderr.split("orion approve ").nth(1).unwrap().split(['`', ' ']).next().unwrap().to_owned()
}

fn approving(desk: &Desk, model: &ScriptedModel, request: &str) -> Command {
    desk.orion(&["approve", request, "--events", "--base-url", &model.base_url()])
}

/// The result of the command, as the events of a turn have it.
fn result(told: &Ran) -> Value {
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let mut events = told.stdout.lines().map(|line| parsed(line)["event"].clone());
    events.rfind(|event| event["type"] == "tool_result").unwrap()
}

#[test]
fn a_command_without_a_box_asks_whatever_is_allowed_and_what_it_changed_in_the_repository_is_named() {
    // C2, C3
    let desk = desk();
    let model = asks();
    let told = ran(&mut without_bwrap(&desk.run(&model, &["--allow-commands", "Build."])));
    model.finish();
    let id = request(&told);
    for words in [
        "It has no network, and of your files the project alone.",
        "It can change .git and the other files that a full sandbox keeps read-only.",
        "--outside runs it outside",
    ] {
        assert!(told.stderr.contains(words), "{words}: {}", told.stderr);
    }
    assert!(!told.stderr.contains("--keep"), "{}", told.stderr);
    let model =
        hears("Changed, which a full sandbox would not have let it: .git/hooks, .git/hooks/post-commit.");
    let ended = result(&ran(&mut without_bwrap(&approving(&desk, &model, &id))));
    model.finish();
    let command = &ended["command"];
    assert_eq!(
        (&command["level"], &command["ended"]["code"]),
        (&json!("files_only"), &json!(0)),
        "{command}"
    );
    assert_eq!(command["unprotected"], json!([".git/hooks", ".git/hooks/post-commit"]), "{command}");
    replays(&desk, &id);
}

#[test]
fn a_command_that_was_asked_about_with_a_full_sandbox_does_not_run_in_less_and_one_with_less_may_run_in_more()
{
    // C3
    let desk = desk();
    let model = asks();
    let id = request(&ran(&mut desk.run(&model, &["Build."])));
    model.finish();
    let model = hears("The sandbox holds less than it did when this command was allowed.");
    let ended = result(&ran(&mut without_bwrap(&approving(&desk, &model, &id))));
    model.finish();
    assert_eq!((&ended["status"], ended.get("command")), (&json!("denied"), None), "{ended}");
    assert!(!desk.project.path().join(".git/hooks").exists());

    let model = asks();
    let id = request(&ran(&mut without_bwrap(&desk.run(&model, &["Build."]))));
    model.finish();
    let model = hears("in the sandbox");
    let ended = result(&ran(&mut approving(&desk, &model, &id)));
    model.finish();
    assert_eq!(ended["command"]["level"], "full", "{ended}");
    assert!(!desk.project.path().join(".git/hooks").exists());
}

// C3, A1
#[test]
fn an_exact_line_is_kept_for_its_session_and_listed_and_any_other_asks() {
    let desk = desk();
    let calls = |line: &'static str| {
        Script::new().turn(move |t| t.call("run_command", json!({"command": line})).end("tool_calls"))
    };
    let model = calls("echo built").start();
    let told = ran(&mut without_bwrap(&desk.run(&model, &["Build."])));
    model.finish();
    let id = request(&told);
    let offered = "--keep session: run this exact line without asking from now on, in this session.";
    assert!(told.stderr.contains(offered), "{}", told.stderr);
    assert!(!told.stderr.contains("--words"), "{}", told.stderr);
    let nobody = Script::new().start();
    for too_much in [&["--keep", "project"][..], &["--keep", "session", "--words"]] {
        let mut approving = approving(&desk, &nobody, &id);
        let refused = ran(&mut without_bwrap(approving.args(too_much)));
        let why =
            "This sandbox holds files alone: no more can be kept than this exact line, for this session.";
        assert_eq!((refused.code, refused.stderr.contains(why)), (Some(2), true), "{}", refused.stderr);
    }
    nobody.finish();
    let model = hears("built");
    let kept = ran(&mut without_bwrap(approving(&desk, &model, &id).args(["--keep", "session"])));
    model.finish();
    assert_eq!(result(&kept)["command"]["level"], "files_only");
    let session = parsed(kept.stdout.lines().next().unwrap())["sessionId"].as_str().unwrap().to_owned();
    replays(&desk, &id);

    let listed = ran(&mut desk.orion(&["permissions"])).stdout;
    assert!(
        listed.contains("run this exact line, where a sandbox holds files alone: echo built"),
        "{listed}"
    );
    assert!(listed.contains("never used"), "{listed}");

    let model = calls("echo built").turn(|t| t.text("Done.").end("stop")).start();
    let again = ["--session", &session, "--events", "Again."];
    let unasked = ran(&mut without_bwrap(&desk.run(&model, &again)));
    model.finish();
    assert_eq!(result(&unasked)["command"]["level"], "files_only");
    let used = ran(&mut desk.orion(&["permissions"])).stdout;
    assert!(!used.contains("never used"), "{used}");

    let model = calls("echo built again").start();
    let other = ran(&mut without_bwrap(&desk.run(&model, &["--session", &session, "Again."])));
    model.finish();
    assert_eq!(other.code, Some(3), "{}", other.stderr);
    ran(&mut desk.orion(&["reject", &request(&other), "--stop"]));

    let approval = used.split_whitespace().next().unwrap();
    let revoked = ran(&mut desk.orion(&["permissions", "revoke", approval]));
    assert_eq!(revoked.code, Some(0), "{}", revoked.stderr);
    let model = calls("echo built").start();
    let asked = ran(&mut without_bwrap(&desk.run(&model, &["--session", &session, "Again."])));
    model.finish();
    assert_eq!(asked.code, Some(3), "{}", asked.stderr);
}
