//! How many tokens a request may have (X2).

use crate::model::ModelNumbers;

/// The window of a model, shared between what it is sent and its answer. All in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    pub window: u32,
    /// What an answer may have: the least of the policy's limit, the model's own, and a quarter of the window.
    pub answer: u32,
}

impl Room {
    /// None where no window is known: then nothing is cut.
    #[must_use]
    pub fn of(numbers: &ModelNumbers, max_output_tokens: Option<u32>) -> Option<Self> {
        let window = numbers.window?;
        let limits = [max_output_tokens, numbers.max_output_tokens, Some(window / 4)];
        let answer = limits.into_iter().flatten().min().unwrap_or_default();
        Some(Self { window, answer })
    }

    /// The room as it must be, since a request with so many tokens was refused (X5).
    #[must_use]
    pub fn of_refused(self, tokens: u64) -> Self {
        let total = u32::try_from(tokens).unwrap_or(u32::MAX).min(self.window.saturating_sub(self.answer));
        Self { window: total.saturating_add(self.answer), ..self }
    }

    /// What a request may have.
    #[must_use]
    pub fn total(self) -> u64 {
        u64::from(self.window.saturating_sub(self.answer))
    }

    /// 80 % of it: a request that is longer is cut before it is sent (X3).
    #[must_use]
    pub fn full(self) -> u64 {
        self.total() * 4 / 5
    }

    /// What a cut leaves, where it can.
    #[must_use]
    pub fn half(self) -> u64 {
        self.total() / 2
    }
}
