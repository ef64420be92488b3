//! The files that a real command changed in the sandbox: listed, reported, undone and rewound at the terminal (C6, W7, A10, J5).
//!
//! They need the package `bubblewrap` and the program `orion-sandbox` beside `orion`, and fail where either is missing.

use std::fs;

use serde_json::{Value, json};
use support::{Script, binary};

use super::{Desk, json as parsed, ran, replays};

const LINE: &str = "printf 'two\\n' > a.txt; rm b.txt; mkdir -p deep; echo new > deep/c.txt; ln -s /etc out; chmod 755 run.sh; \
                    head -c 2000000 /dev/zero > large.bin; mkdir -p target; echo x > target/ignored";

fn desk() -> Desk {
    // The helper is looked for beside the program.
    let _ = binary("orion-sandbox");
    let desk = Desk::new();
    for (name, text) in
        [("a.txt", "one\n"), ("b.txt", "gone\n"), ("run.sh", "true\n"), (".gitignore", "target/\n")]
    {
        desk.project.write(name, text);
    }
    desk
}

/// A turn in which the command runs, its id, and its events.
fn changed(desk: &Desk) -> (String, Vec<Value>) {
    let model = Script::new()
        .turn(|t| t.call("run_command", json!({"command": LINE})).end("tool_calls"))
        .turn(|t| {
            t.expect(|ask| {
                let told = ask.last_text();
                let files = "Files that changed: out (new, a link out of the project), a.txt (changed +1 -1), b.txt (removed +0 -1)";
                assert!(told.contains(files), "{told}");
                assert!(told.contains("deep/c.txt (new +1 -0), large.bin (new), run.sh (permissions)."), "{told}");
            })
            .text("Done.")
            .end("stop")
        })
        .start();
    let told = ran(&mut desk.run(&model, &["--allow-commands", "--events", "Build."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    model.finish();
    let events: Vec<Value> = told.stdout.lines().map(parsed).collect();
    (events[0]["requestId"].as_str().unwrap().to_owned(), events)
}

fn read(desk: &Desk, name: &str) -> Option<String> {
    fs::read_to_string(desk.project.path().join(name)).ok()
}

// C6, J5
#[test]
fn the_files_that_a_command_changed_are_in_its_result_and_in_the_report_of_its_turn() {
    let desk = desk();
    let (request, events) = changed(&desk);
    let command =
        events.iter().find(|it| it["event"]["type"] == "tool_result").unwrap()["event"]["command"].clone();
    let listed: Vec<Value> = command["changed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| json!([it["path"], it["change"], it["leadsOut"], it["kept"].is_string()]))
        .collect();
    let expected = json!([
        ["out", "created", true, true],
        ["a.txt", "changed", null, false],
        ["b.txt", "removed", null, false],
        ["deep/c.txt", "created", null, false],
        ["large.bin", "created", null, true],
        ["run.sh", "mode", null, true],
    ]);
    assert_eq!(json!(listed), expected);
    assert_eq!(command.get("partlyCompared"), None);
    let report = &events.last().unwrap()["event"]["report"];
    let paths: Vec<&Value> = report["changes"].as_array().unwrap().iter().map(|it| &it["path"]).collect();
    assert_eq!(json!(paths), json!(["out", "a.txt", "b.txt", "deep/c.txt", "large.bin", "run.sh"]));
    assert_eq!(report["changes"][2]["sha256"], Value::Null, "it is gone");
    replays(&desk, &request);
}

// W7
#[test]
fn orion_undo_puts_back_what_a_command_changed_and_names_what_it_cannot() {
    let desk = desk();
    let (request, _) = changed(&desk);
    let told = ran(&mut desk.orion(&["undo", &request]));
    assert_eq!(told.code, Some(1), "some cannot be undone: {}", told.stderr);
    for words in [
        "undid a.txt\n",
        "undid b.txt\n",
        "undid deep/c.txt\n",
        "What a command changed of large.bin cannot be undone: it is or was larger than 1 MiB.",
        "What a command changed of out cannot be undone: it is or was no ordinary file.",
    ] {
        assert!(told.stderr.contains(words), "{words}: {}", told.stderr);
    }
    assert_eq!(read(&desk, "a.txt").as_deref(), Some("one\n"));
    assert_eq!(read(&desk, "b.txt").as_deref(), Some("gone\n"));
    assert_eq!(read(&desk, "deep/c.txt"), None);
    assert!(desk.project.path().join("large.bin").exists());
    assert_eq!(read(&desk, "target/ignored").as_deref(), Some("x\n"));
}

// A10
#[test]
fn a_rewind_restores_what_a_command_changed_and_names_the_others() {
    let desk = desk();
    let (request, _) = changed(&desk);
    desk.project.write("a.txt", "Mine.\n");
    let told = ran(&mut desk.orion(&["rewind", &request, "--files"]));
    assert_eq!(told.code, Some(1), "some are kept: {}", told.stderr);
    for words in [
        "created again b.txt",
        "removed deep/c.txt",
        "a.txt no longer holds",
        "of large.bin cannot be undone",
    ] {
        assert!(told.stderr.contains(words), "{words}: {}", told.stderr);
    }
    assert_eq!(read(&desk, "a.txt").as_deref(), Some("Mine.\n"));
    assert_eq!((read(&desk, "b.txt").as_deref(), read(&desk, "deep/c.txt")), (Some("gone\n"), None));
    let undone = ran(&mut desk.orion(&["rewind", &request, "--undo"]));
    assert_eq!(undone.code, Some(0), "{}", undone.stderr);
    assert_eq!((read(&desk, "b.txt"), read(&desk, "deep/c.txt").as_deref()), (None, Some("new\n")));
}
