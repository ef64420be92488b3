//! A small process between the harness and what it measures.
//!
//! Linux counts the memory of the process that starts a program towards the program's peak, so the harness, with its
//! scripts of megabytes, would spoil the figure. What this process holds is less than any program measured.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use wait4::Wait4;

/// What a program used, from `wait4(2)`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Used {
    /// User and system time, milliseconds.
    pub(crate) cpu_ms: f64,
    pub(crate) peak_bytes: u64,
    pub(crate) code: i32,
}

/// Runs the program with this process's own input and output, and then says on standard error what it used.
pub(crate) fn run(program: &str, arguments: &[&str]) -> ExitCode {
    match measure(program, arguments) {
        Ok(used) => {
            eprintln!("{used}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn measure(program: &str, arguments: &[&str]) -> Result<String> {
    let child = Command::new(program).args(arguments).stderr(std::process::Stdio::null()).spawn();
    let ended = child.with_context(|| format!("{program} did not start"))?.wait4()?;
    let used = Used {
        cpu_ms: (ended.rusage.utime + ended.rusage.stime).as_secs_f64() * 1_000.0,
        peak_bytes: ended.rusage.maxrss,
        code: ended.status.code().unwrap_or(-1),
    };
    Ok(serde_json::to_string(&used)?)
}
