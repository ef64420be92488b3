//! The part of a turn that outlives its states: the setup, the conversation so far, the counts. It also emits the events.
//!
//! Deliberately not here: the state (`state`), and how a state takes its inputs.

use std::collections::{BTreeSet, HashSet};

use orion_protocol::{
    BatchId, Envelope, Exhausted, Given, NoticeCode, PROTOCOL_VERSION, Pending, PendingOf, Phase, Purpose,
    Sha256, StopReason, TurnEvent, Usd,
};

use super::checked::Checked;
use super::elapsed::Elapsed;
use super::flags::Flag;
use super::pausing::Pausing;
use super::steered::Steered;
use super::tally::Tally;
use super::{Effect, TurnSetup};
use crate::context::{About, Conversation, Gauge, Item};
use crate::leak::Beginnings;
use crate::ledger::Ledger;
use crate::model::Message;
use crate::prompt;

/// The part of a turn that every state shares.
#[derive(Debug, Clone)]
pub(super) struct Course {
    pub(super) setup: TurnSetup,
    pub(super) conversation: Conversation,
    /// How many tokens a request has (X2).
    pub(super) gauge: Gauge,
    /// The further responses are to come without thinking, where that can be asked for: one only reasoned.
    pub(super) without_thoughts: bool,
    /// The ways in which a call begins that the model writes into its text, once they were needed.
    pub(super) beginnings: Option<Beginnings>,
    /// Messages of Orion for the next model call. They wait until then, since a provider's own tool messages must follow their call at
    /// once.
    notes: Vec<(String, About)>,
    /// The notices about ignore files that the person has seen in this turn.
    told: BTreeSet<String>,
    pub(super) seq: u32,
    pub(super) now_ms: i64,
    pub(super) elapsed: Elapsed,
    /// What its calls have cost, by Orion's own count (T7).
    pub(super) spent: Usd,
    pub(super) phase: Phase,
    pub(super) batch: Option<BatchId>,
    pub(super) text_bytes: u64,
    pub(super) reasoning_bytes: u64,
    pub(super) ledger: Ledger,
    pub(super) tally: Tally,
    /// Jobs begun so far.
    pub(super) jobs: u32,
    /// The question that is open.
    pub(super) pending: Option<Pending>,
    /// Digests of what a person answered (A3).
    answered: HashSet<Sha256>,
    pub(super) pausing: Pausing,
    pub(super) steered: Steered,
    pub(super) checked: Checked,
    /// How it ended.
    pub(super) ended: Option<StopReason>,
    /// Ids of calls that earlier turns made (X1).
    pub(super) taken: HashSet<String>,
}

impl Course {
    /// The history moves into the conversation, which is where it is needed.
    pub(super) fn new(mut setup: TurnSetup) -> Self {
        let mut history = std::mem::take(&mut setup.history);
        if setup.flags.has(Flag::KeepReasoning) {
            history.iter_mut().for_each(|item| item.message.weighs_for(&setup.profile));
        }
        let conversation = match setup.purpose() {
            Purpose::Answer => Conversation::new(history, setup.changes.clone(), setup.text.clone()),
            Purpose::Compact => Conversation::to_sum_up(history, prompt::SUMMARISE.to_owned()),
        };
        let taken = conversation.call_ids().map(str::to_owned).collect();
        Self {
            gauge: setup.gauge,
            without_thoughts: false,
            beginnings: None,
            conversation,
            notes: Vec::new(),
            told: BTreeSet::new(),
            seq: 0,
            now_ms: setup.at_ms,
            elapsed: Elapsed::since(setup.at_ms),
            spent: Usd::ZERO,
            phase: Phase::ActionPhase,
            batch: None,
            text_bytes: 0,
            reasoning_bytes: 0,
            ledger: Ledger::default(),
            tally: Tally::new(setup.at_ms),
            jobs: 0,
            pending: None,
            answered: HashSet::new(),
            pausing: Pausing { after_tools: setup.policy.pause_after_tool, next: setup.begins_paused },
            steered: Steered::default(),
            checked: Checked::default(),
            ended: None,
            taken,
            setup,
        }
    }

    /// Shows notices about the project's ignore files, each once in a turn.
    pub(super) fn tell_of_ignore_files(&mut self, notices: Vec<String>, effects: &mut Vec<Effect>) {
        for notice in notices {
            if self.told.insert(notice.clone()) {
                self.notice(NoticeCode::IgnoreFile, notice, effects);
            }
        }
    }

    /// A durable event: the next `seq` (T2).
    pub(super) fn emit(&mut self, event: TurnEvent, effects: &mut Vec<Effect>) {
        self.seq += 1;
        self.pending = Pending::after(self.pending.take(), &event);
        effects.push(Effect::Emit(self.envelope(event)));
    }

    /// Asks a person, and waits for the reply (A7).
    pub(super) fn ask(&mut self, digest: Sha256, of: PendingOf, effects: &mut Vec<Effect>) {
        self.emit(TurnEvent::Asked { digest, of }, effects);
    }

    /// The question has its answer (A3).
    pub(super) fn answered(&mut self, digest: Sha256, given: Given, effects: &mut Vec<Effect>) {
        self.answered.insert(digest);
        self.emit(TurnEvent::Answered { digest, given }, effects);
    }

    pub(super) fn was_answered(&self, digest: Sha256) -> bool {
        self.answered.contains(&digest)
    }

    /// Shows text of the answer.
    pub(super) fn show_text(&mut self, text: String, effects: &mut Vec<Effect>) {
        let offset = self.text_bytes;
        self.text_bytes += text.len() as u64;
        effects.push(Effect::Show(self.envelope(TurnEvent::TextChunk { offset, text })));
    }

    /// Shows reasoning.
    pub(super) fn show_reasoning(&mut self, text: String, effects: &mut Vec<Effect>) {
        let offset = self.reasoning_bytes;
        self.reasoning_bytes += text.len() as u64;
        effects.push(Effect::Show(self.envelope(TurnEvent::ReasoningChunk { offset, text })));
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

    /// The conversation as its model takes it.
    pub(super) fn messages(&self) -> Vec<Message> {
        self.for_model(self.conversation.messages(&self.setup.system))
    }

    /// Without images, where the model takes none.
    pub(super) fn for_model(&self, mut messages: Vec<Message>) -> Vec<Message> {
        if !self.setup.profile.takes_images {
            messages.iter_mut().for_each(|message| message.without_images(prompt::NO_IMAGES));
        }
        messages
    }

    /// Adds a message of Orion to the conversation. A provider is given it in a role that it accepts there (R1).
    pub(super) fn say(&mut self, text: String, about: About) {
        self.conversation.push(Item::new(Message::System { text }, about));
    }

    /// Keeps a message of Orion for the next model call.
    pub(super) fn note(&mut self, text: impl Into<String>, about: About) {
        self.notes.push((text.into(), about));
    }

    pub(super) fn say_notes(&mut self) {
        for (text, about) in std::mem::take(&mut self.notes) {
            self.say(text, about);
        }
    }

    /// Whether a call of this session has the id already.
    pub(super) fn has_call(&self, id: &str) -> bool {
        self.taken.contains(id) || self.tally.has_call(id)
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
            _ => {
                self.tally.exhaust(Exhausted::Cycles);
                (
                    NoticeCode::BudgetExhausted,
                    format!(
                        "Budget used: {} of {} cycles.",
                        self.tally.cycles(),
                        self.setup.policy.max_cycles
                    ),
                    prompt::BUDGET_SPENT,
                )
            }
        };
        self.notice(code, message, effects);
        self.note(to_model, About::Budget);
    }
}
