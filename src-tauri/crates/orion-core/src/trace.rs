//! Trace spans, folded from a turn's journal (J2): a view of the log, never a second truth.
//!
//! The events say which spans there are. The inputs of a model add what its time was spent on, since events do not hold that. Deliberately
//! not here: storing or drawing spans.

mod attributes;
mod call;
mod check;
mod command;
mod events;
mod questions;

use orion_protocol::{
    CallId, Envelope, Prices, RequestId, Route, Sha256, Signature, SpanLink, SpanStatus, TraceKind,
    TraceSpan, TurnReport,
};
use serde_json::{Map, Value, json};

use crate::model::ModelDelta;
use crate::turn::{Input, ModelInput};

pub use attributes::ATTRIBUTE_BYTES;
use attributes::{object, short};
use call::CallClock;

/// Folds the journal of one turn into spans. An event takes at most time linear in the number of open spans, an input of a model constant
/// time for each of its pieces.
#[derive(Debug, Clone, Default)]
pub struct TraceFold {
    last: u32,
    /// Spans without an end, outermost first.
    open: Vec<Open>,
    route: Option<Route>,
    /// What the model costs, where that is known.
    prices: Option<Prices>,
    /// Model calls so far.
    calls: u32,
    /// The clock of the open model call.
    clock: Option<CallClock>,
    /// Since when the turn waits for a person.
    waits_since_ms: Option<i64>,
    /// The span of a turn whose process died. It goes on with the next event.
    interrupted: Option<TraceSpan>,
}

/// A row of a turn's journal.
#[derive(Debug, Clone, PartialEq)]
pub enum TraceRow {
    /// The setup, which comes first: the prices that it pins.
    Setup(Option<Prices>),
    /// With the time of its record, in milliseconds since the Unix epoch.
    Input(i64, Input),
    Event(Box<Envelope>),
}

#[derive(Debug, Clone)]
struct Open {
    span: TraceSpan,
    key: Key,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    Turn,
    Phase,
    ModelCall,
    Call(CallId),
    /// Something that a person was asked: the turn waits.
    Asked(Sha256),
    Write(u32),
    Check(String),
}

/// What is known of a span when it begins, beside what its event says.
struct Draft {
    kind: TraceKind,
    name: String,
    attributes: Map<String, Value>,
    tool_call_id: Option<CallId>,
    signature: Option<String>,
    path: Option<String>,
    call: Option<u32>,
    links: Vec<SpanLink>,
}

impl Draft {
    fn new(kind: TraceKind, name: &str, attributes: Map<String, Value>) -> Self {
        let name = short(name);
        let (tool_call_id, signature, path, call, links) = (None, None, None, None, Vec::new());
        Self { kind, name, attributes, tool_call_id, signature, path, call, links }
    }

    fn of_call(self, id: &CallId, signature: &Signature, path: Option<String>) -> Self {
        Self { tool_call_id: Some(id.clone()), signature: Some(short(&signature.0)), path, ..self }
    }
}

impl TraceFold {
    /// Of a turn whose setup pins these prices: its model calls say what they cost.
    #[must_use]
    pub fn priced(prices: Option<Prices>) -> Self {
        Self { prices, ..Self::default() }
    }

    /// Takes an input of the turn, before the events that follow from it. Returns the model call that it changes visibly.
    pub fn take(&mut self, at_ms: i64, input: &Input) -> Option<TraceSpan> {
        let Input::Model { call, event } = input else { return None };
        match event {
            ModelInput::Deltas { deltas } => self.streams(at_ms, *call, deltas),
            ModelInput::Connected => {
                self.clock_of(*call)?.connected(at_ms);
                self.timed()
            }
            ModelInput::Retrying { .. }
            | ModelInput::Changed { .. }
            | ModelInput::Ended
            | ModelInput::Failed { .. } => None,
        }
    }

    /// As [`TraceFold::take`], with pieces of the answer.
    pub fn streams(&mut self, at_ms: i64, call: u32, deltas: &[ModelDelta]) -> Option<TraceSpan> {
        if self.clock_of(call)?.comes(at_ms, deltas) { self.timed() } else { None }
    }

