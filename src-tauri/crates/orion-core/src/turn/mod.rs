//! The turn: a state machine that takes inputs and returns effects (T, P, D).
//!
//! [`Turn`] holds the conversation, the budget and the state; `action` is the action phase, `tools` the tool phase, `session` an
//! open write session, `content` how its content comes in, `complete` what becomes of it, `approval` how it is approved and written, `tally` what the report counts. Deliberately not here: performing effects, and any clock.

mod action;
mod approval;
mod complete;
mod content;
mod session;
mod setup;
mod tally;
mod tools;

use orion_protocol::{
    BatchId, CallId, Envelope, ErrorInfo, NoticeCode, PROTOCOL_VERSION, Phase, PhaseCause, ProposalCause,
    Seam, StopReason, TurnEvent, TurnReport, TurnStatus,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use session::{Approved, Draft, Proposed, Source, WriteOutcome, WriteSession};
pub use setup::TurnSetup;

use crate::ledger::Ledger;
use crate::model::{LateSystem, Message, ModelDelta, ModelRequest};
use crate::prompt;
use crate::tool::{Opening, Seen, ToolOutcome};
use crate::write::Faults;
use action::Action;
use tally::Tally;
use tools::ToolPhase;

/// Everything that can happen to a turn. Recorded in the journal before it is acted on (T5).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Input {
    /// From the model call of this number. An input of an earlier call is ignored.
    Model { call: u32, event: ModelInput },
    /// A tool call has its outcome.
    Tool { call_id: CallId, outcome: ToolOutcome, duration_ms: u64 },
    /// Files of the project changed, by Orion or by someone else (D3).
    Changed { changes: Vec<Seen> },
    /// The user's answer to an approval (A3). Of a write: as it is proposed, or not at all.
    Approval { digest: String, granted: bool },
    /// The user approves a write, or what is left of it without the hunks that were rejected (W6).
    WriteApproved { digest: String, approved: Approved },
    /// The idle timer of a content message has fired (W4).
    Idle { call: u32 },
    /// What a proposal came to (W5, W6). Unasked, the user changed it.
    Proposed { write: u32, outcome: Proposed },
    /// What a write came to.
    Wrote { write: u32, outcome: WriteOutcome },
    /// Another process goes on with a turn whose write session is open (A5, W7). `seq` is the last one in the journal: what
    /// found the turn interrupted has its own event there.
    Resumed { seq: u32 },
    /// The user stops the turn (A4).
    Stop,
    /// The process that ran the turn has died (A5). Only a stop follows.
    Interrupted,
}

/// What a model call can say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ModelInput {
    Retrying {
        attempt: u32,
        delay_ms: u64,
        cause: ErrorInfo,
    },
    /// All pieces of one event of the stream. Pieces of consecutive events may be joined: nothing but the boundaries of text
    /// chunks changes (T5).
    Deltas {
        deltas: Vec<ModelDelta>,
    },
    Ended,
    Failed {
        error: ErrorInfo,
    },
}

/// What the driver is to do, in this order.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Commit a durable event, then show it (J1).
    Emit(Envelope),
    /// Show a chunk at once; its text reaches the journal with the inputs (J1).
    Show(Envelope),
    CallModel {
        call: u32,
        request: ModelRequest,
    },
    /// Drop the connection of this call (P4, A4).
    DropModel {
        call: u32,
    },
    RunTool {
        batch: BatchId,
        call_id: CallId,
        name: String,
        arguments: Map<String, Value>,
    },
    /// Cancel the tool call that runs (A4).
    CancelTool {
        call_id: CallId,
    },
    /// Feed [`Input::Idle`] after the project's idle time (W4), unless something else comes first.
    AwaitIdle {
        call: u32,
    },
    /// Make the file as it would be, keep it, compare it with the one on disk, and feed [`Input::Proposed`].
    Propose {
        write: u32,
        path: String,
        cause: ProposalCause,
        source: Source,
        /// What the user is to know of the content.
        seams: Vec<Seam>,
        faults: Faults,
    },
    /// Write what was approved (W6), and feed [`Input::Wrote`].
    Write {
        write: u32,
        path: String,
        leads_to: Option<String>,
        base_sha256: Option<String>,
        sha256: String,
    },
    /// Find out what became of a write whose process died, finish it, and feed [`Input::Wrote`].
    RecoverWrite {
        write: u32,
        path: String,
        leads_to: Option<String>,
        base_sha256: Option<String>,
        sha256: String,
    },
}

