//! A moment that counts once, and only soon after it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time for which it counts: 3 s, far more than a busy window takes to tell the page of a press.
pub(crate) const SOON: Duration = Duration::from_secs(3);

/// The moment of a person's last press, until somebody has counted on it.
#[derive(Debug, Default)]
pub(crate) struct Recent(Mutex<Option<Instant>>);

impl Recent {
    #[cfg_attr(
        not(any(test, target_os = "linux")),
        expect(dead_code, reason = "the shell sees presses only there")
    )]
    pub(crate) fn begins(&self, now: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
    }

    /// True once, when it was a moment ago.
    pub(crate) fn takes(&self, now: Instant) -> bool {
        let moment = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        moment.is_some_and(|moment| now.duration_since(moment) <= SOON)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_counts_once_and_only_soon() {
        let (recent, now) = (Recent::default(), Instant::now());
        assert!(!recent.takes(now));
        recent.begins(now);
        assert!(recent.takes(now + SOON));
        assert!(!recent.takes(now));
        recent.begins(now);
        assert!(!recent.takes(now + SOON + Duration::from_millis(1)));
    }
}
