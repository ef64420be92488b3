//! Commands run one after the other, each said before it is run.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// The root of the repository in which the command runs, even if the program was built in another copy of it.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let here = Path::new(&here);
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where Cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Says what is done next.
pub(crate) fn say(what: &str) {
    eprintln!("→ {what}");
}

/// A command in the root of the repository.
pub(crate) fn command(program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// Cargo itself: the one that runs this program.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), arguments)
}

/// Says what is done, does it with its output shown, and fails when it fails.
pub(crate) fn run(what: &str, command: &mut Command) -> Result<()> {
    say(what);
    let began = Instant::now();
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("{what}: {command:?} did not start"))?;
    if !status.success() {
        bail!("{what}: {command:?} failed ({status})");
    }
    eprintln!("  done in {:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}

/// The trimmed standard output of a command, or nothing when it fails or is not there.
pub(crate) fn ask(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Steps that are all taken even when one fails, so that one run shows everything that is wrong.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    passed: usize,
    failed: Vec<String>,
}

impl Steps {
    pub(crate) fn run(&mut self, what: &str, command: &mut Command) {
        self.note(run(what, command));
    }

    pub(crate) fn note(&mut self, result: Result<()>) {
        match result {
            Ok(()) => self.passed += 1,
            Err(error) => {
                eprintln!("✗ {error:#}");
                self.failed.push(format!("{error:#}"));
            }
        }
    }

    /// Prints what failed and how many steps passed and failed.
    pub(crate) fn finish(self) -> Result<()> {
        for failure in &self.failed {
            eprintln!("✗ {failure}");
        }
        eprintln!("steps: {} passed, {} failed", self.passed, self.failed.len());
        if self.failed.is_empty() { Ok(()) } else { bail!("{} steps failed", self.failed.len()) }
    }
}
