//! The one entry for people and CI: `cargo xtask COMMAND`.
//!
//! Each command has a file of its own, and prints every step before it runs it. What a command needs and the machine
//! lacks is installed where that is possible. Otherwise the command fails and names it: nothing is skipped.
//! Deliberately not here: anything that needs more than the standard library to build, so that the command starts at
//! once.

mod bench;
mod build;
mod changelog;
mod check;
mod leaks;
mod mutants;
mod named;
mod package;
mod real;
mod run;
mod soak;
mod step;
mod system;
mod systems;
mod templates;
mod test;
mod tools;
mod types;
mod ui;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  run [FOLDER]      installs what is missing, builds, and opens the window (without a display: the demo model answers in the terminal)
  test              installs what is missing and runs everything, as CI does
  systems           builds and tests for Windows and macOS, as far as Debian can
  check             the quick loop: format, lints, quick tests, types of the UI; no window and no browser
  types             makes the UI's types from Rust
  bench [--write]   measures against the floor; --write puts the figures into docs/performance.md
  bench --window    measures the window; --write after it as above
  mutants [FILE]    changes the core in hundreds of ways and looks for a change that no test notices
  mutants --go-on   the same, without what an earlier run of the same sources noticed
  soak [OPTIONS]    does every search whole, kills processes 1,000 times and tries 1,000,000 random sequences (--kills N, --sequences N, --seed N, --minutes N)
  real              runs tasks with a real model behind llama.cpp; docs/testing.md says how to get both
  templates         renders what is sent by the chat templates of 70 real models; with ORION_LLAMA_SERVER the server renders
  leaks             reads 20,000 calls in the text of models, and all sources on this machine, in which there is none
  package           makes what people install: on Linux a Debian package and archives for Linux and Windows, elsewhere the system's own
  package --try     the same, and tries it in fresh Debian systems and under Wine; as root, on Debian
  notes TAG         prints what CHANGELOG.md says of a version; its tag must be the version of Cargo.toml
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("✗ {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["run"] => run::run(None),
        ["run", folder] => run::run(Some(folder)),
        ["test"] => test::run(),
        ["check"] => check::run(),
        ["systems"] => systems::run_all(),
        ["types"] => types::renew(),
        ["bench", arguments @ ..] if arguments.iter().all(|flag| ["--window", "--write"].contains(flag)) => {
            bench::run(arguments)
        }
        ["mutants"] => mutants::run(mutants::Which { file: None, goes_on: false }),
        ["mutants", "--go-on"] => mutants::run(mutants::Which { file: None, goes_on: true }),
        ["mutants", file] => mutants::run(mutants::Which { file: Some(file), goes_on: false }),
        ["soak", arguments @ ..] => soak::run(arguments),
        ["real"] => real::run(),
        ["templates"] => templates::run(),
        ["leaks"] => leaks::run(),
        ["package"] => package::run(),
        ["package", "--try"] => package::and_try(),
        ["notes", tag] => changelog::notes(tag),
        [] | ["help" | "--help" | "-h"] => {
            eprint!("{USAGE}");
            Ok(())
        }
        other => bail!("there is no command `{}`\n\n{USAGE}", other.join(" ")),
    }
}
