//! The tool phase: the accepted calls run one after the other, each by its permission (A1), each with a box (R1, R2).

use std::collections::VecDeque;

use orion_protocol::{AskedBy, CallId, Exhausted, PausedResult, Phase, PhaseCause, ToolCaps, TurnEvent};

use super::Effect;
use super::course::Course;
use super::outcomes::{broke_off, cancelled, not_allowed, ran_enough, refused_begin};
use super::phases::{Decided, SignedCall, Stage, ToolPhase};
use super::state::Next;
use super::tally::since;
use super::work::{CommandHeld, Prepared, Work};
use crate::context::{About, BoxItem, Item};
use crate::image::Image;
use crate::model::Message;
use crate::permission::Ruling;
use crate::prompt;
use crate::signature::digest;
use crate::tool::{ToolKind, ToolOutcome};

impl Course {
    pub(super) fn begin_tools(
        &mut self,
        first: SignedCall,
        queued: VecDeque<SignedCall>,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let batch = self.tally.batch_begun();
        self.phase = Phase::ToolPhase;
        self.batch = Some(batch);
        let started = TurnEvent::PhaseStarted {
            cycle: self.tally.cycles(),
            model_call: None,
            write: None,
            is_final: false,
        };
        self.emit(started, effects);
        for call in std::iter::once(&first).chain(&queued) {
            let event = TurnEvent::ToolCall {
                tool_call_id: call.id.clone(),
                name: call.name.clone(),
                arguments: call.arguments.value().clone().into(),
                signature: call.signature.clone(),
                made: call.made.as_deref().cloned(),
                leaked: call.leaked,
            };
            self.emit(event, effects);
        }
        let mut phase = ToolPhase {
            batch,
            started_ms: self.now_ms,
            current: first,
            stage: Stage::Next,
            queued,
            opened: None,
            results: Vec::new(),
            heard: Vec::new(),
            told: 0,
        };
        self.begin_call(&mut phase, effects).or_enter(|| Next::Tools(Box::new(phase)))
    }

    pub(super) fn begin_call(&mut self, phase: &mut ToolPhase, effects: &mut Vec<Effect>) -> Next {
        if self.is_late() {
            return self.end_late(phase, effects);
        }
        let tool = self.setup.tools.get(&phase.current.name);
        let tool_kind = tool.map(|tool| tool.kind);
        let begins_write = tool_kind == Some(ToolKind::OpensWrite);
        let most = tool.and_then(|tool| tool.max_per_turn);
        let is_second = begins_write && phase.opened.is_some();
        if let Some(most) = most
            && self.tally.runs_of(&phase.current.name) >= most
            && !self.checked.repairs()
        {
            let outcome = ran_enough(&phase.current.name, most);
            return self.end_call(phase, outcome, 0, effects); // T4
        }
        let ruling = self.ruling_on(&phase.current);
        let runs_commands = tool_kind == Some(ToolKind::RunsCommands);
        // C3: before anybody is asked about it, for whatever reason.
        if runs_commands && phase.current.command.is_none() && !matches!(ruling, Ruling::Deny(_)) {
            self.look_at(phase, false, effects);
            return Next::Stay;
        }
        if !is_second && self.asks_to_bring_back(phase, effects) {
            return Next::Stay;
        }
        match ruling {
            _ if is_second => {
                let call_id = phase.current.id.clone();
                let next = self.end_call(phase, refused_begin(), 0, effects);
                self.ledger.forget(&call_id);
                next
            }
            Ruling::Allow | Ruling::Ask(_) | Ruling::Kept(_) if self.is_doubtful(&phase.current) => {
                let digest = self.ask_about(&phase.current, AskedBy::Leaked, effects);
                phase.stage = Stage::Asking { digest, may_have_run: false };
                Next::Stay
            }
            // Opening a session writes nothing, so it is not asked about; the write is (W6).
            Ruling::Ask(_) if begins_write => self.run(phase, effects),
            Ruling::Ask(by) => {
                let digest = self.ask_about(&phase.current, by, effects);
                phase.stage = Stage::Asking { digest, may_have_run: false };
                Next::Stay
            }
            Ruling::Deny(by) => self.end_call(phase, not_allowed(by), 0, effects),
            Ruling::Kept(approval_id) => {
                // Opening a session uses no approval, as it asks for none: the write does.
                if !begins_write {
                    let also = self.also_kept(&phase.current, approval_id);
                    self.kept_allows(digest(&phase.current.signature.0), approval_id, also, effects);
                }
                self.run(phase, effects)
            }
            Ruling::Allow => self.run(phase, effects),
        }
    }

