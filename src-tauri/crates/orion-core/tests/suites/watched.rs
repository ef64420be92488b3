//! A turn under test: every kind of input, and the rules that hold after each of them.

mod answering;
mod checking;
mod commanding;
mod commands;
mod freshness;
mod pausing;
mod performing;
mod steering;

use std::collections::HashSet;

use crate::acts::commands::RUN;
use crate::acts::kept;
use crate::spent::Spent;
use crate::states;
use checking::Checking;
use commanding::Commanding;
use freshness::Freshness;
use orion_core::model::{FinalTools, Message};
use orion_core::turn::{Effect, Input, JobId, Source, Turn, TurnSetup, Verdict, Work};
use orion_protocol::{
    Bounds, CallId, Envelope, Permission, PhaseCause, Sha256, Signature, TurnEvent, WriteStatus,
};
use pausing::{EDITED, Pausing};
use steering::Steering;

/// Everything that came to a turn, with its time, and everything that followed.
type Recorded = (Vec<(i64, Input)>, Vec<Effect>);

/// A turn under watch: checks every effect against the rules as it comes.
#[derive(Clone)]
pub(crate) struct Watched {
    pub(crate) turn: Turn,
    pub(crate) bounds: Bounds,
    max_reuses: u32,
    /// Tools stay where none may be called.
    keeps_tools: bool,
    spent: Spent,
    now_ms: i64,
    seq: u32,
    pub(crate) terminals: u32,
    pub(crate) model_calls: u32,
    pub(crate) tool_runs: u32,
    pub(crate) live_call: Option<u32>,
    running: Option<CallId>,
    /// The job that runs it.
    tool_job: Option<JobId>,
    /// The command that was told to end: only the end of the turn follows.
    told_to_end: Option<JobId>,
    last_job: Option<JobId>,
    /// The calls that have their outcome.
    finished: HashSet<CallId>,
    /// The call that ran when the process died.
    begun: Option<CallId>,
    comparing: Option<JobId>,
    /// The call for whose summary facts are read.
    gathering: Option<JobId>,
    /// Something changed since the comparison began, so that the call is fresh at once.
    changed: bool,
    reused: u32,
    asked: Option<Sha256>,
    /// The call that it is about.
    asked_call: Option<CallId>,
    /// Somebody allowed what was asked last.
    granted: bool,
    rejected: HashSet<Sha256>,
    last_signature: Vec<(CallId, Signature)>,
    /// Of calls that a person edited: the signature that the model's own arguments had.
    proposed: Vec<(CallId, Signature)>,
    freshness: Freshness,
    /// The call whose outcome has come, if it has seen something of the project.
    ending: Option<CallId>,
    /// Of calls whose results a person edited or dropped.
    taken_out: HashSet<Signature>,
    /// Calls of a name that no tool on offer has: what they name is no path.
    unknown: HashSet<CallId>,
    stopped: bool,
    text_bytes: u64,
    /// The phase that runs is a prompt of a write session.
    prompts: bool,
    write_prompts: u32,
    idle: Option<u32>,
    /// The session whose proposal is awaited, and what it is made from.
    proposing: Option<(JobId, u32, String)>,
    /// The proposal that is there: session, digest, and SHA-256 of the file.
    ready: Option<(u32, Sha256, Sha256)>,
    approved: Option<Sha256>,
    writing: Option<JobId>,
    writes: HashSet<u32>,
    /// Sessions whose content was found to repeat itself.
    repeats: HashSet<u32>,
    /// Writing asks nobody.
    writes_freely: bool,
    content_bytes: u64,
    states: states::Seen,
    pausing: Pausing,
    commanding: Commanding,
    steering: Steering,
    checking: Checking,
    has_checks: bool,
    is_paused: bool,
    /// Results that a person may still edit or drop.
    results: Vec<CallId>,
    /// What came and what followed, where it is to be replayed.
    recorded: Option<Recorded>,
}

impl Watched {
    pub(crate) fn start(setup: TurnSetup) -> Self {
        Self::seen_by(setup, states::Seen::nothing())
    }

