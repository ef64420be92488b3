//! Answers to what a turn waits for, whether it runs in this process, in another one, or in one that has ended (A3,
//! A7).
//!
//! The machine decides what becomes of an answer. The caller is told only after that decision is on the disk.
//! Deliberately not here: the changes that a person makes to a write (`writes`).

use orion_core::turn::{self, Keep, Waiting};
use orion_protocol::{
    ApprovalAnswer, ApprovalId, Code, ErrorInfo, RepeatsChoice, Reply, RequestId, SessionId, Sha256,
};
use orion_store::StoreError;

use super::handle::TurnHandle;
use super::resuming::Purpose;
use super::running::{Running, not_waiting};
use super::{Engine, limits};
use crate::driver::{self, Command, Rebuilt, Refusal};

impl Engine {
    pub(super) async fn approve(
        &self,
        request_id: RequestId,
        digest: Sha256,
        granted: bool,
    ) -> Result<Reply, ErrorInfo> {
        let running = match self.to_answer(request_id, Purpose::Answer).await {
            Err(error) if error.code == Code::OtherVersion && !granted => {
                return self.end_without_machine(request_id, Some(Refusal::Approval(digest))).await;
            }
            reached => reached?,
        };
        if granted && running.write().await.is_some() {
            return self.approve_write(request_id, digest, None, false).await;
        }
        running.answer(|told| Command::Approval { digest, granted, told }).await
    }

    pub(super) async fn choose_repeats(
        &self,
        request_id: RequestId,
        digest: Sha256,
        choice: RepeatsChoice,
    ) -> Result<Reply, ErrorInfo> {
        let running = match self.to_answer(request_id, Purpose::Answer).await {
            Err(error) if error.code == Code::OtherVersion && choice == RepeatsChoice::Discard => {
                return self.end_without_machine(request_id, Some(Refusal::Approval(digest))).await;
            }
            reached => reached?,
        };
        running.answer(|told| Command::RepeatsChosen { digest, choice, told }).await
    }

    /// A person's answer: a plain yes or no, or one that says why, that is kept, or that changes the call (A1, A3, A6).
    pub(super) async fn answer(
        &self,
        request_id: RequestId,
        digest: Sha256,
        answer: ApprovalAnswer,
    ) -> Result<Reply, ErrorInfo> {
        let answer = match answer {
            ApprovalAnswer::Allow { keep: None, arguments: None } => {
                return self.approve(request_id, digest, true).await;
            }
            ApprovalAnswer::Reject { reason: None, stop: false } => {
                return self.approve(request_id, digest, false).await;
            }
            ApprovalAnswer::Allow { keep, arguments } => {
                let keep =
                    keep.map(|kept_for| Keep { approval_id: ApprovalId(orion_store::new_id()), kept_for });
                turn::Answer::Allowed { keep, arguments }
            }
            ApprovalAnswer::Reject { reason, stop } => {
                turn::Answer::Rejected { reason: reason.map(limits::reason).transpose()?, stops: stop }
            }
        };
        let rejects = matches!(answer, turn::Answer::Rejected { .. });
        let running = match self.to_answer(request_id, Purpose::Answer).await {
            Err(error) if error.code == Code::OtherVersion && rejects => {
                return self.end_without_machine(request_id, Some(Refusal::Approval(digest))).await;
            }
            reached => reached?,
        };
        let answered = self.answer_in(&running, digest, answer).await;
        if answered.is_err() {
            running.unanswered().await;
        }
        answered
    }

    async fn answer_in(
        &self,
        running: &Running,
        digest: Sha256,
        answer: turn::Answer,
    ) -> Result<Reply, ErrorInfo> {
        // A3: the schema is checked here, everything else by the machine.
        if let turn::Answer::Allowed { arguments: Some(arguments), .. } = &answer
            && let Some((asked, tool)) = running.asked_call().await
            && asked == digest
        {
            limits::arguments(arguments)?;
            self.shared.runner.check(&tool, arguments)?;
        }
        running.answer(|told| Command::Answered { digest, answer, told }).await
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
        match turn.waiting() {
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
        let message = match turn.waiting() {
            Some(Waiting::Call { name, .. }) => {
                format!("This session waits for you: it asks whether {name} may run.")
            }
            Some(Waiting::Write { path, .. }) => {
                format!("This session waits for you: it asks about a write of {path}.")
            }
            Some(Waiting::Repeats { path, .. }) => {
                format!(
                    "This session waits for you: it asks what becomes of {path}, whose content only repeats itself."
                )
            }
            Some(Waiting::Questions { .. }) => {
                "This session waits for you: the model asks you something.".to_owned()
            }
            Some(Waiting::Pause { .. }) => {
                "This session is paused: it waits for you to resume it.".to_owned()
            }
            None => return runs,
        };
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
