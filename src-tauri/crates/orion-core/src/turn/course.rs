//! What a turn keeps from one state to the next: its setup, the conversation so far, its counts; and how it speaks.
//!
//! Deliberately not here: the state (`state`), and what follows from an input.

use std::collections::{BTreeSet, HashSet};

use orion_protocol::{
    BatchId, Envelope, ErrorInfo, NoticeCode, PROTOCOL_VERSION, Phase, PhaseCause, Sha256, StopReason,
    TurnEvent, TurnStatus,
};

use super::state::{Next, State};
use super::tally::Tally;
use super::{Effect, TurnSetup};
use crate::ledger::Ledger;
use crate::model::{LateSystem, Message};
use crate::prompt;

/// The part of a turn that every state shares.
#[derive(Debug, Clone)]
pub(super) struct Course {
    pub(super) setup: TurnSetup,
    pub(super) conversation: Vec<Message>,
    /// What Orion has to say before the next model call. It waits until then, since a provider's own tool messages must
    /// follow their call at once.
    notes: Vec<String>,
    /// What was said of the project's ignore files: each once.
    told: BTreeSet<String>,
    pub(super) seq: u32,
    pub(super) now_ms: i64,
    pub(super) phase: Phase,
    pub(super) batch: Option<BatchId>,
    pub(super) text_bytes: u64,
    pub(super) reasoning_bytes: u64,
    pub(super) ledger: Ledger,
    pub(super) tally: Tally,
    /// Digests of what a person answered (A3).
    answered: HashSet<Sha256>,
}

impl Course {
    pub(super) fn new(setup: TurnSetup) -> Self {
        let mut conversation = Vec::with_capacity(setup.history.len() + 8);
        conversation.push(Message::System { text: setup.system.clone() });
        conversation.extend(setup.history.iter().cloned());
        conversation.push(Message::User { text: setup.text.clone() });
        Self {
            conversation,
            notes: Vec::new(),
            told: BTreeSet::new(),
            seq: 0,
            now_ms: setup.at_ms,
            phase: Phase::ActionPhase,
            batch: None,
            text_bytes: 0,
            reasoning_bytes: 0,
            ledger: Ledger::default(),
            tally: Tally::new(setup.at_ms),
            answered: HashSet::new(),
            setup,
        }
    }

    /// Says what a person should know about the project's ignore files, unless it was said in this turn.
    pub(super) fn tell_of_ignore_files(&mut self, notices: Vec<String>, effects: &mut Vec<Effect>) {
        for notice in notices {
            if self.told.insert(notice.clone()) {
                self.notice(NoticeCode::IgnoreFile, notice, effects);
            }
        }
    }

    /// Drops what the current phase has under way and ends the phase.
    pub(super) fn leave_phase(&mut self, state: &mut State, cause: PhaseCause, effects: &mut Vec<Effect>) {
        if let Some(action) = state.action() {
            effects.push(Effect::DropModel { call: action.call() });
            self.end_action(action, cause, effects);
        } else if let Some(phase) = state.tools() {
            self.abandon_tools(phase, cause, effects);
        } else if let Some(session) = state.writing() {
            self.abandon_write(session, cause, effects);
        }
    }

    /// Ends the turn with its one terminal event (T3).
    pub(super) fn end(
        &mut self,
        reason: StopReason,
        error: Option<ErrorInfo>,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let status = match reason {
            StopReason::Stopped => TurnStatus::Stopped,
            StopReason::Error => TurnStatus::Failed,
            _ => TurnStatus::Completed,
        };
        let reached = if status == TurnStatus::Completed { Phase::Complete } else { self.phase };
        let report = Box::new(self.tally.report(&self.setup, status, reason, reached, self.now_ms, error));
        self.phase = Phase::Complete;
        self.batch = None;
        let event = match status {
            TurnStatus::Stopped => TurnEvent::Stopped { report },
            TurnStatus::Failed => TurnEvent::Failed { report },
            TurnStatus::Completed | TurnStatus::Waiting => TurnEvent::Completed { report },
        };
        self.emit(event, effects);
        Next::Over
    }

    /// A durable event: the next `seq` (T2).
    pub(super) fn emit(&mut self, event: TurnEvent, effects: &mut Vec<Effect>) {
        self.seq += 1;
        effects.push(Effect::Emit(self.envelope(event)));
    }

    /// A person answered what was asked (A3).
    pub(super) fn approval_given(&mut self, digest: Sha256, granted: bool, effects: &mut Vec<Effect>) {
        self.answered.insert(digest);
        self.emit(TurnEvent::ApprovalGiven { digest, granted }, effects);
    }

    pub(super) fn was_answered(&self, digest: Sha256) -> bool {
        self.answered.contains(&digest)
    }

    pub(super) fn notice(&mut self, code: NoticeCode, message: impl Into<String>, effects: &mut Vec<Effect>) {
        self.emit(TurnEvent::Notice { code, message: message.into() }, effects);
    }

    pub(super) fn envelope(&self, event: TurnEvent) -> Envelope {
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
    pub(super) fn say(&mut self, text: String) {
        let word = self.word(text);
        self.conversation.push(word);
    }

    pub(super) fn word(&self, text: String) -> Message {
        match self.setup.profile.late_system {
            LateSystem::System => Message::System { text },
            LateSystem::User | LateSystem::Tool => Message::User { text },
        }
    }

    /// A word of Orion before the next model call.
    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    pub(super) fn say_notes(&mut self) {
        for text in std::mem::take(&mut self.notes) {
            self.say(text);
        }
    }

    pub(super) fn say_forced_final(&mut self, reason: StopReason, effects: &mut Vec<Effect>) {
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
