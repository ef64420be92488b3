//! What a call may do (A1), the question about one that is not simply allowed, and the answers to it (A3, A6).
//!
//! Deliberately not here: which answers the turn takes (`waiting`), and the question about a write (`approval`).

use orion_protocol::{
    ApprovalId, AskedBy, CallId, EditedCall, Given, KeptRule, NoticeCode, PhaseCause, Sha256, StopReason,
    TurnEvent,
};
use serde_json::{Map, Value};

use super::course::Course;
use super::outcomes::{outcome_unknown, rejected};
use super::person::{Answer, Keep, Unfit};
use super::phases::{Decided, SignedCall, ToolPhase};
use super::state::{Next, State};
use super::{Effect, Turn, Waiting};
use crate::permission::{Kept, Pattern, Ruling, stays_inside};
use crate::signature::{digest, normalize, signature};
use crate::tool::ToolOutcome;

impl Turn {
    /// Why what is asked about now does not take this answer.
    pub(super) fn unfit(&self, answer: &Answer) -> Option<Unfit> {
        let Answer::Allowed { keep, arguments } = answer else { return None };
        if keep.is_some() && (arguments.is_some() || self.would_keep().is_none()) {
            return Some(Unfit::NotKept);
        }
        let arguments = arguments.as_ref()?;
        match self.state.tool_phase().and_then(|phase| phase.asked()) {
            Some((call, _)) => self.course.edited(call, arguments).err(),
            None => Some(Unfit::NoCall),
        }
    }

    /// The rule that an approval of what is asked about now would be kept as (A1).
    fn would_keep(&self) -> Option<Pattern> {
        match self.waiting()? {
            Waiting::Call { .. } => {
                let (call, _) = self.state.tool_phase()?.asked()?;
                self.course.would_keep(call)
            }
            Waiting::Write { .. } => self.course.would_keep_write(self.state.write_session()?),
            Waiting::Repeats { .. } | Waiting::Questions { .. } | Waiting::Pause { .. } => None,
        }
    }

    /// Whether an approval that a person keeps may allow a call of this turn (A1).
    #[must_use]
    pub fn relies_on(&self, approval_id: ApprovalId) -> bool {
        let rules = &self.course.setup.rules.kept;
        !self.is_over() && rules.iter().any(|kept| kept.approval_id == approval_id)
    }
}

impl Course {
    /// What a call of a tool of this turn may do. A name that is not on offer may run: the ToolRunner refuses it, and its box names the tools
    /// that exist (R2).
    pub(super) fn ruling(&self, name: &str, arguments: &Map<String, Value>) -> Ruling {
        let Some(tool) = self.setup.tools.get(name) else { return Ruling::Allow };
        self.setup.rules.judge(tool, arguments, &self.setup.project_root)
    }

    /// The rule that an approval of this call would be kept as (A1). What a person took out is asked about every time (X6).
    pub(super) fn would_keep(&self, call: &SignedCall) -> Option<Pattern> {
        if self.is_withheld(call) {
            return None;
        }
        let tool = self.setup.tools.get(&call.name)?;
        self.setup.rules.would_keep(tool, &call.arguments, &self.setup.project_root)
    }

    /// Asks a person about a call. Returns the digest of what is asked. An answer counts once (A3), so a call that was answered before and
    /// comes again has a digest of its own.
    pub(super) fn ask_about(&mut self, call: &SignedCall, by: AskedBy, effects: &mut Vec<Effect>) -> Sha256 {
        let keeps = self.would_keep(call).map(String::from);
        let digest = match digest(&call.signature.0) {
            answered if self.was_answered(answered) => self.digest_anew(call),
            first => first,
        };
        self.ask_as(digest, call, by, keeps, effects)
    }

    /// What no earlier answer is for.
    fn digest_anew(&self, call: &SignedCall) -> Sha256 {
        digest(&format!("{} again after event {}", call.signature, self.seq))
    }

    /// Asks whether a call that may have run before the process died may run again (A5). What a person answered before is for that run, so it
    /// has a digest of its own (A3), and the answer is not kept.
    pub(super) fn ask_again(&mut self, call: &SignedCall, effects: &mut Vec<Effect>) -> Sha256 {
        let name = &call.name;
        let message = format!(
            "{name} had begun when Orion was closed. What it did is not known. Allow it to run again?"
        );
        self.notice(NoticeCode::OutcomeUnknown, message, effects);
        self.ask_as(self.digest_anew(call), call, AskedBy::Always, None, effects)
    }

    fn ask_as(
        &mut self,
        digest: Sha256,
        call: &SignedCall,
        by: AskedBy,
        keeps: Option<String>,
        effects: &mut Vec<Effect>,
    ) -> Sha256 {
        let asked = TurnEvent::ApprovalRequested {
            digest,
            tool_call_id: Some(call.id.clone()),
            name: call.name.clone(),
            summary: Value::Object(call.arguments.clone()).to_string(),
            by,
            keeps,
        };
        self.emit(asked, effects);
        digest
    }

    /// A1: an approval that a person keeps answers. When it was last used is stored with this event.
    pub(super) fn kept_allows(&mut self, digest: Sha256, approval_id: ApprovalId, effects: &mut Vec<Effect>) {
        self.answer_given(digest, Given::Kept { approval_id }, effects);
    }

