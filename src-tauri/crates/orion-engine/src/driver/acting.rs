//! Performing the effects of a step, and recording them.
//!
//! Deliberately not here: bringing the records to the disk (`saving`).

use std::time::Duration;

use futures_util::future::BoxFuture;
use orion_core::context::{TELLING, facts};
use orion_core::tool::{ToolKind, ToolOutcome};
use orion_core::turn::{Effect, JobId, Work};
use orion_protocol::{ApprovalId, Envelope, Fact, Given, RequestId, ToolStatus, TurnEvent, WriteStatus};
use orion_store::{Record, Store, StoreError, WriteStage};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::equipment::{Call, CheckToRun, Equipment, Start};
use super::glances::{Glance, glance};
use super::images;
use super::jobs::{Ended, Key, Kind, Ran};
use super::taken_out;
use super::task::Driver;
use crate::proposals::ToPropose;
use crate::received::Received;
use crate::runner;
use crate::tools::Compared;
use orion_files::workspace::Project;

/// How long a commit waits for a tool that only reads. 2 ms: what a flush takes on an ordinary disk, and more than most
/// reads take.
const PATIENCE: Duration = Duration::from_millis(2);

/// The time for which the outcome of a command is waited for that was told to end. 5 s: its grace is 2 s (`orion-sandbox`), and the look at what it left
/// takes a moment.
const ENDING: Duration = Duration::from_secs(5);

impl Driver {
    /// Performs the effects of a step in this order: first it ends what ends, then it commits and shows the events,
    /// then it begins what begins.
    pub(super) async fn act(&mut self, effects: Vec<Effect>) -> Result<(), StoreError> {
        let (mut begins, mut told) = (Vec::new(), Vec::new());
        for effect in effects {
            match effect {
                // The text of a write session is in the journal only as input; a view asks for it (`Query::Write`).
                Effect::Show(envelope) if matches!(envelope.event, TurnEvent::WriteProgress { .. }) => {
                    self.show(envelope);
                }
                // A chunk before the first durable event of the step need not wait for it.
                Effect::Show(envelope) if self.said.is_empty() => {
                    self.pending.event(&envelope)?;
                    self.show(envelope);
                }
                Effect::Show(envelope) | Effect::Emit(envelope) => {
                    self.shown.event(&envelope.event, &self.equipment.learned);
                    self.pending.event(&envelope)?;
                    for record in self.records_beside(&envelope) {
                        self.pending.record(record)?;
                    }
                    self.said.push(envelope);
                }
                Effect::DropModel { call } => {
                    // An event of it may wait for a look at the project.
                    self.held = None;
                    if self.model.as_ref().is_some_and(|running| running.number == call) {
                        self.end_call();
                    }
                }
                Effect::CallModel { call, request } => begins.push(Start::Model { number: call, request }),
                Effect::AwaitIdle { call } => {
                    self.idle = Some((call, Instant::now() + self.equipment.write_idle));
                }
                Effect::Begin { job, work } => {
                    self.record_begin(&work)?;
                    begins.push(Start::Job { job, work });
                }
                Effect::Cancel { job } => self.cancel(job)?,
                Effect::End { job } => self.end_command(job),
                Effect::Tell { job, number, answer } => told.push((job, number, answer)),
            }
        }
        // What may be shown already does not wait for the disk.
        self.equipment.outlet.offer();
        let is_over = self.said.last().is_some_and(|envelope| envelope.event.terminal().is_some());
        if is_over {
            self.finish().await?;
        } else if self.may_wait(&begins) && told.is_empty() {
            self.patience = Some(Instant::now() + PATIENCE);
        } else if !self.said.is_empty() || !begins.is_empty() || !told.is_empty() {
            self.commit().await?;
        }
        self.start(begins);
        told.into_iter().for_each(|(job, number, answer)| self.jobs.tell(job, number, answer));
        Ok(())
    }

    /// Puts the start of a job on disk before it begins: after a crash its end is looked for there (A5, W7).
    fn record_begin(&mut self, work: &Work) -> Result<(), StoreError> {
        match work {
            Work::Tool { batch, call_id, name, arguments, .. } => self.pending.record(Record::CallStarted {
                batch: *batch,
                call_id: call_id.clone(),
                name: name.clone(),
                arguments: arguments.to_string(),
                permission: self.turn.tools().permission(name),
            }),
            Work::Write { write, sha256, .. } => self.pending.record(Record::WriteMoved {
                number: *write,
                stage: WriteStage::Writing,
                sha256: Some(*sha256),
            }),
            Work::Prepare { .. }
            | Work::Check { .. }
            | Work::Compare { .. }
            | Work::GatherFacts
            | Work::Propose { .. }
            | Work::RecoverWrite { .. } => Ok(()),
        }
    }

