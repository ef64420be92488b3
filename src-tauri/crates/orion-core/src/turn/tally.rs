//! The counts of a turn's report, kept while it runs (J5).

use std::collections::HashMap;

use orion_protocol::{
    BatchId, CallId, ChangeReport, CheckReport, CheckStatus, CommandRun, ErrorInfo, Evaluation, Exhausted,
    Phase, PhaseReport, Prices, Sha256, Signature, StopReason, ToolCallReport, ToolStatus, TurnReport,
    TurnStatus, Usage, Usd, WriteReport, WriteStatus,
};

use super::{BegunIn, TurnSetup};
use crate::tool::Opening;

/// The counts of one turn.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    started_ms: i64,
    answer: String,
    cycles: u32,
    batches: BatchId,
    tool_runs: u32,
    /// Of tools that ran, by name.
    runs_by_name: HashMap<String, u32>,
    duplicates: u32,
    reused: u32,
    model_calls: u32,
    write_prompts: u32,
    retries: u32,
    steered: u32,
    further_tries: u32,
    second_chances: u32,
    summaries: u32,
    exhausted: Option<Exhausted>,
    usage: Usage,
    cost: Usd,
    phases: Vec<PhaseReport>,
    tool_calls: Vec<ToolCallReport>,
    writes: Vec<WriteReport>,
    changes: Vec<ChangeReport>,
    /// Every attempt of a check, in order.
    checks: Vec<CheckReport>,
    /// A person stopped the checks.
    checks_stopped: bool,
}

impl Tally {
    pub(super) fn new(started_ms: i64) -> Self {
        Self {
            started_ms,
            answer: String::new(),
            cycles: 0,
            batches: 0,
            tool_runs: 0,
            runs_by_name: HashMap::new(),
            duplicates: 0,
            reused: 0,
            model_calls: 0,
            write_prompts: 0,
            retries: 0,
            steered: 0,
            further_tries: 0,
            second_chances: 0,
            summaries: 0,
            exhausted: None,
            usage: Usage::default(),
            cost: Usd::ZERO,
            phases: Vec::new(),
            tool_calls: Vec::new(),
            writes: Vec::new(),
            changes: Vec::new(),
            checks: Vec::new(),
            checks_stopped: false,
        }
    }

    pub(super) fn cycles(&self) -> u32 {
        self.cycles
    }

    pub(super) fn duplicates(&self) -> u32 {
        self.duplicates
    }

    pub(super) fn batches(&self) -> BatchId {
        self.batches
    }

    pub(super) fn batch_begun(&mut self) -> BatchId {
        self.batches += 1;
        self.batches
    }

    /// Counts a model call and gives it a number that no other call of the turn has.
    pub(super) fn model_called(&mut self) -> u32 {
        self.model_calls += 1;
        self.model_calls + self.write_prompts
    }

    pub(super) fn model_calls(&self) -> u32 {
        self.model_calls
    }

    /// Counts a prompt of a write session and gives it its number. The bounds count it apart from the other model
    /// calls (T4).
    pub(super) fn prompted(&mut self) -> u32 {
        self.write_prompts += 1;
        self.model_calls + self.write_prompts
    }

