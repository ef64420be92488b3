//! What becomes of a response that only repeats itself (P11).
//!
//! Deliberately not here: how that is found (`watches`).

use orion_protocol::{
    CallReason, Code, ErrorInfo, Given, NoticeCode, PendingOf, PhaseCause, RepeatsChoice, Reply, StopReason,
    TurnEvent, WriteStatus,
};

use super::course::Course;
use super::flags::Flag;
use super::person::Unfit;
use super::phases::Action;
use super::response::Response;
use super::session::Ask;
use super::session::{Repeated, Stage, WriteSession};
use super::state::Next;
use super::watches::{Part, Repeating};
use super::{Effect, Verdict};
use crate::model::ModelDelta;
use crate::repeats;
use crate::signature::digest;

/// What a person can do about a model that only repeats itself.
const OTHERWISE: &str = "Ask for it in other words, or choose another model.";

/// Characters of the stretch that an event has: about three lines.
const SHOWN: usize = 200;

impl Course {
    /// Watches a piece of a response. `call` is the place of the call that it belongs to.
    pub(super) fn watch(
        &self,
        response: &mut Response,
        piece: &mut ModelDelta,
        call: Option<usize>,
    ) -> Option<Repeating> {
        if self.setup.flags.has(Flag::CutRepeats) { response.watches().push(piece, call) } else { None }
    }

    /// The response is dropped. Its text is kept and ends the turn as by `length`; none of its calls runs.
    pub(super) fn cut_answer(
        &mut self,
        action: &mut Action,
        repeating: Repeating,
        effects: &mut Vec<Effect>,
    ) -> Next {
        effects.push(Effect::DropModel { call: action.call() });
        self.show_rest(action, effects);
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
        match self.after_repair(effects) {
            Some(next) => next,
            None => self.end(StopReason::Length, None, effects),
        }
    }

    /// The response is dropped. Where it was the content that repeats itself, the person chooses what becomes of it: only they know whether
    /// the file does. What came beside the content says nothing of the file, so the content is shown as unfinished.
    pub(super) fn cut_content(
        &mut self,
        session: &mut WriteSession,
        repeating: Repeating,
        effects: &mut Vec<Effect>,
    ) -> Next {
        self.end_content_phase(session, PhaseCause::Length, effects);
        let path = &session.opening.path;
        let what = match repeating.part {
            Part::Text => format!("the content of {path} was cut off"),
            Part::Reasoning | Part::Arguments => {
                format!("it was cut off before the content of {path} was complete")
            }
        };
        let message = repeating.message(&what);
        if self.setup.flags.has(Flag::AskOfRepeats) && matches!(repeating.part, Part::Text) {
            self.notice(NoticeCode::RepeatedItself, message, effects);
            self.ask_of_repeats(session, repeating.repeats.stretch, effects);
            return Next::Stay;
        }
        let error = ErrorInfo::new(Code::WriteFaulty, message, OTHERWISE);
        self.give_up(session, NoticeCode::RepeatedItself, error, effects)
    }

    fn ask_of_repeats(&mut self, session: &mut WriteSession, stretch: usize, effects: &mut Vec<Effect>) {
        session.capture.break_off();
        self.show_content(session, effects);
        let text = session.capture.text();
        let once = repeats::once(text, stretch);
        let first = text.floor_char_boundary(once.saturating_sub(stretch));
        let digest = digest(&format!("{} {}", session.number, digest(text)));
        let of = PendingOf::Repeats {
            write: session.number,
            path: session.opening.path.clone(),
            stretch: text.get(first..once).unwrap_or_default().chars().take(SHOWN).collect(),
            times: ((text.len() - once) / stretch + 1) as u64,
            bytes: text.len() as u64,
            once_bytes: once as u64,
            choices: session.choices(),
        };
        session.stage = Stage::Choosing(Repeated { digest, stretch });
        self.ask(digest, of, effects);
    }

    /// Judges a reply to content that only repeats itself. A plain no discards it; a plain yes says nothing.
    pub(super) fn judge_repeats_reply(session: &WriteSession, reply: &Reply) -> Verdict {
        match chosen_by(reply) {
            Some(choice) if session.choices().contains(&choice) => Verdict::Taken,
            Some(_) => Verdict::NotOffered,
            None if matches!(reply, Reply::Answer { .. } | Reply::Resume { .. }) => {
                Verdict::Unfit(Unfit::NotAsked)
            }
            None => Verdict::NotOffered,
        }
    }

    /// A person has chosen what becomes of content that only repeats itself (P11).
    pub(super) fn step_repeats_replied(
        &mut self,
        session: &mut WriteSession,
        reply: &Reply,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let (Some(Repeated { digest, stretch }), Some(choice)) = (session.repeated(), chosen_by(reply))
        else {
            return Next::Stay;
        };
        self.answered(digest, Given::Chosen { choice }, effects);
        let path = &session.opening.path;
        match choice {
            RepeatsChoice::GoOn => {
                session.may_repeat = true;
                self.prompt(session, Ask::GoOn, effects)
            }
            RepeatsChoice::KeepOne => {
                let message =
                    format!("The content of {path} only repeated itself; one of the repeats was kept.");
                session.capture.fold(stretch);
                self.propose_unfinished(session, &ErrorInfo::new(Code::WriteFaulty, message, ""), effects);
                Next::Stay
            }
            RepeatsChoice::Discard => {
                let message =
                    format!("The content of {path} only repeated itself, and the user discarded it.");
                let error = ErrorInfo::new(Code::WriteFaulty, message, OTHERWISE);
                self.finish_write(session, WriteStatus::Discarded, None, Some(error), effects)
            }
        }
    }
}

fn chosen_by(reply: &Reply) -> Option<RepeatsChoice> {
    match reply {
        Reply::Choose { choice } => Some(*choice),
        Reply::Reject { reason: None, stop: false } => Some(RepeatsChoice::Discard),
        _ => None,
    }
}
