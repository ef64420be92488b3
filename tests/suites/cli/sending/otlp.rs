//! What a collector of traces got, read as the messages of OTLP.

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use support::{Collector, Got};

pub(super) fn trace(got: &Got) -> ExportTraceServiceRequest {
    match got.head.contains("content-type: application/json") {
        true => serde_json::from_slice(&got.body).unwrap(),
        false => ExportTraceServiceRequest::decode(got.body.as_slice()).unwrap(),
    }
}

/// The spans that came in since it was last asked.
pub(super) fn spans_of(collector: &Collector) -> Vec<Span> {
    collector.got().iter().flat_map(|got| spans(&trace(got))).collect()
}

pub(super) fn spans(request: &ExportTraceServiceRequest) -> Vec<Span> {
    let scopes = request.resource_spans.iter().flat_map(|resource| &resource.scope_spans);
    scopes.flat_map(|scope| scope.spans.clone()).collect()
}

/// An attribute as text; of a list the first one.
pub(super) fn said(attributes: &[KeyValue], name: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == name)?;
    Some(match found.value.clone()?.value? {
        Value::StringValue(text) => text,
        Value::BoolValue(is) => is.to_string(),
        Value::IntValue(number) => number.to_string(),
        Value::DoubleValue(number) => number.to_string(),
        Value::ArrayValue(list) => match list.values.first()?.value.clone()? {
            Value::StringValue(text) => text,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    })
}
