//! The attributes of a span, none of which holds more than a few bytes of a text (J3).

use orion_protocol::{ErrorInfo, Given};
use serde_json::{Map, Value, json};

/// The most bytes a text may have in a span's attributes (J3).
pub const ATTRIBUTE_BYTES: usize = 200;

pub(super) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

pub(super) fn error_attributes(error: &ErrorInfo) -> Map<String, Value> {
    object(json!({ "code": error.code, "message": short(&error.message), "retryable": error.retryable }))
}

/// At most [`ATTRIBUTE_BYTES`] bytes of a text, on a character boundary.
pub(super) fn short(text: &str) -> String {
    if text.len() <= ATTRIBUTE_BYTES {
        return text.to_owned();
    }
    let end = (0..=ATTRIBUTE_BYTES - '…'.len_utf8()).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    format!("{}…", &text[..end])
}

/// What was decided, and what ran where it is not what was proposed (A3).
pub(super) fn decided(given: &Given) -> Map<String, Value> {
    object(match given {
        Given::Allowed { edited, kept } => json!({
            "effective": edited.as_ref().map(|call| short(&call.arguments.to_string())),
            "effectiveSignature": edited.as_ref().map(|call| &call.signature),
            "keptFor": kept.as_ref().map(|rule| rule.kept_for),
            "keptAs": kept.as_ref().map(|rule| short(&rule.pattern)),
        }),
        Given::Rejected { reason, stopped } => {
            json!({ "reason": reason.as_deref().map(short), "stopped": stopped })
        }
        Given::Kept { approval_id } => json!({ "approvalId": approval_id }),
    })
}
