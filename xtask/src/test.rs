//! `test`: everything that must hold, as CI runs it. Also the suites that drive the real window and the browser.

use std::process::Command;

use anyhow::Result;

use crate::step::{self, Steps, cargo};
use crate::{check, system, tools, types, ui};

pub(crate) fn run() -> Result<()> {
    system::has_room(ROOM)?;
    system::for_testing()?;
    tools::ensure("nextest")?;
    tools::ensure("deny")?;
    tools::collector()?;
    ui::install()?;
    step::run("building the UI", &mut ui::script("build"))?;
    // One selection for everything: another would resolve other features and compile half the tree again.
    // The suites start the built programs, which a test run alone does not build.
    step::run("building everything", &mut cargo(&["build", "--workspace", "--all-targets"]))?;

    let mut steps = Steps::default();
    check::style(&mut steps);
    steps.run("running all tests in Rust, also those in the real window", &mut all_tests());
    steps.run(
        "running the examples in the documentation",
        &mut cargo(&["test", "--doc", "--workspace", "--quiet"]),
    );
    steps.run("checking the UI's types", &mut ui::script("check"));
    steps.run("running the UI's unit tests", seeded(&mut ui::script("test")));
    steps.run("running the UI in Chromium", &mut ui::script("e2e"));
    steps.run(
        "checking licences, banned crates and sources",
        &mut cargo(&["deny", "--log-level", "error", "check", "licenses", "bans", "sources"]),
    );
    steps.finish()
}

/// What must be free on the disk, in bytes. Everything built takes 8 GB, and 13 GB with what Cargo keeps for the next build.
const ROOM: u64 = 10_000_000_000;

/// What random cases are drawn from: the same ones in every run, so that a failure is of the change that it comes with. `soak`, and a test that
/// is run by itself, draw others.
const SEED: &str = "20261124";

/// The searches are complete here; `ORION_SEARCH`, with which `mutants` makes them short at first, is not used.
fn all_tests() -> Command {
    let mut tests = cargo(&["nextest", "run", "--workspace", "--no-fail-fast"]);
    types::apart(&mut tests).env_remove("ORION_SEARCH");
    seeded(&mut tests);
    tests
}

/// With the random cases of `SEED`, whatever the environment says.
fn seeded(tests: &mut Command) -> &mut Command {
    tests.env("ORION_SEED", SEED).env("PROPTEST_RNG_SEED", SEED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_searched_whatever_the_environment_says() {
        let tests = all_tests();
        let search = tests.get_envs().find(|(name, _)| *name == "ORION_SEARCH");
        assert_eq!(search.map(|(_, value)| value), Some(None));
    }

    #[test]
    fn random_cases_are_the_same_in_every_run() {
        let tests = all_tests();
        for seed in ["ORION_SEED", "PROPTEST_RNG_SEED"] {
            assert!(
                tests.get_envs().any(|(name, value)| name == seed && value == Some(SEED.as_ref())),
                "{seed}"
            );
        }
    }
}
