//! What was done in a session, by its events (X4): the part of an entry that no model writes.
//!
//! Deliberately not here: the words in which a model is told (`prompt`).

use std::collections::HashSet;

use orion_protocol::{
    CallId, Envelope, Fact, Given, PendingOf, RequestId, Sha256, ToolStatus, TurnEvent, WriteOperation,
};
use serde_json::Value;

use crate::signature::digest;

/// Bytes of a call's arguments that a fact holds. A path or a pattern has fewer; content is never in arguments (W1).
const ARGUMENTS: usize = 400;

/// The types of the events that say what was done.
pub const TELLING: [&str; 6] =
    ["tool_call", "tool_result", "asked", "answered", "write_started", "write_done"];

/// The facts of these events, oldest first. What was done twice in exactly the same way is there once, where it was done last.
#[must_use]
pub fn facts<'a>(events: impl IntoIterator<Item = &'a Envelope>) -> Vec<Fact> {
    let mut fold = Fold::default();
    for envelope in events {
        if fold.turn.replace(envelope.request_id) != Some(envelope.request_id) {
            fold.end_turn();
        }
        fold.take(&envelope.event);
    }
    fold.end_turn();
    let mut known = HashSet::new();
    let mut last: Vec<Fact> =
        fold.facts.into_iter().rev().filter(|fact| known.insert(fact.clone())).collect();
    last.reverse();
    last
}

/// A call or a write that a person is asked about.
struct Question {
    digest: Sha256,
    call: CallId,
    name: String,
    summary: String,
}

/// The facts so far, and what has begun in the present turn and not ended.
#[derive(Default)]
struct Fold {
    turn: Option<RequestId>,
    facts: Vec<Fact>,
    calls: Vec<(CallId, String, String)>,
    writes: Vec<(u32, String, WriteOperation)>,
    asked: Vec<Question>,
}

impl Fold {
    fn take(&mut self, event: &TurnEvent) {
        match event {
            TurnEvent::ToolCall { tool_call_id, name, arguments, .. } => {
                self.calls.push((tool_call_id.clone(), name.clone(), shortened(arguments)));
            }
            TurnEvent::ToolResult { tool_call_id, status, sha256, .. } => {
                if let Some(at) = self.calls.iter().position(|(id, ..)| id == tool_call_id) {
                    let (_, name, arguments) = self.calls.remove(at);
                    let sha256 = sha256.filter(|_| *status == ToolStatus::Ok);
                    self.facts.push(Fact::Call { name, arguments, status: Some(*status), sha256 });
                }
            }
            TurnEvent::Asked {
                digest,
                of:
                    PendingOf::Call { tool_call_id, name, summary, .. }
                    | PendingOf::Write { tool_call_id, name, summary, .. },
            } => {
                let (call, name, summary) = (tool_call_id.clone(), name.clone(), summary.clone());
                self.asked.push(Question { digest: *digest, call, name, summary });
            }
            TurnEvent::Answered { digest, given } => {
                if let Some(granted) = given.granted()
                    && let Some(at) = self.asked.iter().rposition(|asked| asked.digest == *digest)
                {
                    let Question { call, name, mut summary, .. } = self.asked.remove(at);
                    // A3: what ran is what the person made of the call.
                    if let Given::Allowed { edited: Some(edited), .. } = given {
                        let arguments = shortened(&edited.arguments);
                        summary = format!("{summary}, changed to {arguments}");
                        let of_call = self.calls.iter_mut().find(|(id, ..)| *id == call);
                        of_call.into_iter().for_each(|(.., of_call)| of_call.clone_from(&arguments));
                    }
                    self.facts.push(Fact::Decision { name, summary: cut(summary), granted });
                }
            }
            TurnEvent::WriteStarted { write, path, operation, .. } => {
                self.writes.push((*write, path.clone(), *operation));
            }
            TurnEvent::WriteDone { write, path, status, sha256, bytes, rejected_hunks, revised, .. } => {
                if let Some(at) = self.writes.iter().position(|(number, ..)| number == write) {
                    let (_, _, operation) = self.writes.remove(at);
                    self.facts.push(Fact::Write {
                        path: path.clone(),
                        operation,
                        status: Some(*status),
                        sha256: *sha256,
                        bytes: *bytes,
                        rejected_hunks: rejected_hunks.clone(),
                        revised: *revised,
                    });
                }
            }
            _ => {}
        }
    }

    /// What has not ended yet will not end any more.
    fn end_turn(&mut self) {
        let calls = std::mem::take(&mut self.calls).into_iter();
        self.facts.extend(calls.map(|(_, name, arguments)| Fact::Call {
            name,
            arguments,
            status: None,
            sha256: None,
        }));
        let writes = std::mem::take(&mut self.writes).into_iter();
        self.facts.extend(writes.map(|(_, path, operation)| Fact::Write {
            path,
            operation,
            status: None,
            sha256: None,
            bytes: None,
            rejected_hunks: Vec::new(),
            revised: false,
        }));
        self.asked.clear();
    }
}

fn shortened(arguments: &Value) -> String {
    cut(arguments.to_string())
}

/// The beginning of a text that is too long for a fact, and its digest.
fn cut(text: String) -> String {
    if text.len() <= ARGUMENTS {
        return text;
    }
    let head = &text[..text.floor_char_boundary(ARGUMENTS)];
    format!("{head}… ({} bytes, SHA-256 {})", text.len(), digest(&text))
}
