//! Measures `orion run` against the floor, a program that does the same and keeps nothing, in the same run and on the same
//! scripted model. The model answers from this process, so its work is in nobody's figures.
//!
//! `bench [--write]` prints the table; with `--write` it also goes into docs/performance.md. Fails when a goal is missed.
//! Deliberately not here: the window. Its figures come from the end-to-end suite.

mod loss;
mod measures;
mod seed;
mod stopwatch;
mod subject;
mod table;

use std::process::ExitCode;

use anyhow::{Result, bail};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        [] => bench(false),
        ["--write"] => bench(true),
        ["stopwatch", program, ref arguments @ ..] => return stopwatch::run(program, arguments),
        _ => Err(anyhow::anyhow!("usage: bench [--write]")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("✗ {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn bench(write: bool) -> Result<()> {
    let place = subject::Place::new()?;
    let rows = measures::all(&place)?;
    let table = table::render(&rows);
    eprintln!("\n{table}");
    if write {
        table::write(&table)?;
    }
    let missed = rows.iter().filter(|row| !row.is_met()).count();
    if missed > 0 {
        bail!("{missed} of {} goals missed", rows.len());
    }
    Ok(())
}
