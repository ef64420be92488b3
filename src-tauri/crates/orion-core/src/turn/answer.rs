//! The end of a response whose text is the turn's answer (P7, P8, P10), and of the calls in it, which do not run.
//!
//! Deliberately not here: how the response streams in, and what its calls do otherwise (`action`).

use orion_protocol::{CallReason, Exhausted, NoticeCode, PhaseCause, StopReason, TurnEvent};

use super::Effect;
use super::course::Course;
use super::phases::Action;
use super::state::Next;
use crate::merge::Merge;
use crate::model::FinishReason;

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
        self.end(reason, None, effects)
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
        None => "The answer was cut off at the model's output limit.".to_owned(),
    }
}

/// Word for word, but no longer than a line.
fn unknown_finish(reason: &str) -> String {
    /// Characters of the reason that are shown. The longest documented one has 29.
    const SHOWN: usize = 100;
    let shown: String = reason.chars().take(SHOWN).collect();
    format!("The answer may not be complete: the provider ended it with the unknown reason “{shown}”.")
}
