//! What was said in a turn: it leaves Orion only where the person wants that.

use opentelemetry::KeyValue;
use orion_engine::ToldTrace;
use orion_protocol::{TraceKind, TraceSpan};
use serde_json::{Value, json};

use crate::names;
use crate::text::{BYTES, bounded};

/// The most bytes of a message.
const MESSAGE_BYTES: usize = 64 << 10;

/// What the person wrote, and what the model answered in the end.
pub(crate) fn of_turn(trace: &ToldTrace) -> [KeyValue; 2] {
    let message = |role: &str, text: &str| json!({ "role": role, "parts": [{ "type": "text", "content": bounded(text, MESSAGE_BYTES) }] });
    let asked = message("user", &trace.asked);
    let mut answered = message("assistant", &trace.answered);
    answered["finish_reason"] = Value::from("stop");
    [
        KeyValue::new(names::INPUT_MESSAGES, json!([asked]).to_string()),
        KeyValue::new(names::OUTPUT_MESSAGES, json!([answered]).to_string()),
    ]
}

/// The arguments of a tool call, what came of it, and what a person said to it.
pub(crate) fn of_call(span: &TraceSpan, attributes: &mut Vec<KeyValue>) {
    let said =
        |name: &str| span.attributes.get(name).and_then(Value::as_str).map(|text| bounded(text, BYTES));
    let arguments = said("arguments").filter(|_| span.kind == TraceKind::ToolCall);
    attributes.extend(arguments.map(|arguments| KeyValue::new(names::TOOL_CALL_ARGUMENTS, arguments)));
    for (name, own) in [
        ("effective", "orion.effective_arguments"),
        ("text", "orion.text"),
        ("summary", "orion.summary"),
        ("reason", "orion.reason"),
    ] {
        attributes.extend(said(name).map(|text| KeyValue::new(own, text)));
    }
}
