//! Error objects, in the shapes and places that providers use: in a body with a failing status, or in a stream (P10).
//!
//! Only their own fields count: status, code, type. Their sentences are passed on and never matched (J4). Not here:
//! what a code means ([`crate::refusal`]).

mod stray;

use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde_json::{Map, Value};

use crate::repair::{Halves, repair};

/// How deep an error of an upstream provider may be nested in another one's error, and how deep a vendor's object is
/// searched.
const DEPTH: usize = 3;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ErrorObject {
    /// An HTTP status it names.
    pub(crate) status: Option<u16>,
    /// Its codes and types, the most specific first.
    pub(crate) codes: Vec<String>,
    /// What it says to a person.
    pub(crate) message: String,
    /// The window that a request was too long for, in tokens: llama.cpp's `n_ctx`.
    pub(crate) window: Option<u32>,
}

/// Whether a payload of a stream may hold an error. Most hold none, so this check must cost next to nothing. Text
/// that merely speaks of errors does not match: a quote within a JSON string has a backslash before it.
pub(crate) fn may_hold_error(payload: &str) -> bool {
    static WORDS: LazyLock<[Finder<'static>; 4]> =
        LazyLock::new(|| ["\"error\"", "\"errors\"", "\"error_msg\"", "\"base_resp\""].map(Finder::new));
    WORDS.iter().any(|word| word.find(payload.as_bytes()).is_some())
}

/// Whether the error in a payload is more than a sentence: it stands in a place of errors, or a status or code says so.
pub(crate) fn is_more_than_a_sentence(payload: &str) -> bool {
    may_hold_error(payload) || parse(payload).is_some_and(|value| says_failure(&value))
}

impl ErrorObject {
    /// The error in a payload of a stream, if there is one: at the top, in a choice, in a vendor's object.
    pub(crate) fn in_payload(payload: &str) -> Option<Self> {
        Self::anywhere_in(&parse(payload)?)
    }

    /// The error in the body of a failed request, where it holds one. There any sentence is one.
    pub(crate) fn in_body(body: &str) -> Option<Self> {
        let itself = || Self::in_payload_or_itself(body).filter(|error| !error.message.is_empty());
        Self::in_payload(body).or_else(itself)
    }

    /// The error in an event that is named `error`. If it has no known shape, the whole text is the error.
    pub(crate) fn in_error_event(data: &str) -> Self {
        let found = Self::in_payload_or_itself(data).unwrap_or_default();
        match found.message.is_empty() {
            true => Self { message: data.trim().to_owned(), ..found },
            false => found,
        }
    }

    /// The error in a payload, or the payload where all of it is one.
    fn in_payload_or_itself(payload: &str) -> Option<Self> {
        Self::in_payload(payload).or_else(|| {
            let value = parse(payload).filter(Value::is_object)?;
            let mut error = Self::default();
            error.gather(&value, DEPTH);
            Some(error)
        })
    }

    fn anywhere_in(value: &Value) -> Option<Self> {
        Self::in_value(value).or_else(|| Self::in_choices(value)).or_else(|| Self::of_vendor(value))
    }

    fn in_value(value: &Value) -> Option<Self> {
        // Gemini puts the object into a list of one.
        let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
        let object = value.as_object()?;
        let says_error = |key: &str| object.get(key).and_then(Value::as_str) == Some("error");
        let nested = object.get("error").filter(|error| is_something(error));
        let listed = object.get("errors").and_then(Value::as_array).and_then(|errors| errors.first());
        let mut found = Self::default();
        if let Some(error) = nested.or(listed) {
            found.gather(error, DEPTH);
            if error.is_string() {
                // TGI, xAI: the error is a sentence, and what it is stands beside it.
                found.gather_codes(object, &["error_type", "code"]);
            }
        } else if says_error("object") || says_error("type") || is_plain(value) {
            found.gather(value, DEPTH);
        } else {
            return None;
        }
        // Some name the status beside the error and not in it.
        found.status = found.status.or_else(|| status_in(value));
        Some(found)
    }

    /// OpenRouter and others put the upstream provider's error into the choice.
    fn in_choices(value: &Value) -> Option<Self> {
        let choices = value.get("choices")?;
        let choices = choices.as_array().map_or(std::slice::from_ref(choices), Vec::as_slice);
        choices.iter().find_map(|choice| {
            let said = ["delta", "message"].iter().filter_map(|key| choice.get(*key));
            std::iter::once(choice).chain(said).find_map(Self::named_error)
        })
    }

    /// Groq's `x_groq.error` and similar ones: an error in an object of the vendor's own; MiniMax's `base_resp`.
    fn of_vendor(value: &Value) -> Option<Self> {
        let object = value.as_object()?;
        let own = object.iter().filter(|(key, _)| !matches!(key.as_str(), "choices" | "usage"));
        Self::of_base_resp(object)
            .or_else(|| own.map(|(_, value)| value).find_map(|value| Self::within(value, DEPTH)))
    }

    fn within(value: &Value, depth: usize) -> Option<Self> {
        let object = value.as_object().filter(|_| depth > 0)?;
        Self::named_error(value).or_else(|| object.values().find_map(|value| Self::within(value, depth - 1)))
    }

    fn named_error(value: &Value) -> Option<Self> {
        let error = value.get("error").filter(|error| is_something(error))?;
        let mut found = Self::default();
        found.gather(error, DEPTH);
        Some(found)
    }

    fn of_base_resp(object: &Map<String, Value>) -> Option<Self> {
        let status = object.get("base_resp")?;
        let number = status.get("status_code")?.as_u64().filter(|number| *number != 0)?;
        let mut found = Self { codes: vec![format!("base_resp {number}")], ..Self::default() };
        if let Some(message) = status.get("status_msg").filter(|message| is_something(message)) {
            found.say(message);
        }
        Some(found)
    }

    fn gather(&mut self, error: &Value, depth: usize) {
        let Some(object) = error.as_object() else {
            self.say(error);
            return;
        };
        self.gather_codes(object, &["code", "type", "status", "error_code"]);
        self.status = self.status.or_else(|| status_in(error));
        let window = object.get("n_ctx").and_then(Value::as_u64).filter(|window| *window > 0);
        self.window = self.window.or_else(|| u32::try_from(window?).ok());
        for key in ["message", "detail", "msg", "error_msg", "error"] {
            if let Some(text) = object.get(key).filter(|text| is_something(text)) {
                self.say(text);
                break;
            }
        }
        // OpenRouter's message is its own. The provider's message is here, often as JSON in a string.
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

    fn gather_codes(&mut self, object: &Map<String, Value>, keys: &[&str]) {
        let codes = keys.iter().filter_map(|key| object.get(*key).and_then(Value::as_str));
        // A number is an HTTP status, except for numbers of four digits and more, which are Zhipu's own codes.
        let codes = codes.filter(|code| !matches!(code.parse(), Ok(0_u16..1_000)));
        self.codes.extend(codes.map(str::to_owned));
    }

    fn say(&mut self, value: &Value) {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if !self.message.is_empty() {
            self.message.push_str(": ");
        }
        self.message.push_str(text.trim());
    }
}

/// The object or list that a text is. Nothing else can hold an error.
fn parse(text: &str) -> Option<Value> {
    if !opens(text) || !text.trim_end().ends_with(['}', ']']) {
        return None;
    }
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&repair(text, Halves::Replaced))).ok()
}

