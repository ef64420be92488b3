//! A summary in the middle of a turn (X4). When the next request would be cut, and the person has allowed a summary, the model first sums up
//! what the session gave, and an entry takes the place of that part. If no entry comes of the call, the conversation is cut as it would have
//! been without it.
//!
//! What was done comes from the journal, which the driver reads meanwhile. Deliberately not here: a compaction that a person asks for
//! (`compacting`).

use orion_protocol::{Entry, Fact, NoticeCode, PhaseCause, StopReason, TurnEvent};

use super::course::Course;
use super::flags::Flag;
use super::phases::Summing;
use super::response::{Most, Response, Sent};
use super::state::Next;
use super::work::Work;
use super::{Effect, ModelInput};
use crate::context::{Given, Item};
use crate::model::{FinishReason, Message, ModelDelta, ModelRequest};
use crate::prompt;
use crate::tool::ToolSet;

impl Course {
    /// Asks for a summary where the next request, with these tools, would be cut. None where it would not be, or no summary may be asked for.
    pub(super) fn sum_up_first(
        &mut self,
        forced: Option<StopReason>,
        tools: &ToolSet,
        effects: &mut Vec<Effect>,
    ) -> Option<Next> {
        let policy = self.setup.policy;
        // P2: in the unified route it is one of the model calls that cycles have.
        let costs_a_cycle = !policy.refusals_are_free;
        let has_cycle = !costs_a_cycle || (forced.is_none() && self.tally.cycles() < policy.max_cycles);
        let may = policy.compacts_at_cuts && !self.compacts() && self.tally.summaries() == 0 && has_cycle;
        let room = self.room().filter(|_| may)?;
        if self.gauge.tokens(self.request_bytes(tools)) <= room.full() {
            return None;
        }
        let messages =
            self.for_model(self.conversation.given_to_sum_up(&self.setup.system, prompt::SUMMARISE)?);
        let tools = match self.setup.flags.has(Flag::DeclareByRequest) {
            true => self.tools_beside(messages.iter().any(Message::is_of_calls)),
            false => self.tools_without_calls(),
        };
        let mut request = ModelRequest {
            model: self.setup.model.clone(),
            messages,
            tools,
            forbids_tools: true,
            max_output_tokens: self.answer_limit(),
            tuning: self.setup.tuning,
        };
        let bytes = request.bytes();
        if self.gauge.tokens(bytes) > room.total() {
            return None;
        }
        let allowance = self.answer_allowance(bytes).ok()?;
        request.max_output_tokens = allowance.at_most(request.max_output_tokens);
        self.tally.sums_up();
        if costs_a_cycle {
            self.tally.cycle_spent();
        }
        let message = "The conversation is summed up first, to make room.";
        self.notice(NoticeCode::SummingUp, message, effects);
        let call = self.tally.model_called();
        let started = TurnEvent::PhaseStarted {
            cycle: self.tally.cycles(),
            model_call: Some(self.tally.model_calls()),
            write: None,
            is_final: false,
        };
        self.emit(started, effects);
        let sent = Sent { now_ms: self.now_ms, allowance };
        let response = Response::to(&request, call, sent);
        let job = Some(self.begin_job(Work::GatherFacts, effects));
        effects.push(Effect::CallModel { call, request });
        let text = String::new();
        let summing = Summing { response, forced, text, called: false, said: None, job, facts: None };
        Some(Next::Summing(Box::new(summing)))
    }

    pub(super) fn step_summing(
        &mut self,
        summing: &mut Summing,
        event: ModelInput,
        effects: &mut Vec<Effect>,
    ) -> Next {
        if summing.said.is_some() {
            return Next::Stay;
        }
        match event {
            ModelInput::Changed { .. } | ModelInput::Connected => Next::Stay,
            ModelInput::Retrying { attempt, delay_ms, cause } => {
                self.retrying(attempt, delay_ms, cause, effects);
                Next::Stay
            }
            ModelInput::Deltas { deltas } => {
                summing.response.came(self.now_ms);
                for delta in deltas {
                    if let Some(why) = self.take_summary_piece(summing, delta) {
                        effects.push(Effect::DropModel { call: summing.call() });
                        return self.cut_instead(summing, PhaseCause::Length, why, effects);
                    }
                }
                Next::Stay
            }
            ModelInput::Ended => self.summary_ended(summing, effects),
            ModelInput::Failed { error } => {
                self.cut_instead(summing, PhaseCause::Failed, &error.message, effects)
            }
        }
    }

