//! `orion manual`: the pages of the manual, one for each command, made of what `--help` says.

use std::path::PathBuf;

use clap::{Args, Command};
use orion_protocol::{Code, ErrorInfo};

use crate::exit::Exit;

#[derive(Debug, Args)]
pub(crate) struct ManualArgs {
    /// The folder, which is there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn manual(args: &ManualArgs, program: Command) -> Result<Exit, ErrorInfo> {
    clap_mangen::generate_to(program, &args.folder).map_err(|error| {
        let message = format!("The manual cannot be written into {} ({error}).", args.folder.display());
        ErrorInfo::new(Code::Storage, message, "Name a folder that is there and can be written to.")
    })?;
    Ok(Exit::Answered)
}
