//! The budgets of a policy as settings (P3): what a person may set, and what a route has where they set nothing.

use crate::{Policy, Route, TurnLimits};

impl Policy {
    /// The policy of a route with its budgets replaced; a number out of range is moved to the nearest one in it.
    #[must_use]
    pub fn of(route: Route, limits: TurnLimits) -> Self {
        let base = Self::on(route);
        let limits = limits.in_range();
        Self {
            max_cycles: limits.max_cycles.unwrap_or(base.max_cycles),
            max_tools: limits.max_tools.unwrap_or(base.max_tools),
            max_duplicates: limits.max_duplicates.unwrap_or(base.max_duplicates),
            max_output_tokens: limits.max_output_tokens.or(base.max_output_tokens),
            max_file_bytes: limits.max_file_bytes.or(base.max_file_bytes),
            max_seconds: limits.max_seconds.or(base.max_seconds),
            max_cost_usd: limits.max_cost_usd.or(base.max_cost_usd),
            max_thinking_tokens: limits.max_thinking_tokens.or(base.max_thinking_tokens),
            max_command_seconds: limits.max_command_seconds.or(base.max_command_seconds),
            ..base
        }
    }

    /// The budgets that a person can set, all of them known.
    #[must_use]
    pub const fn limits(&self) -> TurnLimits {
        TurnLimits {
            max_cycles: Some(self.max_cycles),
            max_tools: Some(self.max_tools),
            max_duplicates: Some(self.max_duplicates),
            max_output_tokens: self.max_output_tokens,
            max_file_bytes: self.max_file_bytes,
            max_seconds: self.max_seconds,
            max_cost_usd: self.max_cost_usd,
            max_thinking_tokens: self.max_thinking_tokens,
            max_command_seconds: self.max_command_seconds,
        }
    }
}
