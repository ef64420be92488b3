//! A write that was approved, with its store and its journal. It is killed by `kill -9` at each of its system calls,
//! and a disk fails in such a way that nobody knows which file is there (W6, W7).
#![cfg(target_os = "linux")]

use std::ffi::OsString;
use std::fs;
use std::iter::successors;
use std::path::PathBuf;
use std::process::Command;

use support::{Folder, Script, ScriptedModel, Turn};

use super::writes::{on, on_disk, writer};
use super::{Desk, Ran, json as parsed, ran};

const OLD: &str = "The answer is 42.\n";
const NEW: &str = "The answer is 43.\n";
const DIFF: &str =
    "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,1 +1,1 @@\n-The answer is 42.\n+The answer is 43.\n";

/// A turn that waits for its approval, as often as it is wanted.
struct Waiting {
    desk: Desk,
    request: String,
    saved: Folder,
}

impl Waiting {
    fn new() -> Self {
        let desk = Desk::new();
        let model = writer().start();
        let told = ran(&mut desk.run(&model, &["--json", "Make it 43."]));
        assert_eq!(told.code, Some(3), "{}", told.stderr);
        model.finish();
        let saved = Folder::empty();
        for (name, path) in database(&desk) {
            fs::copy(path, saved.path().join(name)).unwrap();
        }
        let request = parsed(&told.stdout)["requestId"].as_str().unwrap().to_owned();
        Self { desk, request, saved }
    }

    /// Puts everything back to where the turn waits.
    fn again(&self) {
        for (_, path) in database(&self.desk) {
            fs::remove_file(path).unwrap();
        }
        for entry in fs::read_dir(self.saved.path()).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), self.data().join(entry.file_name())).unwrap();
        }
        self.desk.project.write("notes.txt", OLD);
    }

    fn data(&self) -> PathBuf {
        self.desk.home.path().join("data")
    }

    /// The temporary file of the write.
    fn temporary(&self) -> PathBuf {
        let id = self.request.replace('-', "");
        self.desk.project.path().join(format!(".orion-{id}-1.tmp"))
    }

    /// `orion approve` under strace, which sees the calls that have to do with these paths alone.
    fn approve(&self, model: &ScriptedModel, paths: &[PathBuf], injections: &[String]) -> Ran {
        let base_url = model.base_url();
        let approve = self.desk.orion(&["approve", &self.request, "--json", "--base-url", &base_url]);
        let mut traced = Command::new("strace");
        traced.args(["--follow-forks", "--quiet=all"]);
        for path in paths {
            traced.arg("--trace-path").arg(path);
        }
        traced.args(injections.iter().map(|injection| format!("--inject={injection}")));
        traced.arg("--").arg(approve.get_program()).args(approve.get_args());
        let environment = approve.get_envs().filter_map(|(name, value)| Some((name, value?)));
        traced.env_clear().envs(environment).env("PATH", std::env::var_os("PATH").unwrap());
        ran(traced.current_dir(self.desk.project.path()))
    }

    /// The files of the project beside those that it began with.
    fn others(&self) -> Vec<OsString> {
        let names = fs::read_dir(self.desk.project.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name != "notes.txt" && name != "src").collect()
    }

    /// What holds after a death: the file is whole, the next start takes every temporary file away and has the content, and going
    /// on comes to where it would have come.
    fn is_made_good(&self, model: &ScriptedModel, when: &str) {
        let left = on_disk(&self.desk, "notes.txt");
        assert!([OLD, NEW].contains(&left.as_str()), "{when}: {left:?}");
        let shown = ran(&mut self.desk.orion(&["diff", &self.request]));
        assert_eq!((shown.code, shown.stdout.as_str()), (Some(0), DIFF), "{when}: {}", shown.stderr);
        assert_eq!(self.others(), Vec::<OsString>::new(), "{when}");
        assert_eq!(on_disk(&self.desk, "notes.txt"), left, "{when}");
        let ended = on(&self.desk, model, &["resume", &self.request, "--approve-writes"]);
        // It may have died after its turn was over.
        assert!(ended.code == Some(0) || ended.stderr.contains("turn is over"), "{when}: {}", ended.stderr);
        assert_eq!(on_disk(&self.desk, "notes.txt"), NEW, "{when}");
        assert_eq!(self.others(), Vec::<OsString>::new(), "{when}");
    }
}

