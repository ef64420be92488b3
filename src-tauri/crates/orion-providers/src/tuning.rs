//! Time limits and retries of an endpoint, in one place, so that tests and settings can change them.

use std::time::Duration;

/// How long a call waits and how often it is retried. [`Tuning::default`] is what users get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// To open a connection: 10 s, which is longer than any handshake that still works.
    pub connect: Duration,
    /// For a hosted service.
    pub hosted: Waits,
    /// For a server on this computer or in its own network. Where it has no limit up to the first piece, the seconds of the turn are one.
    pub near: Waits,
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

/// The waits of a call for its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waits {
    /// From the request to the first piece of its answer; none for no limit.
    pub first: Option<Duration>,
    /// The same, once anything came that is no piece, such as comments: the server is at work.
    pub heard: Option<Duration>,
    /// Between two pieces of an answer that carry anything. There is no limit for the whole answer. Comments and blank lines, which keep a connection
    /// alive, carry nothing.
    pub between: Duration,
    /// For the whole answer to another question, such as which models there are.
    pub other: Duration,
}

impl Waits {
    /// 120 s and 60 s: many times what a service takes that still answers. 300 s where it says that it queues the request, which OpenRouter and DeepSeek
    /// do with comments.
    pub const HOSTED: Self = Self {
        first: Some(Duration::from_secs(120)),
        heard: Some(Duration::from_secs(300)),
        between: Duration::from_secs(60),
        other: Duration::from_secs(60),
    };

    /// A model on a common computer reads 100 tokens a second and less, so a long prompt takes more than any fixed limit. 300 s between two pieces:
    /// some servers hold a whole call back until it is complete.
    pub const NEAR: Self =
        Self { first: None, heard: None, between: Duration::from_secs(300), other: Duration::from_secs(60) };

    /// One limit in the place of all.
    #[must_use]
    pub fn all(limit: Duration) -> Self {
        Self { first: Some(limit), heard: Some(limit), between: limit, other: limit }
    }
}

impl Tuning {
    /// The waits for a server that is near, or hosted.
    #[must_use]
    pub fn waits(&self, near: bool) -> Waits {
        if near { self.near } else { self.hosted }
    }
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            hosted: Waits::HOSTED,
            near: Waits::NEAR,
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
