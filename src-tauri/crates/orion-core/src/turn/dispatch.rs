//! The calls of a response, each to its fate: it runs, is refused as a duplicate (D2), is answered by the box of an earlier read (X6), or is
//! blocked (P4).
//!
//! Before a box answers, its file is compared with the bytes that it was made from. Until then the turn stays in its action phase.
//! Deliberately not here: how a response comes in (`action`), and how calls run (`tools`).

use std::collections::VecDeque;

use orion_protocol::{CallId, CallReason, PhaseCause, Signature, ToolStatus, TurnEvent};

use super::Effect;
use super::course::Course;
use super::phases::{Action, Comparing, End, Fate, SignedCall, Sorted};
use super::state::Next;
use super::work::Work;
use crate::context::{About, Held};
use crate::merge::Merge;
use crate::permission::Ruling;
use crate::prompt;
use crate::tool::Seen;

impl Course {
    /// Sorts the complete calls of a response.
    pub(super) fn dispatch(
        &mut self,
        action: &mut Action,
        merge: Merge,
        end: End,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let limit = self.setup.policy.max_tools as usize;
        let mut reuses_left = self.setup.max_reuses().saturating_sub(self.tally.reused());
        let mut calls = Vec::new();
        for call in merge.completed().take(limit) {
            let call = self.prepare(call);
            let fate = match self.ledger.enter(&call.signature, &call.id) {
                Ok(()) => {
                    let batch = Some(self.tally.batches() + 1);
                    self.tally.call(
                        call.id.clone(),
                        batch,
                        call.name.clone(),
                        Some(call.signature.clone()),
                        call.leaked,
                    );
                    match self.held(&call).filter(|_| reuses_left > 0) {
                        Some(held) => {
                            reuses_left -= 1;
                            Fate::Compared(held)
                        }
                        None => Fate::Runs,
                    }
                }
                Err(original) => {
                    self.announce_refusal(&call, &original, effects);
                    Fate::Refused { original }
                }
            };
            calls.push((call, fate));
        }
        let mut sorted = Sorted { merge, end, calls };
        if !sorted.calls.iter().any(|(_, fate)| matches!(fate, Fate::Compared(_))) {
            return self.carry_out(action, &mut sorted, effects);
        }
        let mut comparing = Box::new(Comparing { action: action.clone(), sorted, job: None });
        self.compare(&mut comparing, effects);
        Next::Comparing(comparing)
    }

    /// The box that may answer a call (X6). One that a person is asked about, or that is not allowed, is not answered in this way.
    fn held(&self, call: &SignedCall) -> Option<Held> {
        self.setup.tools.get(&call.name)?;
        let allowed = self.ruling(&call.name, &call.arguments) == Ruling::Allow && !self.is_withheld(call);
        allowed.then(|| self.conversation.held(&call.signature))?
    }

    /// Has the next file compared. False where none is left.
    pub(super) fn compare(&mut self, comparing: &mut Comparing, effects: &mut Vec<Effect>) -> bool {
        let Some((call, Fate::Compared(held))) = comparing.current() else { return false };
        // A change from here on may come too late for the comparison to see (D3).
        self.ledger.begun(&call.signature);
        let file = held.source.clone();
        comparing.job = Some(self.begin_job(Work::Compare { file }, effects));
        true
    }

    /// A file was compared. `seen` is what was looked at for it.
    pub(super) fn step_compared(
        &mut self,
        comparing: &mut Comparing,
        same: bool,
        seen: Vec<Seen>,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let Some((call, fate)) = comparing.current() else { return Next::Stay };
        let Fate::Compared(held) = &*fate else { return Next::Stay };
        if same {
            self.ledger.answered(&call.signature, &held.call, seen);
            self.announce_reuse(call, held, effects);
            *fate = Fate::Reused { original: held.call.clone() };
        } else {
            *fate = Fate::Runs;
        }
        if self.compare(comparing, effects) {
            return Next::Stay;
        }
        let Comparing { action, sorted, .. } = comparing;
        self.carry_out(action, sorted, effects)
    }

