//! What follows from a step: performing its effects, putting them on the disk, and the turn's end.

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use orion_core::turn::{Effect, Input};
use orion_protocol::{
    CallId, Envelope, ErrorInfo, PROTOCOL_VERSION, Permission, Phase, StopReason, ToolStatus, TurnEvent,
    TurnReport, TurnStatus,
};
use orion_store::{Record, StoreError};
use serde_json::Value;

use super::equipment::{Call, Running, Start};
use super::task::{Driver, Fault};

impl Driver {
    /// Performs the effects of a step: what ends ends now, what is said is committed and then shown, what begins begins
    /// last.
    pub(super) async fn act(&mut self, effects: Vec<Effect>) -> Result<(), Fault> {
        let mut said = Vec::new();
        let mut begins = None;
        for effect in effects {
            match effect {
                // A chunk before the first durable event of the step need not wait for it.
                Effect::Show(envelope) if said.is_empty() => {
                    self.pending.event(&envelope)?;
                    self.show(envelope);
                }
                Effect::Show(envelope) | Effect::Emit(envelope) => {
                    self.pending.event(&envelope)?;
                    said.push(envelope);
                }
                Effect::DropModel { call } => drop(self.model.take_if(|running| running.number == call)),
                Effect::CancelTool { call_id } => self.cancel_tool(&call_id)?,
                Effect::CallModel { call, request } => begins = Some(Start::Model { number: call, request }),
                Effect::RunTool { batch, call_id, name, arguments } => {
                    self.pending.record(Record::CallStarted {
                        batch,
                        call_id: call_id.clone(),
                        name: name.clone(),
                        arguments: Value::Object(arguments.clone()).to_string(),
                        permission: self.permission(&name),
                    })?;
                    begins = Some(Start::Tool { batch, call_id, name, arguments });
                }
            }
        }
        // What may be seen already is not held up by the disk.
        self.equipment.outlet.offer();
        match said.last().and_then(|envelope| envelope.event.terminal()).map(|report| report.answer.clone()) {
            Some(answer) => self.finish(answer).await?,
            None if !said.is_empty() || begins.is_some() => self.commit().await?,
            None => {}
        }
        said.into_iter().for_each(|envelope| self.show(envelope));
        self.start(begins);
        Ok(())
    }

    pub(super) fn start(&mut self, start: Option<Start>) {
        // A4: nothing starts after a stop; the machine hears of it next.
        if self.equipment.stop.is_cancelled() {
            return;
        }
        match start {
            Some(Start::Model { number, request }) => {
                self.model = Some(Call { number, events: self.equipment.endpoint.stream(request) });
            }
            Some(Start::Tool { batch, call_id, name, arguments }) => {
                let outcome = (self.equipment.run_tool)(call_id.clone(), name, arguments);
                self.tool = Some(Running { batch, call_id, began: Instant::now(), outcome });
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

    fn permission(&self, tool: &str) -> Permission {
        let known = self.permissions.iter().find(|(name, _)| name == tool);
        known.map_or(Permission::Allow, |(_, permission)| *permission)
    }

    pub(super) fn show(&mut self, envelope: Envelope) {
        self.seq = envelope.seq;
        self.equipment.outlet.show(envelope);
    }

    /// Sends what waits to the store, and goes on before it is on the disk.
    pub(super) async fn flush(&mut self) -> Result<(), StoreError> {
        let records = self.pending.take()?;
        if let Some(journal) = &mut self.journal {
            self.flushing = Some(journal.append(records).await);
        }
        Ok(())
    }

    /// Everything that was said so far is on the disk when this returns.
    pub(super) async fn commit(&mut self) -> Result<(), StoreError> {
        let earlier = self.flushing.take();
        self.flush().await?;
        if let Some(earlier) = earlier {
            earlier.await?;
        }
        match self.flushing.take() {
            Some(commit) => commit.await,
            None => Ok(()),
        }
    }

    /// T3: the terminal event and the assistant's message in one transaction.
    async fn finish(&mut self, answer: String) -> Result<(), StoreError> {
        if let Some(earlier) = self.flushing.take() {
            earlier.await?;
        }
        let records = self.pending.take()?;
        if let Some(journal) = self.journal.take() {
            let session = journal.finish(records, answer, self.clock.now_ms()).await?;
            self.equipment.outlet.session(session);
        }
        Ok(())
    }

    /// Ends a turn that cannot go on by its machine: the disk refused, or Orion has a defect. The terminal event is
    /// recorded if the disk takes it, and shown in any case.
    pub(super) async fn fail(&mut self, error: ErrorInfo) {
        tracing::error!(code = ?error.code, detail = error.detail, "the turn cannot go on");
        let at_ms = self.clock.now_ms();
        let last = AssertUnwindSafe(|| self.turn.step(at_ms, Input::Stop));
        let effects = std::panic::catch_unwind(last).unwrap_or_default();
        let stopped = effects.into_iter().find_map(|effect| match effect {
            Effect::Emit(envelope) => envelope.event.terminal().cloned(),
            _ => None,
        });
        let report = TurnReport {
            status: TurnStatus::Failed,
            stop_reason: StopReason::Error,
            error: Some(error.of_turn(self.ids)),
            ..stopped.unwrap_or_else(|| self.turn.report())
        };
        let answer = report.answer.clone();
        let envelope = Envelope {
            v: PROTOCOL_VERSION,
            request_id: self.ids.request_id,
            session_id: self.ids.session_id,
            project_id: self.ids.project_id,
            seq: self.seq.saturating_add(1),
            at_ms,
            phase: Phase::Complete,
            tool_batch_id: None,
            event: TurnEvent::Failed { report: Box::new(report) },
        };
        if let (Some(journal), Ok(record)) = (self.journal.take(), Record::event(&envelope)) {
            let mut records = self.pending.take().unwrap_or_default();
            // What was never shown never was: the end takes its place.
            records.retain(|record| !matches!(record, Record::Event { seq, .. } if *seq > self.seq));
            records.push(record);
            match journal.finish(records, answer, at_ms).await {
                Ok(session) => self.equipment.outlet.session(session),
                Err(error) => tracing::error!(%error, "the end of the turn could not be recorded"),
            }
        }
        self.show(envelope);
    }
}
