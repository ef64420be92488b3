//! `leaks TEMPLATES FUNCTIONS [TEXTS]`: measures how the recogniser of calls in a text reads what models are trained to write.

mod calls;
mod choice;
mod family;
mod functions;
mod reading;
mod shared;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("✗ {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let usage = "usage: leaks TEMPLATES FUNCTIONS [TEXTS]";
    let (templates, functions) = (arguments.next().context(usage)?, arguments.next().context(usage)?);
    let texts =
        arguments.next().map_or(Ok(20_000), |texts| texts.to_string_lossy().parse()).context(usage)?;
    calls::measure(&templates, &functions, texts)
}
