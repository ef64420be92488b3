//! The end of a turn that another version of Orion wrote and that this one cannot resume (T8).
//!
//! Every other turn is ended by its machine. This is the one exception, since the machine that wrote the journal is
//! not here and this version's would give other events. So no machine runs, and no input is recorded. The last events
//! are made from the recorded events, in the order in which a machine emits them: the rejection, the end of the open
//! write (A3), the end of the turn (T3). A replay of such a turn differs both before and after, since it is a turn of
//! another version.

use orion_core::model::Message;
use orion_core::turn::check_id;
use orion_protocol::{
    Bounds, CheckReport, CheckRun, CheckStatus, Code, Envelope, ErrorInfo, Evaluation, Given, Mode,
    ModelNumbers, PROTOCOL_VERSION, Pending, PendingOf, Phase, PhaseReport, Policy, RepeatsChoice, Reply,
    RequestId, Sha256, StopReason, ToolCallReport, ToolStatus, TurnEvent, TurnIds, TurnReport, TurnStatus,
    Usage, WriteReport, WriteStatus, answer_in, whole_texts,
};
use orion_store::{Record, Store, StoreError, TakenOver, Taking, WriteStage};

use super::recorded;

/// Ends a turn as stopped. What it asks may be refused first.
///
/// # Errors
/// `turn_over`, `turn_active` while another process has it, `not_waiting` where nothing is asked or that was answered, `approval_stale`
/// where something else is asked, and for a turn that went on meanwhile (A7).
pub(crate) async fn end(
    store: &Store,
    request_id: RequestId,
    at_ms: i64,
    refusal: Option<(Sha256, Reply)>,
) -> Result<Vec<Envelope>, ErrorInfo> {
    let ids = store.turn_ids(request_id).await?;
    let recorded = store.turn_envelopes(request_id, 0).await?;
    let refusal = match refusal {
        Some((digest, reply)) => {
            let given = refused(digest, reply, recorded.iter().map(|envelope| &envelope.event))?;
            Some(TurnEvent::Answered { digest, given })
        }
        None => None,
    };
    let TakenOver { journal, seq } = store.take_over(ids, Taking::ToGoOn).await?;
    // The version that wrote it may have run it meanwhile, and asked something else.
    if recorded.last().is_some_and(|last| last.seq != seq) {
        return Err(changed());
    }
    let mut last = Last { ids, at_ms, seq, of: recorded.last(), records: Vec::new(), said: Vec::new() };
    let is_refused = refusal.is_some();
    if let Some(refusal) = refusal {
        last.say(refusal)?;
        last.records.push(Record::Waits(false));
    }
    let mut report = report(ids, &recorded, at_ms);
    if let Some((number, path)) = open_write(&recorded) {
        let stored = store.writes(request_id).await?.into_iter().find(|write| write.number == number);
        let (status, written) = match stored.map(|write| (write.stage, write.sha256)) {
            // It was approved, and got to the disk before its process died.
            Some((WriteStage::Written, sha256)) => (WriteStatus::Written, Some(sha256)),
            Some((WriteStage::Writing, _)) => (WriteStatus::Unknown, None),
            _ if is_refused => (WriteStatus::Rejected, None),
            _ => (WriteStatus::Discarded, None),
        };
        if matches!(status, WriteStatus::Rejected | WriteStatus::Discarded) {
            last.records.push(Record::WriteMoved { number, stage: WriteStage::Over, sha256: None });
        }
        if let Some(write) = report.writes.last_mut() {
            (write.status, write.sha256) = (Some(status), written);
        }
        last.say(TurnEvent::WriteDone {
            write: number,
            path,
            status,
            sha256: written,
            bytes: None,
            rejected_hunks: Vec::new(),
            revised: false,
            error: None,
        })?;
    }
    let answer = report.answer.clone();
    last.say(TurnEvent::Stopped { report: Box::new(report) })?;
    let Last { mut records, said, .. } = last;
    // X1: a session that went on without the turn has it already.
    if !has_answer(store, request_id).await? {
        records.extend(recorded::answer(answer)?);
    }
    records.push(Record::HoldsQueue); // A9
    journal.finish(records, at_ms).await?;
    Ok(said)
}

