//! Everything that reaches a running turn except for its model's response: results of tools, proposals and writes,
//! commands from outside, and the news that nobody reads the turn any more.

use orion_core::signature::digest;
use orion_core::tool::{Seen, ToolOutcome};
use orion_core::turn::{Done, Input, JobId, Progress, Proposed, Verdict, WriteOutcome, WriteSession};
use orion_protocol::{
    BatchId, CallId, CheckRun, CheckStatus, Code, ErrorInfo, ProposalCause, Sha256, TurnEvent, WriteState,
};
use orion_store::{Record, StoreError};
use tokio::sync::oneshot;

use super::equipment::{Command, OpenWrite};
use super::glances::{LookBroke, Looked};
use super::jobs::{Ended, JobEvent, Key, Kind, Ran};
use super::recorded;
use super::task::Driver;
use crate::proposals::{Made, Wrote};
use crate::runner::failed;
use crate::tools::{Compared, Shows};

impl Driver {
    /// Something happened among the jobs.
    pub(super) async fn job(&mut self, event: JobEvent) -> Result<(), StoreError> {
        let (job, kind, ended) = match event {
            JobEvent::Asks(job, number, questions) => {
                return self.progress(job, Progress::Asks { number, questions }).await;
            }
            JobEvent::Withdraws(job, number) => {
                return self.progress(job, Progress::Withdraws { number }).await;
            }
            // What is only shown is no input.
            JobEvent::Shows(tool_call_id, Shows { offset, text }) => {
                return self.show_aside(TurnEvent::ToolOutput { tool_call_id, offset, text }).await;
            }
            JobEvent::CheckShows(name, Shows { offset, text }) => {
                return self.show_aside(TurnEvent::CheckOutput { name, offset, text }).await;
            }
            JobEvent::Ended(Key::Job(job), kind, ended) => (job, kind, *ended),
            JobEvent::Ended(Key::Look, _, ended) => match *ended {
                Ended::Looked(looked) => return self.looked_again(looked).await,
                _ => return Ok(()),
            },
        };
        match (ended, kind) {
            (Ended::Tool(ran), Kind::Tool { batch, call_id, .. }) => {
                self.tool_ended(job, batch, call_id, ran).await
            }
            (Ended::Prepared(prepared), _) => {
                self.feed(Input::Done { job, done: Done::Prepared { prepared } }).await
            }
            // A file was compared with an earlier result (X6).
            (Ended::Compared(Compared { same, seen }, glances), _) => {
                self.glances.note(glances);
                self.feed(Input::Done { job, done: Done::Compared { same, seen } }).await
            }
            (Ended::Facts(facts), _) => self.feed(Input::Done { job, done: Done::Facts { facts } }).await,
            (Ended::Checked(run), _) => self.feed(Input::Done { job, done: Done::Checked { run } }).await,
            (Ended::Proposed(made), _) => {
                let outcome = self.made(made?)?;
                self.feed(Input::Done { job, done: Done::Proposed { outcome } }).await
            }
            (Ended::Wrote(wrote), Kind::Write { write }) => match wrote? {
                Some(Wrote { outcome, left }) => {
                    self.untidy = left.then_some(write);
                    self.feed(Input::Done { job, done: Done::Wrote { outcome } }).await
                }
                // The stop comes next.
                None => Ok(()),
            },
            (Ended::Tool(_) | Ended::Wrote(_) | Ended::Looked(_), _) => Ok(()),
        }
    }

    async fn progress(&mut self, job: JobId, progress: Progress) -> Result<(), StoreError> {
        self.feed(Input::Progress { job, progress }).await?;
        self.commit().await
    }

    async fn tool_ended(
        &mut self,
        job: JobId,
        batch: BatchId,
        call_id: CallId,
        ran: Ran,
    ) -> Result<(), StoreError> {
        let Ran { outcome, duration_ms, glances } = ran;
        self.glances.note(glances);
        let at_ms = self.clock.now_ms();
        let (records, input) = recorded::tool_ended(at_ms, (job, batch), call_id, outcome, duration_ms)?;
        let effects = self.turn.step(at_ms, input);
        for record in records {
            self.pending.record(record)?;
        }
        self.act(effects).await
    }

    /// A call that already ran may run again if what it read has changed (D3). After this look the machine gets the
    /// model's response, which waited for it.
    async fn looked_again(&mut self, looked: Result<Looked, LookBroke>) -> Result<(), StoreError> {
        let changes = self.glances.looked(looked);
        if !changes.is_empty() && self.turn.minds(&changes) {
            self.feed(Input::Changed { changes }).await?;
        }
        match self.held.take() {
            Some(held) => self.stream(Some(held)).await,
            None => Ok(()),
        }
    }

    /// Keeps a proposal that was made.
    fn made(&mut self, Made { outcome, stored }: Made) -> Result<Proposed, StoreError> {
        if let Some(stored) = stored {
            self.pending.record(Record::WriteProposed(stored))?;
        }
        Ok(outcome)
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
                    let outcome = self.made(*made)?;
                    self.feed(Input::Revised { write, outcome }).await?;
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
        self.jobs.find(is_write).is_some() && self.turn.write_session().is_some_and(WriteSession::is_writing)
    }

    /// The turn has to stop, and something of it has not ended in time.
    pub(super) async fn give_up(&mut self) -> Result<(), StoreError> {
        match self.jobs.ending() {
            Some(job) => self.give_up_command(job).await,
            None => self.give_up_write().await,
        }
    }

    /// It is dropped, which ends what it started; it is not known what it did.
    async fn give_up_command(&mut self, job: JobId) -> Result<(), StoreError> {
        let (batch, call_id) = match self.jobs.cancel(Key::Job(job)) {
            Some(Kind::Tool { batch, call_id, .. }) => (batch, call_id),
            Some(Kind::Check { name }) => {
                let run = Box::new(without_outcome(name));
                return self.feed(Input::Done { job, done: Done::Checked { run } }).await;
            }
            _ => return Ok(()),
        };
        let error = ErrorInfo::new(
            Code::Stopped,
            "The command was stopped, and its outcome did not come in time: what it did is not known.",
            "Look at what it would have changed, or ask the user.",
        );
        let outcome = ToolOutcome { changed: vec![Seen::Tree(String::new())], ..failed(error, Vec::new()) };
        self.tool_ended(job, batch, call_id, Ran { outcome, duration_ms: 0, glances: Vec::new() }).await
    }

    /// The disk has not answered. The next start finds out how the write ended.
    async fn give_up_write(&mut self) -> Result<(), StoreError> {
        let job = self.jobs.find(is_write).filter(|_| self.writes());
        self.jobs.cancel_all(is_write);
        match job {
            Some(job) if self.equipment.stop.is_cancelled() => {
                let error = ErrorInfo::new(
                    Code::WriteUnknown,
                    "The disk does not answer, so it is not known whether the file was written.",
                    "Look at the file once the disk answers again.",
                );
                let outcome = WriteOutcome::Unknown { error };
                self.feed(Input::Done { job, done: Done::Wrote { outcome } }).await
            }
            // It stays under way: the program ends.
            _ => Ok(()),
        }
    }
}

/// A check that was told to end, and whose outcome did not come in time.
fn without_outcome(name: String) -> CheckRun {
    CheckRun {
        name,
        status: CheckStatus::Stopped,
        skipped: None,
        script_sha256: digest(""),
        excerpt: String::new(),
        command: None,
    }
}

fn is_write(kind: &Kind) -> bool {
    matches!(kind, Kind::Write { .. })
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
