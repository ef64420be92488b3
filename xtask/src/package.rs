//! `package`: something to install, made by Tauri's bundler.

use anyhow::Result;

use crate::step::{self, command};
use crate::{build, system, ui};

/// Tauri's command line, from npm as a finished program; only packing needs it.
const BUNDLER: &str = "@tauri-apps/cli@2.12.5";

/// On Linux a Debian package, which Tauri's bundler makes without downloading anything; elsewhere the system's own.
const BUNDLES: &str = if cfg!(target_os = "linux") {
    "deb"
} else if cfg!(target_os = "macos") {
    "app"
} else {
    "nsis"
};

pub(crate) fn run() -> Result<()> {
    system::for_building()?;
    ui::install()?;
    step::run("building the UI", &mut ui::script("build"))?;
    step::run("building the optimised programs", &mut build::optimised())?;
    let npx = if cfg!(windows) { "npx.cmd" } else { "npx" };
    step::run("packing it", &mut command(npx, &["--yes", BUNDLER, "bundle", "--bundles", BUNDLES]))?;
    step::say(&format!("the package is in {}", step::target().join("release/bundle").display()));
    Ok(())
}
