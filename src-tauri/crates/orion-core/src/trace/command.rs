//! The span of a command that ran, inside that of its call (J2).

use orion_protocol::{CommandEnd, CommandRun, Envelope, SpanStatus, TraceKind, TraceSpan};
use serde_json::json;

use super::attributes::{object, short};
use super::{Draft, Key, TraceFold};

impl TraceFold {
    /// Adds the command that an open call ran. It ended with the call, whose other time went to asking, to looking at the project, and to keeping the output.
    pub(super) fn ran(
        &mut self,
        envelope: &Envelope,
        call: &Key,
        run: &CommandRun,
        out: &mut Vec<TraceSpan>,
    ) {
        let Some(parent) = self.open.iter().find(|open| open.key == *call).map(|open| open.span.clone())
        else {
            return;
        };
        let names = |names: &[String]| short(&names.join(", "));
        let attributes = object(json!({
            "line": short(&run.line), "folder": short(&run.folder), "level": run.level, "outside": run.outside,
            "ended": run.ended, "durationMs": run.duration_ms, "bytes": run.bytes, "keptBytes": run.kept_bytes,
            "sha256": run.sha256, "leftRunning": names(&run.left_running), "ports": run.ports,
            "runsLater": run.runs_later.len(), "changed": run.changed.len() as u64 + run.more_changed,
        }));
        let status = match run.ended {
            ended if ended.succeeded() => SpanStatus::Ok,
            CommandEnd::Stopped => SpanStatus::Stopped,
            _ => SpanStatus::Failed,
        };
        let mut draft = Draft::new(TraceKind::Command, &run.line, attributes);
        draft.tool_call_id = parent.tool_call_id;
        self.moment(envelope, draft, status, out);
        if let Some(span) = out.last_mut() {
            span.parent_id = Some(parent.span_id);
            let duration = i64::try_from(run.duration_ms).unwrap_or(i64::MAX);
            span.start_ms = envelope.at_ms.saturating_sub(duration).max(parent.start_ms);
        }
    }
}
