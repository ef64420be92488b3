//! What went wrong between Orion and a collector, as an error for a person. No answer of a collector is repeated: it may quote a header.

use orion_protocol::{Code, ErrorInfo};

/// Why a trace did not arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendError {
    Unreachable,
    Slow,
    /// With its status.
    Refused(u16),
    /// So many spans were not taken.
    Partly(u64),
    Unsent,
}

impl SendError {
    pub(crate) fn error(self) -> ErrorInfo {
        let check = "Check the address of the collector, and that it runs.";
        match self {
            Self::Unreachable => {
                ErrorInfo::new(Code::Connection, "The collector of traces cannot be reached.", check)
                    .retryable()
            }
            Self::Slow => {
                let message = "The collector of traces did not answer in time.";
                ErrorInfo::new(Code::Connection, message, check).retryable()
            }
            Self::Refused(status @ (401 | 403)) => ErrorInfo::new(
                Code::Authentication,
                format!("The collector refused the trace (HTTP {status})."),
                "Put what it asks for into OTEL_EXPORTER_OTLP_HEADERS.",
            ),
            Self::Refused(404) => ErrorInfo::new(
                Code::BadRequest,
                "The collector takes no traces at this address (HTTP 404).",
                "Give its base address, to which Orion adds /v1/traces.",
            ),
            Self::Refused(status) => {
                let message = format!("The collector refused the trace (HTTP {status}).");
                let later = matches!(status, 429 | 500..);
                let error = ErrorInfo::new(Code::BadRequest, message, "Look into the collector's log.");
                if later { error.retryable() } else { error }
            }
            Self::Partly(spans) => ErrorInfo::new(
                Code::BadRequest,
                format!("The collector did not take {spans} of the spans."),
                "Look into the collector's log.",
            ),
            Self::Unsent => ErrorInfo::new(
                Code::ConfigInvalid,
                "The trace could not be sent with what the OTEL_EXPORTER_OTLP variables say.",
                "Unset those that you do not need, such as OTEL_EXPORTER_OTLP_COMPRESSION.",
            ),
        }
    }
}
