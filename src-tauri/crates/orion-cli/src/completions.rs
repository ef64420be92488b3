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

pub(crate) fn completions(args: &CompletionsArgs, program: &Command) -> Result<Exit, ErrorInfo> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut shown(program), "orion", &mut script);
    // It is for a program, and all of it is Orion's own.
    put(&Printed::answer(&String::from_utf8_lossy(&script), false))?;
    Ok(Exit::Answered)
}

/// The program with the commands that its help lists: a shell would complete hidden ones too.
fn shown(program: &Command) -> Command {
    let shown = program.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    Command::new("orion").version(env!("CARGO_PKG_VERSION")).propagate_version(true).subcommands(shown)
}