/// The files of the database.
fn database(desk: &Desk) -> Vec<(OsString, PathBuf)> {
    let entries = fs::read_dir(desk.home.path().join("data")).unwrap();
    let files = entries.map(|entry| entry.unwrap()).map(|entry| (entry.file_name(), entry.path()));
    files.filter(|(name, _)| name.to_string_lossy().starts_with("orion.db")).collect()
}

fn answers() -> ScriptedModel {
    Script::new().forever(|_, _| Turn::default().text("Written.").end("stop")).start()
}

/// Kills at the first of these calls that has to do with the paths, then at that whose number comes `next`, until one run comes to
/// its end. Says how often it died.
fn deaths(call: &str, paths: impl Fn(&Waiting) -> Vec<PathBuf>, next: fn(u32) -> u32) -> usize {
    let waiting = Waiting::new();
    let model = answers();
    for (died, number) in successors(Some(1), |&number| Some(next(number))).enumerate() {
        waiting.again();
        let told = waiting.approve(&model, &paths(&waiting), &[format!("{call}:signal=KILL:when={number}")]);
        if let Some(code) = told.code {
            assert_eq!((code, on_disk(&waiting.desk, "notes.txt").as_str()), (0, NEW), "{}", told.stderr);
            model.finish();
            return died;
        }
        waiting.is_made_good(&model, &format!("killed at {call} {number}"));
    }
    0
}

/// The folder, the file and the temporary file beside it.
fn project(waiting: &Waiting) -> Vec<PathBuf> {
    let folder = waiting.desk.project.path();
    vec![folder.join("notes.txt"), folder, waiting.temporary()]
}

fn journal(waiting: &Waiting) -> Vec<PathBuf> {
    ["orion.db", "orion.db-wal"].map(|name| waiting.data().join(name)).to_vec()
}

#[test]
fn a_write_that_is_killed_at_any_change_of_the_project_is_made_good() {
    let calls = ["write", "fsync", "fchmod", "renameat2", "unlinkat"];
    let died = calls.map(|call| deaths(call, project, |number| number + 1));
    assert!(died.iter().all(|&times| times > 0), "{calls:?}: {died:?}");
}

#[test]
fn a_write_that_is_killed_at_any_commit_of_its_journal_is_made_good() {
    let died = deaths("fsync,fdatasync", journal, |number| number + 1);
    assert!(died > 2, "{died}");
}

// There are too many for each of them.
#[test]
fn a_write_that_is_killed_in_the_middle_of_a_commit_is_made_good() {
    let died = deaths("pwrite64", journal, |number| number * 2);
    assert!(died > 2, "{died}");
}

// The error comes after the names were exchanged, and the file cannot be read to tell which it is.
#[test]
fn a_write_of_which_the_disk_does_not_tell_is_unknown_until_the_next_start_looks() {
    let waiting = Waiting::new();
    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| {
                let text = ask.last_text();
                assert!(text.contains("unknown: whether notes.txt was written cannot be told."), "{text}");
                assert!(text.contains("Look at the file before you go on."), "{text}");
            })
            .text("I cannot tell.")
            .end("stop")
        })
        .start();
    // Read twice, to its end, the file is the one that was shown; from then on it is not to be read.
    let failing = ["fsync:error=EIO".to_owned(), "read:error=EIO:when=3+".to_owned()];
    let folder = waiting.desk.project.path();
    let told = waiting.approve(&model, &[folder.join("notes.txt"), folder], &failing);
    model.finish();
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let report = parsed(&told.stdout);
    assert_eq!(
        (&report["status"], &report["answer"], &report["writes"][0]["status"]),
        (&"completed".into(), &"I cannot tell.".into(), &"unknown".into())
    );
    assert_eq!(on_disk(&waiting.desk, "notes.txt"), NEW);
    // The next start reads it, and so it can be undone.
    let undone = ran(&mut waiting.desk.orion(&["undo", &waiting.request]));
    assert_eq!((undone.code, undone.stderr.as_str()), (Some(0), "undid notes.txt\n"));
    assert_eq!((on_disk(&waiting.desk, "notes.txt").as_str(), waiting.others()), (OLD, vec![]));
}
