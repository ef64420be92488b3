//! How a turn may run: its route, its budgets, and the three numbers that follow from them (P2, P3, T4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Which loop drives the turn (P2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Route {
    /// The default: the action phase is cut at the first complete tool call.
    #[default]
    TwoStage,
    /// The usual agent loop, as a fallback.
    Unified,
}

/// Which tools the model is offered (A1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Mode {
    /// Read-only tools alone.
    Plan,
    /// All tools, each by its permission.
    #[default]
    Act,
}

/// What a tool may do without asking (A1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Permission {
    Allow,
    Ask,
    Deny,
}

/// A stretch of a turn (P1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Phase {
    ActionPhase,
    ToolPhase,
    Complete,
}

/// How a tool result goes back to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum ResultForm {
    /// A fenced system message (R1).
    Box,
    /// The provider's own tool message (P2, unified).
    ToolMessage,
}

/// Everything that decides how a turn runs, fixed before it starts. The two routes are two values of this type (P2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Policy {
    pub route: Route,
    /// Tool phases the turn may have, 0 to [`Policy::MAX_CYCLES`].
    pub max_cycles: u32,
    /// Calls that one tool phase may run, 1 to [`Policy::MAX_TOOLS`].
    pub max_tools: u32,
    /// Refused duplicates after which the final answer is forced, 1 to [`Policy::MAX_DUPLICATES`].
    pub max_duplicates: u32,
    /// The action phase ends at the first complete call (P4); else at the end of the response.
    pub cut_at_first_call: bool,
    /// A response that has only refused duplicates spends no cycle.
    pub refusals_are_free: bool,
    pub result_form: ResultForm,
    /// Model calls that one write session may spend: the content, going on where it was cut
    /// off, asking for the end line, corrections.
    #[serde(default = "write_prompts")]
    pub max_write_prompts: u32,
    /// A response that only repeats itself is cut off (P11), and a model that repeats its message in a write session is not asked again
    /// (W4). A journal that does not say so was written without.
    #[serde(default)]
    pub cut_repeats: bool,
    /// Calls that are made once more with a shorter conversation, after the provider said that it is too long (X5). 0 in journals of an Orion
    /// that did not.
    #[serde(default)]
    pub further_tries: u32,
    /// A read of one file that has not changed since an earlier call read it is answered with that call's box, at most [`Policy::max_cycles`]
    /// times (X6). A journal that does not say so was written without.
    #[serde(default)]
    pub reuse_reads: bool,
}

/// The content, 3 rounds of correction (W5), and 12 times going on or asking for the end line: a file ten times as long as the
/// output limit has two to spare.
const fn write_prompts() -> u32 {
    16
}

impl Policy {
    /// The most cycles a turn can be given (P2: unified's 25 model calls, less the final one).
    pub const MAX_CYCLES: u32 = 24;
    /// The most calls one tool phase can run: the cap on calls in one response (DESIGN: 32 calls).
    pub const MAX_TOOLS: u32 = 32;
    /// The most refused duplicates a turn can be given.
    pub const MAX_DUPLICATES: u32 = 24;

    /// 1 tool per phase, 3 cycles, 3 refused duplicates (P3).
    pub const fn two_stage() -> Self {
        Self {
            route: Route::TwoStage,
            max_cycles: 3,
            max_tools: 1,
            max_duplicates: 3,
            cut_at_first_call: true,
            refusals_are_free: true,
            result_form: ResultForm::Box,
            max_write_prompts: write_prompts(),
            cut_repeats: true,
            further_tries: 1,
            reuse_reads: true,
        }
    }

    /// All calls of a response run, three refused duplicates end it, 25 model calls at most (P2).
    pub const fn unified() -> Self {
        Self {
            route: Route::Unified,
            max_cycles: Self::MAX_CYCLES,
            max_tools: Self::MAX_TOOLS,
            max_duplicates: 3,
            cut_at_first_call: false,
            refusals_are_free: false,
            result_form: ResultForm::ToolMessage,
            max_write_prompts: write_prompts(),
            cut_repeats: true,
            further_tries: 1,
            reuse_reads: true,
        }
    }

    /// Reads that the boxes of earlier calls may answer (X6).
    #[must_use]
    pub const fn max_reuses(&self) -> u32 {
        if self.reuse_reads { self.max_cycles } else { 0 }
    }

    /// The policy of a route with its own budgets.
    #[must_use]
    pub const fn on(route: Route) -> Self {
        match route {
            Route::TwoStage => Self::two_stage(),
            Route::Unified => Self::unified(),
        }
    }
}

/// The most a turn can cost, from its policy alone (T4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Bounds {
    pub model_calls: u32,
    pub tool_runs: u32,
    pub write_prompts: u32,
}

impl Bounds {
    /// Each cycle takes one model call, and the forced final answer one more. If refusals are free, each of them may
    /// take a model call of its own, except for the last, which forces the final answer.
    #[must_use]
    pub fn of(policy: &Policy) -> Self {
        let refused = match policy {
            Policy { max_cycles: 0, .. } | Policy { refusals_are_free: false, .. } => 0,
            Policy { max_duplicates, .. } => max_duplicates.saturating_sub(1),
        };
        // Where every response costs a cycle, a further try does too.
        let further = if policy.refusals_are_free { policy.further_tries } else { 0 };
        // X6. The same holds for a read that an earlier box answers.
        let reused = if policy.refusals_are_free { policy.max_reuses() } else { 0 };
        Self {
            model_calls: policy.max_cycles + 1 + refused + further + reused,
            tool_runs: policy.max_cycles * policy.max_tools,
            // A second session is refused while one is open, so a cycle opens one at most.
            write_prompts: policy.max_cycles * policy.max_write_prompts,
        }
    }
}