    /// What only reads is begun before its call is on the disk: if the process dies, running it again does no harm
    /// (A5). One that is quick is then committed together with its result, in one flush of the disk instead of two.
    fn may_wait(&self, begins: &[Start]) -> bool {
        let only_reads = |start: &Start| match start {
            Start::Job { work: Work::Tool { name, .. }, .. } => self.turn.tools().may_run_twice(name),
            Start::Job { work: Work::Compare { .. } | Work::Prepare { .. }, .. } => true,
            Start::Job { .. } | Start::Model { .. } => false,
        };
        !begins.is_empty() && begins.iter().all(only_reads)
    }

    pub(super) fn start(&mut self, begins: Vec<Start>) {
        for start in begins {
            let stops = self.equipment.stop.is_cancelled();
            match start {
                // It has to be known what happened, also to a turn that is being stopped.
                Start::Job { job, work: work @ Work::RecoverWrite { .. } } => self.begin_job(job, work),
                // A4: nothing starts after a stop; the machine is told of the stop next.
                _ if stops => {}
                Start::Model { number, request } => {
                    let received = Received::default();
                    let Equipment { endpoint, writes, .. } = &self.equipment;
                    let profile = self.turn.profile().clone();
                    let events = images::stream(endpoint, &writes.store, request, profile, received.clone());
                    self.model = Some(Call { number, events, paused_until: None, received, failed: false });
                }
                Start::Job { job, work } => self.begin_job(job, work),
            }
        }
    }

    fn begin_job(&mut self, job: JobId, work: Work) {
        let key = Key::Job(job);
        let folder = self.equipment.writes.folder.clone().ok();
        let writes = self.equipment.writes.clone();
        match work {
            Work::Tool { batch, call_id, name, arguments, command } => {
                let line = self.jobs.line(job);
                let runs_commands =
                    self.turn.tools().get(&name).is_some_and(|tool| tool.kind == ToolKind::RunsCommands);
                let call = runner::Call { tool_call_id: call_id.clone(), name, arguments, command };
                let stop = CancellationToken::new();
                let outcome = (self.equipment.run_tool)(call, line, stop.clone());
                let ran = async move { Ended::Tool(run(outcome, folder).await) };
                self.jobs.begin_stoppable(key, Kind::Tool { batch, call_id, runs_commands }, stop, ran);
            }
            Work::Check { of, attempt, passed } => {
                let (line, name, stop) =
                    (self.jobs.line(job), of.check.name.clone(), CancellationToken::new());
                let check = CheckToRun { of: *of, attempt, passed: passed.map(|run| *run) };
                let ran = (self.equipment.run_check)(check, line, stop.clone());
                let ran = async move { Ended::Checked(Box::new(ran.await)) };
                self.jobs.begin_stoppable(key, Kind::Check { name }, stop, ran);
            }
            Work::Prepare { name, arguments } => {
                let prepared = (self.equipment.prepare_call)(name, arguments);
                self.jobs.begin(key, Kind::Preparation, async move { Ended::Prepared(prepared.await) });
            }
            Work::Compare { file } => {
                let compared = (self.equipment.compare_file)(file);
                let looked = async move {
                    let (compared, glances) = looked_at(compared, folder).await;
                    Ended::Compared(compared, glances)
                };
                self.jobs.begin(key, Kind::Comparison, looked);
            }
            Work::GatherFacts => {
                let facts = gathered(writes.store, self.ids.request_id);
                self.jobs.begin(key, Kind::Facts, async move { Ended::Facts(facts.await) });
            }
            Work::Propose { write, path, cause, source, seams, faults, asks } => {
                let of = ToPropose { write, path, cause, source, seams, faults, asks };
                let made = async move { Ended::Proposed(writes.propose(of).await) };
                self.jobs.begin(key, Kind::Proposal { write }, made);
            }
            Work::Write { write, path, leads_to, base_sha256, sha256 } => {
                let wrote = writes.write(write, (path, leads_to), base_sha256, sha256);
                self.jobs.begin(
                    key,
                    Kind::Write { write },
                    async move { Ended::Wrote(wrote.await.map(Some)) },
                );
            }
            Work::RecoverWrite { write, path, leads_to, base_sha256, sha256 } => {
                let stop = self.equipment.stop.clone();
                let wrote = writes.recover(write, (path, leads_to), base_sha256, sha256, stop);
                self.jobs.begin(key, Kind::Write { write }, async move { Ended::Wrote(wrote.await) });
            }
        }
    }

    /// Has a command or a check end by itself (A4).
    fn end_command(&mut self, job: JobId) {
        self.jobs.stop(job);
        self.overdue = Some(Instant::now() + ENDING);
    }

