//! The ids of a trace and its spans. They follow from the turn alone, so that a turn that is sent twice is one trace.

use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};
use orion_engine::ToldTrace;
use orion_protocol::{RequestId, TraceParent};
use sha2::{Digest, Sha256};

/// The trace that the spans of a turn belong to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trace {
    request_id: RequestId,
    caller: Option<TraceParent>,
}

impl Trace {
    pub(crate) fn of(request_id: RequestId, trace: &ToldTrace) -> Self {
        Self { request_id, caller: trace.caller_of(request_id) }
    }

    /// The id of the caller's trace, where one began the turn; else the 16 bytes of the request id.
    fn id(self) -> TraceId {
        match self.caller {
            Some(caller) => TraceId::from_bytes(caller.trace_id()),
            None => TraceId::from_bytes(self.request_id.0.into_bytes()),
        }
    }

    /// The caller's span, which is the parent of the turn's.
    pub(crate) fn caller(self) -> Option<SpanId> {
        self.caller.map(|caller| SpanId::from_bytes(caller.span_id()))
    }

    /// A span of the turn, by its number there.
    pub(crate) fn span(self, number: u32) -> SpanContext {
        SpanContext::new(self.id(), self.span_id(number), TraceFlags::SAMPLED, false, TraceState::NONE)
    }

    /// The same as somebody sees it who points to it from another trace.
    pub(crate) fn linked(self) -> SpanContext {
        SpanContext::new(self.id(), self.span_id(TURN), TraceFlags::SAMPLED, true, TraceState::NONE)
    }

    /// The first 8 bytes of the SHA-256 of the request id and the span's number.
    pub(crate) fn span_id(self, number: u32) -> SpanId {
        let mut hash = Sha256::new();
        hash.update(self.request_id.0.into_bytes());
        hash.update(number.to_be_bytes());
        let mut id = [0; 8];
        id.copy_from_slice(&hash.finalize()[..8]);
        SpanId::from_bytes(id)
    }
}

/// The number of the turn's own span.
const TURN: u32 = 1;
