//! Resuming a turn in another process (A5, A7, W7): one that asks about a call, or whose write session is open.

use orion_protocol::{PhaseCause, TurnEvent};

use super::Effect;
use super::content::Ask;
use super::course::Course;
use super::phases::ToolPhase;
use super::session::{Stage, WriteSession};
use super::state::Next;

impl Course {
    /// Resumes a turn that asks about a call (A7). `seq` is the last event that the journal has. The question is still the same.
    pub(super) fn resume_asking(&mut self, phase: &ToolPhase, seq: u32, effects: &mut Vec<Effect>) -> Next {
        if phase.asked().is_some() {
            self.seq = self.seq.max(seq);
            self.emit(TurnEvent::Resumed, effects);
        }
        Next::Stay
    }

    /// Resumes a write session. `seq` is the last event that the journal has.
    pub(super) fn resume(&mut self, session: &mut WriteSession, seq: u32, effects: &mut Vec<Effect>) -> Next {
        self.seq = self.seq.max(seq);
        self.emit(TurnEvent::Resumed, effects);
        match &session.stage {
            Stage::Streaming(_) => self.message_ended(session, PhaseCause::Interrupted, effects),
            Stage::Idle { .. } => self.prompt(session, Ask::EndOrMore, effects),
            Stage::Proposing { cause, source, faults, asked } => {
                let (cause, source, faults, asked) = (*cause, source.clone(), faults.clone(), asked.clone());
                self.propose(session, cause, source, faults, asked, effects);
                Next::Stay
            }
            Stage::Choosing(_) | Stage::Asking(_) => Next::Stay,
            Stage::Writing { asked, approved } => {
                effects.push(Effect::RecoverWrite {
                    write: session.number,
                    path: session.opening.path.clone(),
                    leads_to: asked.proposal.leads_to.clone(),
                    base_sha256: asked.proposal.base_sha256,
                    sha256: approved.sha256,
                });
                Next::Stay
            }
        }
    }
}
