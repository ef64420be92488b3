//! What fills the model's room in a session (X2, X3).

use orion_core::turn::Turn;
use orion_protocol::{ContextView, ErrorInfo, SessionId, TurnOptions};

use super::Engine;
use super::turns::Next;
use crate::driver::{Clock, would_follow};

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
        if let Some(running) = self.shared.turns.of_session(session_id).first()
            && let Some(filled) = running.filled().await
        {
            return Ok(filled);
        }
        let at_ms = Clock::start().now_ms();
        let Next { setup, .. } = self.next(session_id, String::new(), options, at_ms).await?;
        let setup = would_follow(&self.shared.store, session_id, &setup).await?;
        Ok(Turn::outlook(setup))
    }
}
