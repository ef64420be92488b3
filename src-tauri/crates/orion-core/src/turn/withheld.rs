//! Asking before what a person took out of the session comes back (X6).

use orion_protocol::{NoticeCode, Permission, TurnEvent};
use serde_json::Value;

use super::Effect;
use super::course::Course;
use super::phases::{SignedCall, Stage, ToolPhase};
use crate::signature::digest;

impl Course {
    /// Whether a call would bring back what a person took out.
    pub(super) fn is_withheld(&self, call: &SignedCall) -> bool {
        let Some(tool) = self.setup.tools.get(&call.name) else { return false };
        self.setup.withheld.iter().any(|held| held.covers(tool, &call.arguments, &call.signature))
    }

    /// Asks about such a call, whatever its permission. False where it is none, or is not allowed in any case.
    pub(super) fn asks_to_bring_back(&mut self, phase: &mut ToolPhase, effects: &mut Vec<Effect>) -> bool {
        let SignedCall { id, name, arguments, signature } = &phase.current;
        if self.setup.tools.permission(name) == Permission::Deny || !self.is_withheld(&phase.current) {
            return false;
        }
        let digest = digest(signature);
        let asked = TurnEvent::ApprovalRequested {
            digest,
            tool_call_id: Some(id.clone()),
            name: name.clone(),
            summary: Value::Object(arguments.clone()).to_string(),
        };
        let why =
            "You took a result of this out of the conversation, so it is not read back without your word.";
        self.notice(NoticeCode::TakenOut, why, effects);
        self.emit(asked, effects);
        phase.stage = Stage::Asking { digest };
        true
    }
}