    /// Has the command of the current call looked at. `may_have_run`: it had begun when the process died.
    pub(super) fn look_at(&mut self, phase: &mut ToolPhase, may_have_run: bool, effects: &mut Vec<Effect>) {
        let SignedCall { name, arguments, .. } = phase.current.clone();
        let job = self.begin_job(Work::Prepare { name, arguments }, effects);
        phase.stage = Stage::Preparing { job, may_have_run };
    }

    /// A person decides whether a call that may have run runs again.
    pub(super) fn put_to_person(&mut self, phase: &mut ToolPhase, effects: &mut Vec<Effect>) -> Next {
        if self.is_late() {
            return self.end_late(phase, effects); // T7
        }
        let digest = self.ask_again(&phase.current, effects);
        phase.stage = Stage::Asking { digest, may_have_run: true };
        Next::Stay
    }

    /// The command of the current call was looked at: now the call can be judged, or a person asked whether it may run again.
    pub(super) fn step_prepared(
        &mut self,
        phase: &mut ToolPhase,
        prepared: Prepared,
        effects: &mut Vec<Effect>,
    ) -> Next {
        match prepared {
            Prepared::Ready { command } if phase.may_have_run() => {
                phase.current.command = Some(command);
                self.put_to_person(phase, effects)
            }
            Prepared::Ready { command } => {
                phase.current.command = Some(command);
                self.begin_call(phase, effects)
            }
            Prepared::Unfit { .. } if phase.may_have_run() => self.end_call(phase, broke_off(), 0, effects),
            Prepared::Unfit { outcome } => self.end_call(phase, *outcome, 0, effects),
        }
    }

    /// T7: nothing begins after the deadline.
    pub(super) fn end_late(&mut self, phase: &ToolPhase, effects: &mut Vec<Effect>) -> Next {
        self.cancel_calls(phase, PhaseCause::LimitReached, effects);
        self.end_exhausted(Exhausted::Seconds, effects)
    }

    pub(super) fn run(&mut self, phase: &mut ToolPhase, effects: &mut Vec<Effect>) -> Next {
        // One that may have run already is still the same run (A5). A name that no tool has runs nothing: it does not count where tools are
        // limited one by one.
        let is_tool = self.setup.tools.get(&phase.current.name).is_some();
        let limits = ToolCaps { commands: None, ..self.setup.tools.caps() }; // A tool that runs commands limits no other one.
        if !phase.may_have_run() && (is_tool || limits == ToolCaps::default()) {
            self.tally.tool_run(&phase.current.name);
        }
        self.run_again(phase, effects);
        Next::Stay
    }

    /// Runs the current call. It is one run, however often its process dies.
    pub(super) fn run_again(&mut self, phase: &mut ToolPhase, effects: &mut Vec<Effect>) {
        for signature in phase.current.signatures() {
            self.ledger.begun(signature);
        }
        let SignedCall { id, name, arguments, command, outside, .. } = phase.current.clone();
        let command = command.map(|command| CommandHeld { level: command.level, outside });
        let work = Work::Tool { batch: phase.batch, call_id: id, name, arguments, command };
        phase.stage = Stage::Running(self.begin_job(work, effects));
        phase.told = 0;
    }

    pub(super) fn step_tool(
        &mut self,
        phase: &mut ToolPhase,
        outcome: ToolOutcome,
        duration_ms: u64,
        effects: &mut Vec<Effect>,
    ) -> Next {
        if let Stage::Consulting { asked, .. } = &phase.stage {
            self.emit(TurnEvent::Withdrawn { digest: asked.digest }, effects);
        }
        self.ledger.changed_by(&phase.current.id, &outcome.changed); // D3
        match outcome.asks {
            Some(questions) => self.ask_questions(phase, questions, effects),
            None => self.end_call(phase, outcome, duration_ms, effects),
        }
    }

    /// Takes the outcome of a call. The next call begins, or the phase ends and a new action phase starts (P1).
    pub(super) fn end_call(
        &mut self,
        phase: &mut ToolPhase,
        outcome: ToolOutcome,
        duration_ms: u64,
        effects: &mut Vec<Effect>,
    ) -> Next {
        self.conclude_call(phase, outcome, duration_ms, effects);
        if let Some(next) = phase.queued.pop_front() {
            phase.current = next;
            phase.stage = Stage::Next; // What was asked was about the call before.
            phase.heard.clear();
            return self.begin_call(phase, effects);
        }
        self.end_tools(phase, PhaseCause::ToolsDone, effects);
        self.after_tools(phase, effects)
    }

