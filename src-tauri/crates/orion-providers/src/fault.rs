//! Error objects, in the shapes providers give them: in a body with a failing status or in the middle of a stream (P10).
//!
//! Only what they say in fields of their own counts: status, code, type. Their sentences are passed on, never matched
//! (J4). What a code means for the user is not here ([`crate::error`]).

use serde_json::Value;

use crate::repair::repair;

/// How deep an error of an upstream provider may be packed into another's.
const DEPTH: usize = 3;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fault {
    /// An HTTP status it names.
    pub(crate) status: Option<u16>,
    /// Its codes and types, the most specific first.
    pub(crate) codes: Vec<String>,
    /// What it says to a person.
    pub(crate) message: String,
}

impl Fault {
    /// The error in a payload of a stream, if there is one.
    pub(crate) fn in_payload(payload: &str) -> Option<Self> {
        Self::in_value(&parse(payload)?)
    }

    /// The error in the body of a failed request: all of it where it has no known shape.
    pub(crate) fn in_body(body: &str) -> Self {
        parse(body)
            .and_then(|value| Self::in_value(&value))
            .unwrap_or_else(|| Self { message: body.trim().to_owned(), ..Self::default() })
    }

    /// The plain text of an event that is named `error`.
    pub(crate) fn in_error_event(data: &str) -> Self {
        Self::in_payload(data).unwrap_or_else(|| Self::in_body(data))
    }

    fn in_value(value: &Value) -> Option<Self> {
        // Gemini puts the object into a list of one.
        let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
        let object = value.as_object()?;
        let says_error = |key: &str| object.get(key).and_then(Value::as_str) == Some("error");
        let nested = object.get("error").filter(|error| is_something(error));
        let listed = object.get("errors").and_then(Value::as_array).and_then(|errors| errors.first());
        let plain = ["detail", "message", "msg"].iter().any(|key| object.contains_key(*key));
        let mut fault = Self::default();
        if let Some(error) = nested.or(listed) {
            fault.gather(error, DEPTH);
        } else if says_error("object") || says_error("type") || (plain && !object.contains_key("choices")) {
            fault.gather(value, DEPTH);
        } else {
            return None;
        }
        // Some name the status beside the error and not in it.
        fault.status = fault.status.or_else(|| status_in(value));
        Some(fault)
    }

    fn gather(&mut self, error: &Value, depth: usize) {
        let Some(object) = error.as_object() else {
            self.say(error);
            return;
        };
        for key in ["code", "type", "status"] {
            if let Some(code) =
                object.get(key).and_then(Value::as_str).filter(|code| code.parse::<u16>().is_err())
            {
                self.codes.push(code.to_owned());
            }
        }
        self.status = self.status.or_else(|| status_in(error));
        for key in ["message", "detail", "msg", "error"] {
            if let Some(text) = object.get(key).filter(|text| is_something(text)) {
                self.say(text);
                break;
            }
        }
        // OpenRouter's message is its own; the provider's stands here, often as JSON in a string.
        if let Some(raw) =
            object.get("metadata").and_then(|metadata| metadata.get("raw")).filter(|raw| is_something(raw))
        {
            let parsed = raw.as_str().and_then(parse).filter(Value::is_object);
            match (parsed.as_ref().unwrap_or(raw), depth) {
                (inner @ Value::Object(inside), 1..) => {
                    self.gather(inside.get("error").unwrap_or(inner), depth - 1)
                }
                (text, _) => self.say(text),
            }
        }
    }

    fn say(&mut self, value: &Value) {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if !self.message.is_empty() {
            self.message.push_str(": ");
        }
        self.message.push_str(text.trim());
    }
}

fn parse(text: &str) -> Option<Value> {
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&repair(text))).ok()
}

fn is_something(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false)) && value.as_str() != Some("")
}

/// An HTTP status among the fields that may hold one.
fn status_in(error: &Value) -> Option<u16> {
    ["status_code", "status", "code", "http_code"].iter().find_map(|key| {
        let value = error.get(*key)?;
        let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
        u16::try_from(number).ok().filter(|status| (400..600).contains(status))
    })
}

#[cfg(test)]
mod tests {
    use super::Fault;

    fn fault(status: Option<u16>, codes: &[&str], message: &str) -> Option<Fault> {
        Some(Fault {
            status,
            codes: codes.iter().map(|code| (*code).to_owned()).collect(),
            message: message.into(),
        })
    }

    #[test]
    fn errors_are_found_in_every_shape_providers_give_them() {
        for (payload, expected) in [
            (r#"{"error":"plain"}"#, fault(None, &[], "plain")),
            (
                r#"{"error":{"message":"m","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
                fault(None, &["context_length_exceeded", "invalid_request_error"], "m"),
            ),
            (r#"{"error":{"code":502,"message":"m"},"choices":[]}"#, fault(Some(502), &[], "m")),
            (r#"{"error":{"code":"429","message":"m"}}"#, fault(Some(429), &[], "m")),
            (
                r#"{"error":{"message":"m","type":"t","code":"tool_use_failed","status_code":400}}"#,
                fault(Some(400), &["tool_use_failed", "t"], "m"),
            ),
            (
                r#"[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}]"#,
                fault(Some(400), &["INVALID_ARGUMENT"], "m"),
            ),
            (
                r#"{"object":"error","message":{"detail":[1]},"type":"invalid_request_error","code":null}"#,
                fault(None, &["invalid_request_error"], r#"{"detail":[1]}"#),
            ),
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#,
                fault(None, &["overloaded_error"], "m"),
            ),
            (r#"{"detail":"Not authenticated"}"#, fault(None, &[], "Not authenticated")),
            (r#"{"error":true}"#, fault(None, &[], "true")),
            (
                r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"too long\",\"code\":\"context_length_exceeded\"}}"}}}"#,
                fault(Some(400), &["context_length_exceeded"], "Provider returned error: too long"),
            ),
        ] {
            assert_eq!((payload, Fault::in_payload(payload)), (payload, expected));
        }
    }

    #[test]
    fn a_payload_without_an_error_has_none() {
        for payload in
            ["{}", "[]", "1", r#"{"choices":[],"message":"x"}"#, r#"{"type":"ping"}"#, r#"{"error":null}"#]
        {
            assert_eq!((payload, Fault::in_payload(payload)), (payload, None));
        }
    }

    #[test]
    fn a_body_of_no_known_shape_is_passed_on_as_it_is() {
        assert_eq!(Some(Fault::in_body(" upstream timed out\n")), fault(None, &[], "upstream timed out"));
    }
}
