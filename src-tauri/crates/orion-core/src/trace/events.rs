//! What each event of a turn says about its spans (J2).

use orion_protocol::{
    Envelope, Given, LinkKind, MadeCall, Phase, PhaseCause, SpanLink, SpanStatus, ToolStatus, TraceKind,
    TraceSpan, TurnEvent, WriteStatus,
};
use serde_json::{Map, Value, json};

use super::attributes::{error_attributes, object, path_of, short, shown};
use super::questions::{answered, asked};
use super::{Draft, Key, TraceFold};

impl TraceFold {
    /// Takes the next event and returns the spans that began, changed or ended with it. Chunks change none.
    pub fn apply(&mut self, envelope: &Envelope) -> Vec<TraceSpan> {
        let mut out = Vec::new();
        if envelope.event.is_durable() {
            self.reopen(&mut out);
        }
        match &envelope.event {
            TurnEvent::TurnStarted {
                policy, bounds, mode, model, endpoint, tools, window, tuning, ..
            } => {
                self.route = Some(policy.route);
                let mut attributes = object(json!({
                    "route": policy.route, "mode": mode, "model": model, "endpoint": endpoint, "bounds": bounds,
                }));
                attributes.extend(window.map(|window| ("window".to_owned(), json!(window))));
                if let Value::Object(tuning) = json!(tuning) {
                    attributes.extend(tuning);
                }
                self.begin(envelope, Draft::new(TraceKind::Turn, "turn", attributes), Key::Turn, &mut out);
                let attributes = object(json!({ "count": tools.len(), "tools": short(&tools.join(", ")) }));
                let draft = Draft::new(TraceKind::ToolRegistration, "tools", attributes);
                self.moment(envelope, draft, SpanStatus::Ok, &mut out);
            }
            TurnEvent::PhaseStarted { cycle, model_call, write, is_final } => {
                let name = match (model_call, is_final, envelope.tool_batch_id) {
                    _ if write.is_some() => "content".to_owned(),
                    (_, true, _) => "final answer".to_owned(),
                    (Some(_), false, _) => "action".to_owned(),
                    (None, false, _) if envelope.phase == Phase::CheckPhase => "checks".to_owned(),
                    (None, false, batch) => format!("tool {}", batch.unwrap_or(*cycle)),
                };
                let attributes = object(json!({ "cycle": cycle, "write": write }));
                let draft = Draft::new(TraceKind::OrchestrationPhase, &name, attributes);
                self.begin(envelope, draft, Key::Phase, &mut out);
                if let Some(call) = model_call {
                    self.call_begins(envelope, object(json!({ "call": call })), &mut out);
                }
            }
            TurnEvent::PhaseEnded { cause, finish_reason, usage, first_chunk_ms, .. } => {
                let status = match cause {
                    PhaseCause::Failed => SpanStatus::Failed,
                    PhaseCause::Paused | PhaseCause::Stopped | PhaseCause::Interrupted => SpanStatus::Stopped,
                    _ => SpanStatus::Ok,
                };
                let cost_usd = usage.as_ref().zip(self.prices).map(|(usage, prices)| prices.of(usage));
                let attributes = object(json!({
                    "finishReason": finish_reason.as_deref().map(short), "usage": usage, "costUsd": cost_usd,
                    "firstChunkMs": first_chunk_ms,
                }));
                self.call_ends(envelope, *first_chunk_ms);
                self.end(envelope, &Key::ModelCall, status, attributes, &mut out);
                self.end(envelope, &Key::Phase, status, object(json!({ "cause": cause })), &mut out);
            }
            TurnEvent::ToolCall { tool_call_id, name, arguments, signature, made, leaked } => {
                let mut attributes = object(json!({
                    "toolCallId": tool_call_id, "arguments": shown(arguments), "signature": short(&signature.0),
                }));
                if let Some(made) = made {
                    let MadeCall { name, arguments } = made;
                    attributes.insert(
                        "made".to_owned(),
                        json!({ "name": short(name), "arguments": shown(arguments) }),
                    );
                }
                if *leaked {
                    attributes.insert("leaked".to_owned(), true.into());
                }
                let draft = Draft::new(TraceKind::ToolCall, name, attributes);
                let draft = draft.of_call(tool_call_id, signature, path_of(arguments));
                self.begin(envelope, draft, Key::Call(tool_call_id.clone()), &mut out);
            }
            TurnEvent::ToolResult {
                tool_call_id,
                status,
                summary,
                bytes,
                truncated,
                sha256,
                duration_ms,
                error,
                command,
            } => {
                let mut attributes = object(json!({
                    "toolCallId": tool_call_id, "status": status, "summary": short(summary), "bytes": bytes,
                    "truncated": truncated, "durationMs": duration_ms, "code": error.as_ref().map(|error| error.code),
                }));
                attributes.extend(sha256.map(|sha256| ("sha256".to_owned(), json!(sha256))));
                attributes
                    .extend(error.as_ref().map(|error| ("message".to_owned(), json!(short(&error.message)))));
                let ended = match status {
                    ToolStatus::Ok | ToolStatus::Reused => SpanStatus::Ok,
                    ToolStatus::Denied | ToolStatus::Duplicate => SpanStatus::Refused,
                    ToolStatus::Cancelled => SpanStatus::Stopped,
                    ToolStatus::Failed | ToolStatus::TimedOut | ToolStatus::Malformed => SpanStatus::Failed,
                };
                let key = Key::Call(tool_call_id.clone());
                if let Some(command) = command {
                    self.ran(envelope, &key, command, &mut out);
                }
                // One call is one span: what came of it stands in it.
                if self.is_open(&key) {
                    self.end(envelope, &key, ended, attributes, &mut out);
                } else {
                    let mut draft = Draft::new(TraceKind::ToolResult, summary, attributes);
                    draft.tool_call_id = Some(tool_call_id.clone());
                    self.moment(envelope, draft, ended, &mut out);
                }
            }
            TurnEvent::CallsBlocked { names, reason, .. } => {
                let attributes = object(json!({
                    "count": names.len(), "names": short(&names.join(", ")), "reason": reason,
                }));
                let draft = Draft::new(TraceKind::CallsBlocked, "calls not run", attributes);
                self.moment(envelope, draft, SpanStatus::Refused, &mut out);
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
                    "toolCallId": tool_call_id, "arguments": shown(arguments), "signature": short(&signature.0),
                    "original": original, "count": count, "limit": limit,
                }));
                let draft = Draft::new(TraceKind::DuplicateToolCall, name, attributes);
                let draft = draft.of_call(tool_call_id, signature, path_of(arguments));
                self.moment(envelope, draft, SpanStatus::Refused, &mut out);
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
                    "toolCallId": tool_call_id, "arguments": shown(arguments), "signature": short(&signature.0),
                    "status": ToolStatus::Reused, "originalRequestId": original_request_id, "original": original,
                    "count": count, "limit": limit,
                }));
                let draft = Draft::new(TraceKind::ToolCall, name, attributes);
                let mut draft = draft.of_call(tool_call_id, signature, path_of(arguments));
                draft.links.push(SpanLink {
                    kind: LinkKind::Reused,
                    request_id: *original_request_id,
                    tool_call_id: Some(original.clone()),
                });
                self.moment(envelope, draft, SpanStatus::Ok, &mut out);
            }
            TurnEvent::Asked { digest, of } => {
                self.begin(envelope, asked(*digest, of), Key::Asked(*digest), &mut out);
            }
            TurnEvent::Answered { digest, given: Given::Kept { approval_id, .. } } => {
                let attributes =
                    object(json!({ "granted": true, "approvalId": approval_id, "digest": digest }));
                let draft = Draft::new(TraceKind::Approval, "kept approval", attributes);
                self.moment(envelope, draft, SpanStatus::Ok, &mut out);
            }
            TurnEvent::Answered { digest, given } => {
                let (status, attributes) = answered(given);
                self.end(envelope, &Key::Asked(*digest), status, attributes, &mut out);
            }
            TurnEvent::Withdrawn { digest } => {
                self.end(envelope, &Key::Asked(*digest), SpanStatus::Stopped, Map::new(), &mut out);
            }
            TurnEvent::Steered { text } => {
                let attributes = object(json!({ "text": short(text), "bytes": text.len() }));
                let draft = Draft::new(TraceKind::Steer, "steered", attributes);
                self.moment(envelope, draft, SpanStatus::Ok, &mut out);
            }
            TurnEvent::Queued { messages } => {
                let draft = Draft::new(TraceKind::Steer, "queued", object(json!({ "messages": messages })));
                self.moment(envelope, draft, SpanStatus::Stopped, &mut out);
            }
            TurnEvent::WriteStarted { write, path, operation, tool_call_id, .. } => {
                let attributes =
                    object(json!({ "write": write, "path": short(path), "operation": operation }));
                let mut draft = Draft::new(TraceKind::WriteSession, path, attributes);
                draft.path = Some(short(path));
                draft.tool_call_id = Some(tool_call_id.clone());
                self.begin(envelope, draft, Key::Write(*write), &mut out);
            }
            TurnEvent::WriteFaults { write, round, faults, more } => {
                let kinds: Vec<_> = faults.iter().map(|fault| fault.kind).collect();
                let attributes =
                    object(json!({ "write": write, "round": round, "faults": kinds, "more": more }));
                let draft = Draft::new(TraceKind::WriteSession, "corrections", attributes);
                self.moment(envelope, draft, SpanStatus::Failed, &mut out);
            }
            TurnEvent::WriteReady { write, proposal } => {
                self.end_asked(envelope, &mut out);
                let attributes = object(json!({
                    "write": write, "cause": proposal.cause, "sha256": proposal.sha256, "bytes": proposal.bytes,
                    "added": proposal.added, "removed": proposal.removed, "seams": proposal.seams.len(),
                    "faults": proposal.faults.len() as u64 + proposal.more_faults,
                }));
                let draft = Draft::new(TraceKind::WriteSession, "preview", attributes);
                self.moment(envelope, draft, SpanStatus::Ok, &mut out);
            }
            TurnEvent::WriteDone { write, status, sha256, bytes, rejected_hunks, error, .. } => {
                self.end_asked(envelope, &mut out);
                let ended = match status {
                    WriteStatus::Written => SpanStatus::Ok,
                    WriteStatus::Rejected => SpanStatus::Refused,
                    WriteStatus::Discarded => SpanStatus::Stopped,
                    WriteStatus::Failed | WriteStatus::Unknown => SpanStatus::Failed,
                };
                let attributes = object(json!({
                    "status": status, "sha256": sha256, "bytes": bytes, "rejectedHunks": rejected_hunks.len(),
                    "code": error.as_ref().map(|error| error.code),
                }));
                self.end(envelope, &Key::Write(*write), ended, attributes, &mut out);
            }
            TurnEvent::CheckStarted { name, command, attempt } => {
                self.check_begins(envelope, name, command, *attempt, &mut out);
            }
            TurnEvent::CheckEnded { attempt, failed_before, run } => {
                self.check_ends(envelope, *attempt, *failed_before, run, &mut out);
            }
            TurnEvent::ContextCut { cause, tokens_before, tokens_after, room, boxes, turns, .. } => {
                let attributes = object(json!({
                    "cause": cause, "tokensBefore": tokens_before, "tokensAfter": tokens_after, "room": room,
                    "boxes": boxes.len(), "turns": turns.len(),
                }));
                let draft = Draft::new(TraceKind::ContextCut, "context cut", attributes);
                self.moment(envelope, draft, SpanStatus::Ok, &mut out);
            }
            TurnEvent::Compacted { tokens_before, tokens_after, turns, entry } => {
                let attributes = object(json!({
                    "tokensBefore": tokens_before, "tokensAfter": tokens_after, "turns": turns,
                    "summaryBytes": entry.summary.len(), "facts": entry.facts.len(),
                }));
                let draft = Draft::new(TraceKind::Compaction, "compacted", attributes);
                self.moment(envelope, draft, SpanStatus::Ok, &mut out);
            }
            TurnEvent::Retrying { attempt, delay_ms, cause } => {
                let mut attributes = error_attributes(cause);
                attributes.insert("attempt".to_owned(), json!(attempt));
                attributes.insert("delayMs".to_owned(), json!(delay_ms));
                let draft = Draft::new(TraceKind::Error, "retrying", attributes);
                self.moment(envelope, draft, SpanStatus::Failed, &mut out);
                out.extend(self.call_fails(envelope.at_ms, *attempt, *delay_ms));
            }
            TurnEvent::Completed { report } => self.end_turn(envelope, report, SpanStatus::Ok, &mut out),
            TurnEvent::Stopped { report } => {
                let draft = Draft::new(TraceKind::Stop, "stopped", Map::new());
                self.moment(envelope, draft, SpanStatus::Stopped, &mut out);
                self.end_turn(envelope, report, SpanStatus::Stopped, &mut out);
            }
            TurnEvent::Failed { report } => {
                if let Some(error) = &report.error {
                    let draft = Draft::new(TraceKind::Error, &error.message, error_attributes(error));
                    self.moment(envelope, draft, SpanStatus::Failed, &mut out);
                }
                self.end_turn(envelope, report, SpanStatus::Failed, &mut out);
            }
            // A5: everything that was running ended with the process. The turn may go on in another one.
            TurnEvent::Interrupted => {
                let draft = Draft::new(TraceKind::Stop, "interrupted", Map::new());
                self.moment(envelope, draft, SpanStatus::Stopped, &mut out);
                self.end_open(envelope, SpanStatus::Stopped, &Map::new(), &mut out);
                self.interrupted = out.last().filter(|span| span.kind == TraceKind::Turn).cloned();
            }
            _ => {}
        }
        out
    }
}
