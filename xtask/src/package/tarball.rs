//! The archive for Linux, for people without root: unpacked into ~/.local it is installed.

use std::path::PathBuf;

use anyhow::Result;

use super::table::{For, lay_out};
use super::{epoch, folder};
use crate::step::{command, run};

pub(super) fn make(version: &str) -> Result<PathBuf> {
    let name = format!("orion-{version}-linux-{}", std::env::consts::ARCH);
    let above = folder().join("tar");
    lay_out(For::Tar, &above.join(&name))?;
    let archive = folder().join(format!("{name}.tar.gz"));
    let mut tar = command(
        "tar",
        &["--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--use-compress-program"],
    );
    // Without the time and the name, which `gzip` writes otherwise.
    tar.args(["gzip -9n", "--mtime"]).arg(format!("@{}", epoch()));
    tar.arg("--file").arg(&archive).arg("--directory").arg(&above).arg(&name);
    run("making the archive for Linux", &mut tar)?;
    Ok(archive)
}
