//! Ending all that a command started where no box ends with the helper (C5): the helper has every descendant as its own, and kills until none is left.
//!
//! Deliberately not here: when it is time to (`ruling`).

use std::time::{Duration, Instant};

use orion_sandbox::wire::ENDING_MS;
use rustix::process::{Signal, getpid, set_child_subreaper, setsid};

use crate::census::Whose;

/// The time between two rounds in which processes are ended, or are looked after until they have ended.
pub(crate) const ROUND: Duration = Duration::from_millis(10);

/// Has every process of the command as its own, also one whose parent is gone.
pub(crate) fn adopt() -> rustix::io::Result<()> {
    // Fails where it leads a session already.
    let _ = setsid();
    set_child_subreaper(Some(getpid()))
}

/// Ends each descendant, and those that they start in the meantime, round after round, and has the names of those that it could not end: they are
/// another user's, or the kernel holds them.
pub(crate) fn end_all(whose: Whose) -> Vec<String> {
    let until = Instant::now() + Duration::from_millis(ENDING_MS);
    while !whose.running().is_empty() {
        // First none of them starts another any more.
        let may_obey = whose.signal(&[Signal::STOP, Signal::KILL]);
        if !may_obey || Instant::now() >= until {
            return whose.names();
        }
        std::thread::sleep(ROUND);
    }
    Vec::new()
}