/// Whether a text begins as an object or a list does.
fn opens(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// Whether a value is an error although nothing in it is called one: it has a sentence, and nothing of an answer. Beside the fields of an
/// answer, even if they are null, a sentence alone is no error, since gateways say `Success` there.
fn is_plain(value: &Value) -> bool {
    let field = |key: &str| value.get(key);
    let mut sentences = ["detail", "message", "msg", "error_msg"].into_iter().filter_map(field);
    if field("choices").is_some_and(|choices| !choices.is_null()) {
        false
    } else if says_failure(value) {
        sentences.next().is_some()
    } else {
        field("choices").or(field("usage")).is_none() && sentences.any(is_something)
    }
}

/// Whether a status or a code says that something failed. A number that is no status can mean anything, also in a string.
fn says_failure(value: &Value) -> bool {
    let code = value.get("code").and_then(Value::as_str).unwrap_or_default();
    let is_word = code.contains(|c: char| c.is_ascii_alphabetic());
    let is_good = ["ok", "success"].iter().any(|good| good.eq_ignore_ascii_case(code));
    status_in(value).is_some() || (is_word && !is_good)
}

fn is_something(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
        && value.as_str() != Some("")
        && value.as_u64() != Some(0)
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
    use super::{ErrorObject, may_hold_error};

    fn error(status: Option<u16>, codes: &[&str], message: &str) -> Option<ErrorObject> {
        Some(ErrorObject {
            status,
            codes: codes.iter().map(|code| (*code).to_owned()).collect(),
            message: message.into(),
            window: None,
        })
    }

    #[test]
    fn errors_are_found_in_every_shape_providers_give_them() {
        for (payload, expected) in [
            (r#"{"error":"plain"}"#, error(None, &[], "plain")),
            (
                r#"{"error":{"message":"m","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
                error(None, &["context_length_exceeded", "invalid_request_error"], "m"),
            ),
            (r#"{"error":{"code":502,"message":"m"},"choices":[]}"#, error(Some(502), &[], "m")),
            (r#"{"error":{"code":"429","message":"m"}}"#, error(Some(429), &[], "m")),
            (
                r#"{"error":{"message":"m","type":"t","code":"tool_use_failed","status_code":400}}"#,
                error(Some(400), &["tool_use_failed", "t"], "m"),
            ),
            (
                r#"[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}]"#,
                error(Some(400), &["INVALID_ARGUMENT"], "m"),
            ),
            (
                r#"{"object":"error","message":{"detail":[1]},"type":"invalid_request_error","code":null}"#,
                error(None, &["invalid_request_error"], r#"{"detail":[1]}"#),
            ),
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#,
                error(None, &["overloaded_error"], "m"),
            ),
            (
                r#"{"error":"Input validation error: m","error_type":"validation"}"#,
                error(None, &["validation"], "Input validation error: m"),
            ),
            (
                r#"{"code":"Some resource has been exhausted","error":"m","type":"t"}"#,
                error(None, &["Some resource has been exhausted"], "m"),
            ),
            (r#"{"error":"m","code":"503"}"#, error(Some(503), &[], "m")),
            (r#"{"detail":"Not authenticated"}"#, error(None, &[], "Not authenticated")),
            (r#"{"error":true}"#, error(None, &[], "true")),
            (r#"{"choices":null,"code":503,"message":"m"}"#, error(Some(503), &[], "m")),
            (
                r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"too long\",\"code\":\"context_length_exceeded\"}}"}}}"#,
                error(Some(400), &["context_length_exceeded"], "Provider returned error: too long"),
            ),
        ] {
            assert_eq!((payload, ErrorObject::in_payload(payload)), (payload, expected));
        }
    }

    #[test]
    fn a_payload_without_an_error_has_none() {
        for payload in
            ["{}", "[]", "1", r#"{"choices":[],"message":"x"}"#, r#"{"type":"ping"}"#, r#"{"error":null}"#]
        {
            assert_eq!((payload, ErrorObject::in_payload(payload)), (payload, None));
        }
    }

    #[test]
    fn a_sentence_beside_the_fields_of_an_answer_is_an_error_only_where_a_status_or_code_says_so() {
        for payload in [
            r#"{"id":"x","choices":null,"usage":{"prompt_tokens":9},"message":null}"#,
            r#"{"code":0,"message":"Success","choices":null,"usage":{"prompt_tokens":9}}"#,
            r#"{"code":"Success","msg":"done","choices":null}"#,
            r#"{"code":"0000","msg":"done","usage":{"prompt_tokens":9}}"#,
            r#"{"type":"ping","message":null}"#,
            r#"{"detail":"","msg":false}"#,
        ] {
            assert_eq!((payload, ErrorObject::in_payload(payload)), (payload, None));
        }
        for (payload, expected) in [
            (r#"{"choices":null,"code":"Throttling","message":"m"}"#, error(None, &["Throttling"], "m")),
            (r#"{"usage":null,"status":429,"msg":"m"}"#, error(Some(429), &[], "m")),
            (r#"{"code":503,"message":null}"#, error(Some(503), &[], "")),
        ] {
            assert_eq!((payload, ErrorObject::in_payload(payload)), (payload, expected));
        }
        // In the body of a failed request it always is.
        let refused = r#"{"choices":null,"code":0,"message":"No access"}"#;
        assert_eq!(ErrorObject::in_body(refused), error(None, &[], "No access"));
        assert_eq!(ErrorObject::in_body("{}"), None);
    }

    #[test]
    fn an_error_is_found_in_a_choice_and_in_an_object_of_the_vendor() {
        // P10
        for (payload, expected) in [
            (
                r#"{"choices":[{"index":0,"delta":{},"error":{"code":502,"message":"m"}}]}"#,
                error(Some(502), &[], "m"),
            ),
            (r#"{"choices":{"delta":{"error":"m"}}}"#, error(None, &[], "m")),
            (r#"{"choices":[{"message":{"error":"m"}}]}"#, error(None, &[], "m")),
            (r#"{"choices":[],"errors":[{"code":503,"message":"m"}]}"#, error(Some(503), &[], "m")),
            (
                r#"{"choices":[],"x_groq":{"id":"r","error":"over capacity"}}"#,
                error(None, &[], "over capacity"),
            ),
            (
                r#"{"choices":[{"delta":{"content":"a"}}],"vendor":{"b":{"error":{"type":"overloaded_error"}}}}"#,
                error(None, &["overloaded_error"], ""),
            ),
            (
                r#"{"choices":null,"base_resp":{"status_code":1002,"status_msg":"rate limit"}}"#,
                error(None, &["base_resp 1002"], "rate limit"),
            ),
        ] {
            assert!(may_hold_error(payload), "{payload}");
            assert_eq!((payload, ErrorObject::in_payload(payload)), (payload, expected));
        }
    }

    #[test]
    fn what_only_speaks_of_errors_is_none() {
        for payload in [
            r#"{"choices":[{"delta":{"content":"\"error\": {\"code\": 1}"}}],"x_groq":{"error":null}}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"error":"e"}}}]}}]}"#,
            r#"{"choices":[],"usage":{"error":{"margin":1}},"base_resp":{"status_code":0}}"#,
            r#"{"choices":[{"finish_reason":"error"}],"x_groq":{"error":""}}"#,
        ] {
            assert_eq!((payload, ErrorObject::in_payload(payload)), (payload, None));
        }
        for word in ["error", "errors", "base_resp"] {
            let said = format!(r#"{{"choices":[{{"delta":{{"content":"\"{word}\""}}}}]}}"#);
            assert!(!may_hold_error(&said), "{said}");
        }
    }

    #[test]
    fn an_event_named_error_is_one_whatever_its_shape() {
        let said = |data| Some(ErrorObject::in_error_event(data));
        assert_eq!(said(" upstream timed out\n"), error(None, &[], "upstream timed out"));
        assert_eq!(said(""), error(None, &[], ""));
    }
}
