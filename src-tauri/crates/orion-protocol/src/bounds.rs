//! The most that a turn can cost (T4).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{ModelNumbers, Policy, Usd};

/// The most a turn can cost (T4), by Orion's own count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Bounds {
    pub model_calls: u32,
    pub tool_runs: u32,
    pub write_prompts: u32,
    /// Requests beside those of the model calls, which the endpoint refuses for their shape: 4 for each call at most. None of them has an answer. Null in
    /// turns that began without this bound.
    #[serde(default)]
    pub further_requests: Option<u32>,
    /// Tokens of all responses together; null where nothing limits them.
    #[ts(type = "number | null")]
    pub output_tokens: Option<u64>,
    /// Null where nothing limits them.
    pub seconds: Option<u32>,
    /// Null where the price is not known, or nothing limits it.
    pub cost_usd: Option<Usd>,
    /// Seconds that the commands of the turn may take together (C4), its checks included (V2). Null where none can be run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub command_seconds: Option<u32>,
}

/// How often tools may run in a turn, where they are limited one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ToolCaps {
    /// All of them together; null where one of them has no limit of its own.
    pub runs: Option<u32>,
    /// The one that opens write sessions; null where it has no limit of its own.
    pub writes: Option<u32>,
    /// Reads that the boxes of earlier calls may answer (X6); null where it is as many as the turn has cycles.
    pub reuses: Option<u32>,
    /// Those that run commands; null where none of them does.
    pub commands: Option<u32>,
    /// The seconds of its checks, each in one run; null where none can run.
    pub check_seconds: Option<u32>,
    /// A failed check may be repaired (V2).
    pub repairs: bool,
}

impl Bounds {
    /// The most requests of one call that may be refused before it, each in another shape.
    pub const FURTHER_REQUESTS: u32 = 4;

    /// The bounds of a turn whose tools have no limits of their own.
    #[must_use]
    pub fn of(policy: &Policy, numbers: &ModelNumbers) -> Self {
        Self::within(policy, numbers, ToolCaps::default())
    }

    /// Each cycle takes one model call, and the forced final answer one more. If refusals are free, each of them may
    /// take a model call of its own, except for the last, which forces the final answer.
    #[must_use]
    pub fn within(policy: &Policy, numbers: &ModelNumbers, caps: ToolCaps) -> Self {
        let least = |most: u32, cap: Option<u32>| cap.map_or(most, |cap| cap.min(most));
        // V2. It is one model call, whose one call opens one session.
        let repair = u32::from(caps.repairs);
        // A second session is refused while one is open, so a cycle opens one at most.
        let writes = least(policy.max_cycles, caps.writes) + repair;
        let refused = match policy {
            Policy { max_cycles: 0, .. } | Policy { refusals_are_free: false, .. } => 0,
            Policy { max_duplicates, .. } => max_duplicates.saturating_sub(1),
        };
        // Where every response costs a cycle, a further try and a second chance do too.
        let further = if policy.refusals_are_free { policy.further_tries } else { 0 };
        let second = if policy.refusals_are_free { policy.second_chances } else { 0 };
        // X6. The same holds for a read that an earlier box answers.
        let reused = if policy.refusals_are_free { caps.reuses.unwrap_or(policy.max_cycles) } else { 0 };
        // X4. So does a summary.
        let summaries = u32::from(policy.refusals_are_free && policy.compacts_at_cuts);
        let calls = Self {
            model_calls: policy.max_cycles + 1 + refused + further + second + reused + summaries + repair,
            tool_runs: least(policy.max_cycles * policy.max_tools, caps.runs) + repair,
            write_prompts: writes * policy.max_write_prompts,
            further_requests: None,
            output_tokens: None,
            seconds: policy.max_seconds,
            cost_usd: None,
            command_seconds: None,
        };
        let output_tokens = calls.output_tokens(policy, writes);
        let cost_usd = calls.cost(output_tokens, policy, numbers);
        let requests = (calls.model_calls + calls.write_prompts).saturating_mul(Self::FURTHER_REQUESTS);
        let most = caps.commands.map(|most| most.min(calls.tool_runs.saturating_sub(repair)));
        let of_tools = most.map(|most| most.saturating_mul(policy.most_command_seconds()));
        // V2. Each check runs again after the repair.
        let of_checks = caps.check_seconds.map(|seconds| seconds.saturating_mul(2));
        let command_seconds = of_tools.into_iter().chain(of_checks).reduce(u32::saturating_add);
        // T7: nothing of a turn runs longer than the turn.
        let command_seconds = command_seconds.map(|seconds| seconds.min(calls.seconds.unwrap_or(u32::MAX)));
        Self { further_requests: Some(requests), output_tokens, cost_usd, command_seconds, ..calls }
    }

    /// A prompt of a write session may bring as much reasoning as an answer, beside the content.
    fn output_tokens(&self, policy: &Policy, writes: u32) -> Option<u64> {
        let responses = u64::from(self.model_calls) + u64::from(self.write_prompts);
        let files = u64::from(writes) * u64::from(policy.max_file_bytes?);
        Some((responses * policy.most_answer_bytes()?).div_ceil(4) + files.div_ceil(4))
    }

    /// The limit, or what the calls cost if each fills the window, whichever is less.
    fn cost(&self, output_tokens: Option<u64>, policy: &Policy, numbers: &ModelNumbers) -> Option<Usd> {
        let prices = numbers.prices?;
        let calls = u64::from(self.model_calls) + u64::from(self.write_prompts);
        let most = output_tokens.zip(numbers.window).map(|(output, window)| {
            let sent = prices.prompt.of_tokens(calls * u64::from(window));
            sent.plus(prices.of_response().of_tokens(output))
        });
        policy.max_cost_usd.into_iter().chain(most).min()
    }
}
