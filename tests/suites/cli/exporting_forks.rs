//! Forks that leave as a file: whole without the session that they come from, which they name as a fact (T8, T9). Each step is a process.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::forking::{again, answers, forked, having_read};
use super::writes::on;
use super::{Desk, Ran, json as parsed, ran, replays};

/// A session, and a fork of its second turn in which that turn ended otherwise, was asked again, and was followed by another one.
struct Told {
    desk: Desk,
    session: String,
    request: String,
    fork: String,
    /// The turns of the fork, the first one first.
    turns: Vec<String>,
}

impl Told {
    fn new() -> Self {
        let (desk, request, session, _) = having_read();
        let (fork, first) = forked(&desk, &[&request, "--phase", "3"]);
        let id = |told: &Ran| parsed(&told.stdout)["requestId"].as_str().unwrap().to_owned();
        let model = answers("Only the notes say so.");
        assert_eq!(on(&desk, &model, &["resume", &first, "--json"]).code, Some(0));
        model.finish();
        let model = answers("It is 42, as I said.");
        let second = id(&again(&desk, &model, &first));
        model.finish();
        let model = answers("Yes.");
        let third = id(&ran(&mut desk.run(&model, &["--session", &fork, "--json", "Sure?"])));
        model.finish();
        Self { desk, session, request, fork, turns: vec![first, second, third] }
    }

    /// The file of a session or a turn.
    fn export(&self, id: &str, name: &str) -> PathBuf {
        let file = self.desk.home.path().join(name);
        let told = ran(self.desk.orion(&["export", id, "--files", "--output"]).arg(&file));
        assert_eq!(told.code, Some(0), "{}", told.stderr);
        file
    }
}

fn import(desk: &Desk, file: &Path) -> Ran {
    ran(desk.orion(&["import"]).arg(file))
}

