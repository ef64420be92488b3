//! The line that says what a model does before its answer is there: how far its server has read the prompt, or for how long it thinks. So it says which
//! check runs. It is rewritten each second.
//!
//! Deliberately not here: the pause before a call is tried again (`countdown`), and when the line goes (`display`).

use std::time::{Duration, Instant};

use orion_protocol::{PromptProgress, grouped};

use crate::terminal::one_line;

/// A model that is waited for.
#[derive(Debug)]
pub(crate) struct Waiting {
    /// Since then it does what it does.
    since: Instant,
    does: Does,
}

#[derive(Debug, Clone)]
enum Does {
    /// Nobody knows; the whole time that it is likely to take, where it is known.
    Something(Option<Duration>),
    Reads {
        total: u32,
        processed: u32,
        cached: u32,
        left: Option<Duration>,
    },
    Thinks,
    /// A check runs this line.
    Checks(String),
}

impl Waiting {
    /// It is asked now.
    pub(crate) fn begin() -> Self {
        Self { since: Instant::now(), does: Does::Something(None) }
    }

    pub(crate) fn reads(&mut self, progress: &PromptProgress) {
        let left = progress.left_ms.map(Duration::from_millis);
        self.does = match (progress.total, progress.processed) {
            (Some(total), Some(processed)) => {
                Does::Reads { total, processed, cached: progress.cached.unwrap_or(0), left }
            }
            _ => Does::Something(left.map(|left| left + self.since.elapsed())),
        };
    }

    /// A check of the person begins now (V1).
    pub(crate) fn checks(command: &str) -> Self {
        Self { since: Instant::now(), does: Does::Checks(one_line(command, 60)) }
    }

    pub(crate) fn thinks(&mut self) {
        if !matches!(self.does, Does::Thinks) {
            *self = Self { since: Instant::now(), does: Does::Thinks };
        }
    }

    /// The line now. None in the first second, in which most answers come.
    pub(crate) fn line(&self) -> Option<String> {
        let waited = self.since.elapsed();
        match &self.does {
            Does::Reads { total, processed, cached, left } => {
                Some(reading(*total, *processed, *cached, *left))
            }
            Does::Checks(line) => Some(format!("Checking · {line} · {}", told(waited))),
            _ if waited < Duration::from_secs(1) => None,
            Does::Something(None) => Some(format!("Waiting for the model, {}", told(waited))),
            Does::Something(Some(all)) => {
                Some(format!("Waiting for the model, {} of about {}", told(waited), told(*all)))
            }
            Does::Thinks => Some(format!("Thinking, {}", told(waited))),
        }
    }

    /// Waits until the line is another one. Cancelling the wait loses nothing.
    pub(crate) async fn next(&self) {
        let next = Duration::from_secs(self.since.elapsed().as_secs() + 1);
        tokio::time::sleep(next.saturating_sub(self.since.elapsed())).await;
    }
}

fn reading(total: u32, processed: u32, cached: u32, left: Option<Duration>) -> String {
    let mut line = format!("Reading {} of {} tokens", grouped(processed), grouped(total));
    if cached > 0 {
        line += &format!(", {} from the cache", grouped(cached));
    }
    if let Some(left) = left {
        line += &format!(", about {} left", told(left));
    }
    line
}

/// Seconds up to two minutes, and minutes beyond.
fn told(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", grouped(seconds / 60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(seconds: u64) -> Waiting {
        let since = Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
        Waiting { since, ..Waiting::begin() }
    }

    fn of(total: Option<u32>, left_ms: Option<u64>) -> PromptProgress {
        PromptProgress {
            total,
            cached: Some(11_900),
            processed: total.map(|_| 12_300),
            elapsed_ms: 0,
            left_ms,
        }
    }

    #[test]
    fn the_line_says_how_far_a_prompt_is_read_and_how_long_a_model_thinks() {
        assert_eq!(Waiting::begin().line(), None);
        let mut waiting = since(12);
        assert_eq!(waiting.line().unwrap(), "Waiting for the model, 12 s");
        waiting.reads(&of(None, Some(28_500)));
        assert_eq!(waiting.line().unwrap(), "Waiting for the model, 12 s of about 40 s");
        waiting.reads(&of(Some(31_000), Some(40_000)));
        let expected = "Reading 12,300 of 31,000 tokens, 11,900 from the cache, about 40 s left";
        assert_eq!(waiting.line().unwrap(), expected);
        waiting.reads(&PromptProgress { cached: None, ..of(Some(31_000), Some(300_000)) });
        assert_eq!(waiting.line().unwrap(), "Reading 12,300 of 31,000 tokens, about 5 min left");
        waiting.thinks();
        assert_eq!(waiting.line(), None);
        let mut waiting = since(130);
        waiting.does = Does::Thinks;
        assert_eq!(waiting.line().unwrap(), "Thinking, 2 min");
    }
}
