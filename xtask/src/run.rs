//! `run`: from a fresh clone to the open window; without a display to a tour in the terminal.

use std::env::consts::EXE_SUFFIX;
use std::path::Path;

use anyhow::{Context, Result};

use crate::step::{self, cargo, command, root, say, target};
use crate::{system, ui};

/// What the tour asks when there is no window to type in.
const QUESTION: &str = "What is in this folder, and what is it for?";

pub(crate) fn run(folder: Option<&str>) -> Result<()> {
    system::for_building()?;
    ui::install()?;
    step::run("building the UI", &mut ui::script("build"))?;
    say(
        "building Orion without optimisations: a first build takes minutes, with them it would take twice as long",
    );
    step::run("building Orion", &mut cargo(&["build", "--workspace", "--bins"]))?;
    let folder = folder.map_or_else(root, |folder| Path::new(folder).to_path_buf());
    let folder = folder.canonicalize().with_context(|| format!("there is no folder {}", folder.display()))?;
    if system::has_display() { window() } else { tour(&folder) }
}

fn window() -> Result<()> {
    let program = program("orion-desktop");
    step::run("opening the window", &mut command(&program, &[]))
}

fn tour(folder: &Path) -> Result<()> {
    say(
        "there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), so the tour runs here in the terminal",
    );
    let mut orion = command(program("orion"), &["run", "--demo", "--project"]);
    orion.arg(folder).arg(QUESTION);
    step::run(&format!("asking the demo model about {}", folder.display()), &mut orion)
}

fn program(name: &str) -> std::path::PathBuf {
    target().join("debug").join(format!("{name}{EXE_SUFFIX}"))
}