fn lines(file: &Path) -> Vec<Value> {
    let mut text = String::new();
    GzDecoder::new(fs::File::open(file).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(parsed).collect()
}

/// Writes the lines to a file again, their number put right.
fn packed(file: &Path, lines: &[Value]) {
    let mut packed = GzEncoder::new(fs::File::create(file).unwrap(), Compression::fast());
    for line in lines {
        let mut line = line.clone();
        if line["type"] == "end" {
            line["lines"] = json!(lines.len());
        }
        writeln!(packed, "{line}").unwrap();
    }
    packed.finish().unwrap();
}

#[test]
fn an_exported_fork_opens_elsewhere_without_the_other_session_and_replays_there() {
    let told = Told::new();
    let file = told.export(&told.fork, "fork.orion");
    let other = Desk::new();
    let imported = import(&other, &file);
    assert_eq!((imported.code, imported.stdout.trim()), (Some(0), told.fork.as_str()), "{}", imported.stderr);
    for turn in &told.turns {
        replays(&other, turn);
        for command in [&["replay", turn][..], &["trace", turn, "--json"], &["export", turn]] {
            let (was, is) = (ran(&mut told.desk.orion(command)), ran(&mut other.orion(command)));
            assert_eq!((was.code, was.stdout), (is.code, is.stdout), "{command:?}");
        }
    }
    // What was spent before the fork counts where it was spent, there as here.
    let spent = |desk: &Desk, more: &[&str]| {
        let listed = parsed(&ran(desk.orion(&["sessions", "--json"]).args(more)).stdout);
        let all = listed.as_array().unwrap().clone();
        all.into_iter().find(|one| one["sessionId"] == json!(told.fork)).unwrap()["spent"].clone()
    };
    assert_eq!(spent(&told.desk, &[]), spent(&other, &["--imported"]));
    // T9: where it comes from is a fact, and leads nowhere: that session is not here.
    let origin = lines(&file).into_iter().find(|line| line["type"] == "fork").unwrap();
    assert_eq!(
        (&origin["of"], &origin["phase"], &origin["requestId"]),
        (&json!(told.request), &json!(3), &json!(told.turns[0]))
    );
    assert_eq!(ran(&mut other.orion(&["trace", &told.request])).code, Some(1));
    let exported = other.home.path().join("again.orion");
    assert_eq!(ran(other.orion(&["export", &told.fork, "--files", "--output"]).arg(&exported)).code, Some(0));
    assert!(fs::read(&file).unwrap() == fs::read(&exported).unwrap());
    // It is read-only, as any imported session.
    let refused = ran(&mut other.orion(&["fork", &told.turns[0]]));
    assert!(refused.stderr.contains("was imported from a file"), "{}", refused.stderr);
}

#[test]
fn a_turn_of_a_fork_takes_along_what_the_fork_was_given() {
    // The one in the place of the first: the turn that the fork began with is not one that it follows.
    let told = Told::new();
    let file = told.export(&told.turns[2], "turn.orion");
    let turns: Vec<Value> = lines(&file)
        .iter()
        .filter(|line| line["type"] == "turn")
        .map(|line| line["requestId"].clone())
        .collect();
    assert_eq!(turns, [json!(told.turns[1]), json!(told.turns[2])]);
    let other = Desk::new();
    assert_eq!(import(&other, &file).code, Some(0));
    told.turns[1..].iter().for_each(|turn| replays(&other, turn));
}

#[test]
fn a_fork_and_the_session_that_it_comes_from_find_each_other_again() {
    let told = Told::new();
    let other = Desk::new();
    for id in [&told.fork, &told.session] {
        let imported = import(&other, &told.export(id, &format!("{id}.orion")));
        assert_eq!(imported.code, Some(0), "{}", imported.stderr);
    }
    told.turns.iter().chain([&told.request]).for_each(|turn| replays(&other, turn));
    // And each stays whole without the other one.
    assert_eq!(ran(&mut other.orion(&["sessions", "delete", &told.session])).code, Some(0));
    told.turns.iter().for_each(|turn| replays(&other, turn));
}

#[test]
fn an_event_that_somebody_changed_in_a_fork_is_named() {
    // T5
    let told = Told::new();
    let file = told.export(&told.fork, "fork.orion");
    let mut changed = lines(&file);
    let is_result = |line: &Value| line["body"].as_str().is_some_and(|body| body.contains("\"tool_result\""));
    let row = changed.iter_mut().find(|line| line["type"] == "row" && is_result(line)).unwrap();
    let seq = row["seq"].clone();
    let mut event = parsed(row["body"].as_str().unwrap());
    event["event"]["summary"] = json!("planted");
    row["body"] = json!(event.to_string());
    packed(&file, &changed);
    let other = Desk::new();
    other.home.changes_journals();
    assert_eq!(import(&other, &file).code, Some(0));
    let replayed = ran(&mut other.orion(&["replay", &told.turns[0]]));
    let named =
        format!("The first difference is in event.summary of tool_result, event {seq} of the journal.");
    assert_eq!((replayed.code, replayed.stderr.contains(&named)), (Some(1), true), "{}", replayed.stderr);
    told.turns[1..].iter().for_each(|turn| replays(&other, turn));
}

#[test]
fn a_file_whose_fork_refers_to_what_is_not_in_it_is_refused_and_nothing_of_it_is_stored() {
    let told = Told::new();
    let file = told.export(&told.fork, "fork.orion");
    let all = lines(&file);
    let given = all.iter().find(|line| line["type"] == "fork").unwrap()["sha256"].clone();
    let without = |dropped: &dyn Fn(&Value) -> bool| -> Vec<Value> {
        all.iter().filter(|line| !dropped(line)).cloned().collect()
    };
    let with = |field: &str, value: Value| -> Vec<Value> {
        let mut changed = all.clone();
        changed.iter_mut().find(|line| line["type"] == "fork").unwrap()[field] = value;
        changed
    };
    let cases = [
        ("a body is not there", without(&|line| line["type"] == "body" && line["sha256"] == given)),
        (
            "what the fork was made with is not there",
            without(&|line| line["type"] == "fork" || (line["type"] == "body" && line["sha256"] == given)),
        ),
        ("the turn that the fork began with is not there", with("requestId", json!(told.request))),
    ];
    let other = Desk::new();
    for (words, changed) in cases {
        packed(&file, &changed);
        let refused = import(&other, &file);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""), "{words}");
        let said = "This exported session is damaged or was changed: nothing of it was imported.";
        assert!(refused.stderr.contains(said) && refused.stderr.contains(words), "{}", refused.stderr);
    }
    let listed = parsed(&ran(&mut other.orion(&["sessions", "--imported", "--json"])).stdout);
    assert_eq!(listed, json!([]));
}
