//! The one repair of a turn: the model is told which checks failed, and may open one write session (V2). Then the checks run once more.
//!
//! Deliberately not here: the checks (`checking`), and the session itself (`content`, `approval`).

use std::collections::VecDeque;

use orion_protocol::{ErrorInfo, NoticeCode, PhaseCause, StopReason};

use super::Effect;
use super::checked::Repair;
use super::course::Course;
use super::phases::{Action, End, SignedCall};
use super::state::Next;
use crate::context::About;
use crate::merge::Merge;
use crate::model::FinishReason;
use crate::prompt;
use crate::tool::ToolKind;

impl Course {
    /// A check failed that had a result before the turn and had not failed, and the model can still write.
    pub(super) fn may_repair(&self) -> bool {
        self.setup.may_repair() && self.checked.repair == Repair::NotBegun && !self.checked.failed.is_empty()
    }

    /// The turn goes on with its repair: from here on its end is known.
    pub(super) fn begin_repair(&mut self, reason: StopReason) {
        self.checked.repair = Repair::UnderWay { reason, changes: self.checked.changes() };
    }

    /// A model call failed. In the repair that is told, and takes nothing from the answer (V2).
    pub(super) fn end_failed(&mut self, error: ErrorInfo, effects: &mut Vec<Effect>) -> Next {
        if self.checked.repairs() {
            self.notice(NoticeCode::Other, error.message.clone(), effects);
        }
        match self.after_repair(effects) {
            Some(next) => next,
            None => self.end(StopReason::Error, Some(error.of_turn(self.setup.ids)), effects),
        }
    }

    /// Tells the model what failed. Where the request does not fit or cannot be paid for, the turn ends.
    pub(super) fn call_for_repair(&mut self, reason: StopReason, effects: &mut Vec<Effect>) -> Next {
        self.say_notes();
        let told = prompt::checks_failed(&self.setup.nonce, &self.checked.failed, self.opener());
        self.say(told, About::Word);
        let tools = self.tools_of_repair();
        if self.fits_nowhere(&tools).is_some() || self.make_room(&tools, effects).is_err() {
            self.conversation.take_back();
            return self.end(reason, None, effects);
        }
        match self.answer_allowance(self.request_bytes(&tools)) {
            Ok(allowance) => self.send(None, tools, allowance, effects),
            Err(exhausted) => {
                self.conversation.take_back();
                self.tell_exhausted(exhausted, effects);
                self.end(reason, None, effects)
            }
        }
    }

    fn opener(&self) -> &str {
        self.setup.tools.write_opener().map(|tool| tool.name.as_str()).unwrap_or_default()
    }

    /// The response to what failed: its one call opens a session, or the turn ends.
    pub(super) fn judge_repair(
        &mut self,
        action: &mut Action,
        merge: &Merge,
        end: End,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let first = merge.completed().next().map(|call| self.prepare(call));
        let opens = |call: &SignedCall| {
            self.setup.tools.get(&call.name).is_some_and(|tool| tool.kind == ToolKind::OpensWrite)
        };
        let Some(call) = first.filter(opens) else { return self.end_repair(action, merge, effects) };
        if self.ledger.enter(&call.signature, &call.id).is_err() {
            return self.end_repair(action, merge, effects);
        }
        let batch = Some(self.tally.batches() + 1);
        let signature = Some(call.signature.clone());
        self.tally.call(call.id.clone(), batch, call.name.clone(), signature, call.leaked);
        let others: Vec<SignedCall> = merge.completed().skip(1).map(|call| self.prepare(call)).collect();
        let unfinished = merge.calls().iter().filter(|call| end == End::Cut && call.object().is_none());
        let unfinished = unfinished.map(|call| call.named().to_owned());
        let names: Vec<String> = others.iter().map(|call| call.name.clone()).chain(unfinished).collect();
        if !names.is_empty() {
            let signatures = others.into_iter().map(|call| call.signature).collect();
            self.report_blocked(signatures, names, effects);
        }
        self.end_action_with(action, PhaseCause::ToolCall, vec![call.made()], effects);
        self.begin_tools(call, VecDeque::new(), effects)
    }

    /// The model opens no session.
    pub(super) fn end_repair(
        &mut self,
        action: &mut Action,
        merge: &Merge,
        effects: &mut Vec<Effect>,
    ) -> Next {
        if !merge.calls().is_empty() {
            self.refuse_final_calls(merge, effects); // P8
        }
        let cause = match action.response.meaning(&self.setup.profile) {
            FinishReason::Length => PhaseCause::Length,
            FinishReason::ContentFilter => PhaseCause::ContentFilter,
            FinishReason::Unknown | FinishReason::Failed(_) => PhaseCause::Unknown,
            FinishReason::Complete => PhaseCause::Answered,
        };
        self.end_action(action, cause, effects);
        self.after_repair(effects).unwrap_or(Next::Stay)
    }

    /// In the place of a further response: the checks run once more if the repair wrote something, and else the turn ends. None where no repair is under
    /// way.
    pub(super) fn after_repair(&mut self, effects: &mut Vec<Effect>) -> Option<Next> {
        let Repair::UnderWay { reason, changes } = self.checked.repair else { return None };
        self.checked.repair = Repair::Over;
        Some(match self.checked.changes() == changes {
            true => self.end(reason, None, effects),
            false => self.begin_checks(reason, effects),
        })
    }
}
