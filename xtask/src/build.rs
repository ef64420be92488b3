//! Building with Cargo: one selection of packages and features for everything, and lints beside it.
//!
//! Clippy stands in the compiler's place for the crates of this repository, so they are compiled and linted once, and libraries are compiled once for
//! both. (`cargo clippy` would compile all libraries a second time, without code.) Another selection of packages would resolve other features, and
//! compile half of the libraries again: a command that builds less names fewer targets, never fewer packages.

use std::process::Command;

use crate::step::{ask, cargo, command, root};

/// Cargo in the whole workspace, as a command that compiles; warnings are denied.
pub(crate) fn linting(arguments: &[&str]) -> Command {
    let mut cargo = cargo(arguments);
    cargo.arg("--workspace");
    cargo.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver").env("CLIPPY_CONF_DIR", root());
    // The form in which `cargo clippy` hands over what stands behind its `--`.
    cargo.env("CLIPPY_ARGS", "--deny__CLIPPY_HACKERY__warnings");
    cargo
}

/// Builds the programs that are shipped, optimised: all at once, so that what they share is compiled once, with one set of features.
pub(crate) fn optimised() -> Command {
    let packages =
        ["orion", "orion-cli", "orion-sandbox", "orion-server"].map(|package| ["--package", package]);
    let mut cargo = cargo(&["build", "--release"]);
    cargo.args(packages.as_flattened());
    of_commit(&mut cargo);
    cargo
}

/// Has a build know the commit that it is made of, where git knows it.
pub(crate) fn of_commit(cargo: &mut Command) -> &mut Command {
    match ask(&mut command("git", &["rev-parse", "--short=12", "HEAD"])) {
        Some(commit) => {
            let changed =
                ask(&mut command("git", &["status", "--porcelain"])).is_none_or(|list| !list.is_empty());
            cargo.env("ORION_COMMIT", commit + if changed { "+" } else { "" })
        }
        None => cargo.env_remove("ORION_COMMIT"),
    }
}

/// Builds every program and every test.
pub(crate) fn everything() -> Command {
    linting(&["build", "--all-targets"])
}
