//! Standard output of the commands that print what they found.

use orion_protocol::{Code, ErrorInfo};

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
