//! `soak`: kills and random sequences, ten and a hundred times as many as the suites have, in rounds. A seed repeats them.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::step::{self, cargo, say};
use crate::{system, tools, types};

/// Kills of a round; a test that takes longer is taken for one that hangs.
const KILLS: u64 = 100;

/// Random sequences of a round, for the same reason.
const SEQUENCES: u64 = 100_000;

const KILLED: &str =
    "test(=cli::killed::a_kill_at_any_moment_loses_nothing_repeats_nothing_and_answers_nothing)";
/// One test of sequences of everything, and one of what happens in write sessions: each has half of the sequences.
const SEARCHED: &str = "test(/^turn_props::every_rule_holds_after_every_input_of_a_random_sequence/)";

/// How much is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Soak {
    seed: u64,
    kills: u64,
    sequences: u64,
    /// No round begins after this many minutes.
    minutes: Option<u64>,
}

pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_secs();
    let soak = Soak::of(arguments, now)?;
    let began = Instant::now();
    system::for_testing()?;
    tools::ensure("nextest")?;
    // The selection of `test`: another would resolve other features and build half the tree again.
    step::run("building everything", &mut cargo(&["build", "--workspace", "--all-targets"]))?;
    let (mut kills, mut sequences) = (0, 0);
    for round in 0.. {
        let seed = soak.seed.wrapping_add(round);
        let (to_kill, to_try) = (KILLS.min(soak.kills - kills), SEQUENCES.min(soak.sequences - sequences));
        let is_late =
            soak.minutes.is_some_and(|minutes| began.elapsed() >= Duration::from_secs(60 * minutes));
        if is_late || to_kill + to_try == 0 {
            break;
        }
        let again =
            || format!("to repeat it: cargo xtask soak --seed {seed} --kills {to_kill} --sequences {to_try}");
        if to_kill > 0 {
            let environment = [("ORION_SEED", seed), ("ORION_KILLS", to_kill)];
            tests(&format!("{to_kill} kills, seed {seed}"), KILLED, &environment).with_context(again)?;
        }
        if to_try > 0 {
            let environment = [("PROPTEST_RNG_SEED", seed), ("ORION_SEARCH", to_try.div_ceil(2))];
            tests(&format!("{to_try} sequences, seed {seed}"), SEARCHED, &environment).with_context(again)?;
        }
        (kills, sequences) = (kills + to_kill, sequences + to_try);
    }
    let whole = (kills, sequences) == (soak.kills, soak.sequences);
    let end = if whole { "" } else { "; then the time was up" };
    say(&format!("{kills} kills and {sequences} sequences from seed {} passed{end}", soak.seed));
    Ok(())
}

/// Runs the tests that this filter names.
fn tests(what: &str, test: &str, environment: &[(&str, u64)]) -> Result<()> {
    let mut nextest = cargo(&["nextest", "run", "--workspace", "--test", "suites", "--filterset", test]);
    types::apart(&mut nextest).envs(environment.iter().map(|(name, value)| (name, value.to_string())));
    step::run(what, &mut nextest)
}

impl Soak {
    /// By the arguments; without a seed, this one is taken.
    fn of(arguments: &[&str], seed: u64) -> Result<Self> {
        let mut soak = Self { seed, kills: 1_000, sequences: 1_000_000, minutes: None };
        for pair in arguments.chunks(2) {
            let [flag, number] = pair else { bail!("`{}` needs a number", pair.join(" ")) };
            let number: u64 =
                number.parse().with_context(|| format!("{flag} needs a number, not `{number}`"))?;
            match *flag {
                "--seed" => soak.seed = number,
                "--kills" => soak.kills = number,
                "--sequences" => soak.sequences = number,
                "--minutes" => soak.minutes = Some(number),
                other => bail!("soak has no option `{other}`: --seed, --kills, --sequences, --minutes"),
            }
        }
        Ok(soak)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_soak_is_a_thousand_kills_and_a_million_sequences_unless_somebody_says_otherwise() {
        let usual = Soak { seed: 7, kills: 1_000, sequences: 1_000_000, minutes: None };
        assert_eq!(Soak::of(&[], 7).unwrap(), usual);
        let chosen = Soak::of(&["--seed", "1", "--kills", "0", "--minutes", "30"], 7).unwrap();
        assert_eq!(chosen, Soak { seed: 1, kills: 0, minutes: Some(30), ..usual });
        for wrong in [&["--seed"][..], &["--seed", "x"], &["--hours", "1"]] {
            assert!(Soak::of(wrong, 7).is_err(), "{wrong:?}");
        }
    }
}
