//! Which model, and how large its window is.

use clap::Args;
use orion_engine::config::WindowTokens;

#[derive(Debug, Args)]
pub(crate) struct ModelFlags {
    /// The model to ask
    #[arg(long, value_name = "M")]
    pub(crate) model: Option<String>,
    /// Tokens of the model's window, which question and answer share
    #[arg(long, value_name = "TOKENS", value_parser = window)]
    pub(crate) window: Option<u32>,
}

fn window(text: &str) -> Result<u32, String> {
    let window = text.parse().ok().and_then(WindowTokens::new);
    window.map(WindowTokens::get).ok_or_else(|| format!("expected {}", WindowTokens::expected()))
}
