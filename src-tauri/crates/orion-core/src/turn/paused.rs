//! Pausing a turn (A2): when it takes hold, and going on with what a person left of the results.
//!
//! Deliberately not here: what an edited box looks like (`context`).

use orion_protocol::{
    EditedResult, Given, PauseCause, PauseRequest, PausedResult, PendingOf, Phase, PhaseCause, Reply,
    ResultEdit, ResumeCost, Sha256, TurnEvent,
};

use super::Effect;
use super::course::Course;
use super::pausing::Pausing;
use super::person::Unfit;
use super::phases::{Action, Paused, Then, ToolPhase};
use super::session::{Ask, Stage, WriteSession};
use super::state::{Next, State};
use crate::context::{About, Withheld};
use crate::prompt;
use crate::signature::digest;

impl Course {
    /// A person says when the turn is to pause.
    pub(super) fn step_pause(
        &mut self,
        state: &mut State,
        pause: PauseRequest,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let paused = state.paused().is_some() || state.write_session().is_some_and(WriteSession::is_paused);
        let wanted = match pause {
            PauseRequest::AfterTools { on } => Pausing { after_tools: on, ..self.pausing },
            PauseRequest::Next | PauseRequest::Now => Pausing { next: !paused, ..self.pausing },
        };
        if pause == PauseRequest::Now
            && let Some(action) = state.action()
        {
            return self.pause_response(action, effects);
        }
        if pause == PauseRequest::Now
            && let Some(session) = state.writing().filter(|session| session.receives())
        {
            self.pause_content(session, effects);
            return Next::Stay;
        }
        if self.pausing != wanted {
            self.pausing = wanted;
            self.emit(
                TurnEvent::PauseRequested { after_tools: wanted.after_tools, next: wanted.next },
                effects,
            );
        }
        Next::Stay
    }

    /// A tool phase has ended: the turn pauses, or goes on at once.
    pub(super) fn after_tools(&mut self, phase: &mut ToolPhase, effects: &mut Vec<Effect>) -> Next {
        let results = std::mem::take(&mut phase.results);
        let then = match phase.opened.take() {
            Some(opened) => Then::Write(Box::new(opened)),
            None => Then::Action,
        };
        let cause = match self.pausing {
            Pausing { next: true, .. } => PauseCause::Requested,
            Pausing { after_tools: true, .. } => PauseCause::AfterTools,
            Pausing { .. } => return self.go_on(then, effects),
        };
        self.pause(cause, results, then, ResumeCost::Nothing, effects)
    }

    /// Whether a person asked for a pause before the next model call.
    pub(super) fn is_to_pause(&self) -> bool {
        self.pausing.next
    }

    /// Pauses before the next model call, where no tool phase came before it.
    pub(super) fn pause_before_call(&mut self, then: Then, effects: &mut Vec<Effect>) -> Next {
        self.phase = Phase::ActionPhase;
        self.batch = None;
        self.pause(PauseCause::Requested, Vec::new(), then, ResumeCost::Nothing, effects)
    }

    /// The response is dropped. What came of it is kept.
    fn pause_response(&mut self, action: &mut Action, effects: &mut Vec<Effect>) -> Next {
        effects.push(Effect::DropModel { call: action.call() });
        let (forced, has_text) = (action.forced, action.text.len() > action.repeated);
        self.end_action(action, PhaseCause::Paused, effects);
        let costs =
            if forced.is_some() || self.checked.repairs() { ResumeCost::EndsTurn } else { ResumeCost::Step };
        self.pause(PauseCause::Now, Vec::new(), Then::Response { forced, has_text }, costs, effects)
    }

    /// The message with content is dropped, or is not asked for. What came of the content is kept.
    fn pause_content(&mut self, session: &mut WriteSession, effects: &mut Vec<Effect>) {
        let ask = match &session.stage {
            Stage::Streaming(stream) => {
                effects.push(Effect::DropModel { call: stream.response.call() });
                // What looks like an end line may be the middle of the content.
                (session.last_said, session.said_again) = (None, false);
                Ask::GoOn
            }
            _ => Ask::EndOrMore,
        };
        self.show_content(session, effects);
        self.end_content_phase(session, PhaseCause::Paused, effects);
        let digest = self.paused(PauseCause::Now, &[], ResumeCost::WritePrompt, effects);
        session.stage = Stage::Paused { digest, ask };
    }

