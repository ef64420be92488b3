//! Both routes with all tools, each in a copy of the project: nothing in the person's folder changes (A1, T9). Each step is a process.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use support::{Gate, Script, ScriptedModel};

use super::writes::{begin, on, on_disk};
use super::{Desk, Ran, json as parsed, ran, replays};

/// A project with what ignore files hide and close, a turn in it, and a folder for temporary files.
struct Asked {
    desk: Desk,
    request: String,
}

impl Asked {
    fn new() -> Self {
        let desk = Desk::new();
        for (path, content) in [
            (".gitignore", "build/\n"),
            (".orionignore", "secret.txt\n"),
            ("build/out.bin", "made by a build"),
            ("secret.txt", "closed to models"),
            ("run.sh", "#!/bin/sh\n"),
        ] {
            desk.project.write(path, content);
        }
        desk.home.write("tmp/keep", "");
        let model = Script::new().turn(|t| t.text("42.").end("stop")).start();
        let report = parsed(&ran(&mut desk.run(&model, &["--json", "Make it 43."])).stdout);
        model.finish();
        Self { request: report["requestId"].as_str().unwrap().to_owned(), desk }
    }

    fn compare(&self, model: &ScriptedModel, arguments: &[&str]) -> Ran {
        let base_url = model.base_url();
        let mut command = self.desk.orion(&["compare", &self.request, "--json", "--base-url", &base_url]);
        ran(command.args(["--copy-project"]).args(arguments).env("TMPDIR", self.tmp()).env("TMP", self.tmp()))
    }

    fn tmp(&self) -> PathBuf {
        self.desk.home.path().join("tmp")
    }

    /// What is in the folder for temporary files.
    fn left(&self) -> usize {
        fs::read_dir(self.tmp()).unwrap().count() - 1
    }
}

/// Both routes write the same file.
fn writers() -> Script {
    let side = |script: Script| {
        script
            .turn(|t| {
                t.expect(|ask| {
                    assert!(ask.tool_names().contains(&"write_plan_begin"), "{:?}", ask.tool_names())
                })
                .call("write_plan_begin", begin("notes.txt", "overwrite"))
                .end("tool_calls")
            })
            .turn(|t| t.text("The answer is 43.\nDONE").end("stop"))
            .turn(|t| t.text("It says 43 now.").end("stop"))
    };
    side(side(Script::new()))
}

fn sides(told: &Ran) -> Vec<Value> {
    parsed(&told.stdout)["sides"].as_array().unwrap().clone()
}

#[test]
fn both_routes_write_in_copies_which_go_and_the_persons_folder_stays_as_it_is() {
    let asked = Asked::new();
    let model = writers().start();
    let told = asked.compare(&model, &["--approve-writes"]);
    model.finish();
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    // Its size is said first: two ignore files, run.sh, notes.txt and src/main.c.
    assert!(told.stderr.starts_with("A copy of the project has 5 files and 56 B."), "{}", told.stderr);
    for side in sides(&told) {
        let (report, session) = (&side["report"], side["sessionId"].as_str().unwrap());
        assert_eq!(
            (&report["mode"], &report["writes"][0]["status"], &side["copy"]),
            (&json!("act"), &json!("written"), &Value::Null)
        );
        // What it wrote is in its journal, and there is nothing to undo it in.
        let diff = ran(&mut asked.desk.orion(&["diff", session]));
        assert!(diff.stdout.contains("+The answer is 43."), "{}{}", diff.stdout, diff.stderr);
        assert_eq!(ran(&mut asked.desk.orion(&["undo", session])).code, Some(1));
        replays(&asked.desk, report["requestId"].as_str().unwrap());
    }
    assert_eq!((on_disk(&asked.desk, "notes.txt").as_str(), asked.left()), ("The answer is 42.\n", 0));
}