    /// Enters a write session. [`Tally::write_done`] adds how it ended. Returns its number, from 1.
    pub(super) fn write_begun(&mut self, opening: &Opening) -> u32 {
        self.writes.push(WriteReport {
            path: opening.path.clone(),
            operation: opening.operation,
            sha256: None,
            bytes: None,
            status: None,
        });
        u32::try_from(self.writes.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn write_done(&mut self, number: u32, status: WriteStatus, written: Option<(Sha256, u64)>) {
        let at = usize::try_from(number).unwrap_or(usize::MAX).wrapping_sub(1);
        if let Some(report) = self.writes.get_mut(at) {
            report.status = Some(status);
            (report.sha256, report.bytes) = written.unzip();
        }
    }

    /// Enters the files that a command changed (C6).
    pub(super) fn command_ended(&mut self, id: &CallId, run: &CommandRun) {
        let room = TurnReport::CHANGES.saturating_sub(self.changes.len());
        self.changes.extend(run.reported(id).take(room));
    }

    /// Enters the end of a check (V3).
    pub(super) fn checked(&mut self, report: CheckReport) {
        self.checks.push(report);
    }

    /// A person stopped the checks: what ran of them is no evaluation (A4).
    pub(super) fn checks_stopped(&mut self) {
        self.checks_stopped = true;
    }

    /// The evaluation by the last attempt of each check. A check that did not run is never a pass (V3).
    fn evaluation(&self) -> Evaluation {
        let is_last = |(at, check): &(usize, &CheckReport)| {
            self.checks.iter().skip(at + 1).all(|later| later.name != check.name)
        };
        let last: Vec<CheckStatus> =
            self.checks.iter().enumerate().filter(is_last).map(|(_, check)| check.status).collect();
        let failed = |status: &CheckStatus| matches!(status, CheckStatus::Failed | CheckStatus::TimedOut);
        if self.checks_stopped || last.is_empty() {
            Evaluation::Skipped
        } else if last.iter().any(failed) {
            Evaluation::Failed
        } else if last.iter().all(|status| *status == CheckStatus::Passed) {
            Evaluation::Passed
        } else {
            Evaluation::Skipped
        }
    }

    /// A message of the person was given to the model.
    pub(super) fn steered(&mut self) {
        self.steered += 1;
    }

    pub(super) fn retried(&mut self) {
        self.retries += 1;
    }

    /// Summaries that were asked for before a cut (X4).
    pub(super) fn summaries(&self) -> u32 {
        self.summaries
    }

    pub(super) fn sums_up(&mut self) {
        self.summaries += 1;
    }

    /// Responses that were asked for once more (P7).
    pub(super) fn second_chances(&self) -> u32 {
        self.second_chances
    }

    pub(super) fn asks_again(&mut self) {
        self.second_chances += 1;
    }

    /// It wrote a file.
    pub(super) fn has_written(&self) -> bool {
        self.writes.iter().any(|write| write.sha256.is_some())
    }

    /// Calls that were made again with a shorter conversation (X5).
    pub(super) fn further_tries(&self) -> u32 {
        self.further_tries
    }

    pub(super) fn tried_further(&mut self) {
        self.further_tries += 1;
    }

    /// A bound of the turn was reached.
    pub(super) fn exhaust(&mut self, exhausted: Exhausted) {
        self.exhausted = Some(exhausted);
    }

    pub(super) fn cycle_spent(&mut self) {
        self.cycles += 1;
    }

    pub(super) fn tool_run(&mut self, name: &str) {
        self.tool_runs += 1;
        *self.runs_by_name.entry(name.to_owned()).or_default() += 1;
    }

    /// How often this tool ran.
    pub(super) fn runs_of(&self, name: &str) -> u32 {
        self.runs_by_name.get(name).copied().unwrap_or(0)
    }

    pub(super) fn duplicate(&mut self) -> u32 {
        self.duplicates += 1;
        self.duplicates
    }

    /// Reads that an earlier box answered (X6).
    pub(super) fn reused(&self) -> u32 {
        self.reused
    }

    /// Enters that an earlier box answered a call, which is in no batch then.
    pub(super) fn reuse(&mut self, id: &CallId) -> u32 {
        if let Some(call) = self.tool_calls.iter_mut().rev().find(|call| call.tool_call_id == *id) {
            (call.tool_batch_id, call.status) = (None, Some(ToolStatus::Reused));
        }
        self.reused += 1;
        self.reused
    }

    pub(super) fn answered(&mut self, text: &str) {
        if !text.is_empty() && !self.answer.is_empty() {
            self.answer.push_str("\n\n");
        }
        self.answer.push_str(text);
    }

    pub(super) fn phase(&mut self, phase: Phase, batch: Option<BatchId>, duration_ms: u64) {
        self.phases.push(PhaseReport { phase, tool_batch_id: batch, duration_ms: Some(duration_ms) });
    }

    /// Adds the usage of one model call. A figure that no call gave stays null.
    pub(super) fn used(&mut self, usage: Usage, prices: Option<&Prices>) {
        self.cost = prices.map_or(self.cost, |prices| self.cost.plus(prices.of(&usage)));
        let add = |sum: &mut Option<u32>, more: Option<u32>| {
            if let Some(more) = more {
                *sum = Some(sum.unwrap_or(0).saturating_add(more));
            }
        };
        add(&mut self.usage.prompt_tokens, usage.prompt_tokens);
        add(&mut self.usage.completion_tokens, usage.completion_tokens);
        add(&mut self.usage.reasoning_tokens, usage.reasoning_tokens);
        add(&mut self.usage.cached_tokens, usage.cached_tokens);
        self.usage.estimated |= usage.estimated;
    }

    /// Enters a tool call; its status and duration follow with [`Tally::call_done`].
    pub(super) fn call(
        &mut self,
        id: CallId,
        batch: Option<BatchId>,
        name: String,
        signature: Option<Signature>,
        leaked: bool,
    ) {
        self.tool_calls.push(ToolCallReport {
            tool_call_id: id,
            tool_batch_id: batch,
            name,
            signature,
            status: None,
            duration_ms: None,
            leaked,
        });
    }

    /// A person changed the arguments of a call: this is the signature of what runs (A3).
    pub(super) fn call_edited(&mut self, id: &CallId, signature: Signature) {
        if let Some(call) = self.tool_calls.iter_mut().rev().find(|call| call.tool_call_id == *id) {
            call.signature = Some(signature);
        }
    }

    pub(super) fn call_done(&mut self, id: &CallId, status: ToolStatus, duration_ms: Option<u64>) {
        if let Some(call) = self.tool_calls.iter_mut().rev().find(|call| call.tool_call_id == *id) {
            call.status = Some(status);
            call.duration_ms = duration_ms;
        }
    }

    /// True when a call of this turn already has the id.
    pub(super) fn has_call(&self, id: &str) -> bool {
        self.tool_calls.iter().any(|call| call.tool_call_id.0 == id)
    }

    pub(super) fn calls(&self) -> usize {
        self.tool_calls.len()
    }

    pub(super) fn report(
        &self,
        setup: &TurnSetup,
        status: TurnStatus,
        stop_reason: StopReason,
        phase_reached: Phase,
        now_ms: i64,
        error: Option<ErrorInfo>,
    ) -> TurnReport {
        let has_checks = !setup.checks_in_force().is_empty();
        let report = TurnReport {
            request_id: setup.ids.request_id,
            session_id: setup.ids.session_id,
            project_id: setup.ids.project_id,
            parent_request_id: setup.parent,
            route: setup.policy.route,
            mode: setup.mode,
            model: setup.model.clone(),
            status,
            phase_reached,
            stop_reason,
            answer: self.answer.clone(),
            cycles: self.cycles,
            tool_runs: self.tool_runs,
            reused: self.reused,
            duplicates_refused: self.duplicates,
            model_calls: self.model_calls,
            write_prompts: self.write_prompts,
            retries: self.retries,
            steered: self.steered,
            exhausted: self.exhausted,
            bounds: setup.bounds(),
            usage: self.usage,
            cost_usd: setup.numbers.prices.map(|_| self.cost),
            duration_ms: since(self.started_ms, now_ms),
            summary: None,
            exit_code: None,
            channel: None,
            project_name: None,
            phases: self.phases.clone(),
            tool_calls: self.tool_calls.clone(),
            writes: self.writes.clone(),
            changes: self.changes.clone(),
            evaluation: has_checks.then(|| self.evaluation()),
            checks: has_checks.then(|| self.checks.clone()),
            error,
        };
        match &setup.begun_in {
            Some(BegunIn { channel, project_name }) => report.begun_in(*channel, project_name.clone()),
            None => report,
        }
    }
}

/// Milliseconds between two times, 0 when the second is not later.
pub(super) fn since(start_ms: i64, now_ms: i64) -> u64 {
    now_ms.saturating_sub(start_ms).try_into().unwrap_or(0)
}

/// What a model call used where the provider does not say: an estimate of 4 bytes a token.
pub(super) fn estimated(prompt_bytes: usize, answer_bytes: usize) -> Usage {
    const BYTES_PER_TOKEN: usize = 4;
    let tokens = |bytes: usize| u32::try_from(bytes / BYTES_PER_TOKEN).ok();
    Usage {
        prompt_tokens: tokens(prompt_bytes),
        completion_tokens: tokens(answer_bytes),
        reasoning_tokens: None,
        cached_tokens: None,
        estimated: true,
    }
}