    /// Takes a piece. Says why the response is dropped there, if it is (P11, T7).
    fn take_summary_piece(&self, summing: &mut Summing, mut delta: ModelDelta) -> Option<&'static str> {
        let over = summing.response.take_in(&mut delta, Most::default());
        let repeating = self.watch(&mut summing.response, &mut delta, None);
        match delta {
            ModelDelta::Text { text } => {
                summing.response.count(text.len());
                summing.text.push_str(&text);
            }
            ModelDelta::Reasoning { text } => summing.response.count(text.len()),
            ModelDelta::ToolCall { delta } => {
                summing.called = true;
                summing.response.count(delta.arguments.map_or(0, |piece| piece.bytes()));
            }
            ModelDelta::ReasoningField { .. } | ModelDelta::ReasoningDetails { .. } => {}
            ModelDelta::Finish { reason } => summing.response.finish(reason),
            ModelDelta::Usage { usage } => summing.response.used(usage),
        }
        match (repeating, over) {
            (Some(_), _) => Some("The model kept repeating itself."),
            (None, Some(_)) => Some("The summary was too long."),
            (None, None) => None,
        }
    }

    fn summary_ended(&mut self, summing: &mut Summing, effects: &mut Vec<Effect>) -> Next {
        let summary = summing.text.trim();
        let why = match summing.response.meaning(&self.setup.profile) {
            _ if summing.called => Some("The model called a tool in the place of a summary."),
            FinishReason::Complete if summary.is_empty() => Some("The model sent no summary."),
            FinishReason::Complete => None,
            // P10
            _ => Some("The summary was cut off."),
        };
        if let Some(why) = why {
            return self.cut_instead(summing, PhaseCause::Answered, why, effects);
        }
        summing.said = Some(summary.to_owned());
        self.end_response(&mut summing.response, PhaseCause::Answered, effects);
        self.put_entry(summing, effects)
    }

    /// What was done in the session was read, or could not be.
    pub(super) fn step_facts(
        &mut self,
        summing: &mut Summing,
        facts: Option<Vec<Fact>>,
        effects: &mut Vec<Effect>,
    ) -> Next {
        summing.job = None;
        if facts.is_none() {
            if summing.said.is_none() {
                effects.push(Effect::DropModel { call: summing.call() });
            }
            let why = "What was done in it could not be read.";
            return self.cut_instead(summing, PhaseCause::Failed, why, effects);
        }
        summing.facts = facts;
        self.put_entry(summing, effects)
    }

    /// Puts the entry in the place of what the session gave, once both of its parts are there.
    fn put_entry(&mut self, summing: &mut Summing, effects: &mut Vec<Effect>) -> Next {
        let (Some(summary), Some(facts)) = (&summing.said, &summing.facts) else { return Next::Stay };
        let entry = Entry {
            nonce: self.setup.nonce.clone(),
            summary: summary.clone(),
            edited: false,
            facts: facts.clone(),
        };
        let item = Item::of_entry(entry.clone(), self.setup.ids.request_id);
        let Given { bytes, turns } = self.conversation.given();
        if item.bytes() as u64 >= bytes {
            let why = "The summary and the list of what was done are no shorter than the conversation.";
            return self.cut_instead(summing, PhaseCause::Answered, why, effects);
        }
        let tools = self.setup.tools.clone();
        let tokens_before = self.gauge.tokens(self.request_bytes(&tools));
        for call in self.conversation.compact_given(item) {
            self.ledger.cut(&call); // D3
        }
        let tokens_after = self.gauge.tokens(self.request_bytes(&tools));
        let entry = Box::new(entry);
        self.emit(TurnEvent::Compacted { tokens_before, tokens_after, turns, entry }, effects);
        self.call_again(summing.forced, effects)
    }

    /// No entry comes of it. The next call is made with a conversation that is cut.
    pub(super) fn cut_instead(
        &mut self,
        summing: &mut Summing,
        cause: PhaseCause,
        why: &str,
        effects: &mut Vec<Effect>,
    ) -> Next {
        effects.extend(summing.job.take().map(|job| Effect::Cancel { job }));
        if summing.said.is_none() {
            self.end_response(&mut summing.response, cause, effects);
        }
        let message = format!("The conversation is not summed up, but cut. {why}");
        self.notice(NoticeCode::NotCompacted, message, effects);
        self.call_again(summing.forced, effects)
    }

    /// The turn leaves while a summary is on its way (A4, A5).
    pub(super) fn abandon_summing(
        &mut self,
        summing: &mut Summing,
        cause: PhaseCause,
        effects: &mut Vec<Effect>,
    ) {
        effects.extend(summing.job.take().map(|job| Effect::Cancel { job }));
        if summing.said.is_none() {
            effects.push(Effect::DropModel { call: summing.call() });
            self.end_response(&mut summing.response, cause, effects);
        }
    }
}
