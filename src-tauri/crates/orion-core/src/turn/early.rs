//! The end of a turn in the middle of a phase: a person stops it (A4), or its seconds are used up (T7).
//!
//! A command that runs is ended first, and its outcome waited for (C6). Deliberately not here: the end of the turn itself (`ending`).

use orion_protocol::{Exhausted, PhaseCause};

use super::Effect;
use super::course::Course;
use super::flags::Flag;
use super::outcomes::broke_off;
use super::phases::{Ending, Stage, ToolPhase};
use super::session::Stage as WriteStage;
use super::state::{Next, State};
use crate::tool::{ToolKind, ToolOutcome};

impl Course {
    /// The alarm for the deadline has gone off.
    pub(super) fn expire(&mut self, state: &mut State, effects: &mut Vec<Effect>) -> Next {
        if !self.is_late() || !state.can_expire() {
            return Next::Stay;
        }
        match state.writing() {
            Some(session) => {
                if let WriteStage::Streaming(stream) = &session.stage {
                    effects.push(Effect::DropModel { call: stream.response.call() });
                }
                self.end_content_phase(session, PhaseCause::LimitReached, effects);
                self.content_exhausted(session, Exhausted::Seconds, effects)
            }
            None => self.end_early(state, Ending::OutOfTime, effects),
        }
    }

    /// Ends the turn in the middle of a phase. A command that runs is ended first, and its outcome waited for (C6).
    pub(super) fn end_early(&mut self, state: &mut State, ending: Ending, effects: &mut Vec<Effect>) -> Next {
        if let Some(phase) = state.tools() {
            match phase.stage {
                Stage::Running(job) if self.waits_for(&phase.current.name) => {
                    effects.push(Effect::End { job });
                    phase.stage = Stage::Ending { job, ending };
                    return Next::Stay;
                }
                Stage::Ending { job, .. } => {
                    phase.stage = Stage::Ending { job, ending };
                    return Next::Stay;
                }
                _ => {}
            }
        }
        if let Some(checking) = state.checking() {
            return self.end_checks(checking, ending, effects); // A4: the answer is there.
        }
        self.leave_phase(state, ending.cause(), effects);
        self.end_by(ending, effects)
    }

    /// The tool runs commands, and this turn wants their outcomes.
    fn waits_for(&self, name: &str) -> bool {
        let kind = self.setup.tools.get(name).map(|tool| tool.kind);
        kind == Some(ToolKind::RunsCommands) && self.setup.flags.has(Flag::EndsCommands)
    }

    /// Ends the turn, whose phase has ended.
    fn end_by(&mut self, ending: Ending, effects: &mut Vec<Effect>) -> Next {
        match ending {
            Ending::Stopped => self.end(self.checked.end_when_stopped(), None, effects),
            Ending::OutOfTime => self.end_exhausted(Exhausted::Seconds, effects),
        }
    }

    /// The command has ended, and the turn with it.
    pub(super) fn end_with_outcome(
        &mut self,
        phase: &mut ToolPhase,
        ending: Ending,
        (outcome, duration_ms): (ToolOutcome, u64),
        effects: &mut Vec<Effect>,
    ) -> Next {
        self.conclude_call(phase, outcome, duration_ms, effects);
        self.cancel_queued(phase, ending.cause(), effects);
        self.end_by(ending, effects)
    }

    /// The process died while the outcome was waited for, so it is not known (A5).
    pub(super) fn end_without_outcome(
        &mut self,
        phase: &mut ToolPhase,
        ending: Ending,
        effects: &mut Vec<Effect>,
    ) -> Next {
        self.end_with_outcome(phase, ending, (broke_off(), 0), effects)
    }
}
