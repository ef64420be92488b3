//! `leaks TEMPLATES FUNCTIONS TEXTS LINES [FOLDER…]`: measures the recogniser of calls in a text. So many texts have a call as models are trained to
//! write it, and it must come out. So many lines (or `all`) of this repository and of the sources in these folders have none, and none may come out.

mod calls;
mod choice;
mod family;
mod functions;
mod reading;
mod shared;
mod sources;
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
    let usage = "usage: leaks TEMPLATES FUNCTIONS TEXTS LINES [FOLDER…]";
    let mut next = || arguments.next().context(usage);
    let (templates, functions, texts, lines) = (next()?, next()?, next()?, next()?);
    let number = |text: &str| text.parse::<usize>().context(usage);
    let calls = calls::measure(&templates, &functions, number(&texts.to_string_lossy())?);
    let lines = match &*lines.to_string_lossy() {
        "all" => usize::MAX,
        lines => number(lines)?,
    };
    let sources = sources::measure(&arguments.collect::<Vec<_>>(), lines);
    calls.and(sources)
}
