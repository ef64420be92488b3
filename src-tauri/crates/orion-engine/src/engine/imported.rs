//! Imported sessions are read-only: nothing is sent in them, answered, resumed or undone.

use orion_protocol::{ChangesOf, ErrorInfo, Op, RequestId, SessionId};
use orion_store::StoreError;

use super::Engine;

/// What an operation would change.
enum Touched {
    Nothing,
    Session(SessionId),
    Turn(RequestId),
}

impl Engine {
    /// # Errors
    /// `session_read_only` for an operation that would change an imported session. It can be renamed, exported and deleted.
    pub(super) async fn refuse_imported(&self, op: &Op) -> Result<(), ErrorInfo> {
        let session_id = match touched(op) {
            Touched::Nothing => return Ok(()),
            Touched::Session(session_id) => session_id,
            // A turn that runs here is of no such session. A4: its stop does not wait for a database that hangs.
            Touched::Turn(request_id) if self.shared.turns.get(request_id).is_some() => return Ok(()),
            // What is not there is refused by the operation itself.
            Touched::Turn(request_id) => match self.shared.store.turn_ids(request_id).await {
                Ok(ids) => ids.session_id,
                Err(_) => return Ok(()),
            },
        };
        self.writable(session_id).await
    }

    /// # Errors
    /// `session_read_only`.
    pub(super) async fn writable(&self, session_id: SessionId) -> Result<(), ErrorInfo> {
        match self.shared.store.session(session_id).await {
            Ok(session) if session.imported => Err(StoreError::SessionImported(session_id).into()),
            _ => Ok(()),
        }
    }
}

fn touched(op: &Op) -> Touched {
    match op {
        Op::OpenProject { .. }
        | Op::OpenSample
        | Op::ForgetProject { .. }
        | Op::NewSession { .. }
        | Op::RenameSession { .. }
        | Op::DeleteSession { .. }
        | Op::SaveDraft { .. }
        | Op::AttachFile { .. }
        | Op::AttachDropped { .. }
        | Op::Paste
        | Op::RemoveAttachment { .. }
        | Op::PinSession { .. }
        | Op::ArchiveSession { .. }
        | Op::RevokeApproval { .. }
        | Op::RemoveCopy { .. }
        // No message waits in an imported session.
        | Op::EditQueued { .. }
        | Op::MoveQueued { .. }
        | Op::RemoveQueued { .. }
        | Op::SendQueued { .. }
        | Op::Export { .. }
        | Op::Import { .. }
        | Op::OpenExternal { .. }
        | Op::SaveEndpoint { .. }
        | Op::AcceptFinishReason { .. }
        | Op::RemoveEndpoint { .. }
        | Op::SaveSettings { .. }
        | Op::ResetSettings { .. }
        | Op::SaveModel { .. }
        | Op::ForgetLearned { .. }
        | Op::ForgetFinishReason { .. }
        | Op::SaveInstructions { .. }
        | Op::SaveTool { .. }
        | Op::SaveCheck { .. }
        | Op::RemoveCheck { .. }
        | Op::RunChecks { .. }
        | Op::StopChecks { .. }
        | Op::OfferedChecks { .. }
        | Op::ClearCommandHome { .. } => Touched::Nothing,
        Op::StartTurn { session_id, .. }
        | Op::QueueMessage { session_id, .. }
        | Op::ReleaseQueue { session_id }
        | Op::TakeQueue { session_id }
        | Op::EditContext { session_id, .. }
        | Op::Compact { session_id, .. }
        | Op::UndoChanges { of: ChangesOf::Session { session_id }, .. } => Touched::Session(*session_id),
        Op::Fork { request_id, .. }
        | Op::Compare { request_id, .. }
        | Op::SwitchBranch { request_id }
        | Op::Steer { request_id, .. }
        | Op::UndoCompaction { request_id }
        | Op::EditEntry { request_id, .. }
        | Op::StopTurn { request_id }
        | Op::PauseTurn { request_id, .. }
        | Op::RetryNow { request_id }
        | Op::Reply { request_id, .. }
        | Op::ReviseWrite { request_id, .. }
        | Op::UndoWrite { request_id, .. }
        | Op::RemoveNew { request_id, .. }
        | Op::UndoChanges {
            of: ChangesOf::Turn { request_id } | ChangesOf::Command { request_id, .. }, ..
        }
        | Op::Rewind { request_id, .. }
        | Op::UndoRewind { request_id }
        | Op::ResumeTurn { request_id } => Touched::Turn(*request_id),
    }
}