    /// One whose states are noted.
    pub(crate) fn seen_by(setup: TurnSetup, states: states::Seen) -> Self {
        let keeps_tools = setup.profile.final_tools == FinalTools::Forbidden;
        let spent = Spent::of(&setup);
        let bounds = setup.bounds();
        let max_reuses = setup.max_reuses();
        let has_checks = !setup.checks_in_force().is_empty();
        let pausing = Pausing::of(&setup);
        let commanding = Commanding::of(&setup);
        let writes_freely =
            setup.tools.write_opener().is_some_and(|tool| tool.permission == Permission::Allow);
        let (turn, effects) = Turn::start(setup);
        let mut watched = Self {
            turn,
            bounds,
            max_reuses,
            keeps_tools,
            spent,
            now_ms: 1_000,
            seq: 0,
            terminals: 0,
            model_calls: 0,
            tool_runs: 0,
            live_call: None,
            running: None,
            tool_job: None,
            told_to_end: None,
            last_job: None,
            finished: HashSet::new(),
            begun: None,
            comparing: None,
            gathering: None,
            changed: false,
            reused: 0,
            asked: None,
            asked_call: None,
            granted: false,
            rejected: HashSet::new(),
            last_signature: Vec::new(),
            proposed: Vec::new(),
            freshness: Freshness::default(),
            ending: None,
            taken_out: HashSet::new(),
            unknown: HashSet::new(),
            stopped: false,
            text_bytes: 0,
            prompts: false,
            write_prompts: 0,
            idle: None,
            proposing: None,
            ready: None,
            approved: None,
            writing: None,
            writes: HashSet::new(),
            repeats: HashSet::new(),
            writes_freely,
            content_bytes: 0,
            states,
            pausing,
            commanding,
            steering: Steering::default(),
            checking: Checking::default(),
            has_checks,
            is_paused: false,
            results: Vec::new(),
            recorded: None,
        };
        watched.check(effects);
        watched
    }

    /// One that can be replayed.
    pub(crate) fn recording(setup: TurnSetup) -> Self {
        let (_, begun) = Turn::start(setup.clone());
        Self { recorded: Some((Vec::new(), begun)), ..Self::start(setup) }
    }

    /// Everything that came, and everything that followed.
    pub(crate) fn recorded(self) -> Recorded {
        self.recorded.expect("it was recorded")
    }

    fn pass(&mut self, ms: i64) {
        self.now_ms += ms;
        self.spent.passed_ms += ms;
    }

    pub(crate) fn input(&mut self, input: Input) {
        self.pass(1);
        self.spent.comes(&input, self.turn.pending().is_some());
        let verdict = self.turn.verdict(&input);
        let waited_for = self.turn.pending().map(|pending| pending.digest);
        if let Some((inputs, _)) = &mut self.recorded {
            inputs.push((self.now_ms, input.clone()));
        }
        let steers = matches!(input, Input::Steered { .. });
        let effects = self.turn.step(self.now_ms, input);
        assert!(!steers || effects.len() <= 1, "A9: a message costs nothing, but {effects:?}");
        if let Some((_, all)) = &mut self.recorded {
            all.extend(effects.iter().cloned());
        }
        if waited_for.is_some() && waited_for == self.turn.pending().map(|pending| pending.digest) {
            let goes_on = effects.iter().any(goes_on);
            assert!(!goes_on, "A7: nothing goes on before a person answers");
        }
        if let Some(verdict) = verdict {
            let taken = verdict == Verdict::Taken;
            assert_eq!(effects.is_empty(), !taken, "A7: {verdict:?}, {effects:?}");
        }
        if self.stopped {
            assert_eq!(effects, [], "A4: nothing follows a stop");
        }
        self.check(effects);
        self.states.step(&self.turn);
    }

