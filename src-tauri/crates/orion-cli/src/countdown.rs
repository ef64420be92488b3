//! The time that is left of a pause before a model call is retried, on one line that is rewritten each second.
//!
//! Deliberately not here: skipping the pause (`keyboard`, `chat::turn`).

use std::time::{Duration, Instant};

use crate::keyboard::Keyboard;

/// A pause that goes on.
#[derive(Debug)]
pub(crate) struct Countdown {
    attempt: u32,
    until: Instant,
}

impl Countdown {
    /// None where the number would not change while it is shown.
    pub(crate) fn of(attempt: u32, pause: Duration) -> Option<Self> {
        (pause > Duration::from_secs(1)).then(|| Self { attempt, until: Instant::now() + pause })
    }

    /// The line now. None once the pause is over.
    pub(crate) fn line(&self) -> Option<String> {
        let seconds = self.seconds();
        let skip = if Keyboard::possible() { " Press Enter to try now." } else { "" };
        (seconds > 0).then(|| format!("Attempt {} in {seconds} s.{skip}", self.attempt))
    }

    /// What the line is when the pause is over.
    pub(crate) fn last_line(&self) -> String {
        format!("Attempt {}.", self.attempt)
    }

    /// Waits until the line is another one. Cancelling the wait loses nothing.
    pub(crate) async fn next(&self) {
        let shown = Duration::from_secs(self.seconds().saturating_sub(1));
        tokio::time::sleep(self.left().saturating_sub(shown)).await;
    }

    /// A second that has begun counts.
    fn seconds(&self) -> u64 {
        let left = self.left();
        left.as_secs() + u64::from(left.subsec_nanos() > 0)
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}
