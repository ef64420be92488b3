//! Hands a person's reply to the part of the machine that asked: first to be judged, then to be taken.
//!
//! Deliberately not here: whether the question is open at all (`waiting`).

use orion_protocol::{Pending, PendingOf, Reply, Sha256};

use super::course::Course;
use super::paused::judge_pause_reply;
use super::person::Supplied;
use super::questions::judge_questions_reply;
use super::state::{Next, State};
use super::{Effect, Verdict};

impl Course {
    /// Judges a reply to the question that is open.
    pub(super) fn judge_reply(&self, state: &State, reply: &Reply, supplied: &Supplied) -> Verdict {
        let Some(Pending { of, .. }) = &self.pending else { return Verdict::NotWaiting };
        let (phase, session) = (state.tool_phase(), state.write_session());
        let judged = match of {
            PendingOf::Call { keeps, .. } => {
                phase.map(|phase| self.judge_call_reply(phase, keeps.as_deref(), reply, supplied).into())
            }
            PendingOf::Write { keeps, .. } => {
                session.map(|open| self.judge_write_reply(open, keeps.as_deref(), reply, supplied))
            }
            PendingOf::Repeats { .. } => session.map(|open| Self::judge_repeats_reply(open, reply)),
            PendingOf::Questions { .. } => phase.map(|phase| judge_questions_reply(phase, reply).into()),
            PendingOf::Pause { results, .. } => Some(judge_pause_reply(results, reply).into()),
        };
        judged.unwrap_or(Verdict::NotWaiting)
    }

    /// A reply that the turn takes.
    pub(super) fn step_replied(
        &mut self,
        state: &mut State,
        digest: Sha256,
        reply: Reply,
        supplied: &Supplied,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let Some(Pending { of, .. }) = &self.pending else { return Next::Stay };
        match (of, reply) {
            (PendingOf::Call { .. }, reply) => match state.tools() {
                Some(phase) => self.step_call_replied(phase, digest, reply, supplied, effects),
                None => Next::Stay,
            },
            (PendingOf::Write { .. }, reply) => match state.writing() {
                Some(session) => self.step_write_replied(session, reply, supplied, effects),
                None => Next::Stay,
            },
            (PendingOf::Repeats { .. }, reply) => match state.writing() {
                Some(session) => self.step_repeats_replied(session, &reply, effects),
                None => Next::Stay,
            },
            (PendingOf::Questions { .. }, Reply::Answer { answer }) => match state.tools() {
                Some(phase) => self.step_questions_replied(phase, answer, effects),
                None => Next::Stay,
            },
            (PendingOf::Pause { .. }, Reply::Resume { edits }) => {
                self.step_pause_replied(state, &edits, effects)
            }
            (PendingOf::Questions { .. } | PendingOf::Pause { .. }, _) => Next::Stay,
        }
    }
}
