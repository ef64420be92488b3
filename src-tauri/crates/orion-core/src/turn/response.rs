//! A model's response as it streams in: the same in the action phase and in a write session.
//!
//! Deliberately not here: what its text is for (an answer, a file), which calls are in it, and what the turn does when it ends.

use orion_protocol::{ErrorInfo, NoticeCode, PhaseCause, TurnEvent, Usage, WindowSource};

use super::Effect;
use super::course::Course;
use super::tally::{estimated, since};
use super::watches::Watches;
use crate::context::Count;
use crate::model::{FinishReason, ModelRequest, Profile};

/// One model call, with what the provider reports about it.
#[derive(Debug, Clone)]
pub(super) struct Response {
    call: u32,
    started_ms: i64,
    first_ms: Option<i64>,
    prompt_bytes: usize,
    /// Bytes of all that was sent, by which its tokens are gauged (X2).
    gauged_bytes: u64,
    /// Bytes that it sent, to estimate its tokens.
    answer_bytes: usize,
    finish: Option<String>,
    usage: Option<Usage>,
    watches: Box<Watches>,
}

impl Response {
    /// The response to a request that goes out now.
    pub(super) fn to(request: &ModelRequest, call: u32, now_ms: i64) -> Self {
        Self {
            call,
            started_ms: now_ms,
            first_ms: None,
            prompt_bytes: request.text_bytes(),
            gauged_bytes: request.bytes(),
            answer_bytes: 0,
            finish: None,
            usage: None,
            watches: Box::default(),
        }
    }

    /// The number of its model call.
    pub(super) fn call(&self) -> u32 {
        self.call
    }

    pub(super) fn watches(&mut self) -> &mut Watches {
        &mut self.watches
    }

    /// A part of the response has come.
    pub(super) fn came(&mut self, now_ms: i64) {
        self.first_ms.get_or_insert(now_ms);
    }

    pub(super) fn count(&mut self, bytes: usize) {
        self.answer_bytes += bytes;
    }

    pub(super) fn answer_bytes(&self) -> usize {
        self.answer_bytes
    }

    pub(super) fn finish(&mut self, reason: String) {
        FinishReason::keep(&mut self.finish, reason);
    }

    /// The finish reason, word for word.
    pub(super) fn reason(&self) -> &str {
        self.finish.as_deref().unwrap_or_default()
    }

    /// What the finish reason means. A clean end without one is an end (P10).
    pub(super) fn meaning(&self, profile: &Profile) -> FinishReason {
        let accepted = &profile.accepted_finish_reasons;
        self.finish.as_deref().map_or(FinishReason::Complete, |reason| FinishReason::of(reason, accepted))
    }

    /// The error that the finish reason means, if it means one (P10).
    pub(super) fn broke_off(&self) -> Option<ErrorInfo> {
        let reason = self.finish.as_deref()?;
        FinishReason::of(reason, &[]).error(reason)
    }

    /// P9: the last usage counts.
    pub(super) fn used(&mut self, usage: Usage) {
        self.usage = Some(usage);
    }

    /// The tokens of the call: the provider's count, else an estimate of 4 bytes a token; none when nothing came back.
    fn usage(&self) -> Option<Usage> {
        self.usage.or_else(|| {
            self.first_ms?;
            Some(estimated(self.prompt_bytes, self.answer_bytes))
        })
    }
}

impl Course {
    /// Ends the phase of a response.
    pub(super) fn end_response(
        &mut self,
        response: &mut Response,
        cause: PhaseCause,
        effects: &mut Vec<Effect>,
    ) {
        let usage = response.usage();
        if let Some(usage) = usage {
            self.tally.used(usage);
        }
        let count = response.usage.filter(|usage| !usage.estimated).and_then(|usage| usage.prompt_tokens);
        let expected = self.gauge.tokens(response.gauged_bytes);
        let counted = count.map(|tokens| self.gauge.count(tokens, response.gauged_bytes));
        let duration_ms = since(response.started_ms, self.now_ms);
        self.tally.phase(self.phase, None, duration_ms);
        let ended = TurnEvent::PhaseEnded {
            duration_ms,
            cause,
            finish_reason: response.finish.take(),
            usage,
            first_chunk_ms: response.first_ms.map(|first_ms| since(response.started_ms, first_ms)),
        };
        self.emit(ended, effects);
        // A journal without a window is of an earlier machine, which did not look.
        if let (Some(Count::Cut), Some(tokens), Some(_)) = (counted, count, self.setup.numbers.window) {
            // T8: a journal that does not say where its window comes from is of an Orion that did not learn from it.
            let then = match self.setup.numbers.window_source {
                None | Some(WindowSource::Setting) => "Set the model's window to what the server runs with.",
                Some(WindowSource::Endpoint | WindowSource::Table | WindowSource::Assumed) => {
                    "From the next message on it is sent less."
                }
            };
            let message = format!(
                "The server cut the conversation: it read {tokens} of about {expected} tokens. {then}"
            );
            self.notice(NoticeCode::ServerCut, message, effects);
        }
    }

    pub(super) fn retrying(
        &mut self,
        attempt: u32,
        delay_ms: u64,
        cause: ErrorInfo,
        effects: &mut Vec<Effect>,
    ) {
        self.tally.retried();
        let cause = cause.of_turn(self.setup.ids);
        self.emit(TurnEvent::Retrying { attempt, delay_ms, cause }, effects);
    }

    pub(super) fn show_reasoning(&mut self, text: String, effects: &mut Vec<Effect>) {
        let offset = self.reasoning_bytes;
        self.reasoning_bytes += text.len() as u64;
        effects.push(Effect::Show(self.envelope(TurnEvent::ReasoningChunk { offset, text })));
    }
}
