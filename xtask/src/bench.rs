//! `bench`: builds what is measured, optimised, and lets the harness measure it. The measuring itself is the package
//! `orion-bench`.

use anyhow::Result;

use crate::step::{self, cargo, target};
use crate::{system, ui};

/// The command line against the floor in one run, or with `--window` the window.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let of_window = arguments.contains(&"--window");
    if of_window {
        system::for_testing()?;
        ui::install()?;
        step::run("building the UI", &mut ui::script("build"))?;
    } else {
        system::for_building()?;
    }
    let (package, what) = if of_window {
        ("orion", "the optimised window")
    } else {
        ("orion-cli", "the optimised command line")
    };
    // Built separately: built together, Orion would get library features that only the harness asks for.
    for (package, what) in [(package, what), ("orion-bench", "the harness")] {
        let build = ["build", "--release", "--package", package];
        step::run(&format!("building {what}"), &mut cargo(&build))?;
    }
    let mut bench = step::command(target().join("release/bench"), arguments);
    step::run("measuring; keep the machine idle", &mut bench)
}
