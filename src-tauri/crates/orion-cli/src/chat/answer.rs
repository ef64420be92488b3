//! Answers to what a turn asks, and what is known of it beside the thing itself (A1, A6).

use orion_protocol::{ApprovalAnswer, AskedBy, Envelope, ErrorInfo, KeptFor, Op, TurnEvent};
use serde_json::Value;

use super::Chat;
use super::menu::{Choice, choice};
use super::prompt::{For, Typed};

/// What the events of a turn say of what it asks, beside the thing itself.
#[derive(Debug, Default)]
pub(super) struct About {
    /// Of the last call.
    pub(super) arguments: Option<Value>,
    name: String,
    by: Option<AskedBy>,
    keeps: Option<String>,
    /// The number of the write session that is open.
    pub(super) write: Option<u32>,
    pub(super) path: String,
}

impl About {
    pub(super) fn see(&mut self, envelope: &Envelope) {
        match &envelope.event {
            TurnEvent::ToolCall { arguments, .. } => self.arguments = Some(arguments.clone()),
            TurnEvent::ApprovalRequested { name, by, keeps, .. } => {
                (self.name, self.by, self.keeps) = (name.clone(), *by, keeps.clone());
            }
            TurnEvent::WriteStarted { write, path, .. } => {
                (self.write, self.path) = (Some(*write), path.clone());
            }
            _ => {}
        }
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

/// What the person makes of it.
#[derive(Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "made once, and given at once")]
pub(super) enum Response {
    Give(Op),
    /// To be asked again: what was shown has changed, or the answer was none.
    Again,
    Leave,
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

/// The answer that a key of [`answers`] stands for, but for the first of them. None where the person still owes a reason.
pub(super) async fn answer_of(
    chat: &mut Chat,
    key: &str,
    rest: String,
) -> Result<Option<ApprovalAnswer>, ErrorInfo> {
    let allow = |keep| ApprovalAnswer::Allow { keep, arguments: None };
    let reject = |reason: String, stop| ApprovalAnswer::Reject {
        reason: Some(reason).filter(|it| !it.is_empty()),
        stop,
    };
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
