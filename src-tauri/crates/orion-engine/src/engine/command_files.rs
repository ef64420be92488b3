//! The files that a command made and that can run code later (C2).

use orion_files::later;
use orion_protocol::{CallId, Code, ErrorInfo, Outcome, RequestId, RunsLater, TurnEvent};

use super::{Engine, blocking};

impl Engine {
    /// Removes such a file. The journal says which ones there are, so that nothing else can be removed.
    ///
    /// # Errors
    /// `turn_unknown`, `turn_active` while a turn of the project is at work, `usage` where the command made no such file, and those of [`later::remove`].
    pub(super) async fn remove_new(
        &self,
        request_id: RequestId,
        call: &CallId,
        path: String,
    ) -> Result<Outcome, ErrorInfo> {
        let store = &self.shared.store;
        let ids = store.turn_ids(request_id).await?;
        let made = |file: RunsLater| (file.path == path).then_some(file.sha256).flatten();
        let digest =
            store.turn_envelopes(request_id, 0).await?.into_iter().rev().find_map(|envelope| match envelope
                .event
            {
                TurnEvent::ToolResult { tool_call_id, command: Some(command), .. }
                    if tool_call_id == *call =>
                {
                    command.runs_later.into_iter().find_map(made)
                }
                _ => None,
            });
        let digest = digest.ok_or_else(|| {
            ErrorInfo::new(
                Code::Usage,
                format!("The command made no file {path} that can be removed."),
                "Remove it yourself if it should not be there.",
            )
        })?;
        self.refuse_at_work(ids.project_id, "it may use this file").await?;
        let folder = self.folder(ids.project_id).await?;
        blocking(move || later::remove(&folder, &path, digest)).await?;
        Ok(Outcome::Done)
    }
}
