//! The clock of a turn. It starts at the wall clock's time and never goes back, so that a replay sees the times that
//! the turn saw (T5).

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Milliseconds since the Unix epoch, growing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    start_ms: i64,
    start: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { start_ms: i64::try_from(since.as_millis()).unwrap_or(i64::MAX), start: Instant::now() }
    }

    /// The moment at which this clock shows a time.
    pub(crate) fn at(&self, at_ms: i64) -> Instant {
        let after = u64::try_from(at_ms.saturating_sub(self.start_ms)).unwrap_or(0);
        self.start.checked_add(Duration::from_millis(after)).unwrap_or(self.start)
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.start_ms.saturating_add(i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX))
    }
}
