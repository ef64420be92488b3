//! `orion completions`: what a shell needs to complete commands and flags.

use clap::{Args, Command};
use clap_complete::Shell;
use orion_protocol::ErrorInfo;

use crate::exit::Exit;
use crate::output::put;
use crate::printed::Printed;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn completions(args: &CompletionsArgs, mut program: Command) -> Result<Exit, ErrorInfo> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "orion", &mut script);
    // It is for a program, and all of it is Orion's own.
    put(&Printed::answer(&String::from_utf8_lossy(&script), false))?;
    Ok(Exit::Answered)
}
