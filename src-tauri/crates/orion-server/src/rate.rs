//! Requests of each token in a minute (H6).

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Requests of one token in one minute.
const REQUESTS: u32 = 600;

const MINUTE: Duration = Duration::from_secs(60);

/// The requests of one token in the minute that began last.
#[derive(Debug)]
pub(crate) struct Rate(Mutex<(Instant, u32)>);

impl Default for Rate {
    fn default() -> Self {
        Self(Mutex::new((Instant::now(), 0)))
    }
}

impl Rate {
    /// Counts a request; the seconds to wait where it is one too many.
    pub(crate) fn take(&self, now: Instant) -> Result<(), u32> {
        let mut minute = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = now.saturating_duration_since(minute.0);
        if gone >= MINUTE {
            *minute = (now, 0);
        }
        if minute.1 >= REQUESTS {
            let left = MINUTE.saturating_sub(gone).as_secs() + 1;
            return Err(u32::try_from(left).unwrap_or(u32::MAX));
        }
        minute.1 += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_hundred_requests_pass_in_a_minute_and_as_many_in_the_next() {
        let rate = Rate::default();
        let start = Instant::now();
        assert!((0..600).all(|_| rate.take(start).is_ok()));
        assert!(rate.take(start + Duration::from_secs(30)).is_err_and(|wait| (1..=61).contains(&wait)));
        assert_eq!(rate.take(start + Duration::from_secs(61)), Ok(()));
    }
}
