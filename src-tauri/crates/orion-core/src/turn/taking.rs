//! Hands an input to the part of the machine that it is for, by the state of the turn.
//!
//! Deliberately not here: what is done with it.

use orion_protocol::{PhaseCause, StopReason, TurnEvent};

use super::course::Course;
use super::state::{Next, State};
use super::{Effect, Input};

impl Course {
    /// Has the state take it.
    pub(super) fn take(&mut self, state: &mut State, input: Input, effects: &mut Vec<Effect>) -> Next {
        match input {
            Input::Model { call, event } => self.step_model(state, call, event, effects),
            Input::Tool { call_id, outcome, duration_ms } => match state.tools() {
                Some(phase) => self.step_tool(phase, &call_id, outcome, duration_ms, effects),
                None => Next::Stay,
            },
            Input::Compared { call_id, same, seen } => match state.comparing() {
                Some(comparing) => self.step_compared(comparing, &call_id, same, seen, effects),
                None => Next::Stay,
            },
            Input::Changed { changes } => {
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
            Input::Facts { call, facts } => match state.summing().filter(|summing| summing.call() == call) {
                Some(summing) => self.step_facts(summing, facts, effects),
                None => Next::Stay,
            },
            Input::Idle { call } => match state.writing() {
                Some(session) => self.step_idle(session, call, effects),
                None => Next::Stay,
            },
            Input::Proposed { write, outcome } => match state.writing() {
                Some(session) if session.number == write => self.step_proposed(session, outcome, effects),
                _ => Next::Stay,
            },
            Input::Wrote { write, outcome } => match state.writing() {
                Some(session) if session.number == write => self.step_wrote(session, outcome, effects),
                _ => Next::Stay,
            },
            Input::Resumed { seq } => self.resume(state, seq, effects),
            Input::Expired => self.expire(state, effects),
            Input::Stop => {
                self.leave_phase(state, PhaseCause::Stopped, effects);
                self.end(StopReason::Stopped, None, effects)
            }
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
}
