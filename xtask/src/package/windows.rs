//! The archive for Windows: the command line alone, built on Debian as `systems` builds everything. Nobody has seen the window there.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::table::{For, lay_out};
use super::{epoch, folder};
use crate::step::{command, run};
use crate::{build, systems};

/// Builds the command line for Windows, optimised.
pub(super) fn build() -> Result<()> {
    let mut cargo = systems::foreign(&[
        "build",
        "--release",
        "--locked",
        "--package",
        "orion-cli",
        "--target",
        systems::WINDOWS,
    ]);
    run("building the command line for Windows", build::of_commit(&mut cargo))
}

/// A program of that build.
pub(super) fn built(name: &str) -> PathBuf {
    systems::folder().join(systems::WINDOWS).join("release").join(name)
}

pub(super) fn pack(version: &str) -> Result<PathBuf> {
    let name = format!("orion-{version}-windows-x86_64");
    let above = folder().join("zip");
    let folder_of_it = above.join(&name);
    lay_out(For::Zip, &folder_of_it)?;
    let mut touch = command("find", &[]);
    touch
        .arg(&folder_of_it)
        .args(["-exec", "touch", "--date"])
        .arg(format!("@{}", epoch()))
        .args(["{}", "+"]);
    touch.status().context("`find` did not start")?;
    let archive = folder().join(format!("{name}.zip"));
    let mut zip = command("zip", &["--quiet", "--recurse-paths", "-X", "-9"]);
    run("making the archive for Windows", zip.arg(&archive).arg(&name).current_dir(&above))?;
    Ok(archive)
}
