//! Trace spans, folded from a turn's events (J2): a view of the log, never a second truth.
//!
//! Deliberately not here: storing or drawing them.

mod attributes;

use orion_protocol::{
    CallId, Envelope, Given, PhaseCause, RepeatsChoice, RequestId, Sha256, SpanStatus, ToolStatus, TraceKind,
    TraceSpan, TurnEvent, TurnReport, WriteStatus,
};
use serde_json::{Map, Value, json};

pub use attributes::ATTRIBUTE_BYTES;
use attributes::{decided, error_attributes, object, short};

/// Folds the durable events of one turn into spans. An event takes at most time linear in the number of open spans.
#[derive(Debug, Clone, Default)]
pub struct TraceFold {
    last: u32,
    /// Spans without an end, outermost first.
    open: Vec<Open>,
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
    Approval(Sha256),
    Write(u32),
}

impl TraceFold {
    /// Takes the next event and returns the spans that began, changed or ended with it. Chunks change none.
    pub fn apply(&mut self, envelope: &Envelope) -> Vec<TraceSpan> {
        let mut out = Vec::new();
        match &envelope.event {
            TurnEvent::TurnStarted { policy, bounds, mode, model, endpoint, tools, window, .. } => {
                let mut attributes = object(json!({
                    "route": policy.route, "mode": mode, "model": model, "endpoint": endpoint, "bounds": bounds,
                }));
                attributes.extend(window.map(|window| ("window".to_owned(), json!(window))));
                self.begin(envelope, TraceKind::Turn, "turn", Key::Turn, attributes, &mut out);
                let attributes = object(json!({ "count": tools.len(), "tools": short(&tools.join(", ")) }));
                self.instant(
                    envelope,
                    TraceKind::ToolRegistration,
                    "tools",
                    SpanStatus::Ok,
                    attributes,
                    &mut out,
                );
            }
            TurnEvent::PhaseStarted { cycle, model_call, write, is_final } => {
                let name = match (model_call, is_final, envelope.tool_batch_id) {
                    _ if write.is_some() => "content".to_owned(),
                    (_, true, _) => "final answer".to_owned(),
                    (Some(_), false, _) => "action".to_owned(),
                    (None, false, batch) => format!("tool {}", batch.unwrap_or(*cycle)),
                };
                let attributes = object(json!({ "cycle": cycle, "write": write }));
                self.begin(envelope, TraceKind::OrchestrationPhase, &name, Key::Phase, attributes, &mut out);
                if let Some(call) = model_call {
                    let attributes = object(json!({ "call": call }));
                    self.begin(
                        envelope,
                        TraceKind::ModelCall,
                        "model call",
                        Key::ModelCall,
                        attributes,
                        &mut out,
                    );
                }
            }
            TurnEvent::PhaseEnded { cause, finish_reason, usage, first_chunk_ms, .. } => {
                let status = match cause {
                    PhaseCause::Failed => SpanStatus::Failed,
                    PhaseCause::Stopped | PhaseCause::Interrupted => SpanStatus::Stopped,
                    _ => SpanStatus::Ok,
                };
                let attributes = object(json!({
                    "finishReason": finish_reason.as_deref().map(short), "usage": usage, "firstChunkMs": first_chunk_ms,
                }));
                self.end(envelope, &Key::ModelCall, status, attributes, &mut out);
                self.end(envelope, &Key::Phase, status, object(json!({ "cause": cause })), &mut out);
            }
            TurnEvent::ToolCall { tool_call_id, name, arguments, signature } => {
                let attributes = object(json!({
                    "toolCallId": tool_call_id, "arguments": short(&arguments.to_string()), "signature": signature,
                }));
                self.begin(
                    envelope,
                    TraceKind::ToolCall,
                    name,
                    Key::Call(tool_call_id.clone()),
                    attributes,
                    &mut out,
                );
            }
            TurnEvent::ToolResult {
                tool_call_id,
                status,
                summary,
                bytes,
                truncated,
                duration_ms,
                error,
                ..
            } => {
                let attributes = object(json!({
                    "toolCallId": tool_call_id, "status": status, "summary": short(summary), "bytes": bytes,
                    "truncated": truncated, "durationMs": duration_ms, "code": error.as_ref().map(|error| error.code),
                }));
                let span_status = match status {
                    ToolStatus::Ok | ToolStatus::Reused => SpanStatus::Ok,
                    ToolStatus::Denied | ToolStatus::Duplicate => SpanStatus::Refused,
                    ToolStatus::Cancelled => SpanStatus::Stopped,
                    ToolStatus::Failed | ToolStatus::TimedOut | ToolStatus::Malformed => SpanStatus::Failed,
                };
                self.instant(envelope, TraceKind::ToolResult, summary, span_status, attributes, &mut out);
                let attributes = object(json!({ "status": status, "durationMs": duration_ms }));
                self.end(envelope, &Key::Call(tool_call_id.clone()), span_status, attributes, &mut out);
            }
            TurnEvent::DuplicateRefused {
                tool_call_id,
                name,
                arguments,
                signature,
                original,
                count,
                limit,
            } => {
                let attributes = object(json!({
                    "toolCallId": tool_call_id, "arguments": short(&arguments.to_string()), "signature": signature,
                    "original": original, "count": count, "limit": limit,
                }));
                self.instant(
                    envelope,
                    TraceKind::DuplicateToolCall,
                    name,
                    SpanStatus::Refused,
                    attributes,
                    &mut out,
                );
            }
            TurnEvent::CallReused {
                tool_call_id,
                name,
                arguments,
                signature,
                original_request_id,
                original,
                count,
                limit,
            } => {
                let attributes = object(json!({
                    "toolCallId": tool_call_id, "arguments": short(&arguments.to_string()), "signature": signature,
                    "status": ToolStatus::Reused, "originalRequestId": original_request_id, "original": original,
                    "count": count, "limit": limit,
                }));
                self.instant(envelope, TraceKind::ToolCall, name, SpanStatus::Ok, attributes, &mut out);
            }
            TurnEvent::ApprovalRequested { digest, name, .. } => {
                let key = Key::Approval(*digest);
                self.begin(
                    envelope,
                    TraceKind::Approval,
                    name,
                    key,
                    object(json!({ "digest": digest })),
                    &mut out,
                );
            }
            TurnEvent::ApprovalGiven { digest, granted, given } => {
                let status = if *granted { SpanStatus::Ok } else { SpanStatus::Refused };
                let key = Key::Approval(*digest);
                let mut attributes = object(json!({ "granted": granted }));
                attributes.extend(given.as_deref().map(decided).unwrap_or_default());
                match given.as_deref() {
                    Some(Given::Kept { .. }) => {
                        attributes.insert("digest".to_owned(), json!(digest));
                        let name = "kept approval";
                        self.instant(envelope, TraceKind::Approval, name, status, attributes, &mut out);
                    }
                    _ => self.end(envelope, &key, status, attributes, &mut out),
                }
            }
            TurnEvent::WriteStarted { write, path, operation, .. } => {
                let attributes =
                    object(json!({ "write": write, "path": short(path), "operation": operation }));
                self.begin(envelope, TraceKind::WriteSession, path, Key::Write(*write), attributes, &mut out);
            }
            TurnEvent::WriteFaults { write, round, faults, more } => {
                let kinds: Vec<_> = faults.iter().map(|fault| fault.kind).collect();
                let attributes =
                    object(json!({ "write": write, "round": round, "faults": kinds, "more": more }));
                let status = SpanStatus::Failed;
                self.instant(envelope, TraceKind::WriteSession, "corrections", status, attributes, &mut out);
            }
            TurnEvent::WriteRepeats { write, digest, times, bytes, once_bytes, .. } => {
                let attributes = object(json!({
                    "digest": digest, "write": write, "times": times, "bytes": bytes, "onceBytes": once_bytes,
                }));
                let key = Key::Approval(*digest);
                self.begin(envelope, TraceKind::Approval, "repeats", key, attributes, &mut out);
            }
            TurnEvent::WriteChosen { digest, choice, .. } => {
                let discards = *choice == RepeatsChoice::Discard;
                let status = if discards { SpanStatus::Refused } else { SpanStatus::Ok };
                let key = Key::Approval(*digest);
                self.end(envelope, &key, status, object(json!({ "choice": choice })), &mut out);
            }
            TurnEvent::WriteReady { write, proposal } => {
                self.end_approvals(envelope, &mut out);
                let attributes = object(json!({
                    "write": write, "cause": proposal.cause, "sha256": proposal.sha256, "bytes": proposal.bytes,
                    "added": proposal.added, "removed": proposal.removed, "seams": proposal.seams.len(),
                    "faults": proposal.faults.len() as u64 + proposal.more_faults,
                }));
                let status = SpanStatus::Ok;
                self.instant(envelope, TraceKind::WriteSession, "preview", status, attributes, &mut out);
            }
            TurnEvent::WriteDone { write, status, sha256, bytes, rejected_hunks, error, .. } => {
                self.end_approvals(envelope, &mut out);
                let span_status = match status {
                    WriteStatus::Written => SpanStatus::Ok,
                    WriteStatus::Rejected => SpanStatus::Refused,
                    WriteStatus::Discarded => SpanStatus::Stopped,
                    WriteStatus::Failed | WriteStatus::Unknown => SpanStatus::Failed,
                };
                let attributes = object(json!({
                    "status": status, "sha256": sha256, "bytes": bytes, "rejectedHunks": rejected_hunks.len(),
                    "code": error.as_ref().map(|error| error.code),
                }));
                self.end(envelope, &Key::Write(*write), span_status, attributes, &mut out);
            }
            TurnEvent::Compacted { tokens_before, tokens_after, turns, entry } => {
                let attributes = object(json!({
                    "tokensBefore": tokens_before, "tokensAfter": tokens_after, "turns": turns,
                    "summaryBytes": entry.summary.len(), "facts": entry.facts.len(),
                }));
                self.instant(
                    envelope,
                    TraceKind::Compaction,
                    "compacted",
                    SpanStatus::Ok,
                    attributes,
                    &mut out,
                );
            }
            TurnEvent::Retrying { attempt, delay_ms, cause } => {
                let mut attributes = error_attributes(cause);
                attributes.insert("attempt".to_owned(), json!(attempt));
                attributes.insert("delayMs".to_owned(), json!(delay_ms));
                self.instant(
                    envelope,
                    TraceKind::Error,
                    "retrying",
                    SpanStatus::Failed,
                    attributes,
                    &mut out,
                );
            }
            TurnEvent::Completed { report } => self.end_turn(envelope, report, SpanStatus::Ok, &mut out),
            TurnEvent::Stopped { report } => self.end_turn(envelope, report, SpanStatus::Stopped, &mut out),
            TurnEvent::Failed { report } => {
                if let Some(error) = &report.error {
                    let attributes = error_attributes(error);
                    self.instant(
                        envelope,
                        TraceKind::Error,
                        &error.message,
                        SpanStatus::Failed,
                        attributes,
                        &mut out,
                    );
                }
                self.end_turn(envelope, report, SpanStatus::Failed, &mut out);
            }
            // A5: everything that was running ended with the process.
            TurnEvent::Interrupted => self.end_open(envelope, SpanStatus::Stopped, &Map::new(), &mut out),
            _ => {}
        }
        out
    }

