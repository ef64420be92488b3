//! The events that open and close the question of a turn (A7). All that want to know what a turn waits for read it from here.

use super::TurnEvent;
use crate::Pending;

impl Pending {
    /// The question that is open after an event, where `before` was open until it.
    #[must_use]
    pub fn after(before: Option<Self>, event: &TurnEvent) -> Option<Self> {
        match event {
            TurnEvent::Asked { digest, of } => Some(Self { digest: *digest, of: of.clone() }),
            TurnEvent::Answered { digest, .. } | TurnEvent::Withdrawn { digest } => {
                before.filter(|open| open.digest != *digest)
            }
            event if event.ends_question() => None,
            _ => before,
        }
    }

    /// The question that is open after these events.
    #[must_use]
    pub fn after_all<'a>(events: impl IntoIterator<Item = &'a TurnEvent>) -> Option<Self> {
        events.into_iter().fold(None, Self::after)
    }
}

impl TurnEvent {
    /// After this event the turn waits for a person.
    #[must_use]
    pub fn asks(&self) -> bool {
        matches!(self, Self::Asked { .. })
    }

    /// After this event the turn does not wait, or not with what it waited with.
    #[must_use]
    pub fn ends_question(&self) -> bool {
        match self {
            // Another proposal takes the place of the one that was asked about, or the write is over.
            Self::Answered { .. }
            | Self::Withdrawn { .. }
            | Self::WriteReady { .. }
            | Self::WriteDone { .. } => true,
            event => event.terminal().is_some(),
        }
    }
}
