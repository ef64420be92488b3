//! The home that commands of a project have in the place of the person's, for a person to see and to clear (C2).

use orion_protocol::{Code, CommandHome, ErrorInfo, Outcome, ProjectId};

use super::{Engine, Shared, blocking};
use crate::commands::{Homes, clear_home, forget_home, home_bytes};

impl Engine {
    pub(super) async fn command_home(&self, project_id: ProjectId) -> Result<CommandHome, ErrorInfo> {
        let project = self.shared.store.project(project_id).await?;
        let home = Homes::of(&self.shared.options.paths).at(&project.path);
        blocking(move || Ok(CommandHome { path: home.display().to_string(), bytes: home_bytes(&home) })).await
    }

    /// Removes what commands have put into their home.
    ///
    /// # Errors
    /// `turn_active` while a turn of the project is at work, in whichever process; `write_failed` where something stays.
    pub(super) async fn clear_command_home(&self, project_id: ProjectId) -> Result<Outcome, ErrorInfo> {
        let project = self.shared.store.project(project_id).await?;
        self.refuse_at_work(project_id, "a command of it may use this home").await?;
        let home = Homes::of(&self.shared.options.paths).at(&project.path);
        let closing = self.shared.closing.child_token();
        blocking(move || clear_home(&home, closing)).await?;
        Ok(Outcome::Done)
    }

    /// Refuses while a turn of the project is at work, in whichever process.
    ///
    /// # Errors
    /// `turn_active`.
    pub(super) async fn refuse_at_work(&self, project_id: ProjectId, why: &str) -> Result<(), ErrorInfo> {
        self.find_interrupted().await?;
        let Some(session_id) = self.shared.store.at_work(project_id).await? else { return Ok(()) };
        let mut refused = ErrorInfo::new(
            Code::TurnActive,
            format!("A turn of this project is at work, and {why}."),
            "Wait for its end or stop it, then try again.",
        );
        (refused.session_id, refused.project_id) = (Some(session_id), Some(project_id));
        Err(refused)
    }
}

/// Removes the home of a project that leaves. Nothing hangs on it: what stays is logged.
pub(super) async fn leave_home(shared: &Shared, project: &str) {
    let home = Homes::of(&shared.options.paths).at(project);
    let closing = shared.closing.child_token();
    if let Err(error) = blocking(move || forget_home(&home, closing)).await {
        tracing::warn!(%error, "the home of commands of a project stays");
    }
}