    fn check(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            assert_eq!(self.terminals, 0, "T3: nothing follows the terminal event, but {effect:?} did");
            match effect {
                Effect::Emit(envelope) => self.check_event(&envelope),
                Effect::Show(envelope) => {
                    assert_eq!(
                        envelope.seq, self.seq,
                        "E1: a chunk carries the seq of the last durable event"
                    );
                    if let TurnEvent::WriteProgress { offset, text, bytes, .. } = &envelope.event {
                        assert_eq!(*bytes, offset + text.len() as u64);
                        assert!(*offset == self.content_bytes || *offset == 0, "content comes in order");
                        self.content_bytes = *bytes;
                    }
                    self.spent.shows(&envelope.event);
                    if let TurnEvent::TextChunk { offset, text } = &envelope.event {
                        assert_eq!(*offset, self.text_bytes);
                        self.text_bytes += text.len() as u64;
                    }
                }
                Effect::CallModel { call, request } => {
                    assert!(!self.is_paused, "A2: no model call in a pause");
                    self.pausing.calls(&request);
                    self.steering.calls(&request, self.prompts || self.checking.repairs());
                    self.spent.calls(&request, &self.bounds);
                    match self.prompts {
                        true => self.write_prompts += 1,
                        false => self.model_calls += 1,
                    }
                    assert_eq!(call, self.model_calls + self.write_prompts, "each call has its own number");
                    assert!(self.model_calls <= self.bounds.model_calls, "T4: model calls");
                    assert!(self.write_prompts <= self.bounds.write_prompts, "T4: write prompts");
                    assert!(!self.prompts || request.forbids_tools, "W1: content has no tools");
                    assert!(
                        !request.forbids_tools
                            || request.tools.is_empty() != (self.keeps_tools || request.has_calls()),
                        "P12: tools are withheld unless calls are in the conversation"
                    );
                    self.idle = None;
                    assert_eq!(self.writing, None, "no model call while a file is written");
                    assert_eq!(self.running, None, "no model call while a tool runs");
                    assert_eq!(self.comparing, None, "no model call while a file is compared");
                    assert!(!self.checking.runs(), "no model call while a check runs");
                    assert!(self.commanding.looking.is_none(), "no model call while a command is looked at");
                    assert_eq!(
                        self.told_to_end, None,
                        "A4, T7: no model call once a command was told to end"
                    );
                    assert!(!request.messages.is_empty());
                    self.live_call = Some(call);
                }
                Effect::DropModel { call } => assert_eq!(self.live_call.take(), Some(call)),
                Effect::Begin { job, work } => self.begins(job, work),
                Effect::Cancel { job } => self.cancels(job),
                Effect::End { job } => self.ends(job),
                Effect::Tell { job, .. } => {
                    assert_eq!(self.tool_job, Some(job), "A8: the tool that runs asked");
                }
                Effect::AwaitIdle { call } => self.idle = Some(call),
            }
        }
    }

    fn begins(&mut self, job: JobId, work: Work) {
        assert_eq!(self.told_to_end, None, "A4: nothing starts after a stop");
        assert!(self.last_job.is_none_or(|last| last < job), "each job has its own number");
        self.last_job = Some(job);
        match work {
            Work::Tool { call_id, name, arguments, command, .. } => {
                self.tool_job = Some(job);
                assert!(!self.finished.contains(&call_id), "A5: {call_id} has its outcome");
                if name == "ask" && self.turn.tools().get(&name).is_some() {
                    assert!(std::mem::take(&mut self.granted), "A3: nothing runs that nobody allowed");
                    let path = arguments.paths().next().unwrap_or_default();
                    assert!(!path.starts_with("..") && path != "denied", "A3: {path} was run");
                }
                assert!(!self.spent.is_late(), "T7: no tool after the deadline");
                assert!(!self.is_paused, "A2: no tool in a pause");
                if name == RUN {
                    let withheld = self.withholds(&call_id, arguments.paths().next().is_some());
                    self.commanding.runs(&call_id, &arguments, command, &self.bounds, withheld);
                }
                if name == "read"
                    && self.pausing.withholds(&arguments)
                    && self.begun.as_ref() != Some(&call_id)
                {
                    assert!(std::mem::take(&mut self.granted), "X6: nothing is read back unasked");
                }
                if self.begun.as_ref() == Some(&call_id) {
                    // A5: it has no outcome, so it is still the same run.
                    self.begun = None;
                    assert_eq!(self.running.replace(call_id), None, "one tool at a time");
                    return;
                }
                self.tool_runs += 1;
                assert!(self.tool_runs <= self.bounds.tool_runs, "T4: {} tool runs", self.tool_runs);
                let signature = self.signature_of(&call_id);
                assert!(self.freshness.runs(&signature), "D2: {signature} ran twice");
                assert_eq!(self.running.replace(call_id), None, "one tool at a time");
            }
            Work::Prepare { arguments, .. } => {
                assert_eq!(self.running, None, "no tool runs while a command is looked at");
                assert!(!self.spent.is_late(), "T7: no command is looked at after the deadline");
                assert!(!self.is_paused, "A2: no command is looked at in a pause");
                self.commanding.begins(job, arguments);
            }
            Work::Compare { .. } => {
                assert_eq!(self.running, None, "no tool runs while a file is compared");
                assert_eq!(self.comparing.replace(job), None, "one file at a time");
                self.changed = false;
            }
            Work::GatherFacts => self.gathering = Some(job),
            Work::Check { of, attempt, passed } => {
                assert_eq!(self.running, None, "no tool runs while a check does");
                assert!(!self.spent.is_late(), "T7: no check after the deadline");
                assert!(!self.is_paused, "A2: no check in a pause");
                self.checking.begins(job, of, attempt, passed);
            }
            Work::Propose { write, source, .. } => {
                let content = match source {
                    Source::Content { content, .. } => content.to_string(),
                    Source::Draft(draft) => kept(draft.content_sha256),
                };
                self.proposing = Some((job, write, content));
            }
            Work::Write { write, sha256, .. } => {
                assert!(!self.writes.contains(&write), "A5: write {write} has its end");
                assert_eq!(self.approved.take(), Some(sha256), "A3, W6: only what was approved is written");
                assert_eq!(self.writing.replace(job), None, "one write at a time");
            }
            Work::RecoverWrite { write, .. } => {
                assert!(!self.writes.contains(&write), "A5: write {write} has its end");
                self.writing = Some(job);
            }
        }
    }

    fn ends(&mut self, job: JobId) {
        if self.checking.told_to_end(job) {
            return;
        }
        assert_eq!(self.tool_job, Some(job), "A4: what ends is the tool that runs");
        let runs = self.running.as_ref().and_then(|call| self.commanding.running(call));
        assert!(runs.is_some(), "A4: only a command is waited for");
        assert_eq!(self.told_to_end.replace(job), None, "it is told once");
    }

    fn cancels(&mut self, job: JobId) {
        if self.tool_job.take_if(|running| *running == job).is_some() {
            self.running = None;
        }
        self.commanding.cancelled(job);
        self.checking.cancelled(job);
        self.comparing.take_if(|running| *running == job);
        self.gathering.take_if(|running| *running == job);
        self.proposing.take_if(|(running, ..)| *running == job);
        assert_ne!(self.writing, Some(job), "W6: a write that has begun is not broken off");
    }

    fn check_event(&mut self, envelope: &Envelope) {
        assert_eq!(envelope.seq, self.seq + 1, "T2: seq grows by exactly 1");
        self.seq = envelope.seq;
        self.states.event(envelope);
        self.checking.event(envelope);
        match &envelope.event {
            TurnEvent::ToolCall { tool_call_id, signature, name, arguments, leaked, .. } => {
                assert!(self.last_signature.iter().all(|(id, _)| id != tool_call_id), "call ids are unique");
                self.last_signature.push((tool_call_id.clone(), signature.clone()));
                self.freshness.accepted(signature);
                if self.turn.tools().get(name).is_none() {
                    self.unknown.insert(tool_call_id.clone());
                }
                if name == RUN {
                    let arguments = arguments.as_object().expect("an object");
                    self.commanding.comes(tool_call_id, arguments, *leaked, signature);
                }
            }
            TurnEvent::ToolResult { tool_call_id, command, .. } => {
                self.commanding.over(tool_call_id, command.as_deref());
                if self.ending.take_if(|ending| ending == tool_call_id).is_some() {
                    self.freshness.ended(self.signatures_of(tool_call_id));
                }
                assert!(self.finished.insert(tool_call_id.clone()), "A5: {tool_call_id} has one outcome");
                self.running.take_if(|running| running == tool_call_id);
                self.begun.take_if(|begun| begun == tool_call_id);
            }
            TurnEvent::DuplicateRefused { signature, original, .. } => {
                self.freshness.refused(signature, self.finished.contains(original));
            }
            TurnEvent::CallReused { signature, original, count, limit, .. } => {
                self.reused += 1;
                assert_eq!((*count, *limit), (self.reused, self.max_reuses), "X6");
                assert!(self.reused <= self.max_reuses, "X6: {} reuses", self.reused);
                let first = self.freshness.runs(signature) || self.changed;
                self.freshness.accepted(signature);
                assert!(first, "D2: {signature} was read twice");
                let whole = self.turn.conversation().messages("").into_iter().any(|message| match message {
                    Message::System { text } | Message::Tool { text, .. } => {
                        text.starts_with(&format!("Result of call {original}:")) && text.contains("<<<NONCE")
                    }
                    _ => false,
                });
                assert!(whole, "X6: the box of {original} is whole in the context");
            }
            TurnEvent::PhaseStarted { write, .. } => self.prompts = write.is_some(),
            TurnEvent::Asked { digest, of } => self.is_asked(*digest, of),
            TurnEvent::Answered { digest, given } => self.is_answered(*digest, given),
            TurnEvent::Steered { text } => self.steering.comes(text),
            TurnEvent::Queued { messages } => self.steering.queued(*messages),
            TurnEvent::PhaseEnded { cause: PhaseCause::ToolsDone, .. } => self.pausing.tools_done(),
            TurnEvent::PhaseEnded { cause: PhaseCause::Paused, .. } => {
                assert_eq!(self.live_call, None, "A2: the response was dropped");
            }
            TurnEvent::PauseRequested { after_tools, .. } => self.pausing.after_tools = *after_tools,
            // D3: once per cut.
            TurnEvent::ContextCut { .. } => self.freshness.may_have_changed(),
            TurnEvent::WriteReady { write, proposal } => {
                self.ready = Some((*write, proposal.digest, proposal.sha256));
                if self.writes_freely {
                    self.approved = Some(proposal.sha256);
                }
            }
            TurnEvent::WriteDone { write, status, sha256, .. } => {
                assert!(self.writes.insert(*write), "a session ends once");
                assert_eq!(sha256.is_some(), *status == WriteStatus::Written, "W8");
                self.ready = None;
                self.writing = None;
                self.proposing = None;
            }
            _ => {}
        }
        if let Some(report) = envelope.event.terminal() {
            self.spent.response_over(&self.bounds);
            self.terminals += 1;
            self.checking.over(report, self.has_checks);
            self.steering.over(report.steered, self.turn.unsteered());
            self.is_paused = false;
            assert_eq!(
                (report.model_calls, report.write_prompts, report.tool_runs, report.reused, report.bounds),
                (self.model_calls, self.write_prompts, self.tool_runs, self.reused, self.bounds),
                "J5: the report counts what happened",
            );
            assert!(report.cycles <= report.bounds.model_calls);
            assert_eq!(self.running, None);
            assert!(self.commanding.looking.is_none(), "A4: the look at a command ends with the turn");
            assert!(report.writes.iter().all(|write| write.status.is_some()), "each session has its end");
        }
    }
}

/// A model is called, a tool runs, or a command is looked at.
fn goes_on(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::CallModel { .. }
            | Effect::Begin { work: Work::Tool { .. } | Work::Prepare { .. } | Work::Check { .. }, .. }
    )
}
