//! Going back to an earlier message from the command line (A10): each turn is a process, and so is each rewind.

use std::fs;

use serde_json::{Value, json};
use support::{Request, Script};

use super::writes::{begin, on_disk};
#[cfg(target_os = "linux")]
use super::writes_killed::traced;
use super::{Desk, json as parsed, ran};

/// A turn in which the model writes a file. Its report.
fn write(desk: &Desk, session: Option<&str>, path: &str, content: &str) -> Value {
    let (call, text) = (begin(path, "overwrite"), format!("{content}\nDONE"));
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", call).end("tool_calls"))
        .turn(|t| t.text(&text).end("stop"))
        .turn(|t| t.text(&format!("{content} is written.")).end("stop"))
        .start();
    let message = format!("Write {content} to {path}.");
    let mut arguments = vec!["--approve-writes", "--json", message.as_str()];
    if let Some(session) = session {
        arguments.extend(["--session", session]);
    }
    let told = ran(&mut desk.run(&model, &arguments));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    model.finish();
    parsed(&told.stdout)
}

fn id(report: &Value, of: &str) -> String {
    report[of].as_str().unwrap().to_owned()
}

/// A session of these writes: its id, and those of its turns.
fn session(desk: &Desk, writes: &[(&str, &str)]) -> (String, Vec<String>) {
    let mut session: Option<String> = None;
    let mut turns = Vec::new();
    for (path, content) in writes {
        let report = write(desk, session.as_deref(), path, content);
        session = Some(id(&report, "sessionId"));
        turns.push(id(&report, "requestId"));
    }
    (session.unwrap(), turns)
}

