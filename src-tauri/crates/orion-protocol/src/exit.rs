//! The exit codes of the command line, which other channels tell too (J5).

use std::process::ExitCode;

use crate::{Evaluation, StopReason, TurnReport};

/// The codes of the command line. Wrong usage (2) is the argument parser's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Answered = 0,
    Failed = 1,
    Usage = 2,
    WaitsForPerson = 3,
    BudgetExhausted = 4,
    /// At the output limit, for a reason that Orion does not know, or without an answer. Of checks: one did not run, or none did.
    MaybeIncomplete = 5,
    /// Answered, and a check failed (V3).
    CheckFailed = 6,
    /// 128 plus the number of SIGINT, as in shells.
    Stopped = 130,
}

impl Exit {
    #[must_use]
    pub fn of(report: &TurnReport) -> Self {
        match report.stop_reason {
            StopReason::Answered if report.evaluation == Some(Evaluation::Failed) => Self::CheckFailed,
            StopReason::Answered => Self::Answered,
            StopReason::BudgetExhausted | StopReason::DuplicatesExhausted => Self::BudgetExhausted,
            StopReason::Length | StopReason::Unknown | StopReason::Empty => Self::MaybeIncomplete,
            StopReason::Approval | StopReason::Clarification | StopReason::Paused => Self::WaitsForPerson,
            StopReason::Stopped => Self::Stopped,
            StopReason::ContentFilter | StopReason::Error => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