    /// An input of an earlier call is ignored, as the turn does.
    fn clock_of(&mut self, call: u32) -> Option<&mut CallClock> {
        self.clock.as_mut().filter(|_| call == self.calls)
    }

    fn call_begins(&mut self, envelope: &Envelope, attributes: Map<String, Value>, out: &mut Vec<TraceSpan>) {
        self.calls += 1;
        self.clock = Some(CallClock::new(envelope.at_ms));
        let mut draft = Draft::new(TraceKind::ModelCall, "model call", attributes);
        draft.call = Some(self.calls);
        self.begin(envelope, draft, Key::ModelCall, out);
        if let Some(span) = self.timed() {
            out.pop();
            out.push(span);
        }
    }

    fn call_fails(&mut self, at_ms: i64, attempt: u32, delay_ms: u64) -> Option<TraceSpan> {
        self.clock.as_mut()?.fails(at_ms, attempt, delay_ms);
        self.timed()
    }

    fn call_ends(&mut self, envelope: &Envelope, first_chunk_ms: Option<u64>) {
        let open = self.open.iter().find(|open| open.key == Key::ModelCall);
        let Some((clock, open)) = self.clock.as_mut().zip(open) else { return };
        let first = first_chunk_ms.map(|ms| open.span.start_ms.saturating_add_unsigned(ms));
        clock.ends(envelope.at_ms, first);
        let _ = self.timed();
        if let Some(open) = self.open.iter_mut().find(|open| open.key == Key::ModelCall) {
            open.span.first_byte_ms = first.or(open.span.first_byte_ms);
        }
        self.clock = None;
    }

    /// The open model call, with its times as its clock has them.
    fn timed(&mut self) -> Option<TraceSpan> {
        let clock = self.clock.as_ref()?;
        let span = &mut self.open.iter_mut().find(|open| open.key == Key::ModelCall)?.span;
        span.parts = clock.parts();
        span.stream = clock.rate();
        span.first_byte_ms = clock.first_byte_ms();
        Some(span.clone())
    }

    fn is_open(&self, key: &Key) -> bool {
        self.open.iter().any(|open| open.key == *key)
    }

    /// What was asked before is no longer asked (A3).
    fn end_asked(&mut self, envelope: &Envelope, out: &mut Vec<TraceSpan>) {
        let open = self.open.iter().filter(|open| matches!(open.key, Key::Asked(_)));
        for key in open.map(|open| open.key.clone()).collect::<Vec<_>>() {
            self.end(envelope, &key, SpanStatus::Refused, Map::new(), out);
        }
    }

    fn begin(&mut self, envelope: &Envelope, draft: Draft, key: Key, out: &mut Vec<TraceSpan>) {
        let parent = self.open.iter().rev().find(|open| !matches!(open.key, Key::Call(_)));
        let parent_id = parent.map(|open| open.span.span_id);
        self.last += 1;
        let Draft { kind, name, attributes, tool_call_id, signature, path, call, links } = draft;
        let span = TraceSpan {
            request_id: envelope.request_id,
            session_id: envelope.session_id,
            project_id: envelope.project_id,
            span_id: self.last,
            parent_id,
            kind,
            name,
            start_ms: envelope.at_ms,
            end_ms: None,
            phase: envelope.phase,
            tool_batch_id: envelope.tool_batch_id,
            status: SpanStatus::Running,
            route: self.route,
            tool_call_id,
            signature,
            path,
            call,
            first_byte_ms: None,
            parts: Vec::new(),
            stream: None,
            waited_ms: 0,
            links,
            attributes,
        };
        if matches!(key, Key::Asked(_)) {
            self.waits_since_ms.get_or_insert(envelope.at_ms);
        }
        out.push(span.clone());
        self.open.push(Open { span, key });
    }

    fn moment(&mut self, envelope: &Envelope, draft: Draft, status: SpanStatus, out: &mut Vec<TraceSpan>) {
        self.begin(envelope, draft, Key::Phase, out);
        self.open.pop();
        if let Some(span) = out.last_mut() {
            span.end_ms = Some(envelope.at_ms);
            span.status = status;
        }
    }

