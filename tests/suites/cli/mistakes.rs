//! What a person mistypes or mixes up. Each is told what is wrong and what to do, with the exit code that the guide names.

use std::fs;

use serde_json::json;
use support::{Gate, Script, Turn};

use super::writes::begin;
use super::{Desk, ended, json as parsed, line, ran, started};

/// The id of a turn and a session that there never was.
const NONE: &str = "0190f5c8-0000-7000-8000-000000000000";

#[test]
fn an_id_that_is_none_is_told_where_ids_are() {
    let session = "expected the id of a session; orion sessions lists those of a project";
    let turn = "expected the id of a turn; it is in the last line that orion run prints";
    let either = "expected the id of a turn or of a session";
    let desk = Desk::new();
    let cases: [(&[&str], &str); 12] = [
        (&["sessions", "delete", "abc"], session),
        (&["run", "--demo", "--session", "abc", "Hi"], session),
        (&["export", "abc"], either),
        (&["diff", "abc"], either),
        (&["rewind", "abc"], turn),
        (&["trace", "abc"], turn),
        (&["replay", "abc"], turn),
        (&["approve", "abc"], turn),
        (&["approve", "abc", "--reject"], turn),
        (&["resume", "abc"], turn),
        (&["undo", "abc"], either),
        (&["undo", ""], either),
    ];
    for (arguments, expected) in cases {
        let told = ran(&mut desk.orion(arguments));
        assert_eq!((told.code, told.stdout.as_str()), (Some(2), ""), "{arguments:?}: {}", told.stderr);
        assert!(told.stderr.contains(expected), "{arguments:?}: {}", told.stderr);
    }
}

#[test]
fn an_id_of_nothing_is_told_where_the_ids_are_that_there_are() {
    let no_session = "orion: There is no such session: it may have been deleted.\n\
                      Choose another one, or start a new one.\n\
                      orion sessions lists the sessions of a project.\n";
    let no_turn = "orion: There is no such turn: its session may have been deleted.\n\
                   Check the id of the turn.\n\
                   The id of a turn is in the last line that orion run prints.\n";
    let neither = "orion: There is neither a turn nor a session with this id: it may have been deleted.\n\
                   orion sessions lists the sessions of a project.\n\
                   The id of a turn is in the last line that orion run prints.\n";
    let desk = Desk::new();
    let cases: [(&[&str], &str); 13] = [
        (&["sessions", "delete", NONE], no_session),
        (&["run", "--demo", "--session", NONE, "Hi"], no_session),
        (&["undo", NONE], neither),
        (&["undo", NONE, "--write", "1"], neither),
        (&["export", NONE], neither),
        (&["diff", NONE], neither),
        (&["rewind", NONE], no_turn),
        (&["diff", NONE, "--write", "1"], no_turn),
        (&["trace", NONE], no_turn),
        (&["replay", NONE], no_turn),
        (&["approve", NONE], no_turn),
        (&["approve", NONE, "--reject"], no_turn),
        (&["resume", NONE], no_turn),
    ];
    for (arguments, expected) in cases {
        let told = ran(&mut desk.orion(arguments));
        assert_eq!((told.code, told.stdout.as_str()), (Some(1), ""), "{arguments:?}: {}", told.stderr);
        assert!(told.stderr.starts_with(expected), "{arguments:?}: {}", told.stderr);
    }
}

#[test]
fn an_empty_message_is_told_before_anything_is_looked_for() {
    let desk = Desk::new();
    let empty = "orion: The message is empty.\nWrite what you want to know.\n";
    for arguments in [&["run", ""][..], &["run", " \n"], &["run", "-"], &["run", "--project", "/nowhere", ""]]
    {
        let told = ran(&mut desk.orion(arguments));
        assert_eq!((told.code, told.stderr.as_str()), (Some(2), empty), "{arguments:?}");
    }
}

#[test]
fn the_demo_model_stands_in_for_no_model_that_was_named() {
    let refused = "orion: The demo model is scripted, and there is no other one beside it.\n\
                   Leave out --model, or connect an endpoint with --base-url.\n";
    let told = ran(&mut Desk::new().orion(&["run", "--demo", "--model", "deepseek-chat", "Hi"]));
    assert_eq!((told.code, told.stdout.as_str(), told.stderr.as_str()), (Some(2), "", refused));
    let desk = Desk::with_settings("default_endpoint = 'demo'\n");
    let told = ran(&mut desk.orion(&["run", "--model", "deepseek-chat", "Hi"]));
    assert_eq!((told.code, told.stdout.as_str(), told.stderr.as_str()), (Some(2), "", refused));
}