async fn has_answer(store: &Store, request_id: RequestId) -> Result<bool, StoreError> {
    let kept = store.said_in(request_id).await?;
    let is_answer = |body: &str| matches!(serde_json::from_str(body), Ok(Message::Assistant { text, .. }) if !text.is_empty());
    Ok(kept.is_some_and(|kept| kept.items.iter().any(|item| is_answer(&item.body))))
}

fn changed() -> ErrorInfo {
    let message = "This is not what is asked any more.";
    ErrorInfo::new(Code::ApprovalStale, message, "Look at the difference as it is now.")
}

/// The answer that a *no* is to what the turn asks (A7).
///
/// # Errors
/// `not_waiting`, `approval_stale`.
fn refused<'a>(
    digest: Sha256,
    reply: Reply,
    events: impl Iterator<Item = &'a TurnEvent>,
) -> Result<Given, ErrorInfo> {
    let (mut pending, mut was_answered) = (None, false);
    for event in events {
        was_answered |= matches!(event, TurnEvent::Answered { digest: of, .. } if *of == digest);
        pending = Pending::after(pending, event);
    }
    match pending {
        Some(Pending { digest: asked, of }) if asked == digest => match (of, reply) {
            (of, Reply::Reject { reason, stop }) if of.is_yes_or_no() => {
                Ok(Given::Rejected { reason, stopped: stop })
            }
            (
                PendingOf::Repeats { .. },
                Reply::Reject { reason: None, stop: false }
                | Reply::Choose { choice: RepeatsChoice::Discard },
            ) => Ok(Given::Chosen { choice: RepeatsChoice::Discard }),
            (PendingOf::Questions { .. }, Reply::Answer { answer }) => Ok(Given::Answered { answer }),
            _ => Err(ErrorInfo::new(
                Code::Usage,
                "The turn waits for something else.",
                "Look at what it waits for, then answer that, or stop the turn.",
            )),
        },
        Some(_) if !was_answered => Err(changed()),
        _ => Err(ErrorInfo::new(Code::NotWaiting, "This was answered already.", "")),
    }
}

/// The last events of the turn, as they are made.
struct Last<'a> {
    ids: TurnIds,
    at_ms: i64,
    seq: u32,
    of: Option<&'a Envelope>,
    records: Vec<Record>,
    said: Vec<Envelope>,
}

impl Last<'_> {
    fn say(&mut self, event: TurnEvent) -> Result<(), StoreError> {
        self.seq += 1;
        let over = event.terminal().is_some();
        let envelope = Envelope {
            v: PROTOCOL_VERSION,
            request_id: self.ids.request_id,
            session_id: self.ids.session_id,
            project_id: self.ids.project_id,
            seq: self.seq,
            at_ms: self.at_ms,
            phase: if over { Phase::Complete } else { self.of.map_or(Phase::ActionPhase, |of| of.phase) },
            tool_batch_id: if over { None } else { self.of.and_then(|of| of.tool_batch_id) },
            event,
        };
        self.records.push(Record::event(&envelope)?);
        self.said.push(envelope);
        Ok(())
    }
}

/// The write session that is open: its number and its path.
pub(crate) fn open_write(events: &[Envelope]) -> Option<(u32, String)> {
    events.iter().fold(None, |open, envelope| match &envelope.event {
        TurnEvent::WriteStarted { write, path, .. } => Some((*write, path.clone())),
        TurnEvent::WriteDone { .. } => None,
        event if event.terminal().is_some() => None,
        _ => open,
    })
}

