//! The span of a check (J2): a bar from its beginning to its end, or a moment where it did not run.

use orion_protocol::{CheckRun, CheckStatus, Envelope, SpanStatus, TraceKind, TraceSpan};
use serde_json::json;

use super::attributes::{object, short};
use super::{Draft, Key, TraceFold};

impl TraceFold {
    pub(super) fn check_begins(
        &mut self,
        envelope: &Envelope,
        name: &str,
        command: &str,
        attempt: u32,
        out: &mut Vec<TraceSpan>,
    ) {
        let attributes = object(json!({ "line": short(command), "attempt": attempt }));
        let draft = Draft::new(TraceKind::Check, name, attributes);
        self.begin(envelope, draft, Key::Check(name.to_owned()), out);
    }

    pub(super) fn check_ends(
        &mut self,
        envelope: &Envelope,
        attempt: u32,
        failed_before: bool,
        run: &CheckRun,
        out: &mut Vec<TraceSpan>,
    ) {
        let mut attributes = object(json!({
            "attempt": attempt, "status": run.status, "failedBefore": failed_before, "reason": run.skipped,
        }));
        if let Some(command) = &run.command {
            attributes.extend(object(json!({
                "ended": command.ended, "level": command.level, "durationMs": command.duration_ms, "bytes": command.bytes,
                "sha256": command.sha256, "changed": command.changed.len() as u64 + command.more_changed,
            })));
        }
        let status = match run.status {
            CheckStatus::Passed => SpanStatus::Ok,
            CheckStatus::Failed | CheckStatus::TimedOut => SpanStatus::Failed,
            CheckStatus::Skipped | CheckStatus::Stopped => SpanStatus::Stopped,
        };
        let key = Key::Check(run.name.clone());
        if self.is_open(&key) {
            self.end(envelope, &key, status, attributes, out);
        } else {
            self.moment(envelope, Draft::new(TraceKind::Check, &run.name, attributes), status, out);
        }
    }
}