    /// What was asked before is no longer asked (A3).
    fn end_approvals(&mut self, envelope: &Envelope, out: &mut Vec<TraceSpan>) {
        let open = self.open.iter().filter(|open| matches!(open.key, Key::Approval(_)));
        for key in open.map(|open| open.key.clone()).collect::<Vec<_>>() {
            self.end(envelope, &key, SpanStatus::Refused, Map::new(), out);
        }
    }

    fn begin(
        &mut self,
        envelope: &Envelope,
        kind: TraceKind,
        name: &str,
        key: Key,
        attributes: Map<String, Value>,
        out: &mut Vec<TraceSpan>,
    ) {
        let parent_id = self
            .open
            .iter()
            .rev()
            .find(|open| !matches!(open.key, Key::Call(_)))
            .map(|open| open.span.span_id);
        self.last += 1;
        let span = TraceSpan {
            request_id: envelope.request_id,
            session_id: envelope.session_id,
            project_id: envelope.project_id,
            span_id: self.last,
            parent_id,
            kind,
            name: short(name),
            start_ms: envelope.at_ms,
            end_ms: None,
            phase: envelope.phase,
            tool_batch_id: envelope.tool_batch_id,
            status: SpanStatus::Running,
            attributes,
        };
        out.push(span.clone());
        self.open.push(Open { span, key });
    }

