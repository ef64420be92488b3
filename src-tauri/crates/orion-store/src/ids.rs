//! New ids.

use std::time::{SystemTime, UNIX_EPOCH};

use uuid::{NoContext, Timestamp, Uuid};

/// A new id. It sorts behind those that were made before it, as far as the clock does (RFC 9562, version 7).
#[must_use]
pub fn new_id() -> Uuid {
    if SystemTime::now() < UNIX_EPOCH { before_1970() } else { Uuid::now_v7() }
}

/// An id by a clock that was never set, which version 7 has no time for: it sorts before all others.
fn before_1970() -> Uuid {
    Uuid::new_v7(Timestamp::from_unix(NoContext, 0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_before_1970_makes_ids_that_differ_and_sort_first() {
        let (one, other, now) = (before_1970(), before_1970(), new_id());
        assert!(one != other && one < now && other < now, "{one} {other} {now}");
    }
}