/// What the events say of the turn (J5). What they do not say is 0, empty or null.
fn report(ids: TurnIds, events: &[Envelope], at_ms: i64) -> TurnReport {
    let policy = Policy::two_stage();
    let mut report = TurnReport {
        request_id: ids.request_id,
        session_id: ids.session_id,
        project_id: ids.project_id,
        parent_request_id: None,
        route: policy.route,
        mode: Mode::Plan,
        model: String::new(),
        status: TurnStatus::Stopped,
        phase_reached: events.last().map_or(Phase::ActionPhase, |last| last.phase),
        stop_reason: StopReason::Stopped,
        answer: String::new(),
        cycles: 0,
        tool_runs: 0,
        reused: 0,
        duplicates_refused: 0,
        model_calls: 0,
        write_prompts: 0,
        retries: 0,
        steered: 0,
        exhausted: None,
        bounds: Bounds::of(&policy, &ModelNumbers::default()),
        usage: Usage::default(),
        cost_usd: None,
        duration_ms: 0,
        summary: None,
        exit_code: None,
        channel: None,
        project_name: None,
        phases: Vec::new(),
        tool_calls: Vec::new(),
        writes: Vec::new(),
        changes: Vec::new(),
        evaluation: None,
        checks: None,
        error: None,
    };
    let began = events.first().map_or(at_ms, |first| first.at_ms);
    report.duration_ms = u64::try_from(at_ms.saturating_sub(began)).unwrap_or(0);
    let events = whole_texts(events.to_vec());
    report.answer = answer_in(&events);
    for envelope in &events {
        count(&mut report, envelope, &envelope.event);
    }
    report
}

/// A check that began, and of whose end nothing is known: it was stopped with its turn.
fn begun(cycle: u32, attempt: u32, name: &str, command: &str) -> CheckReport {
    CheckReport {
        name: name.to_owned(),
        command: command.to_owned(),
        status: CheckStatus::Stopped,
        exit_code: None,
        duration_ms: None,
        cycle,
        attempt,
        output_sha256: None,
        failed_before: false,
        reason: None,
    }
}

/// A check that ended before the turn was stopped. `line` is its command as it began.
fn checked(cycle: u32, attempt: u32, failed_before: bool, run: &CheckRun, line: String) -> CheckReport {
    let command = run.command.as_deref();
    CheckReport {
        name: run.name.clone(),
        command: command.map_or(line, |command| command.line.clone()),
        status: run.status,
        exit_code: command.and_then(|command| command.ended.code()),
        duration_ms: command.map(|command| command.duration_ms),
        cycle,
        attempt,
        output_sha256: command.map(|command| command.sha256),
        failed_before,
        reason: run.skipped,
    }
}

