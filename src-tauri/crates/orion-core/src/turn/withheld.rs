//! Asking before what a person took out of the session comes back (X6).

use orion_protocol::{AskedBy, NoticeCode};

use super::Effect;
use super::course::Course;
use super::phases::{SignedCall, Stage, ToolPhase};
use crate::permission::Ruling;

impl Course {
    /// Whether a call would bring back what a person took out.
    pub(super) fn is_withheld(&self, call: &SignedCall) -> bool {
        let Some(tool) = self.setup.tools.get(&call.name) else { return false };
        self.setup.withheld.iter().any(|held| held.covers(tool, &call.arguments, &call.signature))
    }

    /// Asks about such a call, whatever its permission. False where it is none, or is not allowed in any case.
    pub(super) fn asks_to_bring_back(&mut self, phase: &mut ToolPhase, effects: &mut Vec<Effect>) -> bool {
        let SignedCall { name, arguments, .. } = &phase.current;
        if matches!(self.ruling(name, arguments), Ruling::Deny(_)) || !self.is_withheld(&phase.current) {
            return false;
        }
        let why =
            "You took a result of this out of the conversation, so it is not read back without your word.";
        self.notice(NoticeCode::TakenOut, why, effects);
        let digest = self.ask_about(&phase.current, AskedBy::Always, effects);
        phase.stage = Stage::Asking { digest, may_have_run: false };
        true
    }
}
