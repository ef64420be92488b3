//! Imported sessions are read-only: nothing is sent in them, answered, resumed or undone.

use orion_protocol::{Change, ErrorInfo, Op, SessionId, Touched};
use orion_store::StoreError;

use super::Engine;

impl Engine {
    /// # Errors
    /// `session_read_only` for an operation that would change an imported session. It can be renamed, exported and deleted.
    pub(super) async fn refuse_imported(&self, op: &Op) -> Result<(), ErrorInfo> {
        let declared = op.declared();
        if declared.change != Change::Continues {
            return Ok(());
        }
        let session_id = match declared.touches {
            Touched::Session(session_id) => session_id,
            // A turn that runs here is of no such session. A4: its stop does not wait for a database that hangs.
            Touched::Turn(request_id) if self.shared.turns.get(request_id).is_some() => return Ok(()),
            // What is not there is refused by the operation itself.
            Touched::Turn(request_id) => match self.shared.store.turn_ids(request_id).await {
                Ok(ids) => ids.session_id,
                Err(_) => return Ok(()),
            },
            // No message waits in an imported session, and the rest is in none.
            _ => return Ok(()),
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
