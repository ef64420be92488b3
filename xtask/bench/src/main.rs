//! Measures `orion run` against the floor, a program that does the same and keeps nothing, in the same run and on the same
//! scripted model. The model answers from this process, so its work is in nobody's figures.
//!
//! `bench [--write]` prints the table; with `--write` it also goes into docs/performance.md. `bench --window [--write]` does
//! the same for the real window on a virtual display, which has no floor, and `bench --search` measures the search in all sessions alone, `bench --machine`
//! the core alone. Fails when a goal is missed.

mod load;
mod long;
#[cfg(target_os = "linux")]
mod long_window;
mod loss;
mod machine;
mod measures;
#[cfg(target_os = "linux")]
mod memory_window;
#[cfg(target_os = "linux")]
mod naming_window;
mod search;
mod seed;
mod stopwatch;
mod subject;
mod table;
#[cfg(target_os = "linux")]
mod trace_window;
#[cfg(target_os = "linux")]
mod window;
mod writes;

use std::process::ExitCode;

use anyhow::{Result, bail};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        [] => bench(false),
        ["--write"] => bench(true),
        ["--search"] => report(searched, "figures", false),
        ["--machine"] => report(machine, "figures", false),
        #[cfg(target_os = "linux")]
        ["--window"] => window(false),
        #[cfg(target_os = "linux")]
        ["--window", "--write"] => window(true),
        ["stopwatch", program, ref arguments @ ..] => return stopwatch::run(program, arguments),
        _ => Err(anyhow::anyhow!("usage: bench [--window] [--write], bench --search, or bench --machine")),
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
    let rig = subject::Rig::new()?;
    report(|| measures::all(&rig), "figures", write)
}

#[cfg(target_os = "linux")]
fn window(write: bool) -> Result<()> {
    report(window::all, "window figures", write)
}

/// The search alone: it needs neither a model nor the floor.
fn searched() -> Result<Vec<table::Row>> {
    let mut rows = Vec::new();
    search::all(&mut |row| rows.push(row))?;
    Ok(rows)
}

/// The core alone, without a program around it.
fn machine() -> Result<Vec<table::Row>> {
    let mut rows = Vec::new();
    machine::all(&mut |row| rows.push(row))?;
    Ok(rows)
}

/// Measures, shows the table and, to `write`, puts it into its place in docs/performance.md.
fn report(measure: impl FnOnce() -> Result<Vec<table::Row>>, place: &str, write: bool) -> Result<()> {
    let before = load::elsewhere()?;
    eprintln!("  other programs take {before:.0} % of the cores");
    let rows = measure()?;
    let table = table::render(&rows, before.max(load::elsewhere()?));
    eprintln!("\n{table}");
    if write {
        table::insert(place, &table)?;
    }
    let missed = rows.iter().filter(|row| !row.is_met()).count();
    if missed > 0 {
        bail!("{missed} of {} goals missed", rows.len());
    }
    Ok(())
}
