//! `check`: the quick loop before a commit. No window and no browser.

use anyhow::Result;

use crate::step::{Steps, cargo};
use crate::{system, tools, types, ui};

/// The unit tests, the tests of the core's machines, and those suites that only look at the source.
const QUICK: &str = "kind(lib) | kind(bin) | package(orion-core) | test(/^(layering|source_rules|rulebook|generated_types)::/)";

pub(crate) fn run() -> Result<()> {
    system::for_building()?;
    tools::ensure("nextest")?;
    ui::install()?;
    // The root package embeds `ui/dist`, so it must be there before anything is compiled.
    let mut steps = Steps::default();
    steps.run("building the UI", &mut ui::script("build"));
    style(&mut steps);
    steps.run(
        "running the unit tests and the checks of source",
        types::apart(&mut cargo(&["nextest", "run", "--workspace", "--no-fail-fast", "-E", QUICK])),
    );
    steps.run("checking the UI's types", &mut ui::script("check"));
    steps.finish()
}

/// Format and lints, warnings denied.
pub(crate) fn style(steps: &mut Steps) {
    steps.run("checking the format", &mut cargo(&["fmt", "--all", "--check"]));
    let lints = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"];
    steps.run("checking the lints, warnings denied", &mut cargo(&lints));
}
