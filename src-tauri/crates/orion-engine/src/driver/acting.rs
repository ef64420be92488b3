//! Performing the effects of a step, and recording them.
//!
//! Deliberately not here: bringing the records to the disk (`saving`).

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use orion_core::context::{TELLING, facts};
use orion_core::tool::ToolOutcome;
use orion_core::turn::Effect;
use orion_protocol::{CallId, Envelope, Given, ToolStatus, TurnEvent, WriteStatus};
use orion_store::{Record, StoreError, WriteStage};
use serde_json::Value;
use tokio::time::Instant;

use super::aside::aside;
use super::equipment::{Call, Comparing, Done, Equipment, Ran, Running, Start, Work};
use super::glances::{Glance, glance};
use super::images;
use super::taken_out;
use super::task::Driver;
use crate::proposals::ToPropose;
use crate::received::Received;
use crate::tools::Compared;
use orion_files::workspace::Project;

/// How long a commit waits for a tool that only reads. 2 ms: what a flush takes on an ordinary disk, and more than most
/// reads take.
const PATIENCE: Duration = Duration::from_millis(2);

impl Driver {
    /// Performs the effects of a step in this order: first it ends what ends, then it commits and shows the events,
    /// then it begins what begins.
    pub(super) async fn act(&mut self, effects: Vec<Effect>) -> Result<(), StoreError> {
        let mut begins = None;
        let mut gathers = None;
        for effect in effects {
            match effect {
                Effect::GatherFacts { call } => gathers = Some(call),
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
                Effect::CancelTool { call_id } => self.cancel_tool(&call_id)?,
                Effect::CallModel { call, request } => begins = Some(Start::Model { number: call, request }),
                Effect::AwaitIdle { call } => {
                    self.idle = Some((call, Instant::now() + self.equipment.write_idle));
                }
                Effect::Propose { write, path, cause, source, seams, faults, asks } => {
                    let of = ToPropose { write, path, cause, source, seams, faults, asks };
                    let made = self.equipment.writes.clone().propose(of);
                    begins = Some(Start::Write(Work(
                        async move { Ok(Done::Proposed { write, made: made.await? }) }.boxed(),
                    )));
                }
                Effect::Write { write, path, leads_to, base_sha256, sha256 } => {
                    self.pending.record(Record::WriteMoved {
                        number: write,
                        stage: WriteStage::Writing,
                        sha256: Some(sha256),
                    })?;
                    let wrote =
                        self.equipment.writes.clone().write(write, (path, leads_to), base_sha256, sha256);
                    begins = Some(Start::Write(Work(
                        async move { Ok(Done::Wrote { write, wrote: wrote.await? }) }.boxed(),
                    )));
                }
                Effect::RecoverWrite { write, path, leads_to, base_sha256, sha256 } => {
                    let stop = self.equipment.stop.clone();
                    let writes = self.equipment.writes.clone();
                    let wrote = writes.recover(write, (path, leads_to), base_sha256, sha256, stop);
                    let done = async move {
                        Ok::<_, StoreError>(
                            wrote.await?.map_or(Done::LeftUndone, |wrote| Done::Wrote { write, wrote }),
                        )
                    };
                    begins = Some(Start::Recovery(Work(done.boxed())));
                }
                Effect::CompareFile { call_id, file } => begins = Some(Start::Comparison { call_id, file }),
                Effect::RunTool { batch, call_id, name, arguments } => {
                    self.pending.record(Record::CallStarted {
                        batch,
                        call_id: call_id.clone(),
                        name: name.clone(),
                        arguments: Value::Object(arguments.clone()).to_string(),
                        permission: self.turn.tools().permission(&name),
                    })?;
                    begins = Some(Start::Tool { batch, call_id, name, arguments });
                }
            }
        }
        // What may be shown already does not wait for the disk.
        self.equipment.outlet.offer();
        let is_over = self.said.last().is_some_and(|envelope| envelope.event.terminal().is_some());
        if is_over {
            self.finish().await?;
        } else if self.may_wait(begins.as_ref()) {
            self.patience = Some(Instant::now() + PATIENCE);
        } else if !self.said.is_empty() || begins.is_some() {
            self.commit().await?;
        }
        self.start(begins);
        self.gather(gathers);
        Ok(())
    }

    /// Begins to read what was done in the session so far (X4). Its events are on the disk by now.
    pub(super) fn gather(&mut self, call: Option<u32>) {
        let Some(call) = call.filter(|_| !self.equipment.stop.is_cancelled()) else { return };
        let (store, request_id) = (self.equipment.writes.store.clone(), self.ids.request_id);
        let gathered = async move {
            let told = store.events_until(request_id, &TELLING).await;
            let facts = told.ok().map(|told| {
                let events: Vec<Envelope> =
                    told.iter().filter_map(|event| serde_json::from_str(event).ok()).collect();
                facts(&events)
            });
            Ok(Done::Gathered { call, facts })
        };
        self.work = Some(Work(aside(gathered)));
    }

    /// What only reads is begun before its call is on the disk: if the process dies, running it again does no harm
    /// (A5). One that is quick is then committed together with its result, in one flush of the disk instead of two.
    fn may_wait(&self, begins: Option<&Start>) -> bool {
        match begins {
            Some(Start::Tool { name, .. }) => self.turn.tools().may_run_twice(name),
            Some(Start::Comparison { .. }) => true,
            Some(Start::Model { .. } | Start::Write(_) | Start::Recovery(_)) | None => false,
        }
    }

    pub(super) fn start(&mut self, start: Option<Start>) {
        match start {
            Some(Start::Recovery(Work(work))) => self.work = Some(Work(aside(work))),
            // A4: nothing starts after a stop; the machine is told of the stop next.
            _ if self.equipment.stop.is_cancelled() => {}
            Some(Start::Model { number, request }) => {
                let received = Received::default();
                let Equipment { endpoint, writes, .. } = &self.equipment;
                let events = images::stream(endpoint, &writes.store, request, received.clone());
                self.model = Some(Call { number, events, paused_until: None, received, failed: false });
            }
            Some(Start::Write(Work(work))) => self.work = Some(Work(aside(work))),
            Some(Start::Tool { batch, call_id, name, arguments }) => {
                let outcome = (self.equipment.run_tool)(call_id.clone(), name, arguments);
                let ran = run(outcome, self.equipment.writes.folder.clone().ok());
                self.tool = Some(Running { batch, call_id, ran: ran.boxed() });
            }
            Some(Start::Comparison { call_id, file }) => {
                let compared = (self.equipment.compare_file)(file);
                let compared = looked_at(compared, self.equipment.writes.folder.clone().ok());
                self.comparing = Some(Comparing { call_id, compared: compared.boxed() });
            }
            None => {}
        }
    }

    fn cancel_tool(&mut self, call_id: &CallId) -> Result<(), StoreError> {
        match self.tool.take_if(|running| running.call_id == *call_id) {
            Some(Running { batch, call_id, .. }) => {
                let (status, body) = (ToolStatus::Cancelled, String::new());
                self.pending.record(Record::CallEnded { batch, call_id, status, body })
            }
            None => Ok(()),
        }
    }

    pub(super) fn show(&mut self, envelope: Envelope) {
        self.seq = envelope.seq;
        self.equipment.outlet.show(envelope);
    }
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
        other.into_iter().chain(waits).collect()
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
            Given::Kept { approval_id } => Some(Record::ApprovalUsed { approval_id: *approval_id, at_ms }),
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