    fn instant(
        &mut self,
        envelope: &Envelope,
        kind: TraceKind,
        name: &str,
        status: SpanStatus,
        attributes: Map<String, Value>,
        out: &mut Vec<TraceSpan>,
    ) {
        self.begin(envelope, kind, name, Key::Phase, attributes, out);
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
        if let Some(at) = self.open.iter().rposition(|open| open.key == *key) {
            let Open { mut span, .. } = self.open.remove(at);
            span.end_ms = Some(envelope.at_ms);
            span.status = status;
            span.attributes.extend(attributes);
            out.push(span);
        }
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
            "usage": report.usage,
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
        while let Some(key) = self.open.last().map(|open| open.key.clone()) {
            let attributes = if key == Key::Turn { of_turn.clone() } else { Map::new() };
            self.end(envelope, &key, status, attributes, out);
        }
    }

    /// Spans of a whole turn, each in its last state, in the order of their starts.
    #[must_use]
    pub fn all<'a>(envelopes: impl IntoIterator<Item = &'a Envelope>) -> Vec<TraceSpan> {
        let mut fold = Self::default();
        let mut spans: Vec<TraceSpan> = Vec::new();
        for span in envelopes.into_iter().flat_map(|envelope| fold.apply(envelope)) {
            match spans.get_mut(span.span_id as usize - 1) {
                Some(earlier) => *earlier = span,
                None => spans.push(span),
            }
        }
        spans
    }

    /// The turn whose spans are open, if any.
    #[must_use]
    pub fn request_id(&self) -> Option<RequestId> {
        self.open.first().map(|open| open.span.request_id)
    }
}
