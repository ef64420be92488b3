//! Everything that reaches a running turn except for its model's response: results of tools, proposals and writes,
//! commands from outside, and the news that nobody reads the turn any more.

use orion_core::turn::{Input, Proposed, Verdict, WriteOutcome, WriteSession};
use orion_protocol::{Code, ErrorInfo, ProposalCause, Sha256, WriteState};
use orion_store::{Record, StoreError};
use tokio::sync::oneshot;

use super::equipment::{Command, Comparing, Done, OpenWrite, Ran, Running};
use super::glances::{Glance, LookBroke, Looked};
use super::recorded;
use super::task::Driver;
use crate::proposals::{Made, Wrote};
use crate::tools::Compared;

impl Driver {
    pub(super) async fn tool_ended(&mut self, ran: Ran) -> Result<(), StoreError> {
        let Some(Running { batch, call_id, .. }) = self.tool.take() else { return Ok(()) };
        let Ran { outcome, duration_ms, glances } = ran;
        self.glances.note(glances);
        let at_ms = self.clock.now_ms();
        let (records, input) = recorded::tool_ended(at_ms, batch, call_id, outcome, duration_ms)?;
        let effects = self.turn.step(at_ms, input);
        for record in records {
            self.pending.record(record)?;
        }
        self.act(effects).await
    }

    /// A file was compared with an earlier result (X6).
    pub(super) async fn compared(
        &mut self,
        compared: Compared,
        glances: Vec<Glance>,
    ) -> Result<(), StoreError> {
        let Some(Comparing { call_id, .. }) = self.comparing.take() else { return Ok(()) };
        self.glances.note(glances);
        let Compared { same, seen } = compared;
        self.feed(Input::Compared { call_id, same, seen }).await
    }

    /// A call that already ran may run again if what it read has changed (D3). After this look the machine gets the
    /// model's response, which waited for it.
    pub(super) async fn looked_again(&mut self, looked: Result<Looked, LookBroke>) -> Result<(), StoreError> {
        self.looking = None;
        let changes = self.glances.looked(looked);
        if !changes.is_empty() && self.turn.minds(&changes) {
            self.feed(Input::Changed { changes }).await?;
        }
        match self.held.take() {
            Some(held) => self.stream(Some(held)).await,
            None => Ok(()),
        }
    }

