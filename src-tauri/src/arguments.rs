//! The arguments that the program was started with.
//!
//! Deliberately not here: the platform's default folders and the environment, which the engine knows.

use std::path::PathBuf;

use clap::Parser;
use orion_engine::secrets::hide_in_usage;
use orion_protocol::DesktopAction;

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
    /// Begin a new chat, in the window that is open if there is one.
    #[arg(long)]
    new_chat: bool,
    /// Ask which folder to open, in the window that is open if there is one.
    #[arg(long, conflicts_with_all = ["new_chat", "project"])]
    open_folder: bool,
    /// Print what this program knows of the web view and the display as JSON, and end: for `orion doctor`.
    #[arg(long, hide = true)]
    pub(crate) facts: bool,
}

impl Arguments {
    /// The action of the desktop's menu, if one was asked for.
    pub(crate) fn act(&self) -> Option<DesktopAction> {
        let new_chat = self.new_chat.then_some(DesktopAction::NewChat);
        new_chat.or_else(|| self.open_folder.then_some(DesktopAction::OpenFolder))
    }

    /// The arguments of this process. If they cannot be read, the process ends with the parser's message, without
    /// arguments that may be secrets.
    pub(crate) fn of_process() -> Self {
        Self::try_parse().unwrap_or_else(|error| {
            if !error.use_stderr() {
                error.exit();
            }
            let arguments: Vec<String> =
                std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
            eprint!("{}", hide_in_usage(&error.render().to_string(), &arguments));
            std::process::exit(error.exit_code())
        })
    }
}
