//! What holds after every kill, whatever was killed.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use sha2::{Digest, Sha256};
use support::{Request, with_argument};

use super::moment::pass;
use super::records::{Records, Turn, answer, is_durable, kind};
use super::scene::left;

/// The time in which everything of a command ends after Orion was killed (C5); the machine may be busy.
const LEAVES: Duration = Duration::from_secs(10);

/// What a person has seen and done so far.
#[derive(Debug, Default)]
pub(super) struct Person {
    /// The events that were printed.
    pub(super) shown: Vec<Value>,
    /// What they answered, or began to: to what, and whether it was a yes.
    pub(super) answers: Vec<(String, bool)>,
    /// What they wrote while a turn ran.
    pub(super) written: Vec<Written>,
}

#[derive(Debug)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) steers: bool,
    /// Orion said that it has it.
    pub(super) confirmed: bool,
}

impl Person {
    /// Takes in the lines that a command printed.
    pub(super) fn sees(&mut self, lines: &[String]) {
        let events = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        self.shown.extend(events.filter(|event| event["seq"].is_u64() && is_durable(event)));
    }

    /// After a kill: the database is whole, and the person was neither deceived nor spoken for.
    pub(super) fn is_served(&self, records: &Records) {
        assert_eq!(records.faults, Vec::<String>::new(), "the database is whole");
        for event in &self.shown {
            let turn = records.turns.iter().find(|turn| event["requestId"] == *turn.request);
            let turn = turn.unwrap_or_else(|| panic!("J1: the turn of {event} is gone"));
            assert!(turn.durable().any(|kept| kept == event), "J1: it was shown, and is gone: {event}");
        }
        for turn in &records.turns {
            goes_on_without_gap(turn);
            self.is_asked(turn);
            once(turn);
        }
        self.is_heard(records);
    }

    /// X1: the first request of a turn has all that the turns before it were told and said. None where it was killed before.
    pub(super) fn is_remembered(&self, records: &Records, number: u64, request: Option<&Request>) {
        let begins = format!("Do {number}:");
        let is_it = |turn: &&Turn| turn.told().first().is_some_and(|asked| asked.starts_with(&begins));
        let (Some(turn), Some(request)) = (records.turns.iter().find(is_it), request) else { return };
        let messages = request.messages();
        let texts: Vec<&str> = messages.iter().filter_map(|message| message["content"].as_str()).collect();
        let texts = texts.join("\n");
        for before in records.before(turn) {
            for told in before.told() {
                assert!(
                    texts.contains(&told),
                    "X1: {} forgets {told:?} of {} ({}):\n{texts}",
                    turn.request,
                    before.request,
                    before.state
                );
            }
        }
    }

    /// A7, A3: what waited was answered by the person alone, and nothing ran that they did not allow.
    fn is_asked(&self, turn: &Turn) {
        let mut answered = HashSet::new();
        for event in turn.durable() {
            let Some(given) = answer(event) else { continue };
            assert!(self.answers.contains(&given), "A7: nobody gave this answer: {event}");
            assert!(answered.insert(given.0), "A7: it was answered twice: {event}");
        }
        let of = |name: &'static str| turn.outcomes.iter().filter(move |outcome| *outcome == name).count();
        let allowed =
            turn.of_kind("answered").filter(|event| event["event"]["given"]["type"] == "allowed").count();
        let ran = of("list_files") + of("run_command");
        assert!(ran <= allowed, "A3: {:?} ran, {allowed} were allowed", turn.outcomes);
    }

    /// A9: each message that was written meanwhile is in one place.
    fn is_heard(&self, records: &Records) {
        let turns = || records.turns.iter();
        let texts = |kind: &'static str| {
            turns().flat_map(move |turn| turn.of_kind(kind)).map(|event| &event["event"]["text"])
        };
        for Written { text, steers, confirmed } in &self.written {
            let is_it = |said: &&Value| said.as_str() == Some(text);
            let (began, steered) =
                (texts("turn_started").filter(is_it).count(), texts("steered").filter(is_it).count());
            let waits = records
                .queued
                .iter()
                .filter(|body| {
                    serde_json::from_str::<Value>(body).is_ok_and(|it| it == **text) || *body == text
                })
                .count();
            let places = if *steers { steered } else { began + waits };
            assert!(places <= 1, "A9: {text:?} is there {places} times");
            assert!(!confirmed || places == 1, "A9: {text:?} was confirmed, and is gone");
            assert!(!steers || began + waits <= 1, "A9: {text:?} waits {waits} times");
        }
    }
}