#[test]
fn a_copy_has_what_is_open_to_models_and_stays_where_a_person_keeps_it() {
    let asked = Asked::new();
    let model = writers().start();
    let told = asked.compare(&model, &["--approve-writes", "--keep-copies"]);
    model.finish();
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    for side in sides(&told) {
        let copy = PathBuf::from(side["copy"].as_str().unwrap());
        assert!(told.stderr.contains(side["copy"].as_str().unwrap()), "{}", told.stderr);
        let read = |path: &str| fs::read_to_string(copy.join(path)).ok();
        assert_eq!(read("notes.txt").as_deref(), Some("The answer is 43.\n"));
        assert_eq!(read("src/main.c").as_deref(), Some("int main;\n"));
        assert_eq!((read("secret.txt"), read("build/out.bin")), (None, None));
        assert!(read(".orionignore").is_some());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let parent = copy.parent().unwrap();
            assert_eq!(fs::metadata(parent).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }
    assert_eq!((on_disk(&asked.desk, "notes.txt").as_str(), asked.left()), ("The answer is 42.\n", 2));
}

#[test]
fn the_copy_of_a_side_that_waits_stays_and_its_answer_writes_there() {
    // A7
    let asked = Asked::new();
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("notes.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("The answer is 43.\nDONE").end("stop"))
        .turn(|t| t.text("42 is right.").end("stop"))
        .start();
    let told = asked.compare(&model, &[]);
    model.finish();
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    let sides = sides(&told);
    assert_eq!(
        (sides[0]["report"]["stopReason"].clone(), sides[1]["copy"].clone()),
        (json!("approval"), Value::Null)
    );
    assert_eq!(asked.left(), 1);
    let model = Script::new().turn(|t| t.text("It says 43 now.").end("stop")).start();
    let waits = sides[0]["report"]["requestId"].as_str().unwrap();
    let told = on(&asked.desk, &model, &["approve", waits]);
    model.finish();
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let copy = PathBuf::from(sides[0]["copy"].as_str().unwrap());
    assert_eq!(fs::read_to_string(copy.join("notes.txt")).unwrap(), "The answer is 43.\n");
    assert_eq!(on_disk(&asked.desk, "notes.txt"), "The answer is 42.\n");
}

// On Windows no folder can be removed while a process works in it.
#[cfg(unix)]
#[tokio::test]
async fn no_copy_stays_where_the_second_side_cannot_begin() {
    let asked = Arc::new(Asked::new());
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("42").hold(&gate).text(" is right.").end("stop")).start();
    let model = Arc::new(model);
    let compares = tokio::task::spawn_blocking({
        let (asked, model) = (asked.clone(), model.clone());
        move || asked.compare(&model, &[])
    });
    gate.reached().await;
    // The folder of each copy is emptied. The first side reads nothing any more, and the second one finds no project.
    for copy in
        fs::read_dir(asked.tmp()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        for project in fs::read_dir(copy).unwrap() {
            fs::remove_dir_all(project.unwrap().path()).unwrap();
        }
    }
    gate.open();
    let told = compares.await.unwrap();
    Arc::into_inner(model).unwrap().finish();
    assert_eq!((told.code, asked.left()), (Some(1), 0), "{}", told.stderr);
}

#[test]
fn a_project_that_is_larger_than_the_limit_is_not_copied() {
    let asked = Asked::new();
    asked.desk.project.write("large.txt", "x".repeat(1_000_001));
    let away = Script::new().start();
    let told = asked.compare(&away, &["--copy-limit", "1"]);
    assert_eq!(told.code, Some(2), "{}", told.stderr);
    assert!(told.stderr.contains("That is more than the 1.0 MB that may be copied."), "{}", told.stderr);
    // Nor where the folder for temporary files is in the project: it would be copied into itself.
    let base_url = away.base_url();
    let mut command =
        asked.desk.orion(&["compare", &asked.request, "--base-url", &base_url, "--copy-project"]);
    let told = ran(command.env("TMPDIR", asked.desk.project.path()).env("TMP", asked.desk.project.path()));
    assert_eq!((told.code, told.stderr.contains("is in this project")), (Some(2), true), "{}", told.stderr);
    assert_eq!(asked.left(), 0);
    let sessions = parsed(&ran(&mut asked.desk.orion(&["sessions", "--json"])).stdout);
    assert_eq!(sessions.as_array().unwrap().len(), 1);
    away.finish();
}
