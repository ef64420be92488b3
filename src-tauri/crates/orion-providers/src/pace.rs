//! The pace at which servers read prompts, by the calls of this process: of a server that does not say how far it has read, the time that is left can
//! only be estimated.
//!
//! A server keeps what it read before, so only what is new in a request counts (P12): what stands between the parts that it shares with the last request
//! at its beginning and at its end, where the tools are. Deliberately not here: what a server itself says of its progress ([`crate::chunk`]).

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

/// The most models whose pace is known. Beyond it all are forgotten, since each is soon known again.
const MAX_MODELS: usize = 100;

/// New bytes of a request below which its time says nothing of a pace: 4 KiB, some 1,000 tokens. A short prompt takes as long as the way there and back.
const LEAST: usize = 4 << 10;

/// An estimate below this is not told: 3 s. The answer would be there before it is read.
const LEAST_TOLD: Duration = Duration::from_secs(3);

/// The longest estimate that is told: a day. What is longer says only that the last call was an odd one.
pub(crate) const MOST_TOLD: Duration = Duration::from_secs(86_400);

/// Models by the address of their server and their name.
#[derive(Debug, Default)]
pub(crate) struct Paces(Mutex<BTreeMap<(String, String), Last>>);

/// The pace that the last call of a model has shown.
#[derive(Debug)]
struct Last {
    request: Bytes,
    /// New bytes per second. None until a request was long enough.
    pace: Option<f64>,
}

impl Paces {
    /// The time that the server is likely to read this request. None where nobody knows, or where it is too short to be told.
    pub(crate) fn estimate(&self, base: &str, model: &str, request: &[u8]) -> Option<Duration> {
        let paces = self.known();
        let last = paces.get(&(base.to_owned(), model.to_owned()))?;
        let seconds = new_bytes(&last.request, request) as f64 / last.pace?;
        let estimate = Duration::try_from_secs_f64(seconds).ok()?;
        (LEAST_TOLD..=MOST_TOLD).contains(&estimate).then_some(estimate)
    }

    /// The answer to this request began after so long.
    pub(crate) fn note(&self, base: &str, model: &str, request: &Bytes, took: Duration) {
        let mut paces = self.known();
        let key = (base.to_owned(), model.to_owned());
        if paces.len() >= MAX_MODELS && !paces.contains_key(&key) {
            paces.clear();
        }
        let last = paces.get(&key);
        let new = last.map_or(request.len(), |last| new_bytes(&last.request, request));
        let measured = (new >= LEAST && !took.is_zero()).then(|| new as f64 / took.as_secs_f64());
        let pace = measured.or(last.and_then(|last| last.pace));
        paces.insert(key, Last { request: request.clone(), pace });
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<(String, String), Last>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of the request that stand between what it shares with the last one at its beginning and at its end.
fn new_bytes(last: &[u8], request: &[u8]) -> usize {
    let same =
        |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| pairs.take_while(|(one, other)| one == other).count();
    let beginning = same(&mut last.iter().zip(request));
    let (last, request) = (last.get(beginning..), request.get(beginning..));
    let (last, request) = (last.unwrap_or_default(), request.unwrap_or_default());
    request.len() - same(&mut last.iter().rev().zip(request.iter().rev()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn request(messages: &[usize]) -> Bytes {
        let messages: Vec<String> =
            messages.iter().map(|length| format!("\"{}\"", "x".repeat(*length))).collect();
        Bytes::from(format!("{{\"messages\":[{}],\"tools\":[1,2,3]}}", messages.join(",")))
    }

    #[test]
    fn only_what_is_new_in_a_request_is_read() {
        let begun = request(&[10, 20]);
        assert_eq!(new_bytes(&begun, &begun), 0);
        assert_eq!(new_bytes(&begun, &request(&[10, 20, 7])), 10, "two quotes, a comma, and the text");
        assert_eq!(new_bytes(b"", &begun), begun.len());
        assert_eq!(new_bytes(&request(&[10, 20, 7]), &begun), 0);
    }

    #[test]
    fn the_time_that_is_left_follows_from_the_last_prompt_that_was_long_enough() {
        let paces = Paces::default();
        let estimate = |request: &Bytes| paces.estimate("a", "m", request);
        let first = request(&[10_000]);
        assert_eq!(estimate(&first), None, "nothing is known");
        // A tenth of its bytes per second.
        paces.note("a", "m", &first, SECOND * 10);
        assert_eq!(estimate(&first), None, "all of it is kept");
        let second = request(&[10_000, 50_000]);
        assert_eq!(estimate(&second).map(|left| left.as_secs()), Some(49));
        assert_eq!(paces.estimate("a", "other", &second), None);
        assert_eq!(estimate(&request(&[10_000, 1_000])), None, "it is over before it is read");
        // A short one says nothing of the pace.
        paces.note("a", "m", &request(&[10_000, 10]), SECOND * 9);
        assert_eq!(estimate(&second).map(|left| left.as_secs()), Some(49));
        paces.note("a", "m", &second, SECOND * 5);
        assert_eq!(estimate(&request(&[10_000, 50_000, 50_000])).map(|left| left.as_secs()), Some(5));
    }
}
