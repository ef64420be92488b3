//! A session with a long history, on the command line: a further turn in it must cost what its first turn cost.

use anyhow::Result;
use support::seed;

use crate::measures::{OFTEN, median, tour};
use crate::subject::{Place, Subject};
use crate::table::{Goal, Row};

/// Turns of the session.
pub(crate) const TURNS: u32 = 5_000;

/// What a turn may cost there, by what the first turn of a session costs.
const TIMES: f64 = 1.2;

/// `orion run --continue` in a session of 5,000 turns, against the first turn of a new session in the same data directory.
pub(crate) fn continued(place: &Place) -> Result<Row> {
    let data = support::Folder::empty();
    place.run(Subject::Orion, tour(), &data.path())?.model.finish();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(seed::long_session(&data.path(), TURNS));
    // A first turn is in a data directory of its own: there the latest session would not be the long one any more.
    let new = support::Folder::empty();
    place.run(Subject::Orion, tour(), &new.path())?.model.finish();
    let (mut first, mut later) = (Vec::new(), Vec::new());
    for _ in 0..OFTEN {
        first.push(place.used(Subject::Orion, tour(), &new.path())?.0.cpu_ms);
        later.push(place.used_with(Subject::Orion, tour(), &data.path(), &["--continue"])?.0.cpu_ms);
    }
    let (first, later) = (median(first), median(later));
    let what = "a further turn in a session of 5,000: list, read, answer: CPU";
    Ok(Row { what, unit: "ms", goal: Goal::SameAs(first, first * TIMES), floor: None, orion: later })
}
