//! `orion-serve`: the same turns over HTTP (J5).
//!
//! One more way to the same engine: sessions, rules and bounds are those of the window and the command line. Deliberately not here:
//! anything that decides about a turn.

mod arguments;
mod asking;
mod closing;
mod described;
mod design;
mod doors;
mod entering;
mod flat;
mod given;
mod listening;
mod messages;
mod problem;
mod rate;
mod reading;
mod routes;
mod server;
mod starting;
mod streaming;
mod timed;
mod tls;
mod tokens;
mod v1;
mod watched;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use crate::arguments::Arguments;

#[tokio::main]
async fn main() -> ExitCode {
    match starting::serve(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let mut out = std::io::stderr().lock();
            // Nobody is left to be told that standard error is gone.
            let _ = writeln!(out, "orion serve: {}", error.message);
            if let Some(action) = error.action {
                let _ = writeln!(out, "{action}");
            }
            if let Some(detail) = error.detail {
                let _ = writeln!(out, "{detail}");
            }
            ExitCode::FAILURE
        }
    }
}
