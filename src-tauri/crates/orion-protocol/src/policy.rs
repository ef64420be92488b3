//! How a turn may run: its route, its budgets, and the three numbers that follow from them (P2, P3, T4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::Usd;

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
    /// Only read-only tools.
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
    /// The person's checks run (V1).
    CheckPhase,
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
    pub max_write_prompts: u32,
    /// Calls that are made once more with a shorter conversation, after the provider said that it is too long (X5).
    pub further_tries: u32,
    /// Responses without an answer that are asked for once more: [`Policy::SECOND_CHANCES`], and none in turns that began before that was done.
    #[serde(default)]
    pub second_chances: u32,
    /// The turn pauses after each tool phase, until a person resumes it (A2).
    pub pause_after_tool: bool,
    /// Before a cut the conversation is summed up by the model, once in a turn (X4).
    pub compacts_at_cuts: bool,
    /// Tokens that an answer may have, its reasoning and the arguments of its calls included (T7). Null, here and in the three
    /// fields below, where nothing limits it.
    pub max_output_tokens: Option<u32>,
    /// Bytes that a model may send as the content of one file, corrections included (T7).
    pub max_file_bytes: Option<u32>,
    /// Seconds that the turn may take while it waits for nobody (T7).
    pub max_seconds: Option<u32>,
    /// What the turn may cost (T7); null where no limit is set.
    pub max_cost_usd: Option<Usd>,
    /// Tokens of reasoning that one response may have (T7). Where it is left out, a share of the limit of an answer: [`Policy::most_thinking_tokens`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub max_thinking_tokens: Option<u32>,
    /// Seconds that one command may take (C4). Where it is left out: [`Policy::most_command_seconds`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub max_command_seconds: Option<u32>,
}

/// The content, 3 rounds of correction (W5), and 12 times going on or asking for the end line: a file ten times as long as the
/// output limit has two to spare.
const fn write_prompts() -> u32 {
    16
}

/// Tokens of an answer, bytes of a file and seconds of a turn, where nobody sets them (T7).
const OUTPUT_TOKENS: u32 = 32_768;
const FILE_BYTES: u32 = 8 * 1024 * 1024;
const SECONDS: u32 = 1_800;

/// Seconds of a command, where nobody sets them (C4): most test suites of a project take less, and a command that hangs is not waited for long.
const COMMAND_SECONDS: u32 = 120;

impl Policy {
    /// The cycles of the two-stage route where commands can be run: to read, edit, test and mend, and once more (P3).
    pub const COMMAND_CYCLES: u32 = 8;
    /// The most cycles a turn can be given (P2: unified's 25 model calls, less the final one).
    pub const MAX_CYCLES: u32 = 24;
    /// The most calls one tool phase can run: the cap on calls in one response, 32.
    pub const MAX_TOOLS: u32 = 32;
    /// A model that says nothing twice says nothing the third time.
    pub const SECOND_CHANCES: u32 = 1;
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
            further_tries: 1,
            second_chances: Self::SECOND_CHANCES,
            pause_after_tool: false,
            compacts_at_cuts: false,
            max_output_tokens: Some(OUTPUT_TOKENS),
            max_file_bytes: Some(FILE_BYTES),
            max_seconds: Some(SECONDS),
            max_cost_usd: None,
            max_thinking_tokens: None,
            max_command_seconds: None,
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
            further_tries: 1,
            second_chances: Self::SECOND_CHANCES,
            pause_after_tool: false,
            compacts_at_cuts: false,
            max_output_tokens: Some(OUTPUT_TOKENS),
            max_file_bytes: Some(FILE_BYTES),
            max_seconds: Some(SECONDS),
            max_cost_usd: None,
            max_thinking_tokens: None,
            max_command_seconds: None,
        }
    }

    /// The policy of a route with its own budgets.
    #[must_use]
    pub const fn on(route: Route) -> Self {
        match route {
            Route::TwoStage => Self::two_stage(),
            Route::Unified => Self::unified(),
        }
    }

    /// The policy of a route in a turn whose model is offered commands, or is not (P3).
    #[must_use]
    pub const fn offering(commands: bool, route: Route) -> Self {
        match route {
            Route::TwoStage if commands => Self { max_cycles: Self::COMMAND_CYCLES, ..Self::two_stage() },
            _ => Self::on(route),
        }
    }
}

impl Policy {
    /// Bytes at which Orion cuts off an answer: 4 for each token, and half as much again as the limit, so that an endpoint that
    /// keeps to it ends the answer first (T7).
    #[must_use]
    pub fn most_answer_bytes(&self) -> Option<u64> {
        self.max_output_tokens.map(|tokens| u64::from(tokens) * 6)
    }

    /// Tokens of reasoning that a response may have whose limit is `answer`: as set, but no more than all of it; half of it where nothing is set, so that
    /// as much is left for what follows from the reasoning. None where nothing limits either.
    #[must_use]
    pub fn most_thinking_tokens(&self, answer: Option<u32>) -> Option<u32> {
        match (self.max_thinking_tokens, answer) {
            (Some(set), Some(answer)) => Some(set.min(answer)),
            (set, answer) => set.or(answer.map(|answer| answer / 2)),
        }
    }

    /// Seconds that one command may take: as set, or else 120.
    #[must_use]
    pub fn most_command_seconds(&self) -> u32 {
        self.max_command_seconds.unwrap_or(COMMAND_SECONDS)
    }

    /// Bytes of reasoning at which Orion cuts off a response, 4 for each token. No endpoint is sent this limit, so it is not enlarged as that of
    /// [`Policy::most_answer_bytes`] is.
    #[must_use]
    pub fn most_thinking_bytes(&self) -> Option<u64> {
        self.most_thinking_tokens(self.max_output_tokens).map(|tokens| u64::from(tokens) * 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // T7
    #[test]
    fn reasoning_may_have_what_is_set_or_half_of_the_answer_and_never_more_than_all_of_it() {
        let of = |max_thinking_tokens, max_output_tokens| {
            let policy = Policy { max_thinking_tokens, max_output_tokens, ..Policy::two_stage() };
            (policy.most_thinking_tokens(max_output_tokens), policy.most_thinking_bytes())
        };
        assert_eq!(of(None, Some(32_768)), (Some(16_384), Some(65_536)));
        assert_eq!(of(Some(1_000), Some(32_768)), (Some(1_000), Some(4_000)));
        assert_eq!(of(Some(50_000), Some(32_768)), (Some(32_768), Some(131_072)));
        assert_eq!(of(Some(1_000), None), (Some(1_000), Some(4_000)));
        assert_eq!(of(None, None), (None, None));
    }

    // E3
    #[test]
    fn a_policy_of_before_says_nothing_of_reasoning_and_is_written_as_it_was() {
        let before = serde_json::to_value(Policy::two_stage()).unwrap();
        assert_eq!(before.get("maxThinkingTokens"), None);
        assert_eq!(serde_json::from_value::<Policy>(before).unwrap(), Policy::two_stage());
        let set = Policy { max_thinking_tokens: Some(512), ..Policy::two_stage() };
        let written = serde_json::to_value(set).unwrap();
        assert_eq!(written["maxThinkingTokens"], 512);
        assert_eq!(serde_json::from_value::<Policy>(written).unwrap(), set);
    }
}