/// Every file of the project that has to do with this.
fn files(desk: &Desk) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = fs::read_dir(desk.project.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

fn said(request: &Request) -> String {
    let own = request.conversation().into_iter().filter(|(role, _)| *role == "user");
    own.map(|(_, text)| text.to_owned()).collect::<Vec<_>>().join("|")
}

// X1, T9
#[test]
fn twenty_turns_are_rewound_with_conflicts_named_and_the_next_message_follows_what_is_left() {
    let desk = Desk::new();
    let paths = ["notes.txt", "a.txt", "b.txt", "c.txt"];
    let contents: Vec<String> = (1..=20).map(|turn| format!("Content {turn}.")).collect();
    let writes: Vec<(&str, &str)> =
        contents.iter().enumerate().map(|(at, content)| (paths[at % 4], content.as_str())).collect();
    let (session, turns) = session(&desk, &writes);
    // By hand: one changed, one deleted, one moved.
    desk.project.write("a.txt", "Mine.\n");
    fs::remove_file(desk.project.path().join("b.txt")).unwrap();
    fs::rename(desk.project.path().join("c.txt"), desk.project.path().join("moved.txt")).unwrap();
    let before = files(&desk);

    let eighth = turns[7].as_str();
    let dry = ran(&mut desk.orion(&["rewind", eighth, "--dry-run"]));
    assert_eq!((dry.code, dry.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        dry.stdout,
        "13 turns would stay in a branch of their own
would keep a.txt: a.txt no longer holds what was written, so it stays as it is.
would create again b.txt
would create again c.txt
would restore notes.txt
"
    );
    assert_eq!(files(&desk), before, "nothing has changed");

    let back = ran(&mut desk.orion(&["rewind", eighth]));
    assert_eq!(back.code, Some(1), "a file was kept: {}", back.stderr);
    let expected = format!(
        "the conversation goes on before that message
orion: a.txt no longer holds what was written, so it stays as it is.
Change it by hand, or ask the model to.
created again b.txt
created again c.txt
restored notes.txt
Undo this: orion rewind {eighth} --undo
"
    );
    assert_eq!(back.stderr, expected);
    let there = |path: &str| on_disk(&desk, path);
    assert_eq!((there("a.txt"), there("moved.txt")), ("Mine.\n".to_owned(), "Content 20.\n".to_owned()));
    assert_eq!(
        (there("notes.txt"), there("b.txt"), there("c.txt")),
        ("Content 5.\n".into(), "Content 7.\n".into(), "Content 4.\n".into())
    );

    // The request holds the seven messages before, and nothing of the branch that was left.
    let model = Script::new().turn(|t| t.text("I see.").end("stop")).start();
    let next = ran(&mut desk.run(&model, &["--session", &session, "--json", "And now?"]));
    assert_eq!(next.code, Some(0), "{}", next.stderr);
    let earlier: Vec<String> =
        (0..7).map(|at| format!("Write {} to {}.", contents[at], paths[at % 4])).collect();
    assert_eq!(said(&model.requests()[0]), format!("{}|And now?", earlier.join("|")));
    let sent = model.requests()[0].conversation().iter().map(|(_, text)| *text).collect::<String>();
    assert!(!sent.contains("Content 8."), "nothing of what was left");
    assert_eq!(parsed(&next.stdout)["parentRequestId"], json!(turns[6]));
    model.finish();

    // The undo gives the bytes back; the conversation has gone on, and stays.
    let undone = ran(&mut desk.orion(&["rewind", eighth, "--undo"]));
    assert_eq!(undone.code, Some(0), "{}", undone.stderr);
    assert_eq!(files(&desk), before);
    let again = ran(&mut desk.orion(&["rewind", eighth, "--undo"]));
    assert_eq!(
        (again.code, again.stderr.contains("There is no rewind to undo here.")),
        (Some(1), true),
        "{}",
        again.stderr
    );
}

#[test]
fn the_files_or_the_conversation_go_back_alone() {
    let desk = Desk::new();
    let (session, turns) = session(&desk, &[("notes.txt", "One."), ("notes.txt", "Two.")]);
    let only = ran(&mut desk.orion(&["rewind", &turns[1], "--conversation"]));
    assert_eq!((only.code, on_disk(&desk, "notes.txt").as_str()), (Some(0), "Two.\n"), "{}", only.stderr);
    let undone = ran(&mut desk.orion(&["rewind", &turns[1], "--undo", "--json"]));
    let report = parsed(&undone.stdout);
    assert_eq!(
        (&report["conversation"], &report["undone"], &report["files"]),
        (&json!(true), &json!(true), &json!([]))
    );
    let files = ran(&mut desk.orion(&["rewind", &turns[1], "--files"]));
    assert_eq!((files.code, on_disk(&desk, "notes.txt").as_str()), (Some(0), "One.\n"), "{}", files.stderr);
    // What was rewound is not undone a second time, and the conversation has its turns.
    let model = Script::new().turn(|t| t.text("I see.").end("stop")).start();
    let next = ran(&mut desk.run(&model, &["--session", &session, "--events", "So?"]));
    assert_eq!(said(&model.requests()[0]), "Write One. to notes.txt.|Write Two. to notes.txt.|So?");
    // E2, X1: the turn says so, and the model is told that what it wrote is no longer there.
    let events: Vec<Value> = next.stdout.lines().map(|line| parsed(line)["event"].clone()).collect();
    let files = json!([{ "path": "notes.txt", "change": "restored", "error": null }]);
    assert_eq!(
        events[1],
        json!({ "type": "rewound", "turn": turns[1], "conversation": false, "files": files })
    );
    let words =
        "Since then the user has put files back to what they were earlier in this conversation: `notes.txt`.";
    let told =
        |request: &Request| request.conversation().iter().filter(|(_, text)| text.contains(words)).count();
    assert_eq!(told(&model.requests()[0]), 1);
    let replay = ran(&mut desk
        .orion(&["replay", parsed(next.stdout.lines().next().unwrap())["requestId"].as_str().unwrap()]));
    assert_eq!(replay.code, Some(0), "T5: {}{}", replay.stdout, replay.stderr);
    model.finish();
    let undone = ran(&mut desk.orion(&["undo", &session]));
    assert_eq!((undone.code, undone.stderr.as_str()), (Some(0), "undid notes.txt\n"));
    assert_eq!(on_disk(&desk, "notes.txt"), "The answer is 42.\n");
}

#[test]
fn the_diff_of_a_session_has_each_file_before_its_first_write_and_after_its_last() {
    let desk = Desk::new();
    let (session, _) = session(&desk, &[("notes.txt", "One."), ("a.txt", "Two."), ("notes.txt", "Three.")]);
    let diff = ran(&mut desk.orion(&["diff", &session]));
    let expected = "--- /dev/null
+++ b/a.txt
@@ -0,0 +1,1 @@
+Two.
--- a/notes.txt
+++ b/notes.txt
@@ -1,1 +1,1 @@
-The answer is 42.
+Three.
";
    assert_eq!((diff.code, diff.stdout.as_str()), (Some(0), expected), "{}", diff.stderr);
    let nobody = "0190a000-0000-7000-8000-000000000000";
    let unknown = ran(&mut desk.orion(&["diff", nobody]));
    assert!(
        unknown.stderr.contains("There is neither a turn nor a session with this id"),
        "{}",
        unknown.stderr
    );
}

// A10: whatever call of the disk it dies at, the next command completes it, and it can be undone.
#[cfg(target_os = "linux")]
#[test]
fn a_rewind_that_is_killed_is_completed_by_the_next_command_and_can_be_undone() {
    for (call, undo) in [("renameat2", false), ("unlinkat", false), ("renameat2", true), ("unlinkat", true)] {
        let desk = Desk::new();
        let (_, turns) = session(
            &desk,
            &[("notes.txt", "One."), ("a.txt", "Two."), ("notes.txt", "Three."), ("b.txt", "Four.")],
        );
        let after = files(&desk);
        let before = vec![("notes.txt".to_owned(), "The answer is 42.\n".to_owned())];
        let mut killed = 0;
        for when in 1.. {
            if undo {
                let back = ran(&mut desk.orion(&["rewind", &turns[0], "--files"]));
                assert_eq!((back.code, files(&desk)), (Some(0), before.clone()), "{}", back.stderr);
            }
            let arguments: &[&str] =
                if undo { &["rewind", &turns[0], "--undo"] } else { &["rewind", &turns[0], "--files"] };
            let told = ran(&mut traced(&desk.orion(arguments), &format!("{call}:signal=KILL:when={when}")));
            let ended = told.code.is_some();
            // Any command completes it as it opens the data folder.
            let listed = ran(&mut desk.orion(&["sessions"]));
            assert_eq!(listed.code, Some(0), "{}", listed.stderr);
            assert_eq!(files(&desk), if undo { after.clone() } else { before.clone() }, "{call} {when}");
            if !undo {
                let undone = ran(&mut desk.orion(&["rewind", &turns[0], "--undo"]));
                assert_eq!(
                    (undone.code, files(&desk)),
                    (Some(0), after.clone()),
                    "{call} {when}: {}",
                    undone.stderr
                );
            }
            if ended {
                break;
            }
            killed += 1;
        }
        assert!(killed >= 1, "it was killed at {killed} calls of {call}");
    }
}

// Decision 0011: what a rewind keeps for its undo goes with the session, to the last byte.
#[test]
fn what_a_rewind_keeps_goes_with_its_session() {
    let desk = Desk::new();
    let (session, turns) =
        session(&desk, &[("notes.txt", "Zauberwort eins."), ("notes.txt", "Zauberwort zwei.")]);
    ran(&mut desk.orion(&["rewind", &turns[0]]));
    let found = || {
        let data = desk.home.path().join("data");
        let files =
            fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
        files.filter(|path| fs::read(path).unwrap().windows(10).any(|part| part == b"Zauberwort")).count()
    };
    assert!(found() > 0, "it is kept for the undo");
    let deleted = ran(&mut desk.orion(&["sessions", "delete", &session]));
    assert_eq!(deleted.code, Some(0), "{}", deleted.stderr);
    assert_eq!(found(), 0);
}

#[test]
fn a_turn_that_waits_is_answered_first() {
    let desk = Desk::new();
    let (session, turns) = session(&desk, &[("notes.txt", "One.")]);
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("a.txt", "create")).end("tool_calls"))
        .turn(|t| t.text("Two.\nDONE").end("stop"))
        .start();
    assert_eq!(ran(&mut desk.run(&model, &["--session", &session, "More."])).code, Some(3));
    model.finish();
    let back = ran(&mut desk.orion(&["rewind", &turns[0]]));
    assert_eq!(back.code, Some(1));
    assert!(
        back.stderr.contains("This session waits for you: it asks about a write of a.txt."),
        "{}",
        back.stderr
    );
    assert_eq!(on_disk(&desk, "notes.txt"), "One.\n");
}
