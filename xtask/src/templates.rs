//! `templates`: what Orion sends, rendered by the chat templates of real models. The turns and what is checked are in the package `orion-templates`.

use std::process::Command;

use anyhow::Result;

use crate::step::{self, cargo, target};
use crate::{system, tools};

pub(crate) fn run() -> Result<()> {
    system::for_building()?;
    let build = ["build", "--package", "orion-cli", "--package", "orion-templates"];
    step::run("building the command line and the harness", &mut cargo(&build))?;
    tools::templates()?;
    step::run("rendering by the templates of real models", &mut rendering())
}

/// Two turns for each template. Both programs and the templates are there.
pub(crate) fn rendering() -> Command {
    let mut rendering = step::command(target().join("debug/templates"), &[]);
    rendering.arg(tools::templates_folder());
    rendering
}
