//! The trace of a turn as one page: no script, nothing from elsewhere. Bars are drawn by time; time in which the turn waits for a person
//! is drawn as it was.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use orion_protocol::{CallPartKind, SpanStatus, TraceKind, TraceSpan};
use serde_json::Value;
use sha2::Digest as _;

use super::html::text;

const STYLE: &str = include_str!("trace.css");

/// Units of a bar's width. A bar's coordinates are attributes, since the page allows no style but its own.
const UNITS: i64 = 10_000;

pub(crate) fn trace_page(spans: &[TraceSpan]) -> String {
    let style = STANDARD.encode(sha2::Sha256::digest(STYLE.as_bytes()));
    let id = spans.first().map_or_else(String::new, |turn| turn.request_id.to_string());
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Turn {id}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Turn {id}</h1>\n"
    );
    if let Some(turn) = spans.first() {
        let scale = Scale::of(spans, turn);
        page.push_str(&format!("<p class=\"figures\">{}</p>\n", text(&figures(turn, &scale))));
        let mut depths = std::collections::HashMap::new();
        for span in spans {
            let depth = span.parent_id.and_then(|parent| depths.get(&parent)).map_or(0, |depth| depth + 1);
            depths.insert(span.span_id, depth);
            page.push_str(&row(span, depth.min(6), &scale));
        }
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

/// What the turn was, in one line.
fn figures(turn: &TraceSpan, scale: &Scale) -> String {
    let word = |name: &str| match turn.attributes.get(name) {
        Some(Value::String(word)) => Some(word.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let mut said = vec![took(scale.end_ms - scale.start_ms)];
    if turn.waited_ms > 0 {
        let waited = i64::try_from(turn.waited_ms).unwrap_or(i64::MAX);
        said.push(format!("{} of it waiting for a person", took(waited)));
    }
    said.extend(word("model").map(|model| format!("model {model}")));
    said.extend(word("route").map(|route| format!("route {route}")));
    for (name, what) in [
        ("modelCalls", "model calls"),
        ("toolRuns", "tool runs"),
        ("duplicatesRefused", "repeats refused"),
        ("retries", "retries"),
    ] {
        said.extend(word(name).map(|number| format!("{number} {what}")));
    }
    said.extend(word("stopReason").map(|reason| format!("ended: {reason}")));
    said.join(" · ")
}

fn row(span: &TraceSpan, depth: usize, scale: &Scale) -> String {
    let status = match span.status {
        SpanStatus::Ok => "",
        SpanStatus::Running => "running",
        SpanStatus::Refused => "refused",
        SpanStatus::Failed => "failed",
        SpanStatus::Stopped => "stopped",
    };
    let about = match (&span.path, span.call) {
        (Some(path), _) if *path != span.name => format!("{} {path}", span.name),
        (_, Some(call)) => format!("{} {call}", span.name),
        _ => span.name.clone(),
    };
    let is_moment = span.end_ms == Some(span.start_ms);
    let time =
        if is_moment { String::new() } else { took(span.end_ms.unwrap_or(scale.end_ms) - span.start_ms) };
    format!(
        "<details class=\"{status}\"><summary><span class=\"label d{depth}\">{} <span class=\"status\">{status}</span></span>\
         <span class=\"took\">{time}</span>{}</summary>{}</details>\n",
        text(&about),
        bar(span, scale),
        facts(span, scale),
    )
}

fn bar(span: &TraceSpan, scale: &Scale) -> String {
    let mut rects = String::new();
    let mut rect = |class: &str, from_ms: i64, to_ms: i64| {
        let from = scale.place(from_ms).min(UNITS - 20);
        // Something is seen of everything, however short.
        let width = (scale.place(to_ms) - from).max(20);
        rects.push_str(&format!(
            "<rect class=\"{class}\" x=\"{from}\" y=\"0\" width=\"{width}\" height=\"12\"/>"
        ));
    };
    let end_ms = span.end_ms.unwrap_or(scale.end_ms);
    let class = match span.kind {
        _ if span.end_ms == Some(span.start_ms) => "moment",
        TraceKind::Turn | TraceKind::OrchestrationPhase => "band",
        TraceKind::WriteSession => "write",
        TraceKind::Compaction => "compaction",
        _ if span.waits() => "waits",
        _ => "tool",
    };
    rect(class, span.start_ms, end_ms);
    for part in &span.parts {
        let class = match part.kind {
            CallPartKind::Connecting => "connecting",
            CallPartKind::FirstToken => "first_token",
            CallPartKind::Reasoning => "reasoning",
            CallPartKind::Text => "text",
            CallPartKind::Arguments => "arguments",
            CallPartKind::Backoff => "backoff",
        };
        rect(class, part.start_ms, part.end_ms.unwrap_or(end_ms));
    }
    format!("<svg viewBox=\"0 0 {UNITS} 12\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{rects}</svg>")
}

fn facts(span: &TraceSpan, scale: &Scale) -> String {
    let mut facts = vec![("begins after".to_owned(), took(span.start_ms - scale.start_ms))];
    if span.waited_ms > 0 {
        facts.push(("waited".to_owned(), took(i64::try_from(span.waited_ms).unwrap_or(i64::MAX))));
    }
    for part in &span.parts {
        let kind = match part.kind {
            CallPartKind::Connecting => "connecting",
            CallPartKind::FirstToken => "to the first token",
            CallPartKind::Reasoning => "reasoning",
            CallPartKind::Text => "text",
            CallPartKind::Arguments => "a call",
            CallPartKind::Backoff => "pause before the next try",
        };
        let length = took(part.end_ms.unwrap_or(scale.end_ms) - part.start_ms);
        let bytes = if part.bytes > 0 { format!(", {} bytes", part.bytes) } else { String::new() };
        facts.push((kind.to_owned(), format!("{length}{bytes}")));
    }
    facts.extend(span.signature.clone().map(|signature| ("signature".to_owned(), signature)));
    for (name, value) in &span.attributes {
        let value = match value {
            Value::Null => continue,
            _ if name == "signature" => continue,
            Value::String(word) => word.clone(),
            value => value.to_string(),
        };
        facts.push((name.clone(), value));
    }
    let list: String = facts
        .iter()
        .map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>", text(name), text(value)))
        .collect();
    format!("<dl>{list}</dl>")
}

fn took(ms: i64) -> String {
    match ms.max(0) {
        ms @ 0..1_000 => format!("{ms} ms"),
        ms @ 1_000..60_000 => format!("{:.1} s", ms as f64 / 1e3),
        ms => format!("{} m {:02} s", ms / 60_000, ms / 1_000 % 60),
    }
}

/// Where a time stands in a bar.
struct Scale {
    start_ms: i64,
    /// When the last thing happened that is known.
    end_ms: i64,
}

impl Scale {
    fn of(spans: &[TraceSpan], turn: &TraceSpan) -> Self {
        let times = spans.iter().flat_map(|span| [Some(span.start_ms), span.end_ms]).flatten();
        Self { start_ms: turn.start_ms, end_ms: times.max().unwrap_or(turn.start_ms).max(turn.start_ms + 1) }
    }

    fn place(&self, at_ms: i64) -> i64 {
        let since = i128::from(at_ms.clamp(self.start_ms, self.end_ms) - self.start_ms);
        i64::try_from(since * i128::from(UNITS) / i128::from(self.end_ms - self.start_ms)).unwrap_or(0)
    }
}
