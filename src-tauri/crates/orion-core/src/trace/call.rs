//! What the time of a model call was spent on, and how fast its answer came.
//!
//! Everything here is bounded, whatever a model streams: the parts by [`PARTS`], the rate by [`STEPS`].

use orion_protocol::{CallPart, CallPartKind, StreamRate};

use crate::model::ModelDelta;

/// The most parts of a call. A stream that alternates more often than that goes on in its last part.
const PARTS: usize = 64;

/// The most steps of a rate. With one more, each two become one.
const STEPS: usize = 64;

/// The length of a step at first, in milliseconds: what is recorded together (J1).
const STEP_MS: u64 = 250;

/// A model call from its start to its end.
#[derive(Debug, Clone)]
pub(super) struct CallClock {
    parts: Vec<CallPart>,
    /// When the pause before the next try is over.
    resumes_ms: Option<i64>,
    /// The server has begun its answer.
    is_connected: bool,
    rate: Option<StreamRate>,
}

impl CallClock {
    pub(super) fn new(at_ms: i64) -> Self {
        let parts = vec![part(CallPartKind::Connecting, at_ms, 1)];
        Self { parts, resumes_ms: None, is_connected: false, rate: None }
    }

    pub(super) fn parts(&self) -> Vec<CallPart> {
        self.parts.clone()
    }

    pub(super) fn rate(&self) -> Option<StreamRate> {
        self.rate.clone()
    }

    /// When the first piece of the answer came.
    pub(super) fn first_byte_ms(&self) -> Option<i64> {
        self.rate.as_ref().map(|rate| rate.start_ms)
    }

    /// The server has begun its answer.
    pub(super) fn connected(&mut self, at_ms: i64) {
        self.ends_pause(at_ms);
        self.is_connected = true;
        self.turns_to(CallPartKind::FirstToken, at_ms);
    }

    /// This try has failed.
    pub(super) fn fails(&mut self, at_ms: i64, attempt: u32, delay_ms: u64) {
        self.ends_pause(at_ms);
        self.is_connected = false;
        self.resumes_ms = Some(at_ms.saturating_add_unsigned(delay_ms));
        self.push(part(CallPartKind::Backoff, at_ms, attempt));
    }

    /// Pieces of the answer came. True when the view of the call has changed: another part has begun, or a step of the rate.
    pub(super) fn comes(&mut self, at_ms: i64, deltas: &[ModelDelta]) -> bool {
        let mut shows = false;
        for delta in deltas {
            let Some((kind, bytes)) = piece(delta) else { continue };
            self.ends_pause(at_ms);
            if let Some(last) = self.parts.last_mut().filter(|last| last.kind == CallPartKind::Connecting) {
                last.kind = CallPartKind::FirstToken;
            }
            shows |= self.turns_to(kind, at_ms);
            if let Some(last) = self.parts.last_mut() {
                last.bytes = last.bytes.saturating_add(bytes);
            }
            shows |= self.counts(at_ms, bytes);
        }
        shows
    }

    /// The call is over. `first_byte_ms` is used where no piece of the answer was seen here.
    pub(super) fn ends(&mut self, at_ms: i64, first_byte_ms: Option<i64>) {
        self.ends_pause(at_ms);
        if let (None, Some(first)) = (&self.rate, first_byte_ms) {
            if let Some(last) = self.parts.last_mut().filter(|last| last.kind == CallPartKind::Connecting) {
                last.kind = CallPartKind::FirstToken;
            }
            self.turns_to(CallPartKind::Text, first.min(at_ms));
        }
        self.closes(at_ms);
    }

    /// The pause before the next try is over, by its time or because nobody would wait: what comes now belongs to that try.
    fn ends_pause(&mut self, at_ms: i64) {
        let Some(resumes_ms) = self.resumes_ms.take() else { return };
        let attempt = self.parts.last().map_or(1, |last| last.attempt);
        self.push(part(CallPartKind::Connecting, resumes_ms.min(at_ms), attempt));
    }

    fn turns_to(&mut self, kind: CallPartKind, at_ms: i64) -> bool {
        let attempt = match self.parts.last() {
            Some(last) if last.kind == kind => return false,
            last => last.map_or(1, |last| last.attempt),
        };
        self.push(part(kind, at_ms, attempt))
    }

    fn push(&mut self, mut next: CallPart) -> bool {
        if self.parts.len() >= PARTS {
            return false;
        }
        // A clock that was set back makes no gap.
        next.start_ms = self.parts.last().map_or(next.start_ms, |last| next.start_ms.max(last.start_ms));
        self.closes(next.start_ms);
        self.parts.push(next);
        true
    }

    fn closes(&mut self, at_ms: i64) {
        if let Some(last) = self.parts.last_mut() {
            last.end_ms = Some(at_ms.max(last.start_ms));
        }
    }

    /// True when a step has begun.
    fn counts(&mut self, at_ms: i64, bytes: u64) -> bool {
        let rate = self.rate.get_or_insert_with(|| StreamRate {
            start_ms: at_ms,
            step_ms: STEP_MS,
            bytes: Vec::new(),
        });
        let since = u64::try_from(at_ms.saturating_sub(rate.start_ms)).unwrap_or(0);
        while since / rate.step_ms >= STEPS as u64 {
            rate.bytes = rate.bytes.chunks(2).map(|two| two.iter().sum()).collect();
            rate.step_ms = rate.step_ms.saturating_mul(2);
        }
        let step = (since / rate.step_ms) as usize;
        let begins = step >= rate.bytes.len();
        if begins {
            rate.bytes.resize(step + 1, 0);
        }
        if let Some(in_step) = rate.bytes.get_mut(step) {
            *in_step = in_step.saturating_add(bytes);
        }
        begins
    }
}

fn part(kind: CallPartKind, start_ms: i64, attempt: u32) -> CallPart {
    CallPart { kind, start_ms, end_ms: None, bytes: 0, attempt }
}

/// What a piece is part of, and its bytes. None of a piece that shows nothing.
fn piece(delta: &ModelDelta) -> Option<(CallPartKind, u64)> {
    let (kind, bytes) = match delta {
        ModelDelta::Text { text } => (CallPartKind::Text, text.len()),
        ModelDelta::Reasoning { text } => (CallPartKind::Reasoning, text.len()),
        ModelDelta::ToolCall { delta } => {
            (CallPartKind::Arguments, delta.arguments.as_ref().map_or(0, |arguments| arguments.bytes()))
        }
        ModelDelta::ReasoningDetails { .. }
        | ModelDelta::ReasoningField { .. }
        | ModelDelta::Finish { .. }
        | ModelDelta::Usage { .. } => {
            return None;
        }
    };
    Some((kind, bytes as u64))
}
