//! How many tokens a request has, by Orion's own count (X2).

use serde::{Deserialize, Serialize};

/// Bytes of a token, before a provider has counted any: T7's 4.
const BYTES_A_TOKEN: u64 = 4;

/// A count of fewer tokens than bytes divided by this is not one of what was sent. Nothing that was recorded comes near to 12 bytes a token; runs of
/// spaces do, and no conversation is made of them.
const MOST_BYTES_A_TOKEN: u64 = 16;

/// Shorter requests are never cut by a server: 2,048 tokens, the smallest window in use, at 4 bytes each.
const WHOLE: u64 = 8_192;

/// Tokens that a template may add to a request, whatever its size: the frames of messages and tools. Beside them no token is shorter than a byte.
const OF_A_TEMPLATE: u64 = 4_096;

/// Tokens that frame an answer and its calls, whatever their size. Beside them no token is shorter than a byte.
const OF_AN_ANSWER: u64 = 256;

/// The last count of a provider, from which the sizes of later requests follow: their tokens are those that were counted, and for the bytes
/// since then as many as the counted bytes had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Gauge {
    /// Tokens that were counted, of the prompt and of the answer to it; 0 before any were.
    tokens: u32,
    /// Bytes of the texts that were counted.
    bytes: u64,
    /// The last count of a prompt that was taken; 0 before any was.
    #[serde(skip_serializing_if = "is_zero")]
    prompt: u32,
    /// The last count that was far too small, as long as no other was taken since: one alone shows nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    small: Option<u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Fewer tokens than this are no window: 2,048, the smallest in use.
const LEAST_WINDOW: u32 = 2_048;

/// Two counts agree where they differ by no more than this share of the larger one. A server that cuts a conversation leaves out whole messages, so
/// that it reads a little less than its window.
const AGREES: u32 = 8;

/// What a provider's count says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// It is taken.
    Taken,
    /// It cannot be one of what was sent.
    Impossible,
    /// It is of far less than was sent, and so was one before, of as much: the server cut the conversation.
    Cut,
}

impl Gauge {
    /// The tokens of a request with so many bytes of text.
    #[must_use]
    pub fn tokens(&self, bytes: u64) -> u64 {
        match *self {
            Self { tokens: 0, .. } | Self { bytes: 0, .. } => bytes.div_ceil(BYTES_A_TOKEN),
            Self { tokens, bytes: counted, .. } => scaled(bytes, u64::from(tokens), counted),
        }
    }

    /// The bytes of text that so many tokens have.
    #[must_use]
    pub fn bytes(&self, tokens: u64) -> u64 {
        match *self {
            Self { tokens: 0, .. } | Self { bytes: 0, .. } => tokens.saturating_mul(BYTES_A_TOKEN),
            Self { tokens: counted, bytes, .. } => scaled(tokens, bytes, u64::from(counted)),
        }
    }

    /// Takes the count of a request with so many bytes of text.
    pub fn count(&mut self, tokens: u32, bytes: u64) -> Count {
        let count = self.judged(tokens, bytes);
        if count == Count::Taken {
            *self = Self { tokens, bytes, prompt: tokens, small: None };
        }
        count
    }

    /// Judges a count by the last one, and by its bytes.
    fn judged(&self, tokens: u32, bytes: u64) -> Count {
        let count = u64::from(tokens);
        if count == 0 || count > bytes.saturating_add(OF_A_TEMPLATE) {
            return Count::Impossible;
        }
        // Half of what the last count leads to expect. A conversation grows, and its kind of text does not change as fast.
        let expected = if self.tokens > 0 && bytes >= self.bytes { self.tokens(bytes) / 2 } else { 0 };
        match count < expected.max(bytes / MOST_BYTES_A_TOKEN) {
            true if bytes < WHOLE => Count::Impossible,
            true => Count::Cut,
            false => Count::Taken,
        }
    }

    /// The tokens of a prompt, of which some came from the provider's cache. Most providers count these in the prompt, some beside it: where both
    /// readings are possible, the one counts that is nearer to what is expected.
    #[must_use]
    pub fn reading(&self, prompt: u32, cached: u32, bytes: u64) -> u32 {
        let whole = prompt.saturating_add(cached);
        let possible = |count| self.judged(count, bytes) == Count::Taken;
        let off = |count: u32| u64::from(count).abs_diff(self.tokens(bytes));
        match (possible(prompt), possible(whole)) {
            (true, true) if off(whole) < off(prompt) => whole,
            (true, _) => prompt,
            (false, true) => whole,
            (false, false) => {
                if cached > prompt {
                    whole
                } else {
                    prompt
                }
            }
        }
    }

    /// Takes such a reading. One that is far too small shows a server that cuts the conversation only where another one before agrees with it, and where
    /// it is not below what the server has just taken.
    pub fn count_prompt(&mut self, tokens: u32, bytes: u64) -> Count {
        let (small, prompt) = (self.small.take(), self.prompt);
        match self.count(tokens, bytes) {
            Count::Cut if tokens < LEAST_WINDOW.max(prompt) => Count::Impossible,
            Count::Cut => {
                self.small = Some(tokens);
                let agrees = |other: u32| tokens.abs_diff(other) <= tokens.max(other) / AGREES;
                if small.is_some_and(agrees) { Count::Cut } else { Count::Impossible }
            }
            count => count,
        }
    }

    /// Takes the count of the answer to the request that was counted last: so many tokens, for the bytes of it that stay in the conversation. One
    /// that cannot be is left out.
    pub fn count_answer(&mut self, tokens: u64, bytes: u64) {
        let possible = bytes / MOST_BYTES_A_TOKEN..=bytes.saturating_add(OF_AN_ANSWER);
        let sum = u64::from(self.tokens) + tokens.min(u64::from(u32::MAX));
        if let (true, Ok(tokens)) = (bytes > 0 && possible.contains(&tokens), u32::try_from(sum)) {
            (self.tokens, self.bytes) = (tokens, self.bytes + bytes);
        }
    }
}

/// `value * numerator / denominator`, rounded up.
fn scaled(value: u64, numerator: u64, denominator: u64) -> u64 {
    let product = u128::from(value) * u128::from(numerator);
    u64::try_from(product.div_ceil(u128::from(denominator.max(1)))).unwrap_or(u64::MAX)
}
