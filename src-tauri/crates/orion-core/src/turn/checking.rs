//! The check phase: the checks of the person run one after the other, each once, when an answer would end a turn that changed something (V1).
//!
//! Deliberately not here: what comes after a failure (`repairing`), and running a check (the driver).

use std::collections::VecDeque;

use orion_protocol::{
    CallId, CheckReport, CheckRun, CheckSkipped, CheckStatus, Exhausted, Phase, PhaseCause, StopReason,
    TurnEvent,
};

use super::Effect;
use super::check_phase::{Checking, Current};
use super::course::Course;
use super::phases::{Ending, Then};
use super::setup::TurnCheck;
use super::state::Next;
use super::tally::since;
use super::work::Work;
use crate::tool::Seen;

impl Course {
    /// An answer ends the turn, once the checks have run that apply to what it changed (V1).
    pub(super) fn conclude(&mut self, reason: StopReason, effects: &mut Vec<Effect>) -> Next {
        let is_answer = matches!(
            reason,
            StopReason::Answered | StopReason::BudgetExhausted | StopReason::DuplicatesExhausted
        );
        if is_answer && self.due().next().is_some() {
            self.begin_checks(reason, effects)
        } else {
            self.end(reason, None, effects)
        }
    }

    /// The checks that apply to what the turn changed, by their places in the setup.
    fn due(&self) -> impl Iterator<Item = usize> {
        let checks = self.setup.checks_in_force().iter().enumerate();
        checks.filter(|(_, of)| self.checked.concerns(&of.check)).map(|(at, _)| at)
    }

    pub(super) fn begin_checks(&mut self, reason: StopReason, effects: &mut Vec<Effect>) -> Next {
        let left: VecDeque<usize> = self.due().collect();
        self.phase = Phase::CheckPhase;
        self.batch = None;
        self.checked.attempts += 1;
        self.checked.failed.clear();
        let cycle = self.tally.cycles();
        let started = TurnEvent::PhaseStarted { cycle, model_call: None, write: None, is_final: false };
        self.emit(started, effects);
        let mut checking = Checking {
            started_ms: self.now_ms,
            attempt: self.checked.attempts,
            reason,
            current: None,
            left,
            ending: None,
            late: false,
        };
        self.next_check(&mut checking, effects).or_enter(|| Next::Checking(Box::new(checking)))
    }

    fn next_check(&mut self, checking: &mut Checking, effects: &mut Vec<Effect>) -> Next {
        if self.is_late() && !checking.left.is_empty() {
            checking.late = true; // T7
            self.skip_left(checking, CheckSkipped::Seconds, effects);
        }
        let Some(at) = checking.left.pop_front() else {
            self.end_check_phase(checking, PhaseCause::ChecksDone, effects);
            return self.after_checks(checking, effects);
        };
        if let Some(of) = self.setup.checks.get(at) {
            let (name, command) = (of.check.name.clone(), of.line.clone());
            self.emit(TurnEvent::CheckStarted { name, command, attempt: checking.attempt }, effects);
        }
        self.run_check(checking, at, effects);
        Next::Stay
    }

    /// Begins the job of a check. One that the model has run itself is not run: its script is looked at.
    fn run_check(&mut self, checking: &mut Checking, at: usize, effects: &mut Vec<Effect>) {
        let Some(of) = self.setup.checks.get(at).cloned() else { return };
        let passed = self.checked.passed_as(&of.line).map(Box::new);
        let work = Work::Check { of: Box::new(of), attempt: checking.attempt, passed };
        checking.current = Some(Current { at, job: self.begin_job(work, effects) });
    }

    /// A check has ended: the next one begins, or the phase ends.
    pub(super) fn step_checked(
        &mut self,
        checking: &mut Checking,
        run: CheckRun,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let Some(Current { at, .. }) = checking.current.take() else { return Next::Stay };
        self.check_ended(checking.attempt, at, run, effects);
        match checking.ending {
            Some(ending) => self.end_checks_early(checking, ending, effects),
            None => self.next_check(checking, effects),
        }
    }

    /// The checks are to end (A4, T7): the one that runs is ended, and waited for.
    pub(super) fn end_checks(
        &mut self,
        checking: &mut Checking,
        ending: Ending,
        effects: &mut Vec<Effect>,
    ) -> Next {
        match checking.job() {
            Some(job) if checking.ending.is_none() => effects.push(Effect::End { job }),
            Some(_) => {}
            None => return self.end_checks_early(checking, ending, effects),
        }
        checking.ending = Some(ending);
        Next::Stay
    }

    /// No check runs any more. The answer stays: the turn ends as it would have without its checks.
    fn end_checks_early(
        &mut self,
        checking: &mut Checking,
        ending: Ending,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let why = match ending {
            Ending::Stopped => CheckSkipped::Stopped,
            Ending::OutOfTime => CheckSkipped::Seconds,
        };
        self.skip_left(checking, why, effects);
        self.end_check_phase(checking, ending.cause(), effects);
        match ending {
            Ending::Stopped => self.tally.checks_stopped(),
            Ending::OutOfTime => self.tell_exhausted(Exhausted::Seconds, effects),
        }
        self.end(checking.reason, None, effects)
    }

    /// The phase ends before its checks have (A5, T3).
    pub(super) fn abandon_checks(
        &mut self,
        checking: &mut Checking,
        cause: PhaseCause,
        effects: &mut Vec<Effect>,
    ) {
        if let Some(Current { at, job }) = checking.current.take() {
            effects.push(Effect::Cancel { job });
            self.no_run(checking.attempt, at, CheckStatus::Stopped, None, effects);
        }
        self.skip_left(checking, CheckSkipped::Stopped, effects);
        self.end_check_phase(checking, cause, effects);
    }

