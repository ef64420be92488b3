//! What is done to one session of the list, as arguments.

use std::path::PathBuf;

use clap::Args;
use orion_protocol::SessionId;

use crate::ids::session_id;

#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// The session's id
    #[arg(value_parser = session_id)]
    pub(crate) session: SessionId,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RenameArgs {
    /// The session's id
    #[arg(value_parser = session_id)]
    pub(crate) session: SessionId,
    /// The new title
    pub(crate) title: String,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApartArgs {
    /// The session's id
    #[arg(value_parser = session_id)]
    pub(crate) session: SessionId,
    /// Unarchive it
    #[arg(long)]
    pub(crate) undo: bool,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
