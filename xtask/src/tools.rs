//! Cargo's own extra commands, installed when they are missing.

use anyhow::Result;

use crate::step::{ask, cargo, run};

/// Makes sure that `cargo NAME` is there, building it from crates.io when it is not.
pub(crate) fn ensure(name: &str) -> Result<()> {
    if ask(&mut cargo(&[name, "--version"])).is_some() {
        return Ok(());
    }
    let crate_name = format!("cargo-{name}");
    run(
        &format!("installing {crate_name} (a few minutes)"),
        &mut cargo(&["install", "--locked", &crate_name]),
    )
}
