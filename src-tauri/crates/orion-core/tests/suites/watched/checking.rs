//! The promises of checks about a turn under test (V1–V3), counted apart from the machine.

use std::collections::HashMap;

use orion_core::turn::{Done, Input, JobId, TurnCheck};
use orion_protocol::{
    CheckRun, CheckStatus, CommandRun, Envelope, Evaluation, Phase, TurnEvent, TurnReport, WriteStatus,
};

use super::Watched;
use crate::acts::checks::{OfCheck, checked};

#[derive(Clone, Default)]
pub(super) struct Checking {
    /// The check that runs, and the run of the model that it passes as.
    running: Option<(JobId, Box<TurnCheck>, Option<Box<CommandRun>>)>,
    /// It was told to end.
    told: Option<JobId>,
    phases: u32,
    /// The model is asked to repair, or does.
    repairing: bool,
    repairs: u32,
    begun: HashMap<(String, u32), u32>,
    /// The last outcome of each check.
    last: HashMap<String, CheckStatus>,
    /// A run that ended with exit code 0 since the last attempt.
    passed: HashMap<String, u32>,
    /// The turn wrote a file, or a command of it changed one.
    changed: bool,
    stopped: bool,
}

impl Checking {
    pub(super) fn begins(
        &mut self,
        job: JobId,
        of: Box<TurnCheck>,
        attempt: u32,
        as_run: Option<Box<CommandRun>>,
    ) {
        assert!(self.changed, "V1: nothing runs where nothing changed");
        assert_eq!(self.told, None, "A4: no check begins once one was told to end");
        assert_eq!(attempt, self.phases, "V1: a check runs in its phase");
        assert!(as_run.as_ref().is_none_or(|run| run.line == of.line && run.ended.succeeded()), "V1");
        assert!(self.running.replace((job, of, as_run)).is_none(), "V1: one check at a time");
    }

    /// The process died.
    pub(super) fn died(&mut self) {
        (self.running, self.told) = (None, None);
    }

    pub(super) fn cancelled(&mut self, job: JobId) {
        self.running.take_if(|(running, ..)| *running == job);
    }

    /// False where it is no check.
    pub(super) fn told_to_end(&mut self, job: JobId) -> bool {
        let is_it = self.running.as_ref().is_some_and(|(running, ..)| *running == job);
        if is_it {
            assert_eq!(self.told.replace(job), None, "it is told once");
        }
        is_it
    }

    pub(super) fn runs(&self) -> bool {
        self.running.is_some()
    }

    pub(super) fn repairs(&self) -> bool {
        self.repairing
    }

    pub(super) fn event(&mut self, envelope: &Envelope) {
        match &envelope.event {
            TurnEvent::WriteDone { status: WriteStatus::Written | WriteStatus::Unknown, .. } => {
                self.changed = true
            }
            TurnEvent::ToolResult { command: Some(run), .. } => {
                self.changed |= !run.changed.is_empty() || run.more_changed > 0;
            }
            TurnEvent::PhaseStarted { write, .. } if envelope.phase == Phase::CheckPhase => {
                assert!(write.is_none());
                self.phases += 1;
                self.repairing = false;
                assert!(self.phases <= 2, "V2: the checks run twice at most");
                assert_eq!(self.phases, self.repairs + 1, "V2: they run again after a repair alone");
            }
            TurnEvent::PhaseStarted { write: None, model_call: Some(_), .. } if self.phases > 0 => {
                self.repairs += 1;
                self.repairing = true;
                assert_eq!(self.repairs, 1, "V2: one repair");
            }
            TurnEvent::CheckStarted { name, attempt, .. } => {
                let runs = self.begun.entry((name.clone(), *attempt)).or_default();
                *runs += 1;
                assert_eq!((*runs, *attempt), (1, self.phases), "V2: each check once in its phase");
            }
            TurnEvent::CheckEnded { run, attempt, .. } => self.ended(run, *attempt),
            _ => {}
        }
    }

    fn ended(&mut self, run: &CheckRun, attempt: u32) {
        assert_eq!(attempt, self.phases);
        self.running.take_if(|(_, of, _)| of.check.name == run.name);
        if run.command.as_ref().is_some_and(|command| command.ended.succeeded()) {
            self.passed.insert(run.name.clone(), attempt);
        }
        assert_eq!(run.skipped.is_some(), run.status == CheckStatus::Skipped);
        self.last.insert(run.name.clone(), run.status);
    }

    pub(super) fn over(&self, report: &TurnReport, has_checks: bool) {
        assert!(self.running.is_none(), "T3: no check outlives its turn");
        assert_eq!((report.evaluation.is_some(), report.checks.is_some()), (has_checks, has_checks), "J5");
        if report.evaluation == Some(Evaluation::Passed) {
            assert!(!self.stopped && !self.last.is_empty(), "A4, V3");
            for (name, status) in &self.last {
                assert_eq!(*status, CheckStatus::Passed, "V3: {name}");
                assert_eq!(self.passed.get(name), Some(&self.phases), "V3: {name} ran and passed");
            }
        }
        let failed =
            self.last.values().any(|status| matches!(status, CheckStatus::Failed | CheckStatus::TimedOut));
        assert_eq!(report.evaluation == Some(Evaluation::Failed), failed && !self.stopped, "V3");
    }
}

impl Watched {
    pub(super) fn check_ends(&mut self, act: OfCheck) {
        let Some((job, of, as_run)) = self.checking.running.clone() else { return };
        let run = Box::new(checked(&of, as_run.map(|run| *run), act));
        self.input(Input::Done { job, done: Done::Checked { run } });
    }

    /// A person stopped the turn while a check ran: the answer stays (A4).
    pub(super) fn stops_checks(&mut self) {
        assert!(self.checking.told.is_some(), "A4: the check was told to end");
        self.checking.stopped = true;
        self.check_ends(OfCheck::Stopped);
    }
}