#[test]
fn a_folder_or_address_that_cannot_be_used_is_named_with_what_to_do() {
    let desk = Desk::new();
    fs::write(desk.project.path().join("file"), "").unwrap();
    let check = "Check that it exists and that you may read it, or open another folder.";
    let usable = "Check that it is a folder you may write to, or choose another.";
    let cases: [(&[&str], i32, &str); 12] = [
        (&["run", "--demo", "--project", "/nowhere", "Hi"], 1, check),
        (&["run", "--demo", "--project", "file", "Hi"], 1, check),
        (&["run", "--demo", "--project", "", "Hi"], 2, "a value is required for '--project <DIR>'"),
        (&["tools", "--project", "/nowhere"], 1, check),
        (&["sessions", "--project", "/nowhere"], 1, check),
        (&["sessions", "--project", "file"], 1, check),
        (&["sessions", "--data-dir", "file"], 1, usable),
        (&["sessions", "--data-dir", "/proc/nowhere"], 1, usable),
        (&["models", "--base-url", "host"], 2, "expected an http or https address"),
        (
            &["models", "--base-url", "http://127.0.0.1:9/v1"],
            1,
            "Start the model server, or check the base URL.",
        ),
        (&["models", "--base-url", "http://host.example/v1"], 1, "or with --allow-http."),
        (
            &["models", "--base-url", "https://host.example/v1", "--api-key-env", "NO_SUCH_KEY"],
            1,
            "leave --api-key-env out",
        ),
    ];
    for (arguments, code, expected) in cases {
        let told = ran(&mut desk.orion(arguments));
        assert_eq!((told.code, told.stdout.as_str()), (Some(code), ""), "{arguments:?}: {}", told.stderr);
        assert!(told.stderr.contains(expected), "{arguments:?}: {}", told.stderr);
    }
}

#[test]
fn a_difference_that_there_is_not_is_an_error_and_not_an_empty_one() {
    let model = Script::new()
        .turn(|t| t.text("Nothing to do.").end("stop"))
        .turn(|t| t.call("write_plan_begin", begin("notes.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("It is 43.\nDONE").end("stop"))
        .start();
    let desk = Desk::new();
    let turn = |message: &str| {
        let report = parsed(&ran(&mut desk.run(&model, &["--json", message])).stdout);
        report["requestId"].as_str().unwrap().to_owned()
    };
    let (talk, write) = (turn("Hi"), turn("Make it 43."));
    for (arguments, expected) in [
        (&["diff", &talk][..], "orion: This turn has proposed no change to a file.\n"),
        (&["diff", &write, "--write", "9"], "orion: This turn has proposed no write with the number 9.\n"),
    ] {
        let told = ran(&mut desk.orion(arguments));
        assert_eq!((told.code, told.stdout.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(told.stderr.starts_with(expected), "{arguments:?}: {}", told.stderr);
    }
    assert_eq!(ran(&mut desk.orion(&["diff", &write, "--write", "1"])).code, Some(0));
    model.finish();
}

#[tokio::test]
async fn a_session_whose_turn_runs_in_another_process_is_not_deleted() {
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("Once\n").hold(&gate).text("upon").end("stop")).start();
    let desk = Desk::new();
    let (child, mut stdout) = started(&mut desk.run(&model, &["Tell me a story."]));
    assert_eq!(line(&mut stdout), "Once\n");
    let sessions = parsed(&ran(&mut desk.orion(&["sessions", "--json"])).stdout);
    let session = sessions[0]["sessionId"].as_str().unwrap();
    let told = ran(&mut desk.orion(&["sessions", "delete", session]));
    assert_eq!((told.code, told.stdout.as_str()), (Some(1), ""), "{}", told.stderr);
    let expected = "orion: This session already has a running turn.\nWait for it to end, or stop it.\n";
    assert!(told.stderr.starts_with(expected), "{}", told.stderr);
    gate.open();
    assert_eq!(line(&mut stdout), "upon\n");
    assert_eq!(ended(child).0, Some(0));
    let told = ran(&mut desk.orion(&["sessions", "delete", session, "--json"]));
    assert_eq!((told.code, parsed(&told.stdout)), (Some(0), json!({"sessionId": session, "remains": null})));
    model.finish();
}

#[test]
fn a_damaged_database_is_set_aside_and_named_and_the_run_goes_on_with_a_new_one() {
    let model = Script::new().forever(|_, _| Turn::default().text("Yes.").end("stop")).start();
    let desk = Desk::new();
    assert_eq!(ran(&mut desk.run(&model, &["Hi"])).code, Some(0));
    let data = desk.home.path().join("data");
    let database = data.join("orion.db");
    let damaged = [&b"Not a database at all."[..], &fs::read(&database).unwrap()[22..]].concat();
    fs::write(&database, &damaged).unwrap();
    let told = ran(&mut desk.run(&model, &["Hi"]));
    let aside = data.join("damaged-1");
    let expected = format!(
        "Orion's database was damaged and could not be read. It is now in {}, as it was, and Orion has begun a new one.\n",
        aside.display()
    );
    assert_eq!((told.code, told.stdout.as_str()), (Some(0), "Yes.\n"));
    assert!(told.stderr.contains(&expected), "{}", told.stderr);
    assert!(fs::read(aside.join("orion.db")).unwrap() == damaged);
    assert!(!ran(&mut desk.run(&model, &["Hi"])).stderr.contains("damaged"), "once");
    model.finish();
}

#[test]
fn a_word_on_thinking_that_is_not_sent_is_told_before_the_answer() {
    let settings = "[endpoints.e]\nbase_url = 'https://api.openai.com/v1'\nmodel = 'm'\nthinking = 'off'\n";
    let desk = Desk::with_settings(settings);
    let told = ran(&mut desk.orion(&["run", "--demo", "Hi"]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let says = "config.toml:4:1: `endpoints.e.thinking` is not sent: Orion knows no way to tell the models of this endpoint to think or not.\n\
                Remove the line.";
    assert!(told.stderr.contains(says), "{}", told.stderr);
}
