//! A budget for reading: how many entries may be looked at, for how long, and until it is cancelled.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// How much a piece of reading may cost.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Entries of folders that may still be looked at.
    entries: u64,
    until: Instant,
    cancel: CancellationToken,
}

/// Why a piece of reading ended before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// So many entries were looked at.
    Entries,
    Time,
    Cancelled,
}

impl Budget {
    /// Entries a walk looks at unless told otherwise: twice the largest project Orion is built for (500,000 files).
    pub const ENTRIES: u64 = 1_000_000;

    #[must_use]
    pub fn new(entries: u64, time: Duration, cancel: CancellationToken) -> Self {
        Self { entries, until: Instant::now() + time, cancel }
    }

    /// Pays for one entry. Returns why the budget is spent, if it is.
    pub(crate) fn entry(&mut self) -> Option<Halt> {
        let halt = self.spent();
        self.entries = self.entries.saturating_sub(1);
        halt
    }

    /// Asks whether to go on. Called between entries and between blocks of a file.
    #[must_use]
    pub fn spent(&self) -> Option<Halt> {
        if self.cancel.is_cancelled() {
            Some(Halt::Cancelled)
        } else if self.entries == 0 {
            Some(Halt::Entries)
        } else if Instant::now() >= self.until {
            Some(Halt::Time)
        } else {
            None
        }
    }
}
