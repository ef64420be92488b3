//! The attributes of a span, none of which holds more than a few bytes of a text (J3).

use orion_protocol::ErrorInfo;
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

/// Arguments as they may be shown: what is named like a secret is hidden (J3).
pub(super) fn shown(arguments: &Value) -> String {
    short(&without_secrets(arguments).to_string())
}

/// What stands in the place of a value that is named like a secret.
const HIDDEN: &str = "[hidden]";

fn without_secrets(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let hides = names_a_secret(name);
                (name.clone(), if hides { json!(HIDDEN) } else { without_secrets(value) })
            })
            .collect(),
        Value::Array(values) => values.iter().map(without_secrets).collect(),
        value => value.clone(),
    }
}

fn names_a_secret(name: &str) -> bool {
    let name: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    ["password", "passwd", "secret", "apikey", "accesskey", "privatekey", "credential", "authorization"]
        .iter()
        .any(|word| name.contains(word))
        || name.ends_with("token")
}

/// The file or folder that a call is about, by the arguments that name one.
pub(super) fn path_of(arguments: &Value) -> Option<String> {
    ["path", "target_file"].iter().find_map(|name| arguments.get(name)?.as_str()).map(short)
}
