//! The data of a check phase (V1).
//!
//! Deliberately not here: what is done in it (`checking`).

use std::collections::VecDeque;

use orion_protocol::StopReason;

use super::job::JobId;
use super::phases::Ending;

/// A check phase: the checks that apply, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Checking {
    pub(super) started_ms: i64,
    pub(super) attempt: u32,
    /// The end that the turn has in any case.
    pub(super) reason: StopReason,
    pub(super) current: Option<Current>,
    /// By their places in the setup.
    pub(super) left: VecDeque<usize>,
    /// It was told to end, and waits for the check that runs.
    pub(super) ending: Option<Ending>,
    /// One was left out since the seconds of the turn are used up.
    pub(super) late: bool,
}

/// The check that runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Current {
    pub(super) at: usize,
    pub(super) job: JobId,
}

impl Checking {
    /// The job of the check that runs.
    pub(super) fn job(&self) -> Option<JobId> {
        self.current.map(|current| current.job)
    }

    /// The seconds of the turn have something to end here.
    pub(super) fn can_expire(&self) -> bool {
        self.ending.is_none()
    }
}