    fn cancel(&mut self, job: JobId) -> Result<(), StoreError> {
        match self.jobs.cancel(Key::Job(job)) {
            Some(Kind::Tool { batch, call_id, .. }) => {
                let (status, body) = (ToolStatus::Cancelled, String::new());
                self.pending.record(Record::CallEnded { batch, call_id, status, body })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn show(&mut self, envelope: Envelope) {
        self.seq = envelope.seq;
        self.equipment.outlet.show(envelope);
    }

    /// Shows an event that is no input and is not recorded.
    pub(super) async fn show_aside(&mut self, event: TurnEvent) -> Result<(), StoreError> {
        // E1: it carries the last event that was shown, so those before it are shown first.
        if !self.said.is_empty() {
            self.commit().await?;
        }
        let envelope = self.turn.aside(event);
        self.show(Envelope { at_ms: self.clock.now_ms(), ..envelope });
        Ok(())
    }
}

/// Reads what was done in the session so far (X4); none where it cannot be read.
async fn gathered(store: Store, request_id: RequestId) -> Option<Vec<Fact>> {
    let told = store.events_until(request_id, &TELLING).await.ok()?;
    let events: Vec<Envelope> = told.iter().filter_map(|event| serde_json::from_str(event).ok()).collect();
    Some(facts(&events))
}

/// Runs a tool to its end, and then notes the state of what it read, before the model is called again (D3). The
/// target of a write session is left out, since the session itself changes it.
async fn run(outcome: BoxFuture<'static, ToolOutcome>, project: Option<Project>) -> Ran {
    let began = std::time::Instant::now();
    let outcome = outcome.await;
    let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let glances = match project {
        Some(project) if !outcome.seen.is_empty() && outcome.opens.is_none() => {
            glance(project, outcome.seen.clone()).await
        }
        _ => Vec::new(),
    };
    Ran { outcome, duration_ms, glances }
}

/// Compares a file. Where an earlier result answers for it, notes its state: the turn has read it then (D3).
async fn looked_at(
    compared: BoxFuture<'static, Compared>,
    project: Option<Project>,
) -> (Compared, Vec<Glance>) {
    let compared = compared.await;
    let glances = match project {
        Some(project) if compared.same => glance(project, compared.seen.clone()).await,
        _ => Vec::new(),
    };
    (compared, glances)
}

impl Driver {
    /// The records that go with an event: that the turn waits or waits no more, and what was written.
    fn records_beside(&self, envelope: &Envelope) -> Vec<Record> {
        let Envelope { event, at_ms, .. } = envelope;
        let waits = match (event.asks(), event.ends_question()) {
            (true, _) => Some(Record::Waits(true)),
            (false, ends) => ends.then_some(Record::Waits(false)),
        };
        let other = match event {
            TurnEvent::Answered { given, .. } => self.record_of(given, *at_ms),
            // Its record stays on `Writing`, so that the next start removes its temporary file.
            TurnEvent::WriteDone { write, .. } if self.untidy == Some(*write) => None,
            TurnEvent::WriteDone { write, status, sha256, .. } => match status {
                WriteStatus::Written => Some(WriteStage::Written),
                WriteStatus::Rejected | WriteStatus::Discarded => Some(WriteStage::Over),
                // So does it here: the next start finds out what is on the disk and cleans up.
                WriteStatus::Failed | WriteStatus::Unknown => None,
            }
            .map(|stage| Record::WriteMoved { number: *write, stage, sha256: *sha256 }),
            _ => None,
        };
        let also: &[ApprovalId] = match event {
            TurnEvent::Answered { given: Given::Kept { also, .. }, .. } => also,
            _ => &[],
        };
        let also = also.iter().map(|&approval_id| Record::ApprovalUsed { approval_id, at_ms: *at_ms });
        other.into_iter().chain(also).chain(waits).collect()
    }

    /// The record of an answer, if the store keeps more of it than the event.
    fn record_of(&self, given: &Given, at_ms: i64) -> Option<Record> {
        match given {
            Given::Allowed { kept: Some(rule), .. } => match &self.equipment.identity {
                Some(folder) => {
                    Some(Record::ApprovalKept { rule: rule.clone(), folder: folder.clone(), at_ms })
                }
                None => {
                    tracing::warn!("the folder cannot be told from others, so the approval is not kept");
                    None
                }
            },
            Given::Kept { approval_id, .. } => {
                Some(Record::ApprovalUsed { approval_id: *approval_id, at_ms })
            }
            // What a person edited or dropped asks first in later turns too, however this one ends (X6). Names and texts are always JSON.
            Given::Resumed { edited } if !edited.is_empty() => {
                taken_out::of_results(self.turn.withheld()).ok().flatten()
            }
            Given::Allowed { kept: None, .. }
            | Given::Rejected { .. }
            | Given::Chosen { .. }
            | Given::Answered { .. }
            | Given::Resumed { .. } => None,
        }
    }
}
