//! What reaches a running turn beside its model: what a tool, a proposal or a write came to, a word from outside, and that nobody
//! reads it any more.

use orion_core::tool::ToolOutcome;
use orion_core::turn::{Input, Proposed, WriteSession};
use orion_protocol::{ProposalCause, Sha256, WriteState};
use orion_store::Record;

use super::equipment::{Command, Done, OpenWrite, Running, Work};
use super::recorded;
use super::task::{Driver, Fault};
use crate::proposals::{Made, Wrote};

impl Driver {
    pub(super) async fn tool_ended(&mut self, outcome: ToolOutcome) -> Result<(), Fault> {
        let Some(Running { batch, call_id, began, .. }) = self.tool.take() else { return Ok(()) };
        let at_ms = self.clock.now_ms();
        let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.look_at(&outcome).await;
        let (records, input) = recorded::tool_ended(at_ms, batch, call_id, outcome, duration_ms)?;
        for record in records {
            self.pending.record(record)?;
        }
        let effects = self.turn.step(at_ms, input);
        self.act(effects).await
    }

    /// After a tool, before the model is asked again. What a write session is about changes by its own hand.
    async fn look_at(&mut self, outcome: &ToolOutcome) {
        if !outcome.seen.is_empty() && outcome.opens.is_none() {
            self.glances.note(&self.equipment.writes.project, outcome.seen.clone()).await;
        }
    }

    /// Before the first tool call of a model call: a call that ran already may be made again where what it read has changed.
    pub(super) async fn look_again(&mut self, call: u32) -> Result<(), Fault> {
        if self.glances.looked.replace(call) == Some(call) {
            return Ok(());
        }
        let changes = self.glances.changes(&self.equipment.writes.project).await;
        if changes.is_empty() || !self.turn.minds(&changes) {
            return Ok(());
        }
        self.feed(Input::Changed { changes }).await
    }

    /// A proposal is made, or a write is over.
    pub(super) async fn worked(&mut self, done: Done) -> Result<(), Fault> {
        match done {
            Done::Proposed { write, made: Made { outcome, stored } } => {
                if let Some(stored) = stored {
                    self.pending.record(Record::WriteProposed(stored))?;
                }
                self.feed(Input::Proposed { write, outcome }).await
            }
            Done::Wrote { write, wrote: Wrote { outcome, left } } => {
                self.untidy = left.then_some(write);
                self.feed(Input::Wrote { write, outcome }).await
            }
            // The stop comes next.
            Done::LeftUndone => Ok(()),
        }
    }

    pub(super) async fn obey(&mut self, command: Command) -> Result<(), Fault> {
        match command {
            // A change that nothing in this turn saw decides nothing, now or at a replay.
            Command::Changed(changes) if !self.turn.minds(&changes) => Ok(()),
            Command::Changed(changes) => self.feed(Input::Changed { changes }).await,
            Command::Approval { digest, granted } => self.feed(Input::Approval { digest, granted }).await,
            Command::WriteApproved { digest, approved } => {
                self.feed(Input::WriteApproved { digest, approved }).await
            }
            Command::Revised { write, digest, made, taken } => {
                let anew = matches!(&made.outcome, Proposed::Ready { proposal, .. }
                    if proposal.cause == ProposalCause::FileChanged);
                let open = self.turn.write_session().filter(|open| open.number() == write);
                let asked = open.is_some_and(|open| asks(open, digest, anew));
                if asked {
                    self.worked(Done::Proposed { write, made: *made }).await?;
                }
                // Whoever asked may have gone.
                let _ = taken.send(asked);
                Ok(())
            }
            Command::Write(told) => {
                // Whoever asked may have gone.
                let _ = told.send(self.turn.write_session().map(OpenWrite::of));
                Ok(())
            }
            Command::Report(told) => {
                // Whoever asked may have gone.
                let _ = told.send(self.turn.report());
                Ok(())
            }
            Command::RetryNow(told) => {
                let paused = self.model.as_mut().and_then(|call| call.paused_until.take());
                // Whoever asked may have gone.
                let _ = told.send(paused.is_some());
                Ok(())
            }
            Command::Flush(done) => {
                self.commit().await?;
                // Whoever asked may have gone.
                let _ = done.send(());
                Ok(())
            }
        }
    }

    /// A write that was approved ends within its own time, also when the turn is stopped meanwhile: it is known then.
    pub(super) fn writes(&self) -> bool {
        self.work.is_some() && self.turn.write_session().is_some_and(WriteSession::is_writing)
    }

    /// Whoever started the turn has gone without waiting for its end: it is stopped.
    pub(super) async fn unread(&mut self) -> Result<(), Fault> {
        self.equipment.stop.cancel();
        if self.writes()
            && let Some(Work(work)) = self.work.take()
        {
            self.worked(work.await?).await?;
        }
        if !self.turn.is_over() {
            self.feed(Input::Stop).await?;
        }
        Err(Fault::Unread)
    }
}

/// Whether exactly this is what a person is asked (A3). While it is made anew since the file changed, nothing else than just that
/// may take its place: what is under way then would undo a person's change.
fn asks(open: &WriteSession, digest: Sha256, anew: bool) -> bool {
    let open_to_it = match open.state() {
        WriteState::AwaitingApproval => true,
        WriteState::Finalizing => anew,
        _ => false,
    };
    open_to_it && open.proposal().is_some_and(|(proposal, _)| proposal.digest == digest)
}
