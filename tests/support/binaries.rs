//! The programs under test, as they were built beside the tests.

use std::env;
use std::path::PathBuf;

/// The built program of this name: `orion` or `orion-desktop`. Panics naming what to build when it is not there.
#[must_use]
pub fn binary(name: &str) -> PathBuf {
    let test = env::current_exe().expect("the path of the test");
    // target/debug/deps/suites-… → target/debug/NAME
    let profile = test.parent().and_then(|deps| deps.parent()).expect("a test lies in target/PROFILE/deps");
    let path = profile.join(format!("{name}{}", env::consts::EXE_SUFFIX));
    let package = match name {
        "orion" => "orion-cli",
        "orion-desktop" => "orion",
        other => panic!("no package of this workspace builds a program {other}"),
    };
    assert!(path.is_file(), "{} is not built: run `cargo build --package {package}`", path.display());
    path
}