    fn pause(
        &mut self,
        cause: PauseCause,
        results: Vec<PausedResult>,
        then: Then,
        costs: ResumeCost,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let digest = self.paused(cause, &results, costs, effects);
        Next::Paused(Box::new(Paused { digest, then }))
    }

    /// Says that the turn is paused. Returns the digest that resuming it names (A3).
    fn paused(
        &mut self,
        cause: PauseCause,
        results: &[PausedResult],
        costs: ResumeCost,
        effects: &mut Vec<Effect>,
    ) -> Sha256 {
        self.pausing.next = false;
        let digest = digest(&format!("paused after event {}", self.seq));
        let (batch, results) = (self.batch, results.to_vec());
        self.ask(digest, PendingOf::Pause { cause, batch, results, costs }, effects);
        digest
    }

    /// A person resumes the turn. Their edits were judged before.
    pub(super) fn step_pause_replied(
        &mut self,
        state: &mut State,
        edits: &[ResultEdit],
        effects: &mut Vec<Effect>,
    ) -> Next {
        if let Some(paused) = state.paused() {
            let (digest, then) = (paused.digest, paused.then.clone());
            self.pause_ended(digest, edits, effects);
            return self.go_on(then, effects);
        }
        let Some(session) = state.writing() else { return Next::Stay };
        let Stage::Paused { digest, ask } = session.stage else { return Next::Stay };
        self.pause_ended(digest, &[], effects);
        self.prompt(session, ask, effects)
    }

    fn pause_ended(&mut self, digest: Sha256, edits: &[ResultEdit], effects: &mut Vec<Effect>) {
        let edited = edits.iter().filter_map(|edit| self.edit_result(edit)).collect();
        self.answered(digest, Given::Resumed { edited }, effects);
    }

    /// Changes a result before a request holds it. From then on it asks before it comes back (X6).
    fn edit_result(&mut self, edit: &ResultEdit) -> Option<EditedResult> {
        let id = edit.tool_call_id();
        let item = self.conversation.unsent_box(id)?;
        let withheld = Withheld::of(item, &self.setup.tools)?;
        let original_sha256 = item.whole_box()?.sha256;
        let text = match edit {
            ResultEdit::Replace { text, .. } => Some(text),
            ResultEdit::Drop { .. } => None,
        };
        match text {
            Some(text) => item.replace_body(text, &self.setup.nonce),
            None => {
                item.empty(true);
                self.ledger.cut(id); // D3: its call has no answer any more.
            }
        }
        if !self.setup.withheld.contains(&withheld) {
            self.setup.withheld.push(withheld);
        }
        let (sha256, bytes) = (text.map(|text| digest(text)), text.map(|text| text.len() as u64));
        Some(EditedResult { tool_call_id: id.clone(), original_sha256, sha256, bytes })
    }

    fn go_on(&mut self, then: Then, effects: &mut Vec<Effect>) -> Next {
        match then {
            Then::Action => self.next_response(effects),
            Then::Call { forced } => self.call_model(forced, effects),
            Then::Repair { reason } => self.call_for_repair(reason, effects),
            Then::Write(opened) => {
                let (call, opening) = *opened;
                self.begin_write(call, opening, effects)
            }
            // As after a crash (A5): the response that was dropped costs a cycle, so no number of pauses leads beyond the bounds (T4).
            Then::Response { forced: Some(reason), .. } => self.end(reason, None, effects),
            Then::Response { forced: None, has_text } => {
                if !self.checked.repairs() {
                    self.tally.cycle_spent();
                }
                if has_text {
                    self.note(prompt::BROKE_OFF, About::Word);
                }
                self.next_response(effects)
            }
        }
    }
}

/// Fails unless each of the edits is of another result that the pause has.
pub(super) fn judge_pause_reply(results: &[PausedResult], reply: &Reply) -> Result<(), Unfit> {
    let Reply::Resume { edits } = reply else { return Err(Unfit::NotAsked) };
    let fits = edits.iter().enumerate().all(|(at, edit)| {
        let id = edit.tool_call_id();
        let again = edits.iter().take(at).any(|before| before.tool_call_id() == id);
        !again && results.iter().any(|result| result.tool_call_id == *id)
    });
    if fits { Ok(()) } else { Err(Unfit::NoResult) }
}
