//! What a turn shows of its model's window (X2): a server that cut the conversation, or refused it for its length, takes no more than that. It counts
//! from the next turn on, and only where the person has not set the window.

use orion_protocol::{Code, CutCause, ErrorInfo, NoticeCode, TurnEvent};

use crate::learned::OfModel;

/// What the events so far have shown.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// Prompt tokens of the last model call, by the provider's own count.
    counted: Option<u32>,
    /// The last model call failed, since the conversation is too long.
    too_long: bool,
}

impl Shown {
    /// A model call failed.
    pub(super) fn failure(&mut self, error: &ErrorInfo) {
        self.too_long = error.code == Code::ContextTooLong;
    }

    /// Notes what an event shows.
    pub(super) fn event(&mut self, event: &TurnEvent, learned: &OfModel) {
        match event {
            TurnEvent::PhaseEnded { usage, .. } => {
                let counted = usage.filter(|usage| !usage.estimated);
                // As the turn reads a count that is far too small: more cached tokens than others stand beside the prompt.
                self.counted = counted.and_then(|usage| {
                    let (prompt, cached) = (usage.prompt_tokens?, usage.cached_tokens.unwrap_or_default());
                    Some(if cached > prompt { prompt.saturating_add(cached) } else { prompt })
                });
            }
            TurnEvent::Notice { code: NoticeCode::ServerCut, .. } => {
                if let Some(tokens) = self.counted {
                    learned.note(|facts| facts.took(tokens));
                }
            }
            TurnEvent::ContextCut { cause: CutCause::Refused, tokens_before, .. } if self.too_long => {
                let tokens = u32::try_from(*tokens_before).unwrap_or(u32::MAX);
                learned.note(|facts| facts.took(tokens));
            }
            _ => {}
        }
    }
}