    /// The turn leaves before the files were compared (A4, A5). None of the calls starts afterwards.
    pub(super) fn abandon_comparing(
        &mut self,
        comparing: &mut Comparing,
        cause: PhaseCause,
        effects: &mut Vec<Effect>,
    ) {
        effects.extend(comparing.job.map(|job| Effect::Cancel { job }));
        for (call, fate) in &comparing.sorted.calls {
            if matches!(fate, Fate::Runs | Fate::Compared(_)) {
                self.tally.call_done(&call.id, ToolStatus::Cancelled, None);
            }
        }
        self.end_action(&mut comparing.action, cause, effects);
    }

    /// Each call has its fate: those that run begin a tool phase.
    fn carry_out(&mut self, action: &mut Action, sorted: &mut Sorted, effects: &mut Vec<Effect>) -> Next {
        let calls = std::mem::take(&mut sorted.calls);
        let (merge, end) = (&sorted.merge, sorted.end);
        let limit = self.setup.policy.max_tools as usize;
        let blocked: Vec<SignedCall> = merge.completed().skip(limit).map(|call| self.prepare(call)).collect();
        let unfinished = merge.calls().iter().filter(|call| end == End::Cut && call.object().is_none());
        let names: Vec<String> = blocked
            .iter()
            .map(|call| call.name.clone())
            .chain(unfinished.map(|call| call.named().to_owned()))
            .chain(merge.dropped_names().iter().cloned())
            .collect();
        if !names.is_empty() {
            let signatures = blocked.into_iter().map(|call| call.signature).collect();
            self.report_blocked(signatures, names, effects);
        }
        let refused = |(_, fate): &&(SignedCall, Fate)| matches!(fate, Fate::Refused { .. });
        let (accepted, last) = (calls.iter().filter(|it| !refused(it)), calls.iter().filter(refused));
        let made = accepted.chain(last).map(|(call, _)| call.made()).collect();
        self.end_action_with(action, PhaseCause::ToolCall, made, effects);
        let mut running = VecDeque::new();
        for (call, fate) in calls {
            match fate {
                Fate::Runs | Fate::Compared(_) => running.push_back(call),
                Fate::Reused { original } => {
                    let word = prompt::reused(&call.id, &call.name, &call.arguments, &original);
                    self.say_result(&call, word, None, About::Word);
                }
                Fate::Refused { original } => {
                    let word = prompt::duplicate(&call.name, &call.arguments, &original);
                    self.say_result(&call, word, None, About::Word);
                }
            }
        }
        if end == End::Clean {
            self.say_faults(merge, effects);
        }
        // P2: in the unified route every response with calls is one of those that cycles have.
        if !running.is_empty() || !self.setup.policy.refusals_are_free {
            self.tally.cycle_spent();
        }
        match running.pop_front() {
            Some(first) => self.begin_tools(first, running, effects),
            None => self.begin_action(effects),
        }
    }

    fn announce_refusal(&mut self, call: &SignedCall, original: &CallId, effects: &mut Vec<Effect>) {
        self.tally.call(call.id.clone(), None, call.name.clone(), Some(call.signature.clone()), call.leaked);
        self.tally.call_done(&call.id, ToolStatus::Duplicate, None);
        let event = TurnEvent::DuplicateRefused {
            tool_call_id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.value().clone().into(),
            signature: call.signature.clone(),
            original: original.clone(),
            count: self.tally.duplicate(),
            limit: self.setup.policy.max_duplicates,
        };
        self.emit(event, effects);
    }

    fn announce_reuse(&mut self, call: &SignedCall, held: &Held, effects: &mut Vec<Effect>) {
        let event = TurnEvent::CallReused {
            tool_call_id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.value().clone().into(),
            signature: call.signature.clone(),
            original_request_id: held.turn.unwrap_or(self.setup.ids.request_id),
            original: held.call.clone(),
            count: self.tally.reuse(&call.id),
            limit: self.setup.max_reuses(),
        };
        self.emit(event, effects);
    }

    /// Says which calls of a response are not run (P4).
    pub(super) fn report_blocked(
        &mut self,
        blocked_signatures: Vec<Signature>,
        names: Vec<String>,
        effects: &mut Vec<Effect>,
    ) {
        self.note(prompt::blocked(&names, self.setup.policy.max_tools), About::Word);
        let reason = CallReason::OverPhaseLimit;
        self.emit(TurnEvent::CallsBlocked { blocked_signatures, names, reason }, effects);
    }
}
