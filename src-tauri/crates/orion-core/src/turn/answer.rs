//! The end of a response whose text is the turn's answer (P7, P8, P10), and of the calls in it, which do not run. One without an answer is asked for once
//! more. Docs: decision 0090.
//!
//! Deliberately not here: how the response streams in, and what its calls do otherwise (`action`).

use orion_protocol::{
    CallReason, Exhausted, ModelTuning, NoticeCode, OUTPUT_LIMIT, PhaseCause, Purpose, StopReason, Thinking,
    TurnEvent,
};

use super::Effect;
use super::course::Course;
use super::flags::Flag;
use super::phases::Action;
use super::state::Next;
use crate::context::About;
use crate::merge::Merge;
use crate::model::FinishReason;
use crate::prompt;

/// The longest text, in characters, that may only announce a step: two or three lines. A list, a table or code that is introduced follows in the same text.
const ANNOUNCEMENT: usize = 200;

/// The answer that a response lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lack {
    /// It has no text and no call.
    Nothing,
    /// It was cut off while it only reasoned.
    Endless,
    /// After a result, its short text ends in a colon.
    Announced,
}

impl Course {
    /// The streamed text is the turn's answer (P7, P8).
    pub(super) fn answer(&mut self, action: &mut Action, effects: &mut Vec<Effect>) -> Next {
        if let Some(lack) = self.lack(action) {
            return self.lacks_answer(action, lack, effects);
        }
        self.take_answer(action, effects)
    }

    /// Takes the text for the answer, whatever it is.
    pub(super) fn take_answer(&mut self, action: &mut Action, effects: &mut Vec<Effect>) -> Next {
        let forced = action.forced.unwrap_or(StopReason::Answered);
        // P10: `length` is never taken for a finished answer.
        let (cause, reason, notice) = match action.response.meaning(&self.setup.profile) {
            FinishReason::Length => (
                PhaseCause::Length,
                StopReason::Length,
                Some((NoticeCode::CutByLength, cut_by_length(action.response.limit()))),
            ),
            FinishReason::ContentFilter => (
                PhaseCause::ContentFilter,
                StopReason::ContentFilter,
                Some((
                    NoticeCode::ContentFiltered,
                    "The provider's content filter ended the answer.".to_owned(),
                )),
            ),
            FinishReason::Unknown | FinishReason::Failed(_) => (
                PhaseCause::Unknown,
                StopReason::Unknown,
                Some((NoticeCode::UnknownFinish, unknown_finish(action.response.reason()))),
            ),
            FinishReason::Complete => {
                let empty = action.text.is_empty();
                let notice = empty.then(|| (NoticeCode::EmptyAnswer, "The model sent no text.".to_owned()));
                (PhaseCause::Answered, forced, notice)
            }
        };
        if reason == StopReason::Length {
            self.tally.exhaust(Exhausted::Tokens);
        }
        self.end_action(action, cause, effects);
        if let Some((code, message)) = notice {
            self.notice(code, message, effects);
        }
        if action.unread.is_some() {
            let message = "The answer has a tool call that the model wrote as text. It did not run.";
            self.notice(NoticeCode::LeakedCall, message, effects);
        }
        self.conclude(reason, effects)
    }

    /// The answer that a response without calls lacks. None where it has one, and where its provider says that it is none.
    fn lack(&self, action: &Action) -> Option<Lack> {
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

    /// The turn has a chance left. The final answer has none where a further response costs a cycle (P2).
    fn may_ask_again(&self, action: &Action) -> bool {
        let policy = &self.setup.policy;
        let is_last = action.forced.is_some() && !policy.refusals_are_free;
        !is_last && self.tally.second_chances() < policy.second_chances
    }

    /// The response is asked for once more. If that was done before, the turn ends without an answer, unless it wrote a file.
    fn lacks_answer(&mut self, action: &mut Action, lack: Lack, effects: &mut Vec<Effect>) -> Next {
        if lack != Lack::Announced {
            action.text.clear(); // White space alone.
        }
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
            return self.conclude(reason, effects);
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

    /// The tuning that the person set. After an endless thought the model is asked to answer without one, where that can be said.
    pub(super) fn tuning(&self) -> ModelTuning {
        match self.without_thoughts && self.setup.profile.switches_thinking() {
            true => ModelTuning { thinking: Some(Thinking::Off), ..self.setup.tuning },
            false => self.setup.tuning,
        }
    }

    /// Bytes of reasoning that a response may have before anything else comes. None where nothing limits them.
    pub(super) fn most_thoughts(&self, limit: Option<u32>) -> Option<usize> {
        let limits = self.setup.flags.has(Flag::SecondChance) && self.setup.purpose() == Purpose::Answer;
        let limit = limit.or(self.setup.policy.max_output_tokens);
        let tokens = self.setup.policy.most_thinking_tokens(limit).filter(|_| limits)?;
        Some(tokens as usize * 4) // T7: 4 bytes count as a token.
    }

    /// The response only reasons, and is dropped.
    pub(super) fn cut_thoughts(&mut self, action: &mut Action, effects: &mut Vec<Effect>) -> Next {
        effects.push(Effect::DropModel { call: action.call() });
        self.show_rest(action, effects);
        if let Some(error) = action.response.broke_off() {
            return self.fail(action, error, effects); // P10
        }
        if self.checked.repairs() {
            return self.end_repair(action, &Merge::default(), effects);
        }
        self.lacks_answer(action, Lack::Endless, effects)
    }

    pub(super) fn refuse_final_calls(&mut self, merge: &Merge, effects: &mut Vec<Effect>) {
        let (complete, unfinished): (Vec<_>, Vec<_>) =
            merge.calls().iter().partition(|call| call.object().is_some());
        let blocked_signatures = complete.iter().map(|call| self.prepare(call).signature).collect();
        let names = complete.iter().chain(&unfinished).map(|call| call.named().to_owned());
        let names = names.chain(merge.dropped_names().iter().cloned()).collect();
        self.emit(
            TurnEvent::CallsBlocked { blocked_signatures, names, reason: CallReason::FinalAnswer },
            effects,
        );
        let message = "The model asked for another tool in its final answer. It was not run.";
        self.notice(NoticeCode::FinalCallRefused, message, effects);
    }
}

/// `limit` is in tokens, where Orion cut the answer off.
fn cut_by_length(limit: Option<u32>) -> String {
    match limit {
        Some(limit) => format!("The answer was cut off: it was longer than {limit} tokens."),
        None => OUTPUT_LIMIT.to_owned(),
    }
}

/// Word for word, but no longer than a line.
fn unknown_finish(reason: &str) -> String {
    /// Characters of the reason that are shown. The longest documented one has 29.
    const SHOWN: usize = 100;
    let shown: String = reason.chars().take(SHOWN).collect();
    format!("The answer may not be complete: the provider ended it with the unknown reason “{shown}”.")
}
