//! An event of a turn as one line of a stream: the envelope, and beside it the plain fields of the designs (H4, E1).

use std::fmt::Write as _;

use orion_protocol::{BatchId, Envelope, Phase, ProjectId, RequestId, SessionId, TurnEvent, TurnReport};
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Flat<'a> {
    v: u32,
    request_id: RequestId,
    session_id: SessionId,
    project_id: ProjectId,
    seq: u32,
    at_ms: i64,
    phase: Phase,
    tool_batch_id: Option<BatchId>,
    event: &'a TurnEvent,
    #[serde(flatten)]
    plain: Plain<'a>,
}

/// The fields that a client of the designs reads.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Plain<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    chunk: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<[Value; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_results: Option<[Value; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_signatures: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    done: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'a TurnReport>,
}

impl<'a> Plain<'a> {
    fn of(event: &'a TurnEvent) -> Self {
        let fields = || serde_json::to_value(event).ok();
        match event {
            TurnEvent::TextChunk { text, .. } => Self { chunk: Some(text), ..Self::default() },
            TurnEvent::ToolCall { .. } => Self { tool_calls: fields().map(|call| [call]), ..Self::default() },
            TurnEvent::ToolResult { .. } => {
                Self { tool_results: fields().map(|result| [result]), ..Self::default() }
            }
            TurnEvent::CallsBlocked { .. } => {
                let blocked = fields().map(|mut fields| fields["blockedSignatures"].take());
                Self { blocked_signatures: blocked, ..Self::default() }
            }
            TurnEvent::DuplicateRefused { .. } => {
                let blocked = fields().map(|mut fields| Value::Array(vec![fields["signature"].take()]));
                Self { blocked_signatures: blocked, ..Self::default() }
            }
            event if event.asks() => Self { status: Some("waiting"), ..Self::default() },
            event => match event.terminal() {
                Some(report) => Self {
                    done: true,
                    full_content: Some(&report.answer),
                    report: Some(report),
                    ..Self::default()
                },
                None => Self::default(),
            },
        }
    }
}

/// Adds an event to what is sent; `place` is the one to go on from (`SEQ` or `SEQ.OFFSET`).
pub(crate) fn add(frames: &mut String, envelope: &Envelope, place: (u32, u64)) {
    if let Some(report) = envelope.event.terminal()
        && let Some(error) = &report.error
    {
        // Without an id: who is cut off here is told of the error again.
        let error = Plain { error: Some(&error.message), ..Plain::default() };
        line(frames, envelope, error);
        frames.push('\n');
    }
    let id = if envelope.event.is_durable() {
        writeln!(frames, "id: {}", place.0)
    } else {
        writeln!(frames, "id: {}.{}", place.0, place.1)
    };
    // Writing to a string does not fail.
    let _ = id;
    line(frames, envelope, Plain::of(&envelope.event));
    frames.push('\n');
}

fn line(frames: &mut String, envelope: &Envelope, plain: Plain<'_>) {
    let Envelope { v, request_id, session_id, project_id, seq, at_ms, phase, tool_batch_id, event } =
        envelope;
    let flat = Flat {
        v: *v,
        request_id: *request_id,
        session_id: *session_id,
        project_id: *project_id,
        seq: *seq,
        at_ms: *at_ms,
        phase: *phase,
        tool_batch_id: *tool_batch_id,
        event,
        plain,
    };
    // A wire type always has a JSON form, which is one line.
    if let Ok(json) = serde_json::to_string(&flat) {
        frames.push_str("data: ");
        frames.push_str(&json);
        frames.push('\n');
    }
}
