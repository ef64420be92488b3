//! `orion-sandbox`: rules the box of one command from inside, as its first process (C2, C4, C5).
//!
//! The library starts it, gives it one task as a line on its standard input, and reads reports from its standard error. Its standard output is the
//! command's. Outside of a box it ends everything that a command started, too. Deliberately not here: setting the box up, which is `bwrap`'s.

#[cfg(target_os = "linux")]
mod census;
#[cfg(target_os = "linux")]
mod ending;
#[cfg(target_os = "linux")]
mod files_only;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod filter_files_only;
#[cfg(target_os = "linux")]
mod layout;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod probe;
#[cfg(target_os = "linux")]
mod proxy;
#[cfg(target_os = "linux")]
mod reporting;
#[cfg(target_os = "linux")]
mod ruling;
#[cfg(target_os = "linux")]
mod starting;
#[cfg(target_os = "linux")]
mod temporary;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    ruling::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("orion-sandbox is not needed on this system: commands have no sandbox here.");
    ExitCode::from(2)
}
