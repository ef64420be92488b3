//! Outcomes and answers of the engine that do not belong to what was asked.

use std::fmt;

use orion_protocol::{Code, ErrorInfo};

pub(crate) fn unexpected(outcome: &impl fmt::Debug) -> ErrorInfo {
    ErrorInfo::new(Code::Internal, "The engine gave another answer than was asked for.", "Try again.")
        .with_detail(format!("{outcome:?}"))
}