/// T2, T3, E1.
fn goes_on_without_gap(turn: &Turn) {
    let mut last = 0;
    for event in &turn.events {
        let seq = event["seq"].as_u64().unwrap();
        assert_eq!(seq, last + u64::from(is_durable(event)), "T2: {} {event}", turn.request);
        last = seq;
    }
    let is_end = |event: &Value| matches!(kind(event), "completed" | "stopped" | "failed");
    let ends: Vec<usize> = (0..turn.events.len()).filter(|&at| is_end(&turn.events[at])).collect();
    let expected = if turn.is_over() { vec![turn.events.len() - 1] } else { Vec::new() };
    assert_eq!(ends, expected, "T3: {} is {}", turn.request, turn.state);
}

/// T3, A5: nothing that the turn did or said is there twice.
fn once(turn: &Turn) {
    let mut seen = HashSet::new();
    for event in turn.durable() {
        let it = &event["event"];
        let id = match kind(event) {
            "tool_result" => &it["toolCallId"],
            "write_done" => &it["write"],
            "turn_started" => &Value::Null,
            _ => continue,
        };
        assert!(seen.insert((kind(event), id.to_string())), "A5: there are two of {event}");
    }
    let text = turn.of_kind("turn_started").map(|event| event["event"]["text"].to_string()).next();
    let Some(text) = text else { return };
    let asked = turn.said.iter().filter(|item| item.contains(&text)).count();
    assert!(asked == 1, "the person's message is there {asked} times: {:?}", turn.said);
    let number = text.trim_matches('"').split([' ', ':']).nth(1).unwrap_or_default().to_owned();
    let answers = turn.said.iter().filter(|item| item.contains(&format!("Done {number}."))).count();
    assert!(answers <= 1, "T3: the answer is there {answers} times: {:?}", turn.said);
    let report = turn.of_kind("completed").next().map(|event| &event["event"]["report"]);
    if let Some(report) = report {
        let answered = turn.said.iter().filter(|item| item.contains("assistant")).count();
        assert!(answered >= 1 || report["answer"] == "", "T3: the answer is not there: {:?}", turn.said);
        for count in ["modelCalls", "toolRuns", "writePrompts"] {
            assert!(report[count].as_u64() <= report["bounds"][count].as_u64(), "T4: {count} of {report}");
        }
    }
}

/// The ends of a turn's writes, each with the time at which it was approved.
fn writes(turn: &Turn) -> Vec<(Option<i64>, &Value)> {
    let (mut approved_ms, mut ends) = (None, Vec::new());
    for event in turn.durable() {
        match kind(event) {
            "answered" if event["event"]["given"]["type"] == "allowed" => {
                approved_ms = event["atMs"].as_i64()
            }
            "write_done" => ends.push((approved_ms, event)),
            _ => {}
        }
    }
    ends
}

/// C5, A5: nothing of a command is left, and each ran at most as often as the person allowed it.
pub(super) fn commands(project: &Path, records: &Records) {
    let (left, since) = (left(), Instant::now());
    while !with_argument(&left).is_empty() {
        assert!(since.elapsed() < LEAVES, "C5: {:?} are left", with_argument(&left));
        pass(Duration::from_millis(10));
    }
    let ran = fs::read_to_string(project.join("ran")).unwrap_or_default();
    let allowed = |turn: &Turn| {
        turn.of_kind("answered").filter(|event| event["event"]["given"]["type"] == "allowed").count()
    };
    for turn in &records.turns {
        let text = turn.of_kind("turn_started").map(|event| event["event"]["text"].to_string()).next();
        let Some(text) = text else { continue };
        let number = text.trim_matches('"').split([' ', ':']).nth(1).unwrap_or_default().to_owned() + " ";
        let times = ran.lines().filter(|line| line.starts_with(&number)).count();
        assert!(times <= allowed(turn), "A5: {number} ran {times} times:\n{ran}");
    }
}

/// Once every turn is over: each file is what its last write says, to the byte, and no other file is left.
pub(super) fn files(project: &Path, records: &Records) {
    let mut last = std::collections::BTreeMap::new();
    // A turn that its session left behind may write its file after later ones, or find out after them that it had done so before.
    let mut writes: Vec<(Option<i64>, &Value)> = records.turns.iter().flat_map(writes).collect();
    writes.sort_by_key(|(approved_ms, _)| *approved_ms);
    for (_, event) in writes {
        let it = &event["event"];
        match it["status"].as_str() {
            Some("written") => last.insert(it["path"].as_str().unwrap(), it["sha256"].clone()),
            Some("failed" | "unknown") => last.remove(it["path"].as_str().unwrap()),
            _ => None,
        };
    }
    for (path, sha256) in last {
        let bytes = fs::read(project.join(path)).unwrap();
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(sha256, *digest, "W8, A5: {path} is not what was written last:\n{text}");
    }
    for entry in fs::read_dir(project).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.starts_with(".orion-"), "W6: {name} is left");
    }
}
