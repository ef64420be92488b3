//! The Debian package, made by cargo-deb of the tree that `table` lays out; its fields are in Cargo.toml.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::table::{For, lay_out};
use super::{epoch, folder};
use crate::step::{ask, cargo, command, run};

/// The version of cargo-deb.
pub(super) const TOOL: &str = "3.8.0";

/// Makes the package of this version. What stands behind it, such as `~try`, makes it a lower one.
pub(super) fn make(version: &str, behind: &str) -> Result<PathBuf> {
    // Cargo.toml names the folder.
    lay_out(For::Deb, &folder().join("tree/usr"))?;
    let package = folder().join(format!("orion_{version}{behind}_{}.deb", architecture()?));
    let mut deb = cargo(&["deb", "--no-build", "--no-strip", "--locked", "--deb-version"]);
    deb.arg(format!("{version}{behind}")).arg("--output").arg(&package).env("SOURCE_DATE_EPOCH", epoch());
    run("making the Debian package", &mut deb)?;
    Ok(package)
}

fn architecture() -> Result<String> {
    ask(&mut command("dpkg", &["--print-architecture"])).context("dpkg names no architecture")
}