    /// Another process goes on: a check that had begun runs again. One that was told to end has no other outcome (A5).
    pub(super) fn resume_checks(&mut self, checking: &mut Checking, effects: &mut Vec<Effect>) -> Next {
        let Some(Current { at, .. }) = checking.current else { return Next::Stay };
        if let Some(ending) = checking.ending {
            checking.current = None;
            self.no_run(checking.attempt, at, CheckStatus::Stopped, None, effects);
            return self.end_checks_early(checking, ending, effects);
        }
        if self.is_late() {
            checking.current = None;
            self.no_run(checking.attempt, at, CheckStatus::Stopped, None, effects);
            return self.end_checks_early(checking, Ending::OutOfTime, effects);
        }
        self.run_check(checking, at, effects);
        Next::Stay
    }

    fn skip_left(&mut self, checking: &mut Checking, why: CheckSkipped, effects: &mut Vec<Effect>) {
        for at in std::mem::take(&mut checking.left) {
            self.no_run(checking.attempt, at, CheckStatus::Skipped, Some(why), effects);
        }
    }

    /// A check ends without a run that is known.
    fn no_run(
        &mut self,
        attempt: u32,
        at: usize,
        status: CheckStatus,
        skipped: Option<CheckSkipped>,
        effects: &mut Vec<Effect>,
    ) {
        let Some(TurnCheck { check, script_sha256, .. }) = self.setup.checks.get(at) else { return };
        let run = CheckRun {
            name: check.name.clone(),
            status,
            skipped,
            script_sha256: *script_sha256,
            excerpt: String::new(),
            command: None,
        };
        self.check_ended(attempt, at, run, effects);
    }

    fn check_ended(&mut self, attempt: u32, at: usize, mut run: CheckRun, effects: &mut Vec<Effect>) {
        let Some(of) = self.setup.checks.get(at) else { return };
        // V3: a pass has a run that ended with exit code 0.
        if run.status == CheckStatus::Passed && !run.command.as_ref().is_some_and(|it| it.ended.succeeded()) {
            run.status = CheckStatus::Failed;
        }
        run.name.clone_from(&of.check.name);
        if run.status != CheckStatus::Skipped {
            run.script_sha256 = of.script_sha256; // V1: no other script runs.
        }
        let failed_before = of.last == Some(CheckStatus::Failed);
        let (had_a_result, report) = (of.has_result(), self.report_of(of, &run, attempt));
        self.tally.checked(report);
        if let Some(command) = &run.command {
            let paths: Vec<String> = command.changed.iter().map(|file| file.path.clone()).collect();
            let seen: Vec<Seen> = paths.iter().cloned().map(Seen::Path).collect();
            self.tally.command_ended(&check_id(&run.name, attempt), command);
            self.ledger.change(&seen); // D3
            self.checked.touch(paths, command.more_changed > 0);
        }
        if run.status == CheckStatus::Failed && !failed_before && had_a_result {
            self.checked.failed.push(run.clone());
        }
        self.emit(TurnEvent::CheckEnded { attempt, failed_before, run: Box::new(run) }, effects);
    }

    fn report_of(&self, of: &TurnCheck, run: &CheckRun, attempt: u32) -> CheckReport {
        let command = run.command.as_deref();
        CheckReport {
            name: run.name.clone(),
            command: of.line.clone(),
            status: run.status,
            exit_code: command.and_then(|command| command.ended.code()),
            duration_ms: command.map(|command| command.duration_ms),
            cycle: self.tally.cycles(),
            attempt,
            output_sha256: command.map(|command| command.sha256),
            failed_before: of.last == Some(CheckStatus::Failed),
            reason: run.skipped,
        }
    }

    fn end_check_phase(&mut self, checking: &Checking, cause: PhaseCause, effects: &mut Vec<Effect>) {
        let duration_ms = since(checking.started_ms, self.now_ms);
        self.tally.phase(self.phase, None, duration_ms);
        let ended = TurnEvent::PhaseEnded {
            duration_ms,
            cause,
            finish_reason: None,
            usage: None,
            first_chunk_ms: None,
        };
        self.emit(ended, effects);
    }

    /// The repair begins, or the turn ends.
    fn after_checks(&mut self, checking: &Checking, effects: &mut Vec<Effect>) -> Next {
        if checking.late {
            self.tell_exhausted(Exhausted::Seconds, effects);
        } else if self.may_repair() {
            self.begin_repair(checking.reason);
            let then = Then::Repair { reason: checking.reason };
            return match self.is_to_pause() {
                true => self.pause_before_call(then, effects),
                false => self.call_for_repair(checking.reason, effects),
            };
        }
        self.end(checking.reason, None, effects)
    }

    /// A limit was reached before the checks could run: the report says so of each that applies.
    pub(super) fn leave_unchecked(&mut self, exhausted: Exhausted) {
        let why = match exhausted {
            Exhausted::Seconds => CheckSkipped::Seconds,
            Exhausted::Cost => CheckSkipped::Cost,
            Exhausted::Tokens | Exhausted::Cycles => return,
        };
        let due: Vec<usize> = self.due().collect();
        let attempt = self.checked.attempts + 1;
        for of in due.into_iter().filter_map(|at| self.setup.checks.get(at)) {
            let run = CheckRun {
                name: of.check.name.clone(),
                status: CheckStatus::Skipped,
                skipped: Some(why),
                script_sha256: of.script_sha256,
                excerpt: String::new(),
                command: None,
            };
            let report = self.report_of(of, &run, attempt);
            self.tally.checked(report);
        }
    }
}

/// The id under which the files are kept that a check changed, as those of a command are under the id of its call (C6).
#[must_use]
pub fn check_id(name: &str, attempt: u32) -> CallId {
    CallId(format!("check:{attempt}:{name}"))
}
