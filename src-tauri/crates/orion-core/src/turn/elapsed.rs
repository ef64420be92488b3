//! The time that a turn has used (T7).

/// The time that a turn has used. Time in which it waits for a person does not count, nor does time in which no process drives it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Elapsed {
    ms: u64,
    until_ms: i64,
}

impl Elapsed {
    pub(super) fn since(start_ms: i64) -> Self {
        Self { ms: 0, until_ms: start_ms }
    }

    /// The clock has come to this time.
    pub(super) fn reaches(&mut self, now_ms: i64, counts: bool) {
        let passed = u64::try_from(now_ms.saturating_sub(self.until_ms)).unwrap_or(0);
        self.until_ms = now_ms;
        if counts {
            self.ms = self.ms.saturating_add(passed);
        }
    }

    /// When this many milliseconds are used, if none of them is waited through.
    pub(super) fn deadline(&self, limit_ms: u64) -> i64 {
        let left = limit_ms.saturating_sub(self.ms);
        self.until_ms.saturating_add(i64::try_from(left).unwrap_or(i64::MAX))
    }
}
