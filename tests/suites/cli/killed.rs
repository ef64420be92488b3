//! `kill -9` at random moments of scripted turns, by real processes on one data folder: after lines of output and in the middle of commits, in
//! tools, writes, approvals, pauses, questions, queues, steering and rewinds. What holds after each kill is in `holds`.
//!
//! A life is one data folder with one session. In it commands follow one another, most of them killed; whatever a kill left is gone on with by the next
//! command. `ORION_SEED` repeats a run, up to the speed of the machine; `ORION_KILLS` says how many kills there are, of which `cargo xtask soak` asks
//! for more.

mod holds;
mod life;
mod moment;
mod records;
mod scene;

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use self::life::{Killed, Life, THEMES};
use self::moment::Dice;

/// Kills of one run, enough for each kind of command and of moment; `cargo xtask soak` asks for more.
const KILLS: u64 = 40;

/// Far more lives than so many kills take.
const LIVES: usize = 400;

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is a number, not {text}")))
}

// T2, T3, A3, A5, A7, A9, A10, J1
#[test]
fn a_kill_at_any_moment_loses_nothing_repeats_nothing_and_answers_nothing() {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = number("ORION_SEED").unwrap_or_else(now);
    let kills = number("ORION_KILLS").unwrap_or(KILLS);
    eprintln!("ORION_SEED={seed}");
    let mut dice = Dice::of(seed);
    let (mut killed, mut moments) = (BTreeMap::<&str, u64>::new(), BTreeMap::<&str, u64>::new());
    let all = ["answer", "approve", "chat", "reject", "resume", "rewind", "run"];
    for theme in THEMES.iter().cycle().take(LIVES) {
        let left = kills.saturating_sub(killed.values().sum());
        // The last ones are of what chance has left out.
        let is_missing =
            kills >= KILLS && (all.iter().any(|kind| !killed.contains_key(kind)) || moments.len() < 3);
        if left == 0 && !is_missing {
            eprintln!("killed: {killed:?} {moments:?}");
            return;
        }
        for Killed { kind, when } in
            Life::of(*theme, dice.number()).lived(if left == 0 { KILLS } else { left })
        {
            *killed.entry(kind).or_default() += 1;
            *moments.entry(when).or_default() += 1;
        }
    }
    panic!("{LIVES} lives had no more than {killed:?} {moments:?}");
}
