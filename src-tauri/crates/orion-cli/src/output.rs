//! Standard output of the commands that print what they found.

use orion_protocol::{Code, ErrorInfo};
use serde::Serialize;

use crate::exit::Exit;
use crate::printed::Printed;
use crate::terminal::out;

/// A reader that stops early has seen enough.
pub(crate) fn put(text: &Printed) -> Result<(), ErrorInfo> {
    match out(text) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(unwritable(error)),
        _ => Ok(()),
    }
}

pub(crate) fn unwritable(error: impl ToString) -> ErrorInfo {
    ErrorInfo::new(
        Code::Internal,
        "The list cannot be written to standard output.",
        "Check where the output goes.",
    )
    .with_detail(error.to_string())
}

/// A list as JSON, or a line each.
pub(crate) fn show<T: Serialize>(
    json: bool,
    items: &[T],
    line: impl Fn(&T) -> String,
) -> Result<Exit, ErrorInfo> {
    let text = match json {
        true => Printed::json_lines(&items).map_err(unwritable)?.line(),
        false => Printed::record(&items.iter().map(|item| line(item) + "\n").collect::<String>()),
    };
    put(&text)?;
    Ok(Exit::Answered)
}