/// One turn of a conversation.
#[derive(Debug, Clone)]
pub struct Turn {
    setup: TurnSetup,
    conversation: Vec<Message>,
    /// What Orion has to say before the next model call. It waits until then, since a provider's own tool messages must
    /// follow their call at once.
    notes: Vec<String>,
    state: State,
    seq: u32,
    now_ms: i64,
    phase: Phase,
    batch: Option<BatchId>,
    text_bytes: u64,
    reasoning_bytes: u64,
    ledger: Ledger,
    tally: Tally,
    /// A write session that a call of this tool phase opened; it begins when the phase has ended.
    opened: Option<(CallId, Opening)>,
}

#[derive(Debug, Clone)]
enum State {
    /// Waiting for the model.
    Action(Action),
    /// A tool runs, or waits for the user's approval.
    Tools(ToolPhase),
    /// A write session is open (W2).
    Writing(Box<WriteSession>),
    /// The process died; a stop ends it (A5).
    Interrupted,
    Over,
}

impl Turn {
    /// Begins a turn: its first events and its first model call.
    #[must_use]
    pub fn start(setup: TurnSetup) -> (Self, Vec<Effect>) {
        let mut conversation = Vec::with_capacity(setup.history.len() + 8);
        conversation.push(Message::System { text: setup.system.clone() });
        conversation.extend(setup.history.iter().cloned());
        conversation.push(Message::User { text: setup.text.clone() });
        let mut turn = Self {
            conversation,
            notes: Vec::new(),
            state: State::Over,
            seq: 0,
            now_ms: setup.at_ms,
            phase: Phase::ActionPhase,
            batch: None,
            text_bytes: 0,
            reasoning_bytes: 0,
            ledger: Ledger::default(),
            tally: Tally::new(setup.at_ms),
            opened: None,
            setup,
        };
        let mut effects = Vec::new();
        let started = TurnEvent::TurnStarted {
            policy: turn.setup.policy,
            bounds: turn.setup.bounds(),
            mode: turn.setup.mode,
            model: turn.setup.model.clone(),
            endpoint: turn.setup.endpoint.clone(),
            text: turn.setup.text.clone(),
            tools: turn.setup.tools.iter().map(|tool| tool.name.clone()).collect(),
        };
        turn.emit(started, &mut effects);
        turn.begin_action(&mut effects);
        (turn, effects)
    }

    /// Takes one input. `at_ms` is the time since the Unix epoch; a clock that goes back is taken to stand still.
    pub fn step(&mut self, at_ms: i64, input: Input) -> Vec<Effect> {
        // A chunk has one effect, and room for four would be a kilobyte.
        let mut effects = Vec::with_capacity(1);
        if self.is_over() {
            return effects; // T3, A4: nothing follows the end
        }
        self.now_ms = self.now_ms.max(at_ms);
        match input {
            Input::Model { call, event } => self.step_model(call, event, &mut effects),
            Input::Tool { call_id, outcome, duration_ms } => {
                self.step_tool(&call_id, outcome, duration_ms, &mut effects)
            }
            Input::Changed { changes } => {
                self.ledger.change(&changes);
                self.renew(&changes, &mut effects);
            }
            Input::Approval { digest, granted } => self.step_approval(&digest, granted, &mut effects),
            Input::Stop => {
                self.leave_phase(PhaseCause::Stopped, &mut effects);
                self.end(StopReason::Stopped, None, &mut effects);
            }
            Input::WriteApproved { digest, approved } => {
                self.step_write_approved(&digest, approved, &mut effects);
            }
            Input::Idle { call } => self.step_idle(call, &mut effects),
            Input::Proposed { write, outcome } => self.step_proposed(write, outcome, &mut effects),
            Input::Wrote { write, outcome } => self.step_wrote(write, outcome, &mut effects),
            Input::Interrupted => {
                if !matches!(self.state, State::Interrupted) {
                    self.leave_phase(PhaseCause::Interrupted, &mut effects);
                    self.state = State::Interrupted;
                    self.emit(TurnEvent::Interrupted, &mut effects);
                }
            }
            Input::Resumed { seq } => self.resume(seq, &mut effects),
        }
        effects
    }

