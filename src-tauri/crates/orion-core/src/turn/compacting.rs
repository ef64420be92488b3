//! Compaction (X4): one model call sums the conversation up, and an entry takes its place. Whatever else becomes of that call changes nothing.

use orion_protocol::{Code, Entry, ErrorInfo, NoticeCode, PhaseCause, Purpose, StopReason, TurnEvent};

use super::Effect;
use super::course::Course;
use super::flags::Flag;
use super::phases::Action;
use super::state::Next;
use crate::context::{Given, Item};
use crate::merge::Merge;
use crate::model::FinishReason;

impl Course {
    pub(super) fn compacts(&self) -> bool {
        self.setup.purpose() == Purpose::Compact
    }

    /// Asks for the summary: the conversation as it is, so that a provider's cache holds (P12), and one word more. No tools.
    pub(super) fn begin_summary(&mut self, effects: &mut Vec<Effect>) -> Next {
        self.call_model(Some(StopReason::Answered), effects)
    }

    /// The response has ended.
    pub(super) fn take_summary(
        &mut self,
        action: &mut Action,
        merge: &Merge,
        effects: &mut Vec<Effect>,
    ) -> Next {
        if !merge.calls().is_empty() {
            self.refuse_final_calls(merge, effects); // P8
            self.end_action(action, PhaseCause::Answered, effects);
            return self.refuse_summary("The model called a tool in the place of a summary.", effects);
        }
        if action.response.meaning(&self.setup.profile) != FinishReason::Complete {
            return self.answer(action, effects); // P10: it ends the turn by its reason
        }
        let summary = action.text.trim().to_owned();
        self.end_action(action, PhaseCause::Answered, effects);
        if summary.is_empty() {
            return self.refuse_summary("The model sent no summary.", effects);
        }
        self.compact(summary, effects)
    }

    fn compact(&mut self, summary: String, effects: &mut Vec<Effect>) -> Next {
        let facts = self.setup.compacts.clone().unwrap_or_default();
        let entry = Entry { nonce: self.setup.nonce.clone(), summary, edited: false, facts };
        let item = Item::of_entry(entry.clone(), self.setup.ids.request_id);
        // Of the whole conversation, also where it was cut for the call (X5).
        let Given { bytes, turns } = self.conversation.summed_up().unwrap_or(Given { bytes: 0, turns: 0 });
        if item.bytes() as u64 >= bytes {
            let message = "The summary and the list of what was done are no shorter than the conversation.";
            if self.setup.flags.has(Flag::ShortStays) {
                self.notice(NoticeCode::NotCompacted, message, effects);
                return self.end(StopReason::Answered, None, effects);
            }
            return self.refuse_summary(message, effects);
        }
        let fixed = self.fixed_bytes(&self.setup.tools);
        self.conversation.compact(item);
        let tokens = |bytes: u64| self.gauge.tokens(fixed + bytes);
        let (tokens_before, tokens_after) = (tokens(bytes), tokens(self.conversation.bytes()));
        let entry = Box::new(entry);
        self.emit(TurnEvent::Compacted { tokens_before, tokens_after, turns, entry }, effects);
        self.end(StopReason::Answered, None, effects)
    }

    fn refuse_summary(&mut self, message: &str, effects: &mut Vec<Effect>) -> Next {
        let error = ErrorInfo::new(Code::SummaryUnusable, message, "Try again, or choose another model.");
        self.end(StopReason::Error, Some(error.of_turn(self.setup.ids)), effects)
    }

    /// Says that a compaction that ends has changed nothing.
    pub(super) fn tell_of_no_entry(&mut self, effects: &mut Vec<Effect>) {
        if self.conversation.summed_up().is_some() {
            let message = "The conversation was not compacted: it is as it was.";
            self.notice(NoticeCode::NotCompacted, message, effects);
        }
    }
}
