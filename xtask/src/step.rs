//! Commands run one after the other, each said before it is run, with the time that it took.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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
#[derive(Debug)]
pub(crate) struct Steps {
    began: Instant,
    taken: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    what: String,
    took: Duration,
    /// Why it failed, if it did.
    fault: Option<String>,
}

impl Steps {
    pub(crate) fn begin() -> Self {
        Self { began: Instant::now(), taken: Vec::new() }
    }

    pub(crate) fn run(&mut self, what: &str, command: &mut Command) {
        let _ = self.take(what, || run(what, command));
    }

    /// A step of more than one command.
    ///
    /// # Errors
    /// As the step, for those who cannot go on without it.
    pub(crate) fn take(&mut self, what: &str, step: impl FnOnce() -> Result<()>) -> Result<()> {
        let began = Instant::now();
        let result = step();
        let fault = result.as_ref().err().map(|error| format!("{error:#}"));
        if let Some(fault) = &fault {
            eprintln!("✗ {fault}");
        }
        self.taken.push(Step { what: what.to_owned(), took: began.elapsed(), fault });
        result
    }

    /// Takes some steps one after the other, and others beside them, whose output comes afterwards.
    pub(crate) fn beside(&mut self, others: Vec<(&'static str, Command)>, steps: impl FnOnce(&mut Self)) {
        let others = std::thread::spawn(|| others.into_iter().map(quietly).collect::<Vec<_>>());
        steps(self);
        for (step, said) in others.join().unwrap_or_default() {
            say(&step.what);
            eprint!("{said}");
            if let Some(fault) = &step.fault {
                eprintln!("✗ {fault}");
            }
            self.taken.push(step);
        }
    }

    /// Prints the time of each step, what failed, and how many steps passed and failed.
    pub(crate) fn finish(self) -> Result<()> {
        eprintln!("\n{}", self.table());
        let faults: Vec<&String> = self.taken.iter().filter_map(|step| step.fault.as_ref()).collect();
        for fault in &faults {
            eprintln!("✗ {fault}");
        }
        eprintln!("steps: {} passed, {} failed", self.taken.len() - faults.len(), faults.len());
        if faults.is_empty() { Ok(()) } else { bail!("{} steps failed", faults.len()) }
    }

    /// The steps and their times in Markdown, as docs/testing.md has them.
    fn table(&self) -> String {
        let rows = self.taken.iter().map(|step| (step.what.as_str(), step.took));
        let rows = rows.chain([("all", self.began.elapsed())]);
        let mut table = String::from("| step | time |\n|---|---|\n");
        for (what, took) in rows {
            let seconds = took.as_secs_f64();
            let time =
                if seconds < 90.0 { format!("{seconds:.0} s") } else { format!("{:.1} min", seconds / 60.0) };
            // A `String` takes everything.
            let _ = writeln!(table, "| {what} | {time} |");
        }
        table
    }
}

/// Takes a step whose output is kept, and gives both.
fn quietly((what, mut command): (&str, Command)) -> (Step, String) {
    let began = Instant::now();
    let output = command.stdin(Stdio::null()).output();
    let (said, fault) = match output {
        Ok(output) => {
            let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
            let fault = (!output.status.success()).then(|| format!("{what}: failed ({})", output.status));
            (said.concat(), fault)
        }
        Err(error) => (String::new(), Some(format!("{what}: {command:?} did not start: {error}"))),
    };
    (Step { what: what.to_owned(), took: began.elapsed(), fault }, said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_fails_holds_up_no_other_and_each_has_its_time() {
        let mut steps = Steps::begin();
        let fault = steps.take("one", || bail!("no disk")).unwrap_err();
        assert_eq!(fault.to_string(), "no disk");
        steps.take("two", || Ok(())).unwrap();
        steps.beside(vec![("three", command("cargo", &["no-such-command"]))], |steps| {
            steps.taken[0].took = Duration::from_secs(150);
        });
        let table = steps.table();
        let rows: Vec<&str> = table.lines().map(|row| row.split('|').nth(1).unwrap()).collect();
        assert_eq!(rows, [" step ", "---", " one ", " two ", " three ", " all "]);
        assert!(table.contains("| one | 2.5 min |\n| two | 0 s |\n"), "{table}");
        assert_eq!(steps.finish().unwrap_err().to_string(), "2 steps failed");
    }
}
