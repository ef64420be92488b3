//! A text in the person's own editor.

use std::io::Write;
use std::process::Command;

use orion_protocol::{Code, ErrorInfo};

use super::{Chat, tty};
use crate::terminal::{self, remark};

/// The text as the person leaves it. None where it is the same.
///
/// # Errors
/// `usage` without an editor, or where it fails; a disk that cannot be written to.
async fn edited(chat: &Chat, text: &str, ending: &str) -> Result<Option<String>, ErrorInfo> {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| std::env::var(name).ok());
    let editor = named.into_iter().find(|editor| !editor.trim().is_empty()).ok_or_else(|| {
        ErrorInfo::new(
            Code::Usage,
            "No editor is set.",
            "Set the environment variable EDITOR, such as EDITOR=nano.",
        )
    })?;
    let (before, ending) = (text.to_owned(), ending.to_owned());
    chat.pressed.is_elsewhere();
    tty::restore();
    let edited = tokio::task::spawn_blocking(move || edit(&editor, &before, &ending)).await;
    if chat.quiet.is_some() {
        // Where the terminal is gone, the next look at it says so.
        _ = tty::hush();
    }
    chat.ctrl_c_stops(None);
    let edited = edited.unwrap_or_else(|panicked| Err(failed(&panicked)))?;
    Ok((edited != text).then_some(edited))
}

/// The file is the person's alone, and it is gone afterwards.
fn edit(editor: &str, text: &str, ending: &str) -> Result<String, ErrorInfo> {
    let mut file = tempfile::Builder::new()
        .prefix("orion-")
        .suffix(ending)
        .tempfile()
        .map_err(|error| failed(&error))?;
    file.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
    let mut words = editor.split_whitespace();
    let status = Command::new(words.next().unwrap_or_default())
        .args(words)
        .arg(file.path())
        .status()
        .map_err(|error| failed(&error))?;
    if !status.success() {
        return Err(failed(&status));
    }
    std::fs::read_to_string(file.path()).map_err(|error| failed(&error))
}

fn failed(error: &impl ToString) -> ErrorInfo {
    ErrorInfo::new(Code::Usage, "The text could not be edited.", "Check the editor that EDITOR names.")
        .with_detail(error.to_string())
}

/// The text as the person leaves it in their editor. None where it is the same, or cannot be edited, which is said.
pub(super) async fn in_editor(chat: &Chat, text: &str, ending: &str) -> Option<String> {
    match edited(chat, text, ending).await {
        Ok(Some(edited)) => Some(edited),
        Ok(None) => {
            remark("Nothing was changed.");
            None
        }
        Err(error) => {
            terminal::error(&error);
            None
        }
    }
}
