//! What becomes of a response that only repeats itself (P11).
//!
//! Deliberately not here: how that is found (`watches`).

use orion_protocol::{CallReason, Code, ErrorInfo, NoticeCode, PhaseCause, StopReason, TurnEvent};

use super::Effect;
use super::course::Course;
use super::phases::Action;
use super::response::Response;
use super::session::WriteSession;
use super::state::Next;
use super::watches::{Part, Repeating};
use crate::model::ModelDelta;

impl Course {
    /// Watches a piece of a response. `call` is the place of the call that it belongs to.
    pub(super) fn watch(
        &self,
        response: &mut Response,
        piece: &mut ModelDelta,
        call: Option<usize>,
    ) -> Option<Repeating> {
        if self.setup.policy.cut_repeats { response.watches().push(piece, call) } else { None }
    }

    /// The response is dropped. Its text is kept and ends the turn as by `length`; none of its calls runs.
    pub(super) fn cut_answer(
        &mut self,
        action: &mut Action,
        repeating: Repeating,
        effects: &mut Vec<Effect>,
    ) -> Next {
        effects.push(Effect::DropModel { call: action.call() });
        let merge = std::mem::take(&mut action.merge);
        if let Some(error) = action.response.broke_off() {
            return self.fail(action, error, effects); // P10
        }
        let names = merge.calls().iter().map(|call| call.named().to_owned());
        let names: Vec<String> = names.chain(merge.dropped_names().iter().cloned()).collect();
        if !names.is_empty() {
            // Without signatures: whether the last call was complete already depends on how its arguments were cut (T5).
            let reason = CallReason::RepeatedItself;
            self.emit(TurnEvent::CallsBlocked { blocked_signatures: Vec::new(), names, reason }, effects);
        }
        action.repeated = match repeating.part {
            Part::Text => repeating.repeats.after_the_first(&action.text),
            Part::Reasoning | Part::Arguments => 0,
        };
        self.end_action(action, PhaseCause::Length, effects);
        let what = match repeating.part {
            Part::Text => "its answer was cut off",
            Part::Reasoning => "its answer was cut off while it was still reasoning",
            Part::Arguments => "its answer was cut off in a tool call, which did not run",
        };
        self.notice(NoticeCode::RepeatedItself, repeating.message(what), effects);
        self.end(StopReason::Length, None, effects)
    }

    /// The response is dropped. What came of the content is shown to the person: only they know whether the file repeats itself.
    pub(super) fn cut_content(
        &mut self,
        session: &mut WriteSession,
        repeating: Repeating,
        effects: &mut Vec<Effect>,
    ) -> Next {
        self.end_content_phase(session, PhaseCause::Length, effects);
        let what = match repeating.part {
            Part::Text => format!("the content of {} was cut off", session.opening.path),
            Part::Reasoning | Part::Arguments => {
                format!("it was cut off before the content of {} was complete", session.opening.path)
            }
        };
        let action = "Ask for it in other words, or choose another model.";
        let error = ErrorInfo::new(Code::WriteFaulty, repeating.message(&what), action);
        self.give_up(session, NoticeCode::RepeatedItself, error, effects)
    }
}
