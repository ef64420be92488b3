//! What the program was started with.
//!
//! Deliberately not here: the platform's default folders and the environment, which the engine knows.

use std::path::PathBuf;

use clap::Parser;

/// A desktop assistant that works with a folder of files in bounded, visible turns.
#[derive(Debug, Parser)]
#[command(name = "orion-desktop", version)]
pub(crate) struct Arguments {
    /// Open this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Keep sessions, logs and the window's own data here instead of in the platform's data folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}
