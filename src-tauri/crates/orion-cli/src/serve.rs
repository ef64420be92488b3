//! `orion serve`: hands over to the program beside this one that serves turns over HTTP (0105).
//!
//! It is a program of its own, so that this one stays as small as it is.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use clap::Args;
use orion_protocol::{Code, ErrorInfo};

use crate::exit::Exit;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The arguments of the server; `orion serve --help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARG")]
    arguments: Vec<OsString>,
}

pub(crate) fn serve(args: &ServeArgs) -> Result<Exit, ErrorInfo> {
    let program = beside().map_err(|error| missing(&error))?;
    let mut command = Command::new(program);
    command.args(&args.arguments);
    handed_over(&mut command).map_err(|error| missing(&error))
}

fn beside() -> io::Result<PathBuf> {
    let this = std::env::current_exe()?;
    Ok(this.with_file_name(format!("orion-serve{}", std::env::consts::EXE_SUFFIX)))
}

/// The server takes the place of this process, so that signals reach it.
#[cfg(unix)]
fn handed_over(command: &mut Command) -> io::Result<Exit> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

#[cfg(not(unix))]
fn handed_over(command: &mut Command) -> io::Result<Exit> {
    Ok(if command.status()?.success() { Exit::Answered } else { Exit::Failed })
}

fn missing(error: &io::Error) -> ErrorInfo {
    let message = "The program orion-serve cannot be started.";
    ErrorInfo::new(Code::Usage, message, "Install it beside orion.").with_detail(error.to_string())
}
