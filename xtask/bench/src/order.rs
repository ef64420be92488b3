//! Which functions of the command line are executed, so that the linker can place them side by side (`orion-cli/build.rs`).
//!
//! Valgrind's callgrind names them. It runs the program with its symbols, on the scripts that are measured too.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use support::{Folder, Script};

use crate::measures::{answer, tour};
use crate::subject::{Rig, Subject};
use crate::writes;

/// Writes the list to a file: first what a plain answer takes, then what tools, a further turn and a write take besides.
pub(crate) fn write(rig: &Rig, list: &Path) -> Result<()> {
    let data = rig.data.path();
    let mut known = BTreeSet::new();
    let mut lines = String::new();
    // The first run creates the database. That is done once, and is not what a command takes.
    let runs = [
        (false, answer(1), None),
        (true, answer(2_000), None),
        (true, tour(), None),
        (true, tour(), Some("--continue")),
        (true, writes::short(), None),
    ];
    for (is_listed, script, flag) in runs {
        let executed = executed(rig, script, flag, &data)?;
        for name in executed.into_iter().filter(|_| is_listed) {
            if known.insert(name.clone()) {
                lines += &name;
                lines.push('\n');
            }
        }
    }
    ensure!(known.len() > 1_000, "only {} functions have names: the program has no symbols", known.len());
    fs::write(list, lines).with_context(|| format!("{} cannot be written", list.display()))?;
    eprintln!("  {} functions", known.len());
    Ok(())
}

/// The functions of the program that are executed, sorted by their names.
fn executed(rig: &Rig, script: Script, flag: Option<&str>, data: &Path) -> Result<BTreeSet<String>> {
    let folder = Folder::empty();
    let profile = folder.path().join("profile");
    let out = format!("--callgrind-out-file={}", profile.display());
    let callgrind = ["/usr/bin/valgrind", "--tool=callgrind", "--compress-strings=no", "--demangle=no", &out];
    rig.run_under(&callgrind, script, flag, data)?;
    let profile = fs::read_to_string(&profile).context("valgrind wrote no profile")?;
    Ok(of_program(&profile, &rig.program(Subject::Orion)))
}

/// The names in a profile that are in this program and in no library (valgrind.org/docs/manual/cl-format.html). A further call of a function
/// inside of itself has its name with `'2`.
fn of_program(profile: &str, program: &Path) -> BTreeSet<String> {
    let program = program.display().to_string();
    let mut is_in_program = false;
    let mut names = BTreeSet::new();
    for line in profile.lines() {
        if let Some(object) = line.strip_prefix("ob=") {
            is_in_program = object == program;
        } else if let Some(name) = line.strip_prefix("fn=")
            && is_in_program
        {
            let name = name.split_once('\'').map_or(name, |(name, _)| name);
            // What has no symbol is an address, and what the system begins with stands in brackets.
            if !name.starts_with("0x") && !name.starts_with('(') {
                names.insert(name.to_owned());
            }
        }
    }
    names
}
