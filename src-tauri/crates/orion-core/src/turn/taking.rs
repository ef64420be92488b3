//! Hands an input to the part of the machine that it is for, by the state of the turn.
//!
//! Deliberately not here: what is done with it.

use orion_protocol::{PhaseCause, StopReason, TurnEvent};

use super::course::Course;
use super::job::JobId;
use super::phases::{Ending, ToolPhase};
use super::state::{Next, State};
use super::work::{Done, Progress};
use super::{Effect, Input};

impl Course {
    /// Has the state take it.
    pub(super) fn take(&mut self, state: &mut State, input: Input, effects: &mut Vec<Effect>) -> Next {
        match input {
            Input::Model { call, event } => self.step_model(state, call, event, effects),
            Input::Progress { job, progress } => {
                let asks = |phase: &&mut ToolPhase| phase.job() == Some(job) && phase.ending().is_none();
                if let Some(phase) = state.tools().filter(asks) {
                    match progress {
                        Progress::Asks { number, questions } => {
                            self.consult(phase, (job, number), questions, effects);
                        }
                        Progress::Withdraws { number } => self.withdraw(phase, number, effects),
                    }
                }
                Next::Stay
            }
            Input::Done { job, done } => self.step_done(state, job, done, effects),
            Input::Changed { changes } => {
                self.checked.changed();
                self.ledger.change(&changes);
                if let Some(session) = state.writing() {
                    self.renew(session, &changes, effects);
                }
                Next::Stay
            }
            Input::Replied { digest, reply, supplied } => {
                self.step_replied(state, digest, reply, &supplied, effects)
            }
            Input::Revoked { approval_id } => {
                self.revoke(approval_id);
                Next::Stay
            }
            Input::Pause { pause } => self.step_pause(state, pause, effects),
            Input::Steered { text } => self.step_steered(text, effects),
            Input::Idle { call } => match state.writing() {
                Some(session) => self.step_idle(session, call, effects),
                None => Next::Stay,
            },
            Input::Revised { write, outcome } => match state.writing() {
                Some(session) if session.number == write => {
                    // The proposal that was being made is of the file before it.
                    effects.extend(session.proposing().map(|job| Effect::Cancel { job }));
                    self.step_proposed(session, outcome, effects)
                }
                _ => Next::Stay,
            },
            Input::Resumed { seq } => self.resume(state, seq, effects),
            Input::Expired => self.expire(state, effects),
            Input::Stop => self.end_early(state, Ending::Stopped, effects),
            Input::Interrupted if state.is_interrupted() => Next::Stay,
            Input::Interrupted => {
                self.leave_phase(state, PhaseCause::Interrupted, effects);
                self.emit(TurnEvent::Interrupted, effects);
                Next::Interrupted
            }
            Input::Failed { error } => {
                self.leave_phase(state, PhaseCause::Failed, effects);
                self.end(StopReason::Error, Some(error.of_turn(self.setup.ids)), effects)
            }
        }
    }

    /// A job has ended. It is of no interest unless the state waits for it.
    fn step_done(&mut self, state: &mut State, job: JobId, done: Done, effects: &mut Vec<Effect>) -> Next {
        match done {
            Done::Tool { outcome, duration_ms } => match state.tools().filter(|it| it.job() == Some(job)) {
                Some(phase) => match phase.ending() {
                    Some(ending) => self.end_with_outcome(phase, ending, (*outcome, duration_ms), effects),
                    None => self.step_tool(phase, *outcome, duration_ms, effects),
                },
                None => Next::Stay,
            },
            Done::Prepared { prepared } => match state.tools().filter(|it| it.job() == Some(job)) {
                Some(phase) => self.step_prepared(phase, prepared, effects),
                None => Next::Stay,
            },
            Done::Compared { same, seen } => match state.comparing().filter(|it| it.job == Some(job)) {
                Some(comparing) => self.step_compared(comparing, same, seen, effects),
                None => Next::Stay,
            },
            Done::Facts { facts } => match state.summing().filter(|it| it.job == Some(job)) {
                Some(summing) => self.step_facts(summing, facts, effects),
                None => Next::Stay,
            },
            Done::Proposed { outcome } => match state.writing().filter(|it| it.job() == Some(job)) {
                Some(session) => self.step_proposed(session, outcome, effects),
                None => Next::Stay,
            },
            Done::Wrote { outcome } => match state.writing().filter(|it| it.job() == Some(job)) {
                Some(session) => self.step_wrote(session, outcome, effects),
                None => Next::Stay,
            },
            Done::Checked { run } => match state.checking().filter(|it| it.job() == Some(job)) {
                Some(checking) => self.step_checked(checking, *run, effects),
                None => Next::Stay,
            },
        }
    }
}
