//! `run`: from a fresh clone to the open window; without a display to an answer of the demo model in the terminal.

use std::env::consts::EXE_SUFFIX;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::step::{self, cargo, command, root, say, target};
use crate::{system, ui};

/// What the tour asks when there is no window to type in.
const QUESTION: &str = "What is in this folder, and what is it for?";

pub(crate) fn run(folder: Option<&str>) -> Result<()> {
    // Before anything that takes minutes.
    let folder = folder.map(|folder| {
        let there =
            Path::new(folder).canonicalize().with_context(|| format!("there is no folder {folder}"))?;
        ensure!(there.is_dir(), "{folder} is no folder");
        Ok(there)
    });
    let folder = folder.transpose()?;
    system::for_building()?;
    ui::install()?;
    step::run("building the UI", &mut ui::script("build"))?;
    say(
        "building Orion without optimisations: a first build takes minutes, with them it would take twice as long",
    );
    step::run("building Orion", &mut cargo(&["build", "--workspace", "--bins"]))?;
    if system::has_display() { window(folder.as_deref()) } else { tour(&folder.unwrap_or_else(root)) }
}

/// Without a folder the window goes on where the person was last.
fn window(folder: Option<&Path>) -> Result<()> {
    let mut window = command(program("orion-desktop"), &[]);
    if let Some(folder) = folder {
        window.arg("--project").arg(folder);
    }
    step::run("opening the window", &mut window)
}

fn tour(folder: &Path) -> Result<()> {
    say(
        "there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), so the demo model answers here in the terminal",
    );
    let mut orion = command(program("orion"), &["run", "--demo", "--project"]);
    orion.arg(folder).arg(QUESTION);
    step::run(&format!("asking the demo model about {}", folder.display()), &mut orion)
}

fn program(name: &str) -> std::path::PathBuf {
    target().join("debug").join(format!("{name}{EXE_SUFFIX}"))
}
