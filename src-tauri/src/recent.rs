//! A moment that counts once, and only soon after it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time for which it counts: 3 s, far more than a busy window takes to tell the page of a press.
pub(crate) const SOON: Duration = Duration::from_secs(3);

/// The moment until which the last press of a person counts, unless somebody has counted on it.
#[derive(Debug, Default)]
pub(crate) struct Recent(Mutex<Option<Instant>>);

#[cfg_attr(
    not(any(test, target_os = "linux")),
    expect(dead_code, reason = "the shell sees presses only there")
)]
impl Recent {
    pub(crate) fn begins(&self, until: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    /// Counts longer, if it counts still.
    pub(crate) fn lasts(&self, until: Instant) {
        if let Some(counts) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            *counts = until;
        }
    }

    /// True once, before its time is over.
    pub(crate) fn takes(&self, now: Instant) -> bool {
        let until = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        until.is_some_and(|until| now <= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_counts_once_and_only_soon() {
        let (recent, now) = (Recent::default(), Instant::now());
        assert!(!recent.takes(now));
        recent.begins(now + SOON);
        assert!(recent.takes(now + SOON));
        assert!(!recent.takes(now));
        // What is let go counts from then on, unless it was taken.
        recent.lasts(now + SOON);
        assert!(!recent.takes(now));
        recent.begins(now + SOON);
        recent.lasts(now + 2 * SOON);
        assert!(recent.takes(now + 2 * SOON));
        recent.begins(now + SOON);
        assert!(!recent.takes(now + SOON + Duration::from_millis(1)));
    }
}
