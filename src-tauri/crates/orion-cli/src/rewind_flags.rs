//! To which message to go back, and with what.

use std::path::PathBuf;

use clap::Args;
use orion_protocol::RequestId;

use crate::ids::request_id;

#[derive(Debug, Args)]
pub(crate) struct RewindArgs {
    /// The turn to whose message to go back
    #[arg(value_parser = request_id)]
    pub(crate) request: RequestId,
    /// Restore the files that were written since; without this and --conversation, both
    #[arg(long)]
    pub(crate) files: bool,
    /// Let the next message follow what was said before this one; the turns since stay as a branch
    #[arg(long)]
    pub(crate) conversation: bool,
    /// Say what would change, and change nothing
    #[arg(long, conflicts_with = "undo")]
    pub(crate) dry_run: bool,
    /// Undo the last rewind to this message
    #[arg(long, conflicts_with_all = ["files", "conversation"])]
    pub(crate) undo: bool,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
