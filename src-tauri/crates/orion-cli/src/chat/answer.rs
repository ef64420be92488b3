//! Answers to what a turn asks, and what is known of it beside the thing itself (A1, A6).

use std::collections::HashMap;

use orion_protocol::{
    AskedBy, CallId, ErrorInfo, Given, KeptFor, Op, PendingOf, Reply, RequestId, Sha256, TurnEvent,
};
use serde_json::{Map, Value};

use super::Chat;
use super::menu::{Choice, choice};
use super::prompt::{For, Typed};

/// What the events of a turn say of what it asks, beside the thing itself.
#[derive(Debug, Default)]
pub(super) struct About {
    /// The arguments of the calls of the phase that runs: one tool batch at most.
    calls: HashMap<CallId, Value>,
    /// The call that was asked about last.
    call: Option<CallId>,
    name: String,
    by: Option<AskedBy>,
    keeps: Option<String>,
    /// The number of the write session that is open.
    pub(super) write: Option<u32>,
    pub(super) path: String,
}

impl About {
    pub(super) fn see(&mut self, event: &TurnEvent) {
        match event {
            TurnEvent::PhaseStarted { .. } => self.calls.clear(),
            TurnEvent::ToolCall { tool_call_id, arguments, .. } => {
                self.calls.insert(tool_call_id.clone(), arguments.clone());
            }
            TurnEvent::Asked {
                of:
                    PendingOf::Call { tool_call_id, name, by, keeps, .. }
                    | PendingOf::Write { tool_call_id, name, by, keeps, .. },
                ..
            } => {
                self.call = Some(tool_call_id.clone());
                (self.name, self.by, self.keeps) = (name.clone(), Some(*by), keeps.clone());
            }
            // A5: the call may be asked about again, with the arguments that the person gave it (A3).
            TurnEvent::Answered { given: Given::Allowed { edited: Some(edited), .. }, .. } => {
                if let Some(call) = &self.call {
                    self.calls.insert(call.clone(), edited.arguments.clone());
                }
            }
            TurnEvent::WriteStarted { write, path, .. } => {
                (self.write, self.path) = (Some(*write), path.clone());
            }
            _ => {}
        }
    }

    /// The arguments of the call that is asked about (A3). None where they are not known.
    pub(super) fn arguments(&self) -> Option<&Map<String, Value>> {
        self.calls.get(self.call.as_ref()?)?.as_object()
    }

    /// The rule that an approval would be kept as.
    pub(super) fn rule(&self) -> Option<String> {
        self.keeps.as_ref().map(|pattern| format!("{} {pattern}", self.name))
    }

    pub(super) fn because(&self) -> Option<&'static str> {
        Some(match self.by? {
            AskedBy::Default => return None,
            AskedBy::User => "Your settings ask about this.",
            AskedBy::Project => "This project's settings ask about this.",
            AskedBy::Always => "Orion always asks about this.",
        })
    }
}

/// What follows from what the person said.
#[derive(Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "made once, and given at once")]
pub(super) enum Decision {
    Give(Op),
    /// To be asked again: what was shown has changed, or the answer was none.
    Again,
    Leave,
}

/// The question that a decision is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct To {
    pub(super) request_id: RequestId,
    pub(super) digest: Sha256,
}

impl To {
    pub(super) fn give(self, reply: Reply) -> Decision {
        let Self { request_id, digest } = self;
        Decision::Give(Op::Reply { request_id, digest, reply })
    }

    pub(super) fn stop(self) -> Decision {
        Decision::Give(Op::StopTurn { request_id: self.request_id })
    }
}

/// The six answers to a question, and what they are worth (A1, A6).
pub(super) fn answers(once: &str, about: &About) -> Vec<Choice> {
    let mut choices = vec![choice("o", once)];
    if let Some(rule) = about.rule() {
        choices.push(choice("s", format!("this session: allow {rule} from now on")));
        choices.push(choice("p", format!("always in this project: allow {rule} from now on")));
    }
    choices.push(choice("n", "reject"));
    choices.push(choice("w", "reject and say why: w REASON"));
    choices.push(choice("x", "reject and stop the turn"));
    choices
}

/// The reply that a key of [`answers`] stands for, but for the first of them. None where the person still owes a reason.
pub(super) async fn reply_of(chat: &mut Chat, key: &str, rest: String) -> Result<Option<Reply>, ErrorInfo> {
    let allow = |keep| Reply::Allow { keep };
    let reject =
        |reason: String, stop| Reply::Reject { reason: Some(reason).filter(|it| !it.is_empty()), stop };
    Ok(Some(match key {
        "s" => allow(Some(KeptFor::Session)),
        "p" => allow(Some(KeptFor::Project)),
        "n" => reject(String::new(), false),
        "x" => reject(rest, true),
        "w" if rest.is_empty() => match chat.lines.next(For::Answer, "why> ", "").await? {
            Typed::Line(reason) if !reason.trim().is_empty() => reject(reason.trim().to_owned(), false),
            _ => return Ok(None),
        },
        "w" => reject(rest, false),
        _ => allow(None),
    }))
}

#[cfg(test)]
mod tests {
    use orion_protocol::{EditedCall, Signature};
    use serde_json::json;

    use super::*;

    fn call(id: &str, path: &str) -> TurnEvent {
        TurnEvent::ToolCall {
            tool_call_id: CallId(id.to_owned()),
            name: "read_file".to_owned(),
            arguments: json!({ "path": path }),
            signature: Signature(path.to_owned()),
        }
    }

    fn asks_about(id: &str) -> TurnEvent {
        let of = PendingOf::Call {
            tool_call_id: CallId(id.to_owned()),
            name: "read_file".to_owned(),
            summary: String::new(),
            by: orion_protocol::AskedBy::Default,
            keeps: None,
        };
        TurnEvent::Asked { digest: Sha256::from([0; 32]), of }
    }

    fn path(about: &About) -> Option<&str> {
        about.arguments()?.get("path")?.as_str()
    }

    // A3
    #[test]
    fn the_arguments_are_those_of_the_call_that_is_asked_about() {
        let mut about = About::default();
        // All calls of a batch come before the first question.
        [call("1", "a.txt"), call("2", "b.txt"), asks_about("1")].iter().for_each(|event| about.see(event));
        assert_eq!(path(&about), Some("a.txt"));
        about.see(&asks_about("2"));
        assert_eq!(path(&about), Some("b.txt"));
    }

    // A3, A5
    #[test]
    fn a_call_that_is_asked_about_again_has_the_arguments_that_the_person_gave_it() {
        let mut about = About::default();
        let edited =
            EditedCall { arguments: json!({ "path": "c.txt" }), signature: Signature("c.txt".to_owned()) };
        let given = Given::Allowed { edited: Some(edited), kept: None };
        let given = TurnEvent::Answered { digest: Sha256::from([0; 32]), given };
        let events = [call("1", "a.txt"), asks_about("1"), given, asks_about("1")];
        events.iter().for_each(|event| about.see(event));
        assert_eq!(path(&about), Some("c.txt"));
    }

    #[test]
    fn calls_are_forgotten_with_their_phase() {
        let mut about = About::default();
        let next = TurnEvent::PhaseStarted { cycle: 1, model_call: Some(2), write: None, is_final: false };
        [call("1", "a.txt"), asks_about("1"), next].iter().for_each(|event| about.see(event));
        assert_eq!((path(&about), about.calls.len()), (None, 0));
    }
}
