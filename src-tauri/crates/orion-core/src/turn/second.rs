//! A response without an answer: it is asked for once more (P7), and then the turn ends without one.
//!
//! Nothing here is decided by the words of a response. Docs: decision 0090.

use orion_protocol::{ModelTuning, NoticeCode, PhaseCause, Purpose, StopReason, Thinking};

use super::Effect;
use super::course::Course;
use super::flags::Flag;
use super::phases::Action;
use super::state::Next;
use crate::context::About;
use crate::model::{FinishReason, ModelDelta};
use crate::prompt;

/// The longest text, in characters, that may only announce a step: two or three lines. A list, a table or code that is introduced follows in the same text.
const ANNOUNCEMENT: usize = 200;

/// The answer that a response lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lack {
    /// It has no text and no call.
    Nothing,
    /// It was cut off while it only reasoned.
    Endless,
    /// After a result, its short text ends in a colon.
    Announced,
}

impl Course {
    /// The answer that a response without calls lacks. None where it has one, and where its provider says that it is none.
    pub(super) fn lack(&self, action: &Action) -> Option<Lack> {
        if !self.setup.flags.has(Flag::SecondChance) || self.setup.purpose() != Purpose::Answer {
            return None;
        }
        let text = action.text.trim();
        let only_reasons = text.is_empty() && !action.reasoning.trim().is_empty();
        match action.response.meaning(&self.setup.profile) {
            FinishReason::Complete if text.is_empty() => Some(Lack::Nothing),
            FinishReason::Length if only_reasons => Some(Lack::Endless),
            FinishReason::Complete
                if self.may_ask_again(action)
                    && action.forced.is_none()
                    && self.tally.batches() > 0
                    && text.ends_with([':', '：'])
                    && text.chars().count() <= ANNOUNCEMENT =>
            {
                Some(Lack::Announced)
            }
            _ => None,
        }
    }

    /// Where a further response costs a cycle, none is left to the final answer (P2).
    fn may_ask_again(&self, action: &Action) -> bool {
        let policy = &self.setup.policy;
        let is_last = action.forced.is_some() && !policy.refusals_are_free;
        !is_last && self.tally.second_chances() < policy.second_chances
    }

    /// The response is asked for once more. If that was done before, the turn ends without an answer, unless it wrote a file.
    pub(super) fn lacks_answer(
        &mut self,
        action: &mut Action,
        lack: Lack,
        effects: &mut Vec<Effect>,
    ) -> Next {
        if !self.may_ask_again(action) {
            let (reason, message) = match (lack, self.tally.has_written()) {
                (Lack::Announced, _) | (_, true) => (action.forced.unwrap_or(StopReason::Answered), None),
                (Lack::Nothing, false) => (StopReason::Empty, Some("The model sent no text.")),
                (Lack::Endless, false) => {
                    (StopReason::Empty, Some("The model only reasoned, and came to no answer."))
                }
            };
            let cause = if message.is_some() { PhaseCause::Empty } else { PhaseCause::Answered };
            self.end_action(action, cause, effects);
            if let Some(message) = message {
                self.notice(NoticeCode::EmptyAnswer, message, effects);
            }
            return self.end(reason, None, effects);
        }
        if lack == Lack::Nothing {
            action.text.clear(); // White space alone.
        }
        self.tally.asks_again();
        self.without_thoughts |= lack == Lack::Endless;
        self.end_action(action, PhaseCause::Empty, effects);
        let without = if self.tuning() == self.setup.tuning { "" } else { ", without thinking" };
        let (message, word) = match lack {
            Lack::Nothing => ("Asked once more: no answer came.".to_owned(), prompt::SAID_NOTHING),
            Lack::Endless => (
                format!("Asked once more{without}: it only reasoned, without an end."),
                prompt::ONLY_REASONED,
            ),
            Lack::Announced => {
                ("Asked once more: the step that it spoke of did not come.".to_owned(), prompt::ANNOUNCED)
            }
        };
        self.notice(NoticeCode::AskedAgain, message, effects);
        self.note(word, About::Word);
        if !self.setup.policy.refusals_are_free {
            self.tally.cycle_spent();
        }
        self.call_again(action.forced, effects)
    }

    /// What the person set of how the model answers. After an endless thought the model is asked to answer without one, where that can be said.
    pub(super) fn tuning(&self) -> ModelTuning {
        match self.without_thoughts && self.setup.profile.switches_thinking() {
            true => ModelTuning { thinking: Some(Thinking::Off), ..self.setup.tuning },
            false => self.setup.tuning,
        }
    }

    /// Cuts reasoning to what is left to it, as long as nothing else has come. True where that is used up (T7).
    pub(super) fn cut_to_thoughts(&self, action: &Action, part: &mut ModelDelta) -> bool {
        let ModelDelta::Reasoning { text } = part else { return false };
        let has_other = !action.text.trim().is_empty() || !action.merge.calls().is_empty();
        if has_other || !self.setup.flags.has(Flag::SecondChance) || self.setup.purpose() != Purpose::Answer {
            return false;
        }
        let limit = self.answer_limit().or(self.setup.policy.max_output_tokens);
        let Some(tokens) = self.setup.policy.most_thinking_tokens(limit) else { return false };
        // 4 bytes count as a token (T7).
        let room = (tokens as usize * 4).saturating_sub(action.reasoning.len());
        let is_over = text.len() > room;
        text.truncate(text.floor_char_boundary(room));
        is_over
    }

    /// The response only reasons, and is dropped.
    pub(super) fn cut_thoughts(&mut self, action: &mut Action, effects: &mut Vec<Effect>) -> Next {
        effects.push(Effect::DropModel { call: action.call() });
        if let Some(error) = action.response.broke_off() {
            return self.fail(action, error, effects); // P10
        }
        self.lacks_answer(action, Lack::Endless, effects)
    }
}
