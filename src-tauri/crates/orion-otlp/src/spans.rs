//! The spans of a turn as OpenTelemetry has them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use opentelemetry::trace::{Event, Link, SpanId, SpanKind, Status};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};
use orion_engine::ToldTrace;
use orion_protocol::{CallPart, SpanLink, SpanStatus, TraceKind, TraceSpan};

use crate::attributes::{OfTurn, attributes, word};
use crate::content;
use crate::ids::Trace;
use crate::names;
use crate::text::{BYTES, bounded};

/// The spans that have ended, in the order of their starts. One that still runs has no place in OTLP: sent later, it gets the same id.
pub(crate) fn spans(trace: &ToldTrace, with_content: bool) -> Vec<SpanData> {
    let turn = OfTurn::of(&trace.spans);
    let scope = InstrumentationScope::builder(crate::resource::NAME)
        .with_version(env!("CARGO_PKG_VERSION"))
        .with_attributes([KeyValue::new("orion.gen_ai.conventions", names::VERSION)])
        .build();
    let ended = trace.spans.iter().filter_map(|span| Some((span, span.end_ms?)));
    ended.map(|(span, end_ms)| of(span, end_ms, trace, &turn, &scope, with_content)).collect()
}

fn of(
    span: &TraceSpan,
    end_ms: i64,
    told: &ToldTrace,
    turn: &OfTurn,
    scope: &InstrumentationScope,
    with_content: bool,
) -> SpanData {
    let trace = Trace::of(span.request_id, told);
    let caller = trace.caller().filter(|_| span.parent_id.is_none());
    let mut attributes = attributes(span, turn, with_content);
    if with_content && span.kind == TraceKind::Turn {
        attributes.extend(content::of_turn(told));
    }
    let mut events = SpanEvents::default();
    events.events = span.parts.iter().map(part).collect();
    let mut links = SpanLinks::default();
    links.links = span.links.iter().map(|to| link(to, told)).collect();
    SpanData {
        span_context: trace.span(span.span_id),
        parent_span_id: span
            .parent_id
            .map(|parent| trace.span_id(parent))
            .or(caller)
            .unwrap_or(SpanId::INVALID),
        parent_span_is_remote: caller.is_some(),
        span_kind: if span.kind == TraceKind::ModelCall { SpanKind::Client } else { SpanKind::Internal },
        name: name(span, turn).into(),
        start_time: time(span.start_ms),
        // A clock that was set back makes no span that ends before it starts.
        end_time: time(end_ms.max(span.start_ms)),
        attributes,
        dropped_attributes_count: 0,
        events,
        links,
        status: status(span),
        instrumentation_scope: scope.clone(),
    }
}

/// As the conventions have it where they have a name, else by the kind: names are for groups of spans, and texts would make each its own.
fn name(span: &TraceSpan, turn: &OfTurn) -> String {
    match span.kind {
        TraceKind::Turn => format!("{} {}", names::INVOKE_AGENT, crate::resource::NAME),
        TraceKind::ModelCall => format!("{} {}", names::CHAT, turn.model),
        TraceKind::ToolCall => format!("{} {}", names::EXECUTE_TOOL, bounded(&span.name, BYTES)),
        TraceKind::OrchestrationPhase => format!("phase {}", bounded(&span.name, BYTES)),
        kind => word(&kind),
    }
}

/// The conventions leave it unset where nothing went wrong. That a person refused or stopped something is no error.
fn status(span: &TraceSpan) -> Status {
    match span.status {
        SpanStatus::Failed => {
            let message = span.attributes.get("message").and_then(serde_json::Value::as_str);
            Status::error(bounded(message.unwrap_or_default(), BYTES))
        }
        SpanStatus::Running | SpanStatus::Ok | SpanStatus::Refused | SpanStatus::Stopped => Status::Unset,
    }
}

/// What a part of a model call was spent on, as an event where it begins.
fn part(part: &CallPart) -> Event {
    let lasted = part.end_ms.map_or(0, |end_ms| end_ms.saturating_sub(part.start_ms));
    let attributes = vec![
        KeyValue::new("orion.part.duration_ms", lasted),
        KeyValue::new("orion.part.bytes", i64::try_from(part.bytes).unwrap_or(i64::MAX)),
        KeyValue::new("orion.part.attempt", i64::from(part.attempt)),
    ];
    Event::new(format!("orion.{}", word(&part.kind)), time(part.start_ms), attributes, 0)
}

fn link(link: &SpanLink, told: &ToldTrace) -> Link {
    let mut attributes = vec![
        KeyValue::new("orion.link", word(&link.kind)),
        KeyValue::new("orion.request_id", link.request_id.to_string()),
    ];
    let call = link.tool_call_id.as_ref();
    attributes.extend(call.map(|id| KeyValue::new("orion.tool_call_id", bounded(&id.to_string(), BYTES))));
    Link::new(Trace::of(link.request_id, told).linked(), attributes, 0)
}

/// A time in milliseconds since the Unix epoch; the epoch for one before it, which OTLP cannot say.
fn time(ms: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}
