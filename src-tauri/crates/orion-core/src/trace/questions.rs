//! The spans of what a person was asked, and what their answers add to them.

use orion_protocol::{Given, PendingOf, QuestionsAnswer, RepeatsChoice, Sha256, SpanStatus, TraceKind};
use serde_json::{Map, Value, json};

use super::Draft;
use super::attributes::{object, short, shown};

/// The span of a question.
pub(super) fn asked(digest: Sha256, of: &PendingOf) -> Draft {
    match of {
        PendingOf::Call { name, tool_call_id, .. } | PendingOf::Write { name, tool_call_id, .. } => {
            let mut draft = Draft::new(TraceKind::Approval, name, object(json!({ "digest": digest })));
            draft.tool_call_id = Some(tool_call_id.clone());
            draft
        }
        PendingOf::Repeats { write, times, bytes, once_bytes, .. } => {
            let attributes = object(json!({
                "digest": digest, "write": write, "times": times, "bytes": bytes, "onceBytes": once_bytes,
            }));
            Draft::new(TraceKind::Approval, "repeats", attributes)
        }
        PendingOf::Questions { tool_call_id, questions } => {
            let attributes = object(json!({ "digest": digest, "questions": questions.len() }));
            let mut draft = Draft::new(TraceKind::Question, "question", attributes);
            draft.tool_call_id = Some(tool_call_id.clone());
            draft
        }
        PendingOf::Pause { cause, results, costs, .. } => {
            let calls: Vec<_> = results.iter().map(|result| &result.tool_call_id).collect();
            let attributes = object(json!({
                "digest": digest, "cause": cause, "costs": costs, "results": short(&json!(calls).to_string()),
            }));
            Draft::new(TraceKind::Pause, "pause", attributes)
        }
    }
}

/// The end of a question's span: what was decided, and what ran where it is not what was proposed (A3). Of answers to questions of the model
/// it has no words.
pub(super) fn answered(given: &Given) -> (SpanStatus, Map<String, Value>) {
    let (status, attributes) = match given {
        Given::Allowed { edited: None, kept: None, outside: false } => {
            (SpanStatus::Ok, json!({ "granted": true }))
        }
        Given::Allowed { edited, kept, outside } => {
            let attributes = json!({
                "granted": true,
                "outside": outside.then_some(true),
                "effective": edited.as_ref().map(|call| shown(&call.arguments)),
                "effectiveSignature": edited.as_ref().map(|call| &call.signature),
                "keptFor": kept.as_ref().map(|rule| rule.kept_for),
                "keptAs": kept.as_ref().map(|rule| short(&rule.pattern)),
            });
            (SpanStatus::Ok, attributes)
        }
        Given::Kept { approval_id, .. } => {
            (SpanStatus::Ok, json!({ "granted": true, "approvalId": approval_id }))
        }
        Given::Rejected { reason: None, stopped: false } => {
            (SpanStatus::Refused, json!({ "granted": false }))
        }
        Given::Rejected { reason, stopped } => {
            let reason = reason.as_deref().map(short);
            (SpanStatus::Refused, json!({ "granted": false, "reason": reason, "stopped": stopped }))
        }
        Given::Chosen { choice } => {
            let discards = *choice == RepeatsChoice::Discard;
            let status = if discards { SpanStatus::Refused } else { SpanStatus::Ok };
            (status, json!({ "choice": choice }))
        }
        Given::Answered { answer } => {
            let (status, answer) = match answer {
                QuestionsAnswer::Answered { .. } => (SpanStatus::Ok, "answered"),
                QuestionsAnswer::Declined => (SpanStatus::Refused, "declined"),
                QuestionsAnswer::Dismissed => (SpanStatus::Stopped, "dismissed"),
            };
            (status, json!({ "answer": answer }))
        }
        Given::Resumed { edited } => (SpanStatus::Ok, json!({ "edited": edited })),
    };
    (status, object(attributes))
}