    /// Takes the outcome of a call, and no more.
    pub(super) fn conclude_call(
        &mut self,
        phase: &mut ToolPhase,
        outcome: ToolOutcome,
        duration_ms: u64,
        effects: &mut Vec<Effect>,
    ) {
        let call = &phase.current;
        let decided = match &call.decided {
            Decided::Nothing => String::new(),
            Decided::Edited { arguments, .. } => prompt::edited(arguments),
            Decided::Rejected { reason } => prompt::says_why(reason),
        };
        let decided = call.made.as_deref().map(prompt::made).unwrap_or_default() + &decided;
        let (text, head) =
            prompt::result_box(&self.setup.nonce, &call.id, &call.name, &call.arguments, &outcome, &decided);
        let about = About::Box(BoxItem {
            call: call.id.clone(),
            signature: call.signature.clone(),
            head,
            sha256: digest(&outcome.body),
            source: outcome.source.as_deref().cloned(),
            attachment: false,
            emptied: false,
        });
        for signature in call.signatures() {
            self.ledger.done(signature, outcome.seen.clone(), &outcome.changed);
        }
        self.ledger.changed_by(&call.id, &outcome.changed); // D3
        match outcome.command.as_deref() {
            Some(run) => self.checked.ran(run),
            None if !outcome.changed.is_empty() => self.checked.changed(),
            None => {}
        }
        let image = outcome.image.as_deref().cloned();
        // W1: no other kind of tool opens a write.
        let opens_writes =
            self.setup.tools.get(&call.name).is_some_and(|tool| tool.kind == ToolKind::OpensWrite);
        match outcome.opens.clone().filter(|_| opens_writes) {
            Some(opening) => phase.opened = Some((call.clone(), *opening)),
            None => phase.results.push(PausedResult {
                tool_call_id: call.id.clone(),
                name: call.name.clone(),
                bytes: prompt::outcome_text(&outcome).len() as u64,
            }),
        }
        self.emit_result(&call.id, outcome, duration_ms, effects);
        self.say_result(call, text, image, about);
    }

    /// Ends the phase before its calls have ended (A4, A5). None of them starts afterwards.
    pub(super) fn abandon_tools(
        &mut self,
        phase: &mut ToolPhase,
        cause: PhaseCause,
        effects: &mut Vec<Effect>,
    ) {
        effects.extend(phase.job().map(|job| Effect::Cancel { job }));
        self.cancel_calls(phase, cause, effects);
    }

    /// The calls that have no outcome get one, and the phase ends.
    fn cancel_calls(&mut self, phase: &ToolPhase, cause: PhaseCause, effects: &mut Vec<Effect>) {
        self.emit_result(&phase.current.id, cancelled(), 0, effects);
        self.cancel_queued(phase, cause, effects);
    }

    /// The calls that have not begun get an outcome, and the phase ends.
    pub(super) fn cancel_queued(&mut self, phase: &ToolPhase, cause: PhaseCause, effects: &mut Vec<Effect>) {
        for call in &phase.queued {
            self.emit_result(&call.id, cancelled(), 0, effects);
        }
        self.end_tools(phase, cause, effects);
    }

    fn end_tools(&mut self, phase: &ToolPhase, cause: PhaseCause, effects: &mut Vec<Effect>) {
        let duration_ms = since(phase.started_ms, self.now_ms);
        self.tally.phase(self.phase, Some(phase.batch), duration_ms);
        let ended = TurnEvent::PhaseEnded {
            duration_ms,
            cause,
            finish_reason: None,
            usage: None,
            first_chunk_ms: None,
        };
        self.emit(ended, effects);
    }

    fn emit_result(
        &mut self,
        id: &CallId,
        mut outcome: ToolOutcome,
        duration_ms: u64,
        effects: &mut Vec<Effect>,
    ) {
        let notices = std::mem::take(&mut outcome.notices);
        self.tally.call_done(id, outcome.status, Some(duration_ms));
        if let Some(run) = &outcome.command {
            self.tally.command_ended(id, run);
        }
        let event = TurnEvent::ToolResult {
            tool_call_id: id.clone(),
            status: outcome.status,
            summary: outcome.summary,
            bytes: outcome.bytes,
            truncated: outcome.cut.is_some(),
            sha256: Some(digest(&outcome.body)),
            duration_ms,
            error: outcome.error.map(|error| error.of_turn(self.setup.ids)),
            command: outcome.command,
        };
        self.emit(event, effects);
        self.tell_of_ignore_files(notices, effects);
    }

    /// Adds the result of a call to the conversation, in the form that the route and the provider ask for.
    pub(super) fn say_result(&mut self, call: &SignedCall, text: String, image: Option<Image>, about: About) {
        let images = Vec::from_iter(image);
        let message = if self.answers_natively() {
            Message::Tool { call_id: call.id.0.clone(), name: call.name.clone(), text, images }
        } else if images.is_empty() {
            Message::System { text }
        } else {
            Message::User { text, images } // No other role can have images.
        };
        self.conversation.push(Item::new(message, about));
    }
}
