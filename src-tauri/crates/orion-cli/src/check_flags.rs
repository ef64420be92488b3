//! The flags of `orion check`: the checks to run, list, accept or remove.

use std::path::{Path, PathBuf};

use clap::Args;
use orion_protocol::Sha256;

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The checks to run; all that are on when none is named
    #[arg(value_name = "NAME", conflicts_with_all = ["list", "propose", "accept", "remove", "script"])]
    pub(crate) names: Vec<String>,
    /// List the checks of the project, with the end of their last run; nothing is run
    #[arg(long)]
    pub(crate) list: bool,
    /// Show what the project's own files propose, with the script behind each; nothing is run
    #[arg(long, conflicts_with = "list")]
    pub(crate) propose: bool,
    /// Accept a proposal, or the new script of a check whose script has changed; it runs once, where a full sandbox holds it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["list", "propose"])]
    pub(crate) accept: Option<String>,
    /// The digest of the script that you have looked at, as --propose and --accept print it; without a terminal --accept needs it
    #[arg(long, value_name = "SHA256", requires = "accept")]
    pub(crate) script: Option<Sha256>,
    /// Remove a check
    #[arg(long, value_name = "NAME", conflicts_with_all = ["list", "propose", "accept"])]
    pub(crate) remove: Option<String>,
    /// The project's folder; the current one, when it is not given
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl CheckArgs {
    /// The folder that was named, or the current one.
    pub(crate) fn folder(&self) -> &Path {
        self.project.as_deref().unwrap_or(Path::new("."))
    }
}