    /// A yes or no to what is asked: to a call, or to a write.
    pub(super) fn step_approval(
        &mut self,
        state: &mut State,
        digest: Sha256,
        granted: bool,
        effects: &mut Vec<Effect>,
    ) -> Next {
        if let Some(session) = state.writing() {
            return self.step_write_approval(session, granted, effects);
        }
        let Some(phase) = state.tools() else { return Next::Stay };
        self.approval_given(digest, granted, effects);
        if granted { self.run(phase, effects) } else { self.reject(phase, effects) }
    }

    /// An answer that is more than yes or no.
    pub(super) fn step_answered(
        &mut self,
        state: &mut State,
        digest: Sha256,
        answer: Answer,
        effects: &mut Vec<Effect>,
    ) -> Next {
        if let Some(session) = state.writing() {
            return self.step_write_answered(session, answer, effects);
        }
        let Some(phase) = state.tools() else { return Next::Stay };
        match answer {
            Answer::Allowed { keep, arguments } => {
                let edited = arguments.and_then(|arguments| self.edited(&phase.current, &arguments).ok());
                let kept = keep.zip(self.would_keep(&phase.current));
                let kept = kept.map(|(keep, pattern)| self.keep(keep, &phase.current.name, pattern));
                if let Some(call) = edited.filter(|call| call.signature != phase.current.signature) {
                    self.edit(phase, call);
                }
                let given = Given::Allowed { edited: now_runs(&phase.current), kept };
                self.answer_given(digest, given, effects);
                self.run(phase, effects)
            }
            Answer::Rejected { reason, stops } => {
                let given = Given::Rejected { reason: reason.clone(), stopped: stops };
                self.answer_given(digest, given, effects);
                if let Some(reason) = reason {
                    phase.current.decided = Decided::Rejected { reason };
                }
                if stops { self.reject_and_stop(phase, effects) } else { self.reject(phase, effects) }
            }
        }
    }

    /// A call with the arguments that a person gave it, checked again (A3). Whether they fit the tool's schema was checked before.
    fn edited(&self, call: &SignedCall, arguments: &Map<String, Value>) -> Result<SignedCall, Unfit> {
        let (spec, root) = (self.setup.tools.get(&call.name), &self.setup.project_root);
        let arguments = normalize(spec, arguments, root);
        if spec.is_some_and(|spec| !stays_inside(spec, &arguments, root)) {
            return Err(Unfit::Outside);
        }
        if matches!(self.ruling(&call.name, &arguments), Ruling::Deny(_)) {
            return Err(Unfit::Denied);
        }
        let signature = signature(&call.name, &arguments, self.setup.ids.project_id);
        if signature != call.signature && self.ledger.refuses(&signature) {
            return Err(Unfit::Repeats);
        }
        let (id, name) = (call.id.clone(), call.name.clone());
        let decided =
            Decided::Edited { arguments: call.arguments.clone(), signature: call.signature.clone() };
        Ok(SignedCall { id, name, arguments, signature, decided })
    }

    /// A3: both signatures are in the ledger, that of the model and that of the call that runs.
    fn edit(&mut self, phase: &mut ToolPhase, call: SignedCall) {
        // That it would be refused was looked at before.
        let _ = self.ledger.enter(&call.signature, &call.id);
        self.tally.call_edited(&call.id, call.signature.clone());
        phase.current = call;
    }

    /// Keeps an approval. It holds for what comes in this turn too.
    pub(super) fn keep(&mut self, keep: Keep, tool: &str, pattern: Pattern) -> KeptRule {
        let Keep { approval_id, kept_for } = keep;
        self.setup.rules.kept.push(Kept { approval_id, tool: tool.to_owned(), pattern: pattern.clone() });
        KeptRule { approval_id, kept_for, tool: tool.to_owned(), pattern: pattern.into() }
    }

    /// A1: an approval was revoked, so it allows nothing that comes.
    pub(super) fn revoke(&mut self, approval_id: ApprovalId) {
        self.setup.rules.kept.retain(|kept| kept.approval_id != approval_id);
    }

    /// A6: the rejection is the outcome of the call, and it is not asked again.
    fn reject(&mut self, phase: &mut ToolPhase, effects: &mut Vec<Effect>) -> Next {
        let id = phase.current.id.clone();
        let next = self.end_call(phase, outcome_of_a_no(phase), 0, effects);
        self.rejected(&id);
        next
    }

    fn reject_and_stop(&mut self, phase: &mut ToolPhase, effects: &mut Vec<Effect>) -> Next {
        self.conclude_call(phase, outcome_of_a_no(phase), 0, effects);
        self.cancel_queued(phase, PhaseCause::Stopped, effects);
        self.end(StopReason::Stopped, None, effects)
    }

    /// A6: the same call is not asked again in this turn.
    pub(super) fn rejected(&mut self, call: &CallId) {
        self.ledger.rejected(call);
    }
}

fn now_runs(call: &SignedCall) -> Option<EditedCall> {
    let SignedCall { arguments, signature, decided, .. } = call;
    let edited = matches!(decided, Decided::Edited { .. });
    edited.then(|| EditedCall { arguments: arguments.clone().into(), signature: signature.clone() })
}

fn outcome_of_a_no(phase: &ToolPhase) -> ToolOutcome {
    if phase.may_have_run() { outcome_unknown() } else { rejected() }
}
