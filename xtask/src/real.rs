//! `real`: builds the command line and the harness that runs tasks with a real model. The tasks are in the package `orion-real`.

use anyhow::Result;

use crate::step::{self, cargo, target};
use crate::system;

pub(crate) fn run() -> Result<()> {
    system::for_building()?;
    let build = ["build", "--package", "orion-cli", "--package", "orion-sandbox", "--package", "orion-real"];
    step::run("building the command line and the harness", &mut cargo(&build))?;
    let mut real = step::command(target().join("debug/real"), &[]);
    step::run("running tasks with a real model", &mut real)
}
