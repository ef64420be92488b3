//! `order`: writes `order.txt` of the command line, the functions that commands execute. Its build script hands the list to the linker.
//!
//! The names hold what the compiler makes of a function's crate and version. With another compiler, or after libraries were updated, fewer of
//! them are found, and commands take more memory: then `bench` misses its goal.

use anyhow::Result;

use crate::step::{self, cargo, root, target};
use crate::system;

pub(crate) fn run() -> Result<()> {
    system::for_ordering()?;
    let with_symbols =
        ["rustc", "--release", "--package", "orion-cli", "--bin", "orion", "--", "-C", "strip=none"];
    step::run("building the optimised command line with its symbols", &mut cargo(&with_symbols))?;
    step::run("building the harness", &mut cargo(&["build", "--release", "--package", "orion-bench"]))?;
    let list = root().join("src-tauri/crates/orion-cli/order.txt").display().to_string();
    let mut bench = step::command(target().join("release/bench"), &["--order", &list]);
    step::run("finding out what commands execute", &mut bench)
}
