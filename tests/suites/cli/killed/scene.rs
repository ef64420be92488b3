//! The model of these turns. What it says follows from the request alone, so that a turn goes on with it after any kill.
//!
//! The person's message says what is to be done: `Do 7: read list` has the model call two tools, one a cycle, and then say `Done 7.`

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::json;
use support::{Gate, Request, Script, ScriptedModel, Turn};

use crate::cli::writes::begin;

/// What a model says after a response that broke off.
const CONTINUED: &str = "Continued.";

/// The seconds for which a process sleeps that a command leaves behind: a number that no process of another test has.
pub(super) fn left() -> String {
    format!("7531.{}", std::process::id())
}

/// What a turn can do, a cycle each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Read,
    /// Asks the person.
    List,
    Ask,
    Write,
    /// Asks the person, and leaves a line in the file `ran` each time it runs.
    Command,
}

impl Step {
    fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::List => "list",
            Self::Ask => "ask",
            Self::Write => "write",
            Self::Command => "command",
        }
    }

    fn said(word: &str) -> Option<Self> {
        [Self::Read, Self::List, Self::Ask, Self::Write, Self::Command]
            .into_iter()
            .find(|step| step.word() == word)
    }
}

/// What a turn with this number is asked to do.
pub(super) fn message(number: u64, steps: &[Step]) -> String {
    let words: Vec<&str> = steps.iter().map(|step| step.word()).collect();
    format!("Do {number}: {}", words.join(" ")).trim_end().to_owned()
}

/// The number of the turn whose message a request ends with.
pub(super) fn number_of(ask: &Request) -> Option<u64> {
    let mut orders =
        ask.messages().iter().filter_map(|message| message["content"].as_str()?.strip_prefix("Do "));
    orders.next_back()?.split_once(':')?.0.parse().ok()
}

/// The model, and the gates at which the first response of some turns is held.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) model: ScriptedModel,
    gates: Arc<Mutex<HashMap<u64, Gate>>>,
}

impl Scene {
    pub(super) fn new() -> Self {
        let gates = Arc::<Mutex<HashMap<u64, Gate>>>::default();
        let held = gates.clone();
        let model = Script::new()
            .forever(move |_, ask| respond(ask, &|number| held.lock().unwrap().get(&number).cloned()));
        Self { model: model.start(), gates }
    }

    /// The first response of this turn is held until the gate opens.
    pub(super) fn gate(&self, number: u64) -> Gate {
        self.gates.lock().unwrap().entry(number).or_default().clone()
    }
}

fn respond(ask: &Request, gate: &dyn Fn(u64) -> Option<Gate>) -> Turn {
    let texts: Vec<&str> =
        ask.messages().iter().map(|message| message["content"].as_str().unwrap_or_default()).collect();
    let order =
        texts.iter().rposition(|text| text.starts_with("Do ")).expect("a message that says what to do");
    let (number, words) = texts[order][3..].split_once(':').expect("a number");
    let number: u64 = number.parse().expect("a number");
    let steps: Vec<Step> = words.split_whitespace().filter_map(Step::said).collect();
    let since = texts[order..].join("\n");
    let taken = since.matches("Result of call ").count() + since.matches("was not run again").count();
    let (last, turn) = (*texts.last().unwrap_or(&""), Turn::default());
    // Tools may stay declared where none may be called (P12).
    let may_call = !ask.tool_names().is_empty() && ask.body["tool_choice"] != json!("none");
    if !may_call && !last.contains("final answer") {
        return turn.text(&format!("one {number}\n")).text("two\n").text("three\nDO").text("NE").end("stop");
    }
    if last.contains("broke off") {
        return turn.text(CONTINUED).end("stop");
    }
    let step = steps.get(taken).copied().filter(|_| may_call);
    let Some(step) = step else {
        return turn.text("Do").text("ne ").text(&format!("{number}.")).usage(100, 3).end("stop");
    };
    let turn = turn.text(&format!("Turn {number}. "));
    let turn = match gate(number).filter(|_| taken == 0) {
        Some(gate) => turn.hold(&gate),
        None => turn,
    };
    let (name, arguments) = match step {
        Step::Read => ("read_file", json!({ "path": "notes.txt", "max_lines": number + 1 })),
        Step::List => ("list_files", json!({ "path": if taken == 0 { "." } else { "src" } })),
        Step::Ask => {
            let question =
                json!({ "id": "a", "question": format!("Which {number}?"), "kind": "text", "options": [] });
            ("ask_user", json!({ "questions": [question] }))
        }
        // What it leaves in the background ends with it.
        Step::Command => {
            let line = format!(
                "echo '{number} {taken}' >> ran; (setsid sleep {} &); echo one; sleep 0.02; echo two",
                left()
            );
            ("run_command", json!({ "command": line }))
        }
        // Whoever writes twice appends twice.
        Step::Write => ("write_plan_begin", begin(["log.txt", "notes.txt"][taken % 2], "append")),
    };
    turn.call_in_pieces(name, arguments, 3).end("tool_calls")
}