    /// A proposal was made, or a write has ended.
    pub(super) async fn worked(&mut self, done: Done) -> Result<(), StoreError> {
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
            Done::Gathered { call, facts } => self.feed(Input::Facts { call, facts }).await,
            // The stop comes next.
            Done::LeftUndone => Ok(()),
        }
    }

    pub(super) async fn obey(&mut self, command: Command) -> Result<(), StoreError> {
        match command {
            // A change that nothing in this turn saw makes no difference, now or in a replay.
            Command::Changed(changes) if !self.turn.minds(&changes) => Ok(()),
            Command::Changed(changes) => self.feed(Input::Changed { changes }).await,
            Command::Replied { digest, reply, supplied, told } => {
                self.answered(Input::Replied { digest, reply, supplied }, told).await
            }
            Command::Pending(told) => {
                // The caller may be gone.
                let _ = told.send(self.turn.pending().cloned());
                Ok(())
            }
            // An approval that this turn does not rely on makes no difference to it, now or in a replay.
            Command::Revoked(approval_id) if self.turn.relies_on(approval_id) => {
                self.feed(Input::Revoked { approval_id }).await?;
                self.commit().await
            }
            Command::Revoked(_) => Ok(()),
            Command::Pause { pause, told } => self.taken(Input::Pause { pause }, told).await,
            Command::Steer { text, told } => self.taken(Input::Steered { text }, told).await,
            Command::Unanswered(known) => {
                self.waits_on()?;
                self.commit().await?;
                // The caller may be gone.
                let _ = known.send(());
                Ok(())
            }
            Command::Judge { digest, told } => {
                // The caller may be gone.
                let _ = told.send(self.turn.judge(digest));
                Ok(())
            }
            Command::Revised { write, digest, made, told } => {
                let anew = matches!(&made.outcome, Proposed::Ready { proposal, .. }
                    if proposal.cause == ProposalCause::FileChanged);
                let open = self.turn.write_session().filter(|open| open.number() == write);
                let verdict = match open.is_some_and(|open| asks(open, digest, anew)) {
                    true => Verdict::Taken,
                    // A new proposal may replace it at any moment.
                    false => match self.turn.judge(digest) {
                        Verdict::Taken => Verdict::Stale,
                        verdict => verdict,
                    },
                };
                if verdict == Verdict::Taken {
                    self.worked(Done::Proposed { write, made: *made }).await?;
                    self.commit().await?;
                }
                // The caller may be gone.
                let _ = told.send(verdict);
                Ok(())
            }
            Command::Write(told) => {
                // The caller may be gone.
                let _ = told.send(self.turn.write_session().map(OpenWrite::of));
                Ok(())
            }
            Command::Filled(told) => {
                // The caller may be gone.
                let _ = told.send(self.turn.filled());
                Ok(())
            }
            Command::Report(told) => {
                // The caller may be gone.
                let _ = told.send(self.turn.report());
                Ok(())
            }
            Command::RetryNow(told) => {
                let paused = self.model.as_mut().and_then(|call| call.paused_until.take());
                // The caller may be gone.
                let _ = told.send(paused.is_some());
                Ok(())
            }
            Command::Flush(done) => {
                self.commit().await?;
                // The caller may be gone.
                let _ = done.send(());
                Ok(())
            }
        }
    }

    /// Takes a person's answer. Only an answer that is taken is recorded, and it is on the disk before the person hears of it (A7).
    async fn answered(&mut self, input: Input, told: oneshot::Sender<Verdict>) -> Result<(), StoreError> {
        let verdict = self.turn.verdict(&input).unwrap_or(Verdict::NotWaiting);
        if verdict == Verdict::Taken {
            self.feed(input).await?;
            // The end of the turn is on the disk already.
            if self.journal.is_some() {
                self.commit().await?;
            }
        } else {
            self.waits_on()?;
        }
        // The caller may be gone.
        let _ = told.send(verdict);
        Ok(())
    }

    /// A request to pause is no answer, nor is a message: it is taken whatever the turn does, and recorded (T5).
    async fn taken(&mut self, input: Input, told: oneshot::Sender<Verdict>) -> Result<(), StoreError> {
        let verdict = self.turn.verdict(&input).unwrap_or(Verdict::Taken);
        if verdict == Verdict::Taken {
            self.feed(input).await?;
            self.commit().await?;
        }
        // The caller may be gone.
        let _ = told.send(verdict);
        Ok(())
    }

    /// The turn may have been taken over for an answer. If no answer was accepted, every process can answer it again
    /// (A7).
    pub(super) fn waits_on(&mut self) -> Result<(), StoreError> {
        match self.turn.pending() {
            Some(_) => self.pending.record(Record::Waits(true)),
            None => Ok(()),
        }
    }

    /// A write is under way that was approved.
    pub(super) fn writes(&self) -> bool {
        self.work.is_some() && self.turn.write_session().is_some_and(WriteSession::is_writing)
    }

    /// The turn has to stop, and the disk has not answered. The next start finds out how the write ended.
    pub(super) async fn give_up_write(&mut self) -> Result<(), StoreError> {
        self.work = None;
        match self.turn.write_session().filter(|open| open.is_writing()).map(WriteSession::number) {
            Some(write) if self.equipment.stop.is_cancelled() => {
                let error = ErrorInfo::new(
                    Code::WriteUnknown,
                    "The disk does not answer, so it is not known whether the file was written.",
                    "Look at the file once the disk answers again.",
                );
                self.feed(Input::Wrote { write, outcome: WriteOutcome::Unknown { error } }).await
            }
            // It stays under way: the program ends.
            _ => Ok(()),
        }
    }
}

/// Whether a person is asked exactly this (A3). While the proposal is being made again, only one that was made because
/// the file changed (`anew`) may take its place: the proposal under way would undo a person's change.
fn asks(open: &WriteSession, digest: Sha256, anew: bool) -> bool {
    let open_to_it = match open.state() {
        WriteState::AwaitingApproval => true,
        WriteState::Finalizing => anew,
        _ => false,
    };
    open_to_it && open.proposal().is_some_and(|(proposal, _)| proposal.digest == digest)
}