    fn end(
        &mut self,
        envelope: &Envelope,
        key: &Key,
        status: SpanStatus,
        attributes: Map<String, Value>,
        out: &mut Vec<TraceSpan>,
    ) {
        let Some(at) = self.open.iter().rposition(|open| open.key == *key) else { return };
        let has_waited = matches!(key, Key::Asked(_)) && self.waited(envelope.at_ms, key);
        let Open { mut span, .. } = self.open.remove(at);
        if has_waited {
            out.extend(self.open.iter().map(|open| open.span.clone()));
        }
        span.end_ms = Some(envelope.at_ms);
        span.status = status;
        span.attributes.extend(attributes);
        out.push(span);
    }

    /// The turn waits no more for this. Once it waits for nothing else, the time counts in every span that is open, and the result is true.
    fn waited(&mut self, at_ms: i64, key: &Key) -> bool {
        if self.open.iter().any(|open| open.key != *key && matches!(open.key, Key::Asked(_))) {
            return false;
        }
        let Some(since_ms) = self.waits_since_ms.take() else { return false };
        for Open { span, .. } in &mut self.open {
            let waited = u64::try_from(at_ms.saturating_sub(since_ms.max(span.start_ms))).unwrap_or(0);
            span.waited_ms = span.waited_ms.saturating_add(waited);
        }
        true
    }

    fn end_turn(
        &mut self,
        envelope: &Envelope,
        report: &TurnReport,
        status: SpanStatus,
        out: &mut Vec<TraceSpan>,
    ) {
        let attributes = object(json!({
            "stopReason": report.stop_reason, "cycles": report.cycles, "toolRuns": report.tool_runs,
            "modelCalls": report.model_calls, "duplicatesRefused": report.duplicates_refused, "retries": report.retries,
            "usage": report.usage, "costUsd": report.cost_usd,
        }));
        // A span that is still open here was left open by a stop, and ends with the turn.
        self.end_open(envelope, status, &attributes, out);
    }

    /// Ends every open span, the innermost first; the turn's gets the attributes.
    fn end_open(
        &mut self,
        envelope: &Envelope,
        status: SpanStatus,
        of_turn: &Map<String, Value>,
        out: &mut Vec<TraceSpan>,
    ) {
        self.call_ends(envelope, None);
        while let Some(key) = self.open.last().map(|open| open.key.clone()) {
            let attributes = if key == Key::Turn { of_turn.clone() } else { Map::new() };
            self.end(envelope, &key, status, attributes, out);
        }
    }

    /// The turn that was interrupted goes on, or gets its end.
    fn reopen(&mut self, out: &mut Vec<TraceSpan>) {
        if let Some(mut span) = self.interrupted.take() {
            span.end_ms = None;
            span.status = SpanStatus::Running;
            out.push(span.clone());
            self.open.push(Open { span, key: Key::Turn });
        }
    }

    /// Spans of a whole turn by its events alone, each in its last state, in the order of their starts.
    #[must_use]
    pub fn all<'a>(envelopes: impl IntoIterator<Item = &'a Envelope>) -> Vec<TraceSpan> {
        let mut fold = Self::default();
        last_states(envelopes.into_iter().flat_map(|envelope| fold.apply(envelope)))
    }

    /// Spans of a whole turn by its journal, each in its last state, in the order of their starts.
    #[must_use]
    pub fn of(rows: impl IntoIterator<Item = TraceRow>) -> Vec<TraceSpan> {
        let mut fold = Self::default();
        last_states(rows.into_iter().flat_map(|row| match row {
            TraceRow::Setup(prices) => {
                fold.prices = prices;
                Vec::new()
            }
            TraceRow::Input(at_ms, input) => fold.take(at_ms, &input).into_iter().collect(),
            TraceRow::Event(envelope) => fold.apply(&envelope),
        }))
    }

    /// The turn whose spans are open, if any.
    #[must_use]
    pub fn request_id(&self) -> Option<RequestId> {
        self.open.first().map(|open| open.span.request_id)
    }
}

fn last_states(states: impl Iterator<Item = TraceSpan>) -> Vec<TraceSpan> {
    let mut spans: Vec<TraceSpan> = Vec::new();
    for span in states {
        match spans.get_mut(span.span_id as usize - 1) {
            Some(earlier) => *earlier = span,
            None => spans.push(span),
        }
    }
    spans
}
