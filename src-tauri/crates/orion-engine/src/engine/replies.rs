//! Replies to what a turn waits for, whether it runs in this process, in another one, or in one that has ended (A3,
//! A7).
//!
//! The machine decides what becomes of a reply. The caller is told only after that decision is on the disk.
//! Deliberately not here: the changes that a person makes to a write (`writes`).

use orion_core::turn::Supplied;
use orion_protocol::{
    ApprovalId, Code, ErrorInfo, Outcome, Pending, PendingOf, Reply, RequestId, SessionId, Sha256,
};
use orion_store::StoreError;

use super::handle::TurnHandle;
use super::resuming::Purpose;
use super::running::{Running, not_waiting, stale};
use super::{Engine, limits};
use crate::driver::{self, Command, Rebuilt};

impl Engine {
    /// Gives a turn a person's reply to what it waits for, wherever that was asked (A3, A7).
    pub(super) async fn reply(
        &self,
        request_id: RequestId,
        digest: Sha256,
        reply: Reply,
    ) -> Result<Outcome, ErrorInfo> {
        let reply = limits::reply(reply)?;
        let running = match self.to_answer(request_id, Purpose::Answer).await {
            // T8: a no needs no machine.
            Err(error) if error.code == Code::OtherVersion && reply.refuses() => {
                return self.end_without_machine(request_id, Some((digest, reply))).await;
            }
            reached => reached?,
        };
        let replied = match self.supplied(&running, digest, &reply).await {
            Ok(supplied) => running.answer(|told| Command::Replied { digest, reply, supplied, told }).await,
            Err(error) => Err(error),
        };
        if replied.is_err() {
            running.unanswered().await;
        }
        replied
    }

    /// The part of the reply that Orion adds. The machine looks at everything else.
    async fn supplied(
        &self,
        running: &Running,
        digest: Sha256,
        reply: &Reply,
    ) -> Result<Supplied, ErrorInfo> {
        let Some(Pending { of, .. }) = running.pending().await.filter(|open| open.digest == digest) else {
            // The machine says why. Where it came to be asked just now, nobody has seen it.
            running.answer(|told| Command::Judge { digest, told }).await?;
            return Err(stale());
        };
        match (of, reply) {
            // A3: the schema is checked here.
            (PendingOf::Call { name, .. }, Reply::AllowEdited { arguments }) => {
                running.tools.check(&name, arguments)?;
                Ok(Supplied::Nothing)
            }
            (PendingOf::Write { .. }, Reply::Allow { keep: None }) => {
                self.approved(running, digest, None, false).await
            }
            (PendingOf::Write { .. }, Reply::Write { hunks, despite_faults }) => {
                self.approved(running, digest, hunks.clone(), *despite_faults).await
            }
            (_, Reply::Allow { keep: Some(_) } | Reply::AllowWords { .. }) => {
                Ok(Supplied::Approval { approval_id: ApprovalId(orion_store::new_id()) })
            }
            _ => Ok(Supplied::Nothing),
        }
    }

    /// The turn that a person wants to answer, or whose proposal they want to change.
    ///
    /// # Errors
    /// `not_waiting` when it has ended, or another process was answered first (A7).
    pub(super) async fn to_answer(
        &self,
        request_id: RequestId,
        purpose: Purpose,
    ) -> Result<Running, ErrorInfo> {
        match self.reach(request_id, purpose).await {
            Ok(running) => Ok(running),
            Err(error) => Err(self.unanswerable(request_id, error).await),
        }
    }

    /// Why a turn cannot be answered from here.
    async fn unanswerable(&self, request_id: RequestId, error: ErrorInfo) -> ErrorInfo {
        match error.code {
            Code::TurnOver => not_waiting(),
            Code::TurnActive => match self.answered_elsewhere(request_id).await {
                Ok(true) => not_waiting(),
                Ok(false) => ErrorInfo::new(
                    Code::TurnActive,
                    "This turn is open in another Orion.",
                    "Answer it there, or close that one first.",
                ),
                Err(error) => error,
            },
            _ => error,
        }
    }

    /// Whether the turn was answered first by the process that has it. A process that took the turn over to answer it
    /// has recorded that.
    async fn answered_elsewhere(&self, request_id: RequestId) -> Result<bool, ErrorInfo> {
        let Rebuilt { turn, .. } = driver::rebuild(&self.shared.store, request_id).await?;
        match turn.pending() {
            None => Ok(true),
            Some(_) => Ok(!self.shared.store.waits(request_id).await?),
        }
    }

    /// Why a session takes no message: what its turn waits for, or else that the turn runs.
    pub(super) async fn occupied(&self, session_id: SessionId) -> ErrorInfo {
        let runs = ErrorInfo::from(StoreError::TurnActive(session_id));
        let Ok(Some(request_id)) = self.shared.store.open_turn(session_id).await else { return runs };
        let (turn, ids) = match driver::rebuild(&self.shared.store, request_id).await {
            Ok(Rebuilt { turn, setup, .. }) => (turn, setup.ids),
            Err(error) if error.code == Code::OtherVersion => {
                return self.occupied_by_other_version(request_id).await.unwrap_or(runs);
            }
            Err(_) => return runs,
        };
        let Some(pending) = turn.pending() else { return runs };
        let message = pending.of.in_session();
        ErrorInfo::new(Code::TurnWaiting, message, "Answer that first, or stop the turn.").of_turn(ids)
    }

    /// T8: what a turn of another version asks can be refused, though not approved. None where it waits for nobody.
    async fn occupied_by_other_version(&self, request_id: RequestId) -> Option<ErrorInfo> {
        if !self.shared.store.waits(request_id).await.ok()? {
            return None;
        }
        let ids = self.shared.store.turn_ids(request_id).await.ok()?;
        let message = "This session waits for you, in a turn that another version of Orion wrote.";
        Some(
            ErrorInfo::new(Code::TurnWaiting, message, "Reject what it asks, or stop the turn.").of_turn(ids),
        )
    }

    /// [`Engine::resume_turn`] for a caller who has an answer to what the turn waits for.
    ///
    /// # Errors
    /// `not_waiting` when it has ended, or another process was answered first (A7).
    pub async fn resume_to_answer(
        &self,
        request_id: RequestId,
        endpoint: Option<String>,
    ) -> Result<TurnHandle, ErrorInfo> {
        match self.resume(request_id, endpoint, Purpose::Answer).await {
            Ok(turn) => Ok(turn),
            Err(error) => Err(self.unanswerable(request_id, error).await),
        }
    }
}
