//! The programs under test, as they were built beside the tests.

use std::env;
use std::path::{Path, PathBuf};

/// The built program of this name: `orion`, `orion-serve` or `orion-desktop`. Panics naming what to build when it is not there.
#[must_use]
pub fn binary(name: &str) -> PathBuf {
    let path = programs().join(format!("{name}{}", env::consts::EXE_SUFFIX));
    let package = match name {
        "orion" => "orion-cli",
        "orion-sandbox" => "orion-sandbox",
        "orion-serve" => "orion-server",
        "orion-desktop" => "orion",
        other => panic!("no package of this workspace builds a program {other}"),
    };
    assert!(path.is_file(), "{} is not built: run `cargo build --package {package}`", path.display());
    path
}

/// The folder of the built programs: `target/PROFILE`. A test lies in `deps` in it, a benchmark in it.
fn programs() -> PathBuf {
    let this = env::current_exe().expect("the path of this program");
    let folder = this.parent().expect("a program lies in a folder");
    let in_deps = folder.file_name().is_some_and(|name| name == "deps");
    let profile = if in_deps { folder.parent() } else { Some(folder) };
    profile.expect("a test lies in target/PROFILE/deps").to_path_buf()
}

/// This program in a folder of its own, without those that are built beside it.
///
/// # Panics
/// If it cannot be copied there.
#[must_use]
pub fn alone(program: &Path, folder: &Path) -> PathBuf {
    let alone = folder.join(program.file_name().expect("a program has a name"));
    // Another file system has a copy.
    std::fs::hard_link(program, &alone)
        .or_else(|_| std::fs::copy(program, &alone).map(|_| ()))
        .expect("the program is copied");
    alone
}
