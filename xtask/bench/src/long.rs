//! A session with a long history, on the command line: a further turn in it must cost what its first turn cost.

use anyhow::Result;
use support::seed;

use crate::measures::{OFTEN, median, tour};
use crate::subject::{Rig, Subject};
use crate::table::{Goal, Row};

/// Turns of the session.
pub(crate) const TURNS: u32 = 5_000;

/// What a turn may cost there, by what the first turn of a session costs.
const TIMES: f64 = 1.2;

/// `orion run --continue` in a session of 5,000 turns, against the first turn of a new session in the same data directory.
pub(crate) fn continued(rig: &Rig) -> Result<Row> {
    let data = support::Folder::empty();
    rig.run(Subject::Orion, tour(), &data.path())?.model.finish();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(seed::long_session(&data.path(), TURNS));
    // A first turn is in a data directory of its own: there the latest session would not be the long one any more.
    let new = support::Folder::empty();
    rig.run(Subject::Orion, tour(), &new.path())?.model.finish();
    let (mut first, mut later) = (Vec::new(), Vec::new());
    for _ in 0..OFTEN {
        first.push(rig.used(Subject::Orion, tour(), &new.path())?.0.cpu_ms);
        later.push(rig.used_with(Subject::Orion, tour(), &data.path(), &["--continue"])?.0.cpu_ms);
    }
    let (first, later) = (median(first), median(later));
    let what = "a further turn in a session of 5,000: list, read, answer: CPU";
    Ok(Row { what, unit: "ms", goal: Goal::SameAs(first, first * TIMES), floor: None, orion: later })
}

/// Tokens of the session that is remembered, at 4 bytes each, and the window that they fit into.
const REMEMBERED: usize = 100_000;
const WINDOW: u32 = 1_000_000;

/// Turns that they are spread over.
const SPREAD: u32 = 40;

/// Milliseconds that they may cost.
const MORE: f64 = 10.0;

/// Without a count of tokens, which would not be that of the session.
fn short() -> support::Script {
    support::Script::new().turn(|turn| turn.text("Yes.").end("stop"))
}

/// A turn in a session whose context has 100,000 tokens, against one in an empty session. Both get a short answer, so the difference is what comes
/// before the first request, and what the request itself costs.
pub(crate) fn remembered(rig: &Rig) -> Result<Row> {
    let data = support::Folder::empty();
    let each = REMEMBERED * 4 / SPREAD as usize;
    let long = (0..).map(crate::measures::word).scan(0, |bytes, word| {
        *bytes += word.len();
        (*bytes <= each).then_some(word)
    });
    let long: String = long.collect();
    rig.cpu_with_window(
        WINDOW,
        support::Script::new().turn(|turn| turn.text(&long).end("stop")),
        &data.path(),
        &[],
    )?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(seed::long_session(&data.path(), SPREAD));
    let new = support::Folder::empty();
    rig.cpu_with_window(WINDOW, short(), &new.path(), &[])?;
    let (mut empty, mut full) = (Vec::new(), Vec::new());
    for _ in 0..OFTEN {
        empty.push(rig.cpu_with_window(WINDOW, short(), &new.path(), &[])?);
        full.push(rig.cpu_with_window(WINDOW, short(), &data.path(), &["--continue"])?);
    }
    let (empty, full) = (median(empty), median(full));
    let what = "a short turn in a session of 100,000 tokens: CPU";
    Ok(Row { what, unit: "ms", goal: Goal::SameAs(empty, empty + MORE), floor: None, orion: full })
}
