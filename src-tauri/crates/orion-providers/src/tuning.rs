//! Time limits and retries of an endpoint, in one place, so that tests and settings can change them.

use std::time::Duration;

/// How long a call waits and how often it is retried. [`Tuning::default`] is what users get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// To open a connection: 10 s, which is longer than any handshake that still works.
    pub connect: Duration,
    /// From the request to the first byte of its answer: 120 s, since a local model may have to be loaded first.
    pub first_byte: Duration,
    /// Between two pieces of an answer that carry anything: 60 s. There is no limit for the whole answer. Comments
    /// and blank lines, which keep a connection alive, carry nothing.
    pub idle: Duration,
    /// After a finish reason: 5 s for a last usage report. Then the answer is over, whether the server closes it or not.
    pub after_finish: Duration,
    /// The most tries of a call that finds no server, or whose connection ends before an answer, including the first:
    /// 3.
    pub attempts: usize,
    /// Before the second try: 500 ms, and twice as long before each further one.
    pub backoff: Duration,
    /// The longest pause between tries, unless the provider asks for a longer one: 8 s.
    pub backoff_max: Duration,
    /// The most that all pauses of a call may add up to while its provider is overloaded or limits the rate: 60 s.
    /// With the pauses above this gives 11 tries. Orion does not wait longer, even if a provider asks for it
    /// (`Retry-After`); the person is told instead.
    ///
    /// None leaves it to the settings, and to these 60 s where they say nothing.
    pub retry_for: Option<Duration>,
    /// For all local servers together when looking for one: 1 s.
    pub discover: Duration,
    /// Between two words of the demo model: 12 ms, about the pace of a quick hosted one.
    pub demo_pace: Duration,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(60),
            after_finish: Duration::from_secs(5),
            attempts: 3,
            backoff: Duration::from_millis(500),
            backoff_max: Duration::from_secs(8),
            retry_for: None,
            discover: Duration::from_secs(1),
            demo_pace: Duration::from_millis(12),
        }
    }
}