    /// Whether changes of the project may matter to this turn (D3). Those that cannot need not be recorded.
    #[must_use]
    pub fn minds(&self, changes: &[Seen]) -> bool {
        self.ledger.minds(changes) || self.asks_about(changes)
    }

    /// The open write session.
    #[must_use]
    pub fn write_session(&self) -> Option<&WriteSession> {
        match &self.state {
            State::Writing(session) => Some(session),
            _ => None,
        }
    }

    /// True after the terminal event (T3).
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Over)
    }

    /// The report as it stands: of a turn that goes on, that of one that waits (J5).
    #[must_use]
    pub fn report(&self) -> TurnReport {
        let reason = if self.waits_for_approval() { StopReason::Approval } else { StopReason::Paused };
        self.tally.report(&self.setup, TurnStatus::Waiting, reason, self.phase, self.now_ms, None)
    }

    /// Drops what the current phase has under way and ends the phase.
    fn leave_phase(&mut self, cause: PhaseCause, effects: &mut Vec<Effect>) {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Action(action) => {
                effects.push(Effect::DropModel { call: action.call() });
                self.end_action(action, cause, effects);
            }
            State::Tools(phase) => self.abandon_tools(phase, cause, effects),
            State::Writing(session) => self.abandon_write(*session, cause, effects),
            State::Interrupted | State::Over => {}
        }
    }

    /// Ends the turn with its one terminal event (T3).
    fn end(&mut self, reason: StopReason, error: Option<ErrorInfo>, effects: &mut Vec<Effect>) {
        let status = match reason {
            StopReason::Stopped => TurnStatus::Stopped,
            StopReason::Error => TurnStatus::Failed,
            _ => TurnStatus::Completed,
        };
        let reached = if status == TurnStatus::Completed { Phase::Complete } else { self.phase };
        let report = Box::new(self.tally.report(&self.setup, status, reason, reached, self.now_ms, error));
        self.state = State::Over;
        self.phase = Phase::Complete;
        self.batch = None;
        let event = match status {
            TurnStatus::Stopped => TurnEvent::Stopped { report },
            TurnStatus::Failed => TurnEvent::Failed { report },
            TurnStatus::Completed | TurnStatus::Waiting => TurnEvent::Completed { report },
        };
        self.emit(event, effects);
    }

    /// A durable event: the next `seq` (T2).
    fn emit(&mut self, event: TurnEvent, effects: &mut Vec<Effect>) {
        self.seq += 1;
        effects.push(Effect::Emit(self.envelope(event)));
    }

    fn notice(&mut self, code: NoticeCode, message: impl Into<String>, effects: &mut Vec<Effect>) {
        self.emit(TurnEvent::Notice { code, message: message.into() }, effects);
    }

    fn envelope(&self, event: TurnEvent) -> Envelope {
        let ids = self.setup.ids;
        Envelope {
            v: PROTOCOL_VERSION,
            request_id: ids.request_id,
            session_id: ids.session_id,
            project_id: ids.project_id,
            seq: self.seq,
            at_ms: self.now_ms,
            phase: self.phase,
            tool_batch_id: self.batch,
            event,
        }
    }

    /// A word of Orion after the conversation so far, in the role the provider takes there (R1).
    fn say(&mut self, text: String) {
        let word = self.word(text);
        self.conversation.push(word);
    }

    fn word(&self, text: String) -> Message {
        match self.setup.profile.late_system {
            LateSystem::System => Message::System { text },
            LateSystem::User | LateSystem::Tool => Message::User { text },
        }
    }

    /// A word of Orion before the next model call.
    fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    fn say_notes(&mut self) {
        for text in std::mem::take(&mut self.notes) {
            self.say(text);
        }
    }

    fn say_forced_final(&mut self, reason: StopReason, effects: &mut Vec<Effect>) {
        let (code, message, to_model) = match reason {
            StopReason::DuplicatesExhausted => (
                NoticeCode::DuplicatesExhausted,
                format!(
                    "The model kept repeating itself: {} repeated calls were refused.",
                    self.tally.duplicates()
                ),
                prompt::DUPLICATES_SPENT,
            ),
            _ => (
                NoticeCode::BudgetExhausted,
                format!("Budget used: {} of {} cycles.", self.tally.cycles(), self.setup.policy.max_cycles),
                prompt::BUDGET_SPENT,
            ),
        };
        self.notice(code, message, effects);
        self.note(to_model);
    }
}
