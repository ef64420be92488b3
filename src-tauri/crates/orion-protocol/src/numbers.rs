//! The numbers of a model that a turn computes with (T8, X2).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Usage, Usd, WindowInForce, WindowSource};

/// The numbers of its model that a turn computes with, fixed before it starts (T8). Null where nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelNumbers {
    /// Tokens of the window.
    pub window: Option<u32>,
    /// Null where no window is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_source: Option<WindowSource>,
    /// Tokens that an answer may have.
    pub max_output_tokens: Option<u32>,
    pub prices: Option<Prices>,
}

impl ModelNumbers {
    /// The window, where one is known.
    #[must_use]
    pub fn in_force(&self) -> Option<WindowInForce> {
        Some(WindowInForce { tokens: self.window?, source: self.window_source? })
    }
}

/// What a million tokens of a model cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Prices {
    pub prompt: Usd,
    pub completion: Usd,
    /// Of tokens of the prompt that the provider had in its cache; null when they cost the same as the others.
    pub cached: Option<Usd>,
    /// Of tokens of reasoning; null when they cost the same as those of the answer.
    pub reasoning: Option<Usd>,
}

impl Prices {
    /// The price of a call. Cached tokens are among those of the prompt, and tokens of reasoning among those of the answer.
    #[must_use]
    pub fn of(&self, usage: &Usage) -> Usd {
        let tokens = |count: Option<u32>| u64::from(count.unwrap_or(0));
        let part = |all: Option<u32>, some: Option<u32>| {
            let some = tokens(some).min(tokens(all));
            (tokens(all) - some, some)
        };
        let (fresh, cached) = part(usage.prompt_tokens, usage.cached_tokens);
        let (said, reasoned) = part(usage.completion_tokens, usage.reasoning_tokens);
        let parts = [
            self.prompt.of_tokens(fresh),
            self.cached.unwrap_or(self.prompt).of_tokens(cached),
            self.completion.of_tokens(said),
            self.reasoning.unwrap_or(self.completion).of_tokens(reasoned),
        ];
        parts.into_iter().fold(Usd::ZERO, Usd::plus)
    }

    /// The most that a million tokens of a response can cost.
    #[must_use]
    pub fn of_response(&self) -> Usd {
        self.reasoning.map_or(self.completion, |reasoning| reasoning.max(self.completion))
    }
}
