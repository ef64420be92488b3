//! The watch over the texts of a response: its text, its reasoning and the arguments of its calls (P11).
//!
//! Deliberately not here: when a text repeats itself (`repeats`), and what becomes of such a response (`repeating`).

use std::collections::BTreeMap;

use crate::model::{ArgumentsDelta, ModelDelta};
use crate::repeats::{Repeats, Watch};

/// The texts of a response, each with its own watch.
#[derive(Debug, Clone, Default)]
pub(super) struct Watches {
    text: Watch,
    reasoning: Watch,
    /// The arguments of each call, by its place in the response. Those of calls that are not kept are one text.
    arguments: BTreeMap<Option<usize>, Watch>,
}

/// What of a response repeats itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Repeating {
    pub(super) part: Part,
    pub(super) repeats: Repeats,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    Text,
    Reasoning,
    Arguments,
}

impl Watches {
    /// Takes a piece of the response; `call` is the place of the call that it belongs to. Where a text is found to repeat itself, the
    /// piece is cut off: how it was joined with what follows changes nothing (T5).
    pub(super) fn push(&mut self, piece: &mut ModelDelta, call: Option<usize>) -> Option<Repeating> {
        let (part, watch, text) = match piece {
            ModelDelta::Text { text } => (Part::Text, &mut self.text, text),
            ModelDelta::Reasoning { text } => (Part::Reasoning, &mut self.reasoning, text),
            ModelDelta::ToolCall { delta } => {
                let watch = self.arguments.entry(call).or_default();
                let text = match delta.arguments.as_mut()? {
                    ArgumentsDelta::Fragment(text) => text,
                    ArgumentsDelta::Whole(text) => {
                        *watch = Watch::default();
                        text
                    }
                };
                (Part::Arguments, watch, text)
            }
            ModelDelta::ReasoningField { .. }
            | ModelDelta::ReasoningDetails { .. }
            | ModelDelta::Finish { .. }
            | ModelDelta::Usage { .. } => return None,
        };
        let found = watch.push(text)?;
        text.truncate(found.taken);
        Some(Repeating { part, repeats: found.repeats })
    }
}

impl Repeating {
    /// The reasoning of a response repeats itself.
    pub(super) fn is_reasoning(self) -> bool {
        matches!(self.part, Part::Reasoning)
    }

    /// What the person is told. `what` says what became of the response.
    pub(super) fn message(self, what: &str) -> String {
        let times = self.repeats.times;
        format!("The model kept repeating itself, so {what}. The same text came {times} times in a row.")
    }
}
