//! Files that come with a message. In `orion run` a file is named by a flag alone, so that an `@` in a script's text means nothing.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct AttachFlags {
    /// Send a file or folder of the project along, or lines of a file: src/main.rs:10-40. May be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) attach: Vec<String>,
}
