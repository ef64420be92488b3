//! What a turn under test has used of its tokens, seconds and money, counted apart from the machine (T7).

use orion_core::model::{ModelNumbers, ModelRequest};
use orion_core::turn::{Input, TurnSetup};
use orion_protocol::{Bounds, Policy, TurnEvent, Usd};

#[derive(Clone)]
pub(crate) struct Spent {
    policy: Policy,
    numbers: ModelNumbers,
    /// Milliseconds since the last input.
    pub(crate) passed_ms: i64,
    /// Milliseconds in which the turn waited for nobody.
    ran_ms: i64,
    /// Bytes that the response under way has shown.
    response_bytes: u64,
    /// Bytes of content that it has shown.
    content_bytes: u64,
    /// Tokens of the responses before it.
    output_tokens: u64,
    cost: Usd,
}

impl Spent {
    pub(crate) fn of(setup: &TurnSetup) -> Self {
        Self {
            policy: setup.policy,
            numbers: setup.numbers,
            passed_ms: 0,
            ran_ms: 0,
            response_bytes: 0,
            content_bytes: 0,
            output_tokens: 0,
            cost: Usd::ZERO,
        }
    }

    /// An input comes to a turn that waits for a person, or for nobody. Nobody drove the turn before it was resumed.
    pub(crate) fn comes(&mut self, input: &Input, waits: bool) {
        let passed_ms = std::mem::take(&mut self.passed_ms);
        if !waits && !matches!(input, Input::Resumed { .. }) {
            self.ran_ms += passed_ms;
        }
    }

    /// Whether the seconds are used up.
    pub(crate) fn is_late(&self) -> bool {
        self.policy.max_seconds.is_some_and(|seconds| self.ran_ms >= i64::from(seconds) * 1_000)
    }

    pub(crate) fn calls(&mut self, request: &ModelRequest, bounds: &Bounds) {
        assert!(!self.is_late(), "T7: no call after the deadline");
        self.response_over(bounds);
        if let Some(prices) = self.numbers.prices {
            self.cost = self.cost.plus(prices.prompt.of_tokens(request.bytes().div_ceil(4)));
        }
    }

    pub(crate) fn shows(&mut self, event: &TurnEvent) {
        match event {
            TurnEvent::WriteProgress { text, bytes, .. } => {
                self.content_bytes += text.len() as u64;
                let most = self.policy.max_file_bytes.map(u64::from);
                assert!(most.is_none_or(|most| *bytes <= most), "T7: {bytes} bytes of a file");
            }
            TurnEvent::TextChunk { text, .. } | TurnEvent::ReasoningChunk { text, .. } => {
                self.response_bytes += text.len() as u64;
                let most = self.policy.most_answer_bytes();
                assert!(most.is_none_or(|most| self.response_bytes <= most), "T7: an answer");
            }
            _ => {}
        }
    }

    /// The response under way is over: what it costs at least, by what it has shown.
    pub(crate) fn response_over(&mut self, bounds: &Bounds) {
        let bytes = std::mem::take(&mut self.response_bytes) + std::mem::take(&mut self.content_bytes);
        let tokens = bytes.div_ceil(4);
        self.output_tokens += tokens;
        if let Some(prices) = self.numbers.prices {
            self.cost = self.cost.plus(prices.completion.of_tokens(tokens));
        }
        assert!(bounds.output_tokens.is_none_or(|most| self.output_tokens <= most), "T7: tokens");
        assert!(bounds.cost_usd.is_none_or(|most| self.cost <= most), "T7: {} spent", self.cost);
    }
}

/// A kilobyte of text without repeats.
pub(crate) fn flood() -> String {
    (0..).map(|number| format!("{number} ")).take(270).collect()
}
