//! The UI's packages and its scripts in `ui/package.json`.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::step::{command, root, run};

/// Installs the npm packages that `package-lock.json` names, unless exactly those are there.
pub(crate) fn install() -> Result<()> {
    let ui = root().join("ui");
    let lock = ui.join("package-lock.json");
    // A copy of the lock file that the packages were installed from.
    let marker = ui.join("node_modules/.installed-from");
    let wanted = fs::read(&lock).with_context(|| format!("{} cannot be read", lock.display()))?;
    if fs::read(&marker).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    run(
        "installing npm packages",
        npm(&["ci", "--no-audit", "--no-fund"]).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"),
    )?;
    fs::write(&marker, wanted).with_context(|| format!("{} cannot be written", marker.display()))
}

/// A script of `ui/package.json`.
pub(crate) fn script(name: &str) -> Command {
    npm(&["run", "--silent", name])
}

/// npm in the folder of the UI.
pub(crate) fn npm(arguments: &[&str]) -> Command {
    let mut npm = command(if cfg!(windows) { "npm.cmd" } else { "npm" }, arguments);
    npm.current_dir(root().join("ui"));
    npm
}
