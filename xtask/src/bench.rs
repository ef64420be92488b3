//! `bench`: builds the optimised command line and the floor, and lets the harness measure both in one run.
//! The measuring itself is the package `orion-bench`.

use anyhow::Result;

use crate::step::{self, cargo, target};
use crate::system;

pub(crate) fn run(write: bool) -> Result<()> {
    system::for_building()?;
    let build = ["build", "--release", "--package", "orion-cli", "--package", "orion-bench"];
    step::run("building the optimised command line and the floor", &mut cargo(&build))?;
    let mut bench = step::command(target().join("release/bench"), if write { &["--write"] } else { &[] });
    step::run("measuring; keep the machine idle", &mut bench)
}
