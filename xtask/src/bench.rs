//! `bench`: builds what is measured, optimised, and lets the harness measure it. The measuring itself is the package
//! `orion-bench`.

use anyhow::Result;

use crate::step::{self, cargo, target};
use crate::{build, system, ui};

/// The command line against the floor in one run, or with `--window` the window.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    if arguments.contains(&"--window") {
        system::for_testing()?;
    } else {
        system::for_building()?;
    }
    ui::install()?;
    step::run("building the UI", &mut ui::script("build"))?;
    step::run("building the optimised programs", &mut build::optimised())?;
    // Apart from them: built together, Orion would get library features that only the harness asks for.
    step::run("building the harness", &mut cargo(&["build", "--release", "--package", "orion-bench"]))?;
    let mut bench = step::command(target().join("release/bench"), arguments);
    step::run("measuring; keep the machine idle", &mut bench)
}
