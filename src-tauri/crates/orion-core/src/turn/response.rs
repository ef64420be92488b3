//! A model's response as it streams in: the same in the action phase and in a write session.
//!
//! Deliberately not here: what its text is for (an answer, a file), which calls are in it, and what the turn does when it ends.

use orion_protocol::{ErrorInfo, NoticeCode, PhaseCause, TurnEvent, Usage, WindowSource};

use super::Effect;
use super::course::Course;
use super::flags::Flag;
use super::tally::{estimated, since};
use super::watches::Watches;
use crate::context::Count;
use crate::model::{ArgumentsDelta, FinishReason, ModelDelta, ModelRequest, Profile};

/// What a response may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Allowance {
    /// Tokens that are asked for; none where nothing limits them.
    pub(super) tokens: Option<u32>,
    /// Bytes at which it is cut off, whatever they are part of.
    pub(super) bytes: Option<u64>,
}

impl Allowance {
    /// The limit that is sent, where one is sent at all (X2).
    pub(super) fn at_most(self, sent: Option<u32>) -> Option<u32> {
        sent.map(|sent| self.tokens.map_or(sent, |tokens| tokens.min(sent)))
    }
}

/// What a response depends on that is known when its request goes out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    pub(super) now_ms: i64,
    pub(super) allowance: Allowance,
}

/// The most bytes that parts of a response may have, beside its own limit. None where nothing limits a part.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Most {
    /// What is left to the text.
    pub(super) text: Option<u64>,
    /// All that is no text.
    pub(super) aside: Option<u64>,
}

/// Whose limit was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    Response,
    File,
}

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
    allowance: Allowance,
    /// Bytes of everything in it (T7).
    bytes: u64,
    /// Bytes of it that are no text.
    aside: u64,
    /// It was cut off at its limit (T7).
    cut_off: bool,
    finish: Option<String>,
    usage: Option<Usage>,
    /// The provider's count of its request was taken (X2).
    counted: bool,
    watches: Box<Watches>,
}

