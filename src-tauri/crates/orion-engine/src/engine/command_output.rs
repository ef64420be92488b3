//! The kept output of a command, for a person to read (C4, A5).

use orion_protocol::{CallId, CommandOutput, ErrorInfo, RequestId, SessionId};

use super::{Engine, blocking};
use crate::commands::{Kept, Text, of_session, outputs, place};

impl Engine {
    /// The output of a command of this turn, as far as it is kept; none where it is not kept any more. It may still run.
    ///
    /// # Errors
    /// `turn_unknown`.
    pub(super) async fn command_output(
        &self,
        request_id: RequestId,
        call: &CallId,
    ) -> Result<Option<CommandOutput>, ErrorInfo> {
        let ids = self.shared.store.turn_ids(request_id).await?;
        let at = place(&outputs(&self.shared.options.paths), ids.session_id, request_id, call);
        let redactor = self.shared.options.keys.redactor().clone();
        blocking(move || {
            let Ok(Some(kept)) = Kept::read(&at) else { return Ok(None) };
            let (start, left_out, end) = Text::of(&kept).parts();
            let text = |text: String| redactor.redact(&text).into_owned();
            Ok(Some(CommandOutput { start: text(start), left_out, end: text(end) }))
        })
        .await
    }

    /// Removes the outputs of a session that leaves.
    pub(super) async fn forget_outputs(&self, session_id: SessionId) {
        let folder = of_session(&outputs(&self.shared.options.paths), session_id);
        let removed = blocking(move || Ok(std::fs::remove_dir_all(folder))).await;
        if let Ok(Err(error)) = removed
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "the outputs of a session could not be removed");
        }
    }
}
