//! Messages that a person gives to the running turn (A9). They follow the boxes in the next request for an answer, never inside a write session,
//! and cost nothing. Where no such request follows, they are left for the session's queue.

use orion_protocol::{TurnEvent, TurnOptions};

use super::course::Course;
use super::state::{Next, State};
use super::waiting::Verdict;
use super::{Effect, Turn, Unfit};
use crate::model::Message;

impl Course {
    pub(super) fn step_steered(&mut self, text: String, effects: &mut Vec<Effect>) -> Next {
        self.steered.pending.push(text.clone());
        self.emit(TurnEvent::Steered { text }, effects);
        Next::Stay
    }

    /// A request for an answer is made.
    pub(super) fn say_steered(&mut self) {
        for text in std::mem::take(&mut self.steered.pending) {
            self.conversation.push(Message::user(text));
        }
    }

    /// A request holds them now.
    pub(super) fn count_steered(&mut self) {
        for _ in self.conversation.unsent_messages() {
            self.tally.steered();
        }
    }

    /// The turn ends: what no request has held leaves the conversation, for the queue.
    pub(super) fn leave_steered(&mut self, effects: &mut Vec<Effect>) {
        let mut left = self.conversation.take_unsent_messages();
        left.append(&mut self.steered.pending);
        if !left.is_empty() {
            let messages = u32::try_from(left.len()).unwrap_or(u32::MAX);
            self.emit(TurnEvent::Queued { messages }, effects);
        }
        self.steered.left = left;
    }

    pub(super) fn judge_steered(&self, state: &State) -> Verdict {
        if state.is_over() || state.is_interrupted() {
            Verdict::NotWaiting
        } else if self.compacts() {
            Verdict::Unfit(Unfit::NotSteered)
        } else {
            Verdict::Taken
        }
    }
}

impl Turn {
    /// Messages that were steered and that no request has held. None before the turn has ended.
    #[must_use]
    pub fn unsteered(&self) -> &[String] {
        &self.course.steered.left
    }

    /// What a turn is asked for that is to run like this one.
    #[must_use]
    pub fn options(&self) -> TurnOptions {
        let setup = &self.course.setup;
        TurnOptions {
            mode: Some(setup.mode),
            endpoint: Some(setup.endpoint.clone()),
            model: Some(setup.model.clone()),
            mentions: !setup.attached.is_empty(),
            limits: setup.chosen.unwrap_or_default(),
            ..TurnOptions::default()
        }
    }
}
