//! The checks of a turn: those that it begins with, and running one of them (V1).
//!
//! Deliberately not here: when one runs (the machine), and running a check for its own sake (`checks`).

use futures_util::FutureExt;
use orion_protocol::{CheckRun, CheckSkipped, CheckStatus, TurnIds};

use super::Engine;
use super::setup::ProjectContext;
use crate::driver::{CheckToRun, RunCheck};

impl Engine {
    /// Runs the checks of a turn in its project.
    pub(super) fn check_runner(&self, _ids: TurnIds, _context: &ProjectContext) -> RunCheck {
        Box::new(move |CheckToRun { of, attempt, passed }, _line, _stop| {
            let passed = passed.is_some();
            tracing::warn!(name = of.check.name, attempt, passed, "a check has nothing that runs it");
            let run = CheckRun {
                name: of.check.name,
                status: CheckStatus::Skipped,
                skipped: Some(CheckSkipped::NotStarted),
                script_sha256: of.script_sha256,
                excerpt: String::new(),
                command: None,
            };
            std::future::ready(run).boxed()
        })
    }
}
