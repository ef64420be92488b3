//! The part of a turn's checks that outlives its states: what the turn changed, what the model has run itself since, and how far the repair is (V1–V3).
//!
//! Deliberately not here: running the checks (`checking`), and the repair (`repairing`).

use std::collections::BTreeSet;

use orion_protocol::{Check, CheckRun, CommandRun, SandboxLevel, StopReason};

use crate::permission::Pattern;

/// The most commands of the model that are kept to pass for checks: more lines than there can be checks.
const RAN: usize = 4 * Check::MOST;

/// The things that a turn knows of its checks.
#[derive(Debug, Clone, Default)]
pub(super) struct Checked {
    /// The files that the turn changed, project-relative.
    touched: BTreeSet<String>,
    /// It changed more of them than are named.
    more: bool,
    /// Changes so far.
    changes: u64,
    /// Commands of the model that ended with exit code 0 and changed nothing, since the last change.
    ran: Vec<CommandRun>,
    /// Check phases begun.
    pub(super) attempts: u32,
    /// The failed runs of the last check phase that were no failure before the turn.
    pub(super) failed: Vec<CheckRun>,
    pub(super) repair: Repair,
}

/// The one repair of a turn (V2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Repair {
    #[default]
    NotBegun,
    /// The model was told what failed. `changes` is the number of changes before it.
    UnderWay {
        reason: StopReason,
        changes: u64,
    },
    Over,
}

impl Checked {
    /// Takes files that the turn changed. `more`: there are others that are not named.
    pub(super) fn touch(&mut self, paths: impl IntoIterator<Item = String>, more: bool) {
        let before = self.touched.len();
        let mut any = more;
        for path in paths {
            any = true;
            self.touched.insert(path);
        }
        self.more |= more;
        if any || before != self.touched.len() {
            self.changes += 1;
            self.ran.clear();
        }
    }

    /// Something of the project changed, by whomever: what the model ran before says nothing of it.
    pub(super) fn changed(&mut self) {
        self.ran.clear();
    }

    /// A change would matter: the model has run something that may pass for a check.
    pub(super) fn minds(&self) -> bool {
        !self.ran.is_empty()
    }

    /// Takes a command of the model that has ended.
    pub(super) fn ran(&mut self, run: &CommandRun) {
        let paths = run.changed.iter().map(|file| file.path.clone());
        self.touch(paths, run.more_changed > 0);
        let is_held = run.level != SandboxLevel::None;
        let is_plain =
            is_held && !run.outside && run.network.is_none() && !run.partly_compared && run.folder == ".";
        let changed_nothing = run.changed.is_empty() && run.more_changed == 0;
        if run.ended.succeeded() && is_plain && changed_nothing && self.ran.len() < RAN {
            self.ran.push(run.clone());
        }
    }

    /// The run of exactly this line by the model, after the last change and with exit code 0.
    pub(super) fn passed_as(&self, line: &str) -> Option<CommandRun> {
        self.ran.iter().rev().find(|run| run.line == line).cloned()
    }

    /// The turn changed a file that the check is about. A glob that cannot be read leaves nothing out.
    pub(super) fn concerns(&self, check: &Check) -> bool {
        if self.more || check.paths.is_empty() {
            return self.more || !self.touched.is_empty();
        }
        let globs = check.paths.iter().map(|glob| Pattern::try_from(glob.clone()).ok());
        let globs: Option<Vec<Pattern>> = globs.collect();
        let Some(globs) = globs else { return !self.touched.is_empty() };
        self.touched.iter().any(|path| globs.iter().any(|glob| glob.names_file(path)))
    }

    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// The end of a turn that a person stops: in its repair the answer stays, with what the checks found (V2).
    pub(super) fn end_when_stopped(&self) -> StopReason {
        self.end_of_repair().unwrap_or(StopReason::Stopped)
    }

    /// The repair is under way.
    pub(super) fn repairs(&self) -> bool {
        self.end_of_repair().is_some()
    }

    /// The end that the turn has in any case, while the repair is under way.
    pub(super) fn end_of_repair(&self) -> Option<StopReason> {
        match self.repair {
            Repair::UnderWay { reason, .. } => Some(reason),
            Repair::NotBegun | Repair::Over => None,
        }
    }
}