impl Response {
    /// The response to a request that goes out now.
    pub(super) fn to(request: &ModelRequest, call: u32, sent: Sent) -> Self {
        let Sent { now_ms, allowance } = sent;
        Self {
            allowance,
            bytes: 0,
            aside: 0,
            cut_off: false,
            call,
            started_ms: now_ms,
            first_ms: None,
            prompt_bytes: request.text_bytes(),
            gauged_bytes: request.bytes(),
            answer_bytes: 0,
            finish: None,
            usage: None,
            counted: false,
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

    /// Takes in a piece, up to the place where the response or the file has no more bytes left (T7). The rest of the piece is cut off.
    pub(super) fn take_in(&mut self, piece: &mut ModelDelta, most: Most) -> Option<Over> {
        let (of_file, part) = match piece {
            ModelDelta::Text { .. } => (most.text, None),
            _ => (None, most.aside.map(|most| most.saturating_sub(self.aside))),
        };
        let of_response = self.allowance.bytes.map(|most| most.saturating_sub(self.bytes));
        let left = [of_file, part, of_response].into_iter().flatten().min().unwrap_or(u64::MAX);
        let (taken, is_over) = cut_to(piece, left);
        self.bytes += taken;
        if !matches!(piece, ModelDelta::Text { .. }) {
            self.aside += taken;
        }
        match is_over {
            false => None,
            true if of_file.is_some_and(|of_file| of_file == left) => Some(Over::File),
            true => Some(Over::Response),
        }
    }

    /// Orion cut it off at its limit (T7).
    pub(super) fn cut_off(&mut self) {
        self.cut_off = true;
    }

    /// The tokens at which Orion cut it off; none if it did not.
    pub(super) fn limit(&self) -> Option<u32> {
        self.allowance.tokens.filter(|_| self.cut_off)
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
        if self.cut_off {
            return FinishReason::Length;
        }
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

/// The share of so many tokens that a part of the bytes has.
fn share(tokens: u64, part: u64, bytes: u64) -> u64 {
    (u128::from(tokens) * u128::from(part.min(bytes)) / u128::from(bytes.max(1))) as u64
}

/// Cuts a piece to so many bytes, at the end of a character before them. Returns the bytes that are left of it, and whether any are gone.
fn cut_to(piece: &mut ModelDelta, left: u64) -> (u64, bool) {
    let (beside, text) = match piece {
        ModelDelta::Text { text } | ModelDelta::Reasoning { text } => (0, Some(text)),
        ModelDelta::ToolCall { delta } => {
            let names =
                [&delta.id, &delta.name, &delta.extra].into_iter().flatten().map(String::len).sum::<usize>();
            let text = delta.arguments.as_mut().map(|arguments| match arguments {
                ArgumentsDelta::Fragment(text) | ArgumentsDelta::Whole(text) => text,
            });
            (names as u64, text)
        }
        // What can be read of a list of reasoning is counted as reasoning. The list itself is bounded where it is read.
        ModelDelta::ReasoningDetails { .. }
        | ModelDelta::ReasoningField { .. }
        | ModelDelta::Finish { .. }
        | ModelDelta::Usage { .. } => {
            return (0, false);
        }
    };
    let mut taken = beside.min(left);
    let mut is_over = beside > left;
    if let Some(text) = text {
        let room = usize::try_from(left.saturating_sub(beside)).unwrap_or(usize::MAX);
        is_over |= text.len() > room;
        text.truncate(text.floor_char_boundary(room));
        taken += text.len() as u64;
    }
    (taken, is_over)
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
            self.tally.used(usage, self.setup.numbers.prices.as_ref());
        }
        self.spend(response.gauged_bytes, response.bytes);
        let reported = response.usage.filter(|usage| !usage.estimated);
        let counts_cached = self.setup.flags.has(Flag::CountCached);
        let count = reported.and_then(|usage| {
            let (prompt, cached) = (usage.prompt_tokens?, usage.cached_tokens.unwrap_or_default());
            Some(if counts_cached {
                self.gauge.reading(prompt, cached, response.gauged_bytes)
            } else {
                prompt
            })
        });
        let expected = self.gauge.tokens(response.gauged_bytes);
        let counted = count.map(|tokens| match counts_cached {
            true => self.gauge.count_prompt(tokens, response.gauged_bytes),
            false => self.gauge.count(tokens, response.gauged_bytes),
        });
        response.counted = counted == Some(Count::Taken);
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
        if let (Some(Count::Cut), Some(tokens), Some(_)) = (counted, count, self.setup.numbers.window) {
            let then = match self.setup.numbers.window_source {
                None | Some(WindowSource::Setting) => "Set the model's window to what the server runs with.",
                Some(WindowSource::Endpoint | WindowSource::Table | WindowSource::Assumed) => {
                    "From the next message on it is sent less."
                }
            };
            let [tokens, expected] = [u64::from(tokens), expected].map(|tokens| self.in_words(tokens));
            let message = format!(
                "The server cut the conversation: it read {tokens} of about {expected} tokens. {then}"
            );
            self.notice(NoticeCode::ServerCut, message, effects);
        }
    }

    /// Takes the provider's count of an answer (X2), of which so many bytes stay in the conversation. `reasoning`: bytes that do not.
    pub(super) fn count_answer(&mut self, response: &Response, stay: u64, reasoning: u64) {
        let tokens = response.usage.filter(|_| response.counted).and_then(|usage| {
            let all = u64::from(usage.completion_tokens?);
            let reasoned = match usage.reasoning_tokens {
                _ if self.setup.profile.sends_reasoning() => 0,
                Some(reasoned) => u64::from(reasoned),
                None => share(all, reasoning, response.bytes),
            };
            Some(all.saturating_sub(reasoned))
        });
        if let (Some(tokens), true) = (tokens, self.setup.flags.has(Flag::CountAnswers)) {
            let said = response.bytes.saturating_sub(reasoning);
            self.gauge.count_answer(share(tokens, stay, said), stay);
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
}
