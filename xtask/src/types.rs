//! The UI's types, which Rust generates: where tests write their copy, and how the committed ones are renewed.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::build;
use crate::step::{root, run, target};

/// Makes a test run write its generated types elsewhere than into the repository. Otherwise the run would correct stale
/// types, and the suite `generated_types`, which compares the two, would not notice them.
pub(crate) fn apart(tests: &mut Command) -> &mut Command {
    tests.env("TS_RS_EXPORT_DIR", target().join("generated-types"))
}

/// Renews the types; files of types that no longer exist are removed.
pub(crate) fn renew() -> Result<()> {
    let folder = root().join("ui/src/lib/generated");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("{} cannot be emptied", folder.display()))?;
    }
    let tests = ["nextest", "run", "--lib", "--no-tests", "fail", "export_bindings"];
    run("writing ui/src/lib/generated from the types in Rust", &mut build::linting(&tests))
}
