//! `soak`: every search whole, of which `test` takes a part, and then rounds of kills and of random sequences. A seed repeats a round.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::step::{self, say};
use crate::{build, system, test, tools, types, ui};

/// Kills of a round; a test that takes longer is taken for one that hangs.
const KILLS: u64 = 100;

/// Random sequences of a round, for the same reason.
const SEQUENCES: u64 = 100_000;

/// The profiles of .config/nextest.toml with everything, and with all that is killed.
const ALL: [&str; 2] = ["--profile", "default"];
const KILLED: [&str; 2] = ["--profile", "kill"];
/// One test of sequences of everything, and one of what happens in write sessions: each has half of the sequences.
const SEARCHED: [&str; 2] =
    ["--filterset", "test(/^turn_props::every_rule_holds_after_every_input_of_a_random_sequence/)"];

/// How much is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Soak {
    seed: u64,
    /// First every search is done whole.
    searches: bool,
    kills: u64,
    sequences: u64,
    /// No round begins after this many minutes.
    minutes: Option<u64>,
}

pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_secs();
    let soak = Soak::of(arguments, now)?;
    let began = Instant::now();
    system::for_soaking()?;
    tools::ensure("nextest")?;
    tools::collector()?;
    tools::http_clients()?;
    ui::install()?;
    step::run("building the UI", &mut ui::script("build"))?;
    step::run("building everything", &mut build::everything())?;
    if soak.searches {
        tests("every search, whole", &ALL, &[(SEARCH, WHOLE.to_owned())])?;
        step::run(
            "every state of the UI, at each size and in each theme",
            ui::script("e2e").env(SEARCH, WHOLE),
        )?;
    }
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
            let environment = [
                ("ORION_SEED", seed.to_string()),
                ("ORION_KILLS", to_kill.to_string()),
                (SEARCH, WHOLE.to_owned()),
            ];
            tests(&format!("{to_kill} kills, seed {seed}"), &KILLED, &environment).with_context(again)?;
        }
        if to_try > 0 {
            let environment =
                [("PROPTEST_RNG_SEED", seed.to_string()), (SEARCH, to_try.div_ceil(2).to_string())];
            tests(&format!("{to_try} sequences, seed {seed}"), &SEARCHED, &environment)
                .with_context(again)?;
        }
        (kills, sequences) = (kills + to_kill, sequences + to_try);
    }
    let whole = (kills, sequences) == (soak.kills, soak.sequences);
    let end = if whole { "" } else { "; then the time was up" };
    say(&format!("{kills} kills and {sequences} sequences from seed {} passed{end}", soak.seed));
    Ok(())
}

/// The variable that says how thorough a search is (`orion-thorough`).
const SEARCH: &str = "ORION_SEARCH";
const WHOLE: &str = "whole";

/// Runs the tests that nextest is told to.
fn tests(what: &str, which: &[&str], environment: &[(&str, String)]) -> Result<()> {
    let mut nextest = build::linting(&["nextest", "run"]);
    nextest.args(which).args(["--test-threads", &test::threads().to_string()]);
    types::apart(&mut nextest).envs(environment.iter().map(|(name, value)| (name, value)));
    step::run(what, &mut nextest)
}

impl Soak {
    /// By the arguments; without a seed, this one is taken.
    fn of(arguments: &[&str], seed: u64) -> Result<Self> {
        let mut soak = Self { seed, searches: true, kills: 1_000, sequences: 1_000_000, minutes: None };
        for pair in arguments.chunks(2) {
            let [flag, number] = pair else { bail!("`{}` needs a number", pair.join(" ")) };
            let number: u64 =
                number.parse().with_context(|| format!("{flag} needs a number, not `{number}`"))?;
            match *flag {
                // To repeat rounds, or to have no other ones.
                "--seed" => (soak.seed, soak.searches) = (number, false),
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
        let usual = Soak { seed: 7, searches: true, kills: 1_000, sequences: 1_000_000, minutes: None };
        assert_eq!(Soak::of(&[], 7).unwrap(), usual);
        let chosen = Soak::of(&["--seed", "1", "--kills", "0", "--minutes", "30"], 7).unwrap();
        assert_eq!(chosen, Soak { seed: 1, searches: false, kills: 0, minutes: Some(30), ..usual });
        for wrong in [&["--seed"][..], &["--seed", "x"], &["--hours", "1"]] {
            assert!(Soak::of(wrong, 7).is_err(), "{wrong:?}");
        }
    }
}
