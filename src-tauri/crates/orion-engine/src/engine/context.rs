//! What fills the model's room in a session (X2, X3).

use orion_core::turn::Turn;
use orion_protocol::{ContextEdit, ContextView, ErrorInfo, Outcome, SessionId, TurnOptions};

use super::setup::Next;
use super::{Engine, limits};
use crate::driver::{Clock, keep_edits, kept_edits, would_follow};

impl Engine {
    /// What the next message of a session would be sent with, and what it would cut; while a turn of it runs here, what that turn is sent. Nothing
    /// is sent or changed.
    ///
    /// # Errors
    /// Those of a turn that cannot begin: no endpoint, a folder that is gone, an unknown session.
    pub(super) async fn context_view(
        &self,
        session_id: SessionId,
        options: &TurnOptions,
    ) -> Result<ContextView, ErrorInfo> {
        let edits = kept_edits(self.shared.store.edits(session_id).await?.as_deref());
        if let Some(running) = self.shared.turns.of_session(session_id).first()
            && let Some(filled) = running.filled().await
        {
            return Ok(ContextView { edits, ..filled });
        }
        // X1: one whose process died is followed as an interrupted one.
        self.find_interrupted().await?;
        let at_ms = Clock::start().now_ms();
        let Next { setup, .. } = self.next(session_id, String::new(), options, at_ms).await?;
        let setup = would_follow(&self.shared.store, session_id, &setup).await?;
        Ok(ContextView { edits, ..Turn::outlook(setup) })
    }

    /// Keeps what the next message of a session takes out of its conversation or pins (X3).
    pub(super) async fn edit_context(
        &self,
        session_id: SessionId,
        edits: &[ContextEdit],
    ) -> Result<Outcome, ErrorInfo> {
        let edits = limits::edits(edits)?;
        self.shared.store.keep_edits(session_id, keep_edits(&edits)?).await?;
        Ok(Outcome::Done)
    }
}