fn count(report: &mut TurnReport, envelope: &Envelope, event: &TurnEvent) {
    match event {
        TurnEvent::TurnStarted { policy, bounds, mode, model, .. } => {
            (report.route, report.bounds, report.mode) = (policy.route, *bounds, *mode);
            report.model.clone_from(model);
        }
        TurnEvent::PhaseStarted { cycle, model_call, write, .. } => {
            report.cycles = *cycle;
            match (model_call, write) {
                (Some(_), Some(_)) => report.write_prompts += 1,
                (Some(_), None) => report.model_calls += 1,
                (None, _) => {}
            }
        }
        TurnEvent::PhaseEnded { duration_ms, .. } => report.phases.push(PhaseReport {
            phase: envelope.phase,
            tool_batch_id: envelope.tool_batch_id,
            duration_ms: Some(*duration_ms),
        }),
        TurnEvent::ToolCall { tool_call_id, name, signature, leaked, .. } => {
            report.tool_calls.push(ToolCallReport {
                tool_call_id: tool_call_id.clone(),
                tool_batch_id: envelope.tool_batch_id,
                name: name.clone(),
                signature: Some(signature.clone()),
                status: None,
                duration_ms: None,
                leaked: *leaked,
            })
        }
        TurnEvent::ToolResult { tool_call_id, status, duration_ms, command, .. } => {
            if let Some(run) = command {
                let room = TurnReport::CHANGES.saturating_sub(report.changes.len());
                report.changes.extend(run.reported(tool_call_id).take(room));
            }
            report.tool_runs += u32::from(!matches!(status, ToolStatus::Denied | ToolStatus::Cancelled));
            if let Some(call) = report.tool_calls.iter_mut().find(|call| call.tool_call_id == *tool_call_id) {
                (call.status, call.duration_ms) = (Some(*status), Some(*duration_ms));
            }
        }
        TurnEvent::CheckStarted { name, command, attempt } => {
            let cycle = report.cycles;
            let check = begun(cycle, *attempt, name, command);
            let checks = report.checks.get_or_insert_default();
            // One that begins again in another process.
            checks.retain(|it| it.name != *name || it.attempt != *attempt);
            checks.push(check);
            report.evaluation = Some(Evaluation::Skipped); // A turn that was stopped.
        }
        TurnEvent::CheckEnded { attempt, failed_before, run } => {
            let checks = report.checks.get_or_insert_default();
            let is_it = |it: &CheckReport| it.name == run.name && it.attempt == *attempt;
            let before = checks.iter().position(is_it).map(|at| checks.remove(at));
            let command = before.map_or_else(String::new, |it| it.command);
            checks.push(checked(report.cycles, *attempt, *failed_before, run, command));
            if let Some(command) = &run.command {
                let room = TurnReport::CHANGES.saturating_sub(report.changes.len());
                report.changes.extend(command.reported(&check_id(&run.name, *attempt)).take(room));
            }
        }
        TurnEvent::CallReused { count, .. } => report.reused = *count,
        TurnEvent::DuplicateRefused { count, .. } => report.duplicates_refused = *count,
        TurnEvent::Retrying { .. } => report.retries += 1,
        TurnEvent::WriteStarted { path, operation, .. } => report.writes.push(WriteReport {
            path: path.clone(),
            operation: *operation,
            sha256: None,
            bytes: None,
            status: None,
        }),
        TurnEvent::WriteDone { status, sha256, bytes, .. } => {
            if let Some(write) = report.writes.last_mut() {
                (write.status, write.sha256, write.bytes) = (Some(*status), *sha256, *bytes);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use orion_core::signature::digest;
    use orion_protocol::{CallId, QuestionsAnswer};

    use super::*;

    fn asks(what: &str) -> TurnEvent {
        TurnEvent::Asked {
            digest: digest(what),
            of: PendingOf::Call {
                command: None,
                tool_call_id: CallId("a".into()),
                name: what.to_owned(),
                summary: String::new(),
                by: orion_protocol::AskedBy::Default,
                keeps: None,
            },
        }
    }

    fn answers(what: &str) -> TurnEvent {
        TurnEvent::Answered { digest: digest(what), given: Given::YES }
    }

    fn questions(what: &str) -> TurnEvent {
        let of = PendingOf::Questions { tool_call_id: CallId("a".into()), questions: Vec::new() };
        TurnEvent::Asked { digest: digest(what), of }
    }

    // A7
    #[test]
    fn only_what_is_asked_now_can_be_refused() {
        let declined = || Reply::Answer { answer: QuestionsAnswer::Declined };
        let cases = [
            (vec![], "a", Reply::NO, Some(Code::NotWaiting)),
            (vec![asks("a")], "a", Reply::NO, None),
            (vec![asks("a")], "b", Reply::NO, Some(Code::ApprovalStale)),
            (vec![asks("a"), answers("a")], "a", Reply::NO, Some(Code::NotWaiting)),
            (vec![asks("a"), answers("a"), asks("b")], "a", Reply::NO, Some(Code::NotWaiting)),
            (vec![asks("a"), answers("a"), asks("b")], "b", Reply::NO, None),
            // The proposal was replaced.
            (vec![asks("a"), asks("b")], "a", Reply::NO, Some(Code::ApprovalStale)),
            (vec![questions("a")], "a", declined(), None),
            (vec![questions("a")], "a", Reply::NO, Some(Code::Usage)),
        ];
        for (events, of, reply, error) in cases {
            let given = refused(digest(of), reply.clone(), events.iter());
            assert_eq!(given.err().map(|error| error.code), error, "{reply:?} to {of} of {events:?}");
        }
    }
}
