//! Runs tasks with a real model behind llama.cpp's server, each through `orion run`, and checks that each turn ends within
//! its bounds (T4). What the model answers is not judged: a small model often answers badly.
//!
//! Deliberately not here: building `orion`, which `cargo xtask real` does first, and getting server and model, which
//! docs/testing.md describes.

mod judge;
mod server;
mod tasks;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};

fn main() -> ExitCode {
    match real() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("✗ {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn real() -> Result<()> {
    let parts = server::Parts::find(|name| std::env::var_os(name))?;
    let orion = tasks::orion()?;
    let server = parts.start()?;
    eprintln!("  {} with {}", server.version(), parts.model_name());
    let mut rows = Vec::new();
    for task in tasks::TASKS {
        for run in tasks::run(task, &orion, &server.address(), &parts.model_name())? {
            let verdict = judge::judge(&run);
            eprintln!("  {}", verdict.row(task.name));
            rows.push((task.name, verdict));
        }
    }
    writeln!(std::io::stdout(), "{}", judge::table(&rows))?;
    let mut failed = 0;
    for (name, verdict) in &rows {
        for fault in &verdict.faults {
            eprintln!("✗ {name}: {fault}");
        }
        failed += usize::from(!verdict.faults.is_empty());
    }
    if failed > 0 {
        bail!("{failed} of {} turns did not end within their bounds", rows.len());
    }
    Ok(())
}
