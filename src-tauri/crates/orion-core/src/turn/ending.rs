//! The end of a phase and the end of a turn (T3).
//!
//! Deliberately not here: when a turn ends. Each phase decides that for itself.

use orion_protocol::{ErrorInfo, Phase, PhaseCause, StopReason, TurnEvent, TurnStatus};

use super::Effect;
use super::course::Course;
use super::state::{Next, State};

impl Course {
    /// Ends the current phase and drops everything that runs in it.
    pub(super) fn leave_phase(&mut self, state: &mut State, cause: PhaseCause, effects: &mut Vec<Effect>) {
        if let Some(action) = state.action() {
            effects.push(Effect::DropModel { call: action.call() });
            self.end_action(action, cause, effects);
        } else if let Some(summing) = state.summing() {
            self.abandon_summing(summing, cause, effects);
        } else if let Some(comparing) = state.comparing() {
            self.abandon_comparing(comparing, cause, effects);
        } else if let Some(phase) = state.tools() {
            self.abandon_tools(phase, cause, effects);
        } else if let Some(session) = state.writing() {
            self.abandon_write(session, cause, effects);
        } else if let Some(checking) = state.checking() {
            self.abandon_checks(checking, cause, effects);
        }
    }

    /// Ends the turn with its one terminal event (T3).
    pub(super) fn end(
        &mut self,
        reason: StopReason,
        error: Option<ErrorInfo>,
        effects: &mut Vec<Effect>,
    ) -> Next {
        self.tell_of_no_entry(effects);
        self.leave_steered(effects);
        let status = match reason {
            StopReason::Stopped => TurnStatus::Stopped,
            StopReason::Error => TurnStatus::Failed,
            _ => TurnStatus::Completed,
        };
        self.ended = Some(reason);
        let reached = if status == TurnStatus::Completed { Phase::Complete } else { self.phase };
        let report = Box::new(self.tally.report(&self.setup, status, reason, reached, self.now_ms, error));
        self.phase = Phase::Complete;
        self.batch = None;
        let event = match status {
            TurnStatus::Stopped => TurnEvent::Stopped { report },
            TurnStatus::Failed => TurnEvent::Failed { report },
            TurnStatus::Completed | TurnStatus::Waiting => TurnEvent::Completed { report },
        };
        self.emit(event, effects);
        Next::Over
    }
}
