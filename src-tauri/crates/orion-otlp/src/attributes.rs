//! What is said about each span: by the names of the conventions where they have one, and by Orion's own.

use opentelemetry::{Array, KeyValue, Value};
use orion_protocol::{SpanStatus, TraceKind, TraceSpan};
use serde_json::{Map, Value as Json};

use crate::content;
use crate::names;
use crate::text::{BYTES, bounded};

/// The most attributes of a span. The default limit of the OpenTelemetry specification.
const MOST: usize = 128;

/// Attributes that repeat what a person, a model or a file says. They leave Orion only where the person wants that.
const CONTENT: [&str; 5] = ["arguments", "effective", "text", "summary", "reason"];

/// What all spans of a turn share.
#[derive(Debug, Clone)]
pub(crate) struct OfTurn {
    pub(crate) model: String,
    pub(crate) provider: &'static str,
    /// The temperature of its model calls, where a setting names one.
    pub(crate) temperature: Option<f64>,
    /// Why the turn failed, where it did.
    pub(crate) error: Option<String>,
}

impl OfTurn {
    pub(crate) fn of(spans: &[TraceSpan]) -> Self {
        let said = |name: &str| spans.first().and_then(|turn| turn.attributes.get(name)?.as_str());
        let errors = spans.iter().rev().filter(|span| span.kind == TraceKind::Error);
        let error = errors.filter_map(|span| span.attributes.get("code")?.as_str()).next();
        Self {
            model: bounded(said("model").unwrap_or_default(), BYTES),
            provider: names::provider(said("endpoint").unwrap_or_default()),
            temperature: spans.first().and_then(|turn| turn.attributes.get("temperature")?.as_f64()),
            error: error.map(str::to_owned),
        }
    }
}

/// The attributes of a span, without content.
pub(crate) fn attributes(span: &TraceSpan, turn: &OfTurn, with_content: bool) -> Vec<KeyValue> {
    let mut of = Attributes(Vec::new());
    of.operation(span, turn);
    of.usage(span);
    if span.status == SpanStatus::Failed {
        let code = span.attributes.get("code").and_then(Json::as_str);
        let error = code.or(turn.error.as_deref()).unwrap_or(names::OTHER);
        of.text(names::ERROR_TYPE, error);
    }
    of.own(span);
    of.rest("", &span.attributes);
    if with_content {
        content::of_call(span, &mut of.0);
    }
    of.0.truncate(MOST);
    of.0
}

struct Attributes(Vec<KeyValue>);

impl Attributes {
    fn put(&mut self, name: impl Into<opentelemetry::Key>, value: impl Into<Value>) {
        self.0.push(KeyValue::new(name, value));
    }

    fn text(&mut self, name: &'static str, text: &str) {
        self.put(name, bounded(text, BYTES));
    }

    /// What the conventions say of turns, model calls and tool calls.
    fn operation(&mut self, span: &TraceSpan, turn: &OfTurn) {
        let operation = match span.kind {
            TraceKind::Turn => names::INVOKE_AGENT,
            TraceKind::ModelCall => names::CHAT,
            TraceKind::ToolCall => names::EXECUTE_TOOL,
            _ => return,
        };
        self.put(names::OPERATION_NAME, operation);
        self.put(names::CONVERSATION_ID, span.session_id.to_string());
        match span.kind {
            TraceKind::Turn => {
                self.put(names::AGENT_NAME, crate::resource::NAME);
                self.put(names::AGENT_VERSION, env!("CARGO_PKG_VERSION"));
            }
            TraceKind::ToolCall => {
                self.text(names::TOOL_NAME, &span.name);
                self.put(names::TOOL_TYPE, names::FUNCTION);
                if let Some(id) = &span.tool_call_id {
                    self.text(names::TOOL_CALL_ID, &id.to_string());
                }
                return;
            }
            _ => self.put(names::REQUEST_STREAM, true),
        }
        self.put(names::PROVIDER_NAME, turn.provider);
        self.put(names::REQUEST_MODEL, turn.model.clone());
        if let Some(temperature) = turn.temperature {
            self.put(names::REQUEST_TEMPERATURE, temperature);
        }
    }

    /// What a model call used, and all calls of a turn together.
    fn usage(&mut self, span: &TraceSpan) {
        let usage = span.attributes.get("usage").unwrap_or(&Json::Null);
        for (field, name) in [
            ("promptTokens", names::USAGE_INPUT_TOKENS),
            ("completionTokens", names::USAGE_OUTPUT_TOKENS),
            ("cachedTokens", names::USAGE_CACHE_READ_INPUT_TOKENS),
            ("reasoningTokens", names::USAGE_REASONING_OUTPUT_TOKENS),
        ] {
            if let Some(tokens) = usage.get(field).and_then(Json::as_i64) {
                self.put(name, tokens);
            }
        }
        if let Some(reason) = span.attributes.get("finishReason").and_then(Json::as_str) {
            let reasons = Array::String(vec![bounded(reason, BYTES).into()]);
            self.put(names::RESPONSE_FINISH_REASONS, Value::Array(reasons));
        }
        if let Some(first_ms) = span.first_byte_ms {
            let seconds = (first_ms.saturating_sub(span.start_ms)).max(0) as f64 / 1_000.0;
            self.put(names::RESPONSE_TIME_TO_FIRST_CHUNK, seconds);
        }
    }

    /// What Orion knows of each span.
    fn own(&mut self, span: &TraceSpan) {
        self.put("orion.kind", word(&span.kind));
        self.text("orion.name", &span.name);
        self.put("orion.status", word(&span.status));
        self.put("orion.phase", word(&span.phase));
        self.put("orion.request_id", span.request_id.to_string());
        self.put("orion.session_id", span.session_id.to_string());
        self.put("orion.project_id", span.project_id.to_string());
        if let Some(batch) = span.tool_batch_id {
            self.put("orion.tool_batch_id", batch.to_string());
        }
        if let Some(route) = span.route {
            self.put("orion.route", word(&route));
        }
        if let Some(signature) = &span.signature {
            self.text("orion.signature", signature);
        }
        if let Some(path) = &span.path {
            self.text("orion.path", path);
        }
        if let Some(call) = span.call {
            self.put("orion.call", i64::from(call));
        }
        if span.waited_ms > 0 {
            self.put("orion.waited_ms", i64::try_from(span.waited_ms).unwrap_or(i64::MAX));
        }
    }

    /// The other attributes of a span, those of objects one by one.
    fn rest(&mut self, before: &str, attributes: &Map<String, Json>) {
        for (name, value) in attributes {
            let name = format!("{before}{}", snake(name));
            if self.0.len() >= MOST || CONTENT.contains(&name.as_str()) || self.says(&name) {
                continue;
            }
            let value = match value {
                Json::Null => continue,
                Json::Object(fields) => {
                    self.rest(&format!("{name}."), fields);
                    continue;
                }
                Json::Bool(is) => Value::from(*is),
                Json::Number(number) => match number.as_i64() {
                    Some(whole) => Value::from(whole),
                    None => Value::from(number.as_f64().unwrap_or_default()),
                },
                Json::String(text) => Value::from(bounded(text, BYTES)),
                Json::Array(_) => Value::from(bounded(&value.to_string(), BYTES)),
            };
            self.put(format!("{}{name}", names::OWN), value);
        }
    }

    fn says(&self, name: &str) -> bool {
        self.0.iter().any(|said| said.key.as_str().strip_prefix(names::OWN) == Some(name))
    }
}

/// `toolCallId` as `tool_call_id`.
fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for c in bounded(name, 64).chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// The word that a value has on the wire.
pub(crate) fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}
