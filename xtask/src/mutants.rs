//! `mutants`: cargo-mutants changes the core in hundreds of ways, and each change must make a test fail.
//!
//! `.cargo/mutants.toml` says what is changed and which tests run. A change that no test can notice, because it
//! changes nothing that anyone can see, is named in docs/testing.md with the reason. Any other survivor is a failure,
//! and so is a name in that list that does not survive any more.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::step::{cargo, root, say};
use crate::{named, tools};

/// Which mutants are tested.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Which<'a> {
    /// The mutants of one file; all if no file is named.
    pub(crate) file: Option<&'a str>,
    /// Leaves out mutants that an earlier run on the same sources has noticed.
    pub(crate) goes_on: bool,
}

/// Tests mutants, all or some.
pub(crate) fn run(which: Which<'_>) -> Result<()> {
    let file = which.file;
    tools::ensure("nextest")?;
    tools::ensure("mutants")?;
    let named = named::in_list("survivors")?;

    // A short search notices most mutants in a tenth of the time. The others are then searched for thoroughly.
    say("running cargo mutants with a little search");
    mutate(which, &[("ORION_SEARCH", "little"), ("CARGO_MUTANTS_MINIMUM_TEST_TIMEOUT", "20")])?;
    say("running cargo mutants on what is left; the figures of its last line count");
    mutate(Which { goes_on: true, ..which }, &[("ORION_SEARCH", "whole")])?;
    // Only a change that makes a loop endless belongs here. For any other one the machine was too busy.
    for mutant in outcome("timeout")? {
        say(&format!("noticed by the clock alone: {mutant}"));
    }
    let survived = outcome("missed")?;
    let unnamed: Vec<&String> = survived.difference(&named).collect();
    let mut gone: Vec<&String> = named.difference(&survived).collect();
    gone.retain(|mutant| file.is_none_or(|file| mutant.starts_with(file)));
    for mutant in &unnamed {
        eprintln!("✗ no test notices: {mutant}");
    }
    for mutant in &gone {
        eprintln!("✗ docs/testing.md names it, but it is caught: {mutant}");
    }
    if !unnamed.is_empty() || !gone.is_empty() {
        bail!("{} survivors without a reason, {} reasons without a survivor", unnamed.len(), gone.len());
    }
    say(&format!("no survivors but the {} that docs/testing.md names", survived.len()));
    Ok(())
}

fn mutate(which: Which<'_>, environment: &[(&str, &str)]) -> Result<()> {
    let mut mutants = cargo(&["mutants", "--package", "orion-core", "--package", "orion-protocol"]);
    mutants.envs(environment.iter().copied());
    if let Some(file) = which.file {
        // Not `--file`, which would add to the files of `.cargo/mutants.toml`.
        mutants.args(["--re", &format!("^{}:", file.replace('.', r"\."))]);
    }
    if which.goes_on {
        mutants.arg("--iterate");
    }
    let status = mutants.status().context("cargo mutants did not start")?;
    // https://mutants.rs/exit-codes.html: 0 all caught, 2 some missed, 3 some timed out; the rest are failures to test.
    if !matches!(status.code(), Some(0 | 2 | 3)) {
        bail!("cargo mutants could not test ({status})");
    }
    Ok(())
}

/// The mutants that came to this, as cargo-mutants lists them.
fn outcome(kind: &str) -> Result<BTreeSet<String>> {
    let list = root().join("mutants.out").join(kind).with_extension("txt");
    let list = fs::read_to_string(&list).with_context(|| format!("{} cannot be read", list.display()))?;
    Ok(list.lines().map(without_place).collect())
}

/// A mutant as it is named: without line and column, which move.
fn without_place(line: &str) -> String {
    let mut parts = line.splitn(4, ':');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(file), Some(_line), Some(_column), Some(change)) => format!("{file}:{change}"),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_is_named_without_its_place() {
        let line = "src/turn.rs:12:34: replace < with <= in Turn::step";
        assert_eq!(without_place(line), "src/turn.rs: replace < with <= in Turn::step");
    }
}
