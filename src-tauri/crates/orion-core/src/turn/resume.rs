//! Resuming a turn in another process (A5, W7), from whatever state its journal left it in.
//!
//! Work that has its outcome is not done again. Work that had begun and has no outcome starts again if that can do no harm; otherwise the
//! person is asked.

use orion_protocol::{Code, ErrorInfo, PhaseCause, StopReason, TurnEvent};

use super::Effect;
use super::course::Course;
use super::phases::{Action, Decided, Stage as CallStage, Summing, ToolPhase};
use super::session::Ask;
use super::session::{Stage, WriteSession};
use super::state::{Next, State};
use super::work::Work;
use crate::context::About;
use crate::prompt;
use crate::tool::ToolKind;

impl Course {
    /// `seq` is the last event that the journal has.
    pub(super) fn resume(&mut self, state: &mut State, seq: u32, effects: &mut Vec<Effect>) -> Next {
        if state.is_interrupted() {
            return Next::Stay;
        }
        self.seq = self.seq.max(seq);
        self.emit(TurnEvent::Resumed, effects);
        if let Some(action) = state.action() {
            self.resume_action(action, effects)
        } else if let Some(summing) = state.summing() {
            self.resume_summing(summing, effects)
        } else if let Some(comparing) = state.comparing() {
            self.compare(comparing, effects);
            Next::Stay
        } else if let Some(phase) = state.tools() {
            self.resume_tools(phase, effects)
        } else if let Some(session) = state.writing() {
            self.resume_write(session, effects)
        } else if let Some(checking) = state.checking() {
            self.resume_checks(checking, effects)
        } else {
            Next::Stay // A7: a pause lasts until a person ends it.
        }
    }

    /// The model is called again. What it had said stays, and the response that broke off costs a cycle, so that no number of crashes
    /// leads beyond the bounds (T4). Where none is left, the turn ends with what came.
    fn resume_action(&mut self, action: &mut Action, effects: &mut Vec<Effect>) -> Next {
        let forced = action.forced;
        let has_text = action.text.len() > action.repeated;
        self.end_action(action, PhaseCause::Interrupted, effects);
        if self.compacts() {
            let message = "Orion was closed while the model wrote the summary.";
            let error = ErrorInfo::new(Code::Interrupted, message, "Compact the session again.");
            return self.end(StopReason::Error, Some(error.of_turn(self.setup.ids)), effects);
        }
        if let Some(reason) = forced {
            return self.end(reason, None, effects);
        }
        if !self.checked.repairs() {
            self.tally.cycle_spent(); // V2: a repair costs none.
        }
        if has_text {
            self.note(prompt::BROKE_OFF, About::Word);
        }
        self.begin_action(effects)
    }

    /// X4: a summary that broke off is none, and the conversation is cut. One that was there waits for its facts.
    fn resume_summing(&mut self, summing: &mut Summing, effects: &mut Vec<Effect>) -> Next {
        if summing.said.is_some() {
            summing.job = Some(self.begin_job(Work::GatherFacts, effects));
            return Next::Stay;
        }
        let why = "Orion was closed while the model wrote the summary.";
        self.cut_instead(summing, PhaseCause::Interrupted, why, effects)
    }

    /// A call that had begun and has no outcome: one that only reads runs again, and one that changes something is put to the person.
    fn resume_tools(&mut self, phase: &mut ToolPhase, effects: &mut Vec<Effect>) -> Next {
        if let Some(ending) = phase.ending() {
            return self.end_without_outcome(phase, ending, effects);
        }
        let kind = self.setup.tools.get(&phase.current.name).map(|tool| tool.kind);
        let mutates = kind.is_some_and(ToolKind::mutates);
        if let CallStage::Consulting { job, .. } = &mut phase.stage
            && !mutates
        {
            *job = None; // A7: the question is still open.
            return Next::Stay;
        }
        if let CallStage::Preparing { may_have_run: false, .. } = phase.stage {
            return self.begin_call(phase, effects); // Nothing of it has run.
        }
        let was_running = matches!(
            phase.stage,
            CallStage::Running(_) | CallStage::Consulting { .. } | CallStage::Preparing { .. }
        );
        if !was_running {
            return Next::Stay; // A7: so is this one.
        }
        if self.is_late() {
            return self.end_late(phase, effects); // T7
        }
        if !mutates {
            self.run_again(phase, effects);
            return Next::Stay;
        }
        if let CallStage::Consulting { asked, .. } = &phase.stage {
            self.emit(TurnEvent::Withdrawn { digest: asked.digest }, effects);
        }
        // They were about what it may have changed since.
        phase.heard.clear();
        // A3, C3: what was looked at was the command before a person changed it.
        if phase.current.command.is_some() && matches!(phase.current.decided, Decided::Edited { .. }) {
            self.look_at(phase, true, effects);
            return Next::Stay;
        }
        self.put_to_person(phase, effects)
    }

    /// Resumes a write session (W7).
    fn resume_write(&mut self, session: &mut WriteSession, effects: &mut Vec<Effect>) -> Next {
        match &session.stage {
            Stage::Streaming(_) => self.message_ended(session, PhaseCause::Interrupted, effects),
            Stage::Idle { .. } => self.prompt(session, Ask::EndOrMore, effects),
            Stage::Proposing { cause, source, faults, asked, .. } => {
                let (cause, source, faults, asked) = (*cause, source.clone(), faults.clone(), asked.clone());
                self.propose(session, cause, source, faults, asked, effects);
                Next::Stay
            }
            Stage::Choosing(_) | Stage::Asking(_) | Stage::Paused { .. } => Next::Stay,
            Stage::Writing { asked, approved, .. } => {
                let work = Work::RecoverWrite {
                    write: session.number,
                    path: session.opening.path.clone(),
                    leads_to: asked.proposal.leads_to.clone(),
                    base_sha256: asked.proposal.base_sha256,
                    sha256: approved.sha256,
                };
                let (asked, approved) = (asked.clone(), approved.clone());
                session.stage = Stage::Writing { job: self.begin_job(work, effects), asked, approved };
                Next::Stay
            }
        }
    }
}
