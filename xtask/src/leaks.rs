//! `leaks`: calls in the text of a model are found, and none are where nobody wrote one. Texts, sources, passages and what is checked are in the
//! package `orion-leaks`.

use std::process::Command;

use anyhow::Result;

use crate::step::{self, cargo, root, target};
use crate::{system, tools};

pub(crate) fn run() -> Result<()> {
    system::for_building()?;
    step::run("building the harness", &mut cargo(&["build", "--package", "orion-leaks"]))?;
    tools::templates()?;
    tools::functions()?;
    tools::passages()?;
    let reading = step::run("reading calls, and all sources", &mut reading(["20000", "all"])?);
    reading.and(step::run("reading passages about calls", &mut passages()))
}

/// The texts and the lines that there is time for in `test`.
pub(crate) const PART: [&str; 2] = ["2000", "1000000"];

/// Reads so many texts with calls, and so many lines of sources: of this repository, the libraries and the UI's packages. The program, templates and
/// functions are there.
pub(crate) fn reading([texts, lines]: [&str; 2]) -> Result<Command> {
    let mut reading = step::command(target().join("debug/leaks"), &[]);
    reading.arg(tools::templates_folder()).arg(tools::functions_folder()).args([texts, lines]);
    reading.arg(tools::registries()?).arg(root().join("ui/node_modules"));
    Ok(reading)
}

/// Reads passages about calls. The program and the packages are there.
fn passages() -> Command {
    let mut reading = step::command(target().join("debug/leaks"), &["passages"]);
    reading.arg(tools::passages_folder());
    reading
}
