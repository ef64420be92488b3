//! Which turn to fork, and where.

use std::path::PathBuf;

use clap::Args;
use orion_protocol::RequestId;

use crate::ids::request_id;

#[derive(Debug, Args)]
pub(crate) struct ForkArgs {
    /// The turn to fork; it stays as it is
    #[arg(value_parser = request_id)]
    pub(crate) request: RequestId,
    /// The number of the phase to go on from, in the order of `orion trace`; without it, the last
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) phase: Option<u32>,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
