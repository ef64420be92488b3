//! The end of a turn whose driver cannot go on: the disk refused, or Orion has a defect.
//!
//! The machine in memory may have stopped in the middle of a step, and events that were being saved may be lost. So
//! the machine is rebuilt from the journal, and ends the turn as it ends any other: by an input that is recorded. A
//! replay gives the same end (T5). Only if the journal can neither be read nor written, the end is made here. It is
//! shown, and says that it could not be saved.

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt;
use orion_core::turn::{Effect, Input};
use orion_protocol::{
    Code, Envelope, ErrorInfo, PROTOCOL_VERSION, Phase, StopReason, TurnEvent, TurnReport, TurnStatus,
};
use orion_store::Record;

use super::jobs::Kind;
use super::pending::Pending;
use super::replay::{Difference, Replayed, Run, run};
use super::task::Driver;

impl Driver {
    /// Ends the turn, whatever happens (T3).
    pub(super) async fn fail(&mut self, error: ErrorInfo) {
        tracing::error!(code = ?error.code, detail = error.detail, "the turn cannot go on");
        // A4: nothing of it runs on while its end is made. What is on its way to the disk is let be.
        self.jobs.abort_all(|kind| !matches!(kind, Kind::Write { .. }));
        let failed = AssertUnwindSafe(self.fail_by_journal(error.clone())).catch_unwind().await;
        let unsaved = match failed {
            Ok(Ok(())) => return,
            Ok(Err(unsaved)) => unsaved,
            Err(_panic) => defect(),
        };
        tracing::error!(code = ?unsaved.code, detail = unsaved.detail, "the end of the turn could not be saved");
        self.fail_unsaved(error);
    }

    async fn fail_by_journal(&mut self, error: ErrorInfo) -> Result<(), ErrorInfo> {
        // The journal has ended: the store refused the end of the turn already.
        if self.journal.is_none() {
            return Err(defect());
        }
        // It is not known whether these events are on the disk. Those that are there are shown below.
        self.said.clear();
        if let Err(lost) = self.commit().await {
            tracing::error!(%lost, "the last inputs of a turn could not be saved");
        }
        let Run { turn, replayed: Replayed { recorded, replayed, difference, .. }, .. } =
            run(&self.equipment.writes.store, self.ids.request_id).await?;
        // Events may be missing at the end of the journal, but each one that is there must follow from the inputs.
        if let Some(Difference { number, recorded: Some(_), .. }) = difference {
            return Err(defect().with_detail(format!("event {number} is not what its inputs lead to")));
        }
        // Text that was streamed and shown is kept, even if the disk refused it before.
        let streamed = self.turn.streamed_since(&turn);
        self.turn = turn;
        self.pending = Pending::default();
        for envelope in replayed.iter().skip(recorded.len()) {
            self.pending.event(envelope)?;
        }
        let unseen = |envelope: &Envelope| envelope.event.is_durable() && envelope.seq > self.seq;
        self.said = replayed.into_iter().filter(unseen).collect();
        if let Some(streamed) = streamed {
            let at_ms = self.clock.now_ms();
            self.pending.record(Record::input(at_ms, &streamed)?)?;
            for effect in self.turn.step(at_ms, streamed) {
                if let Effect::Show(chunk) = effect {
                    self.pending.event(&chunk)?;
                }
            }
        }
        self.feed(Input::Failed { error }).await?;
        Ok(())
    }

    /// The journal cannot be read or written, so the next start finds the turn interrupted.
    fn fail_unsaved(&mut self, mut error: ErrorInfo) {
        error.message += " This end could not be saved: after a restart the turn shows as interrupted.";
        let at_ms = self.clock.now_ms();
        let said = std::mem::take(&mut self.said);
        let last = AssertUnwindSafe(|| self.turn.step(at_ms, Input::Failed { error: error.clone() }));
        let more = catch_unwind(last).unwrap_or_default().into_iter().filter_map(|effect| match effect {
            Effect::Emit(envelope) => Some(envelope),
            _ => None,
        });
        let ended = said.into_iter().chain(more).find_map(|envelope| envelope.event.terminal().cloned());
        let report = TurnReport {
            status: TurnStatus::Failed,
            stop_reason: StopReason::Error,
            error: Some(error.of_turn(self.ids)),
            ..ended.unwrap_or_else(|| self.turn.report())
        }
        .summed_up();
        self.show(Envelope {
            v: PROTOCOL_VERSION,
            request_id: self.ids.request_id,
            session_id: self.ids.session_id,
            project_id: self.ids.project_id,
            seq: self.seq.saturating_add(1),
            at_ms,
            phase: Phase::Complete,
            tool_batch_id: None,
            event: TurnEvent::Failed { report: Box::new(report) },
        });
    }
}

fn defect() -> ErrorInfo {
    ErrorInfo::new(
        Code::Internal,
        "Orion hit an internal error while it ended a turn.",
        "Report it with the log file.",
    )
}
