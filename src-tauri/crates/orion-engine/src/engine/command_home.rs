//! The home that commands of a project have in the place of the person's, for a person to see and to clear (C2).

use orion_protocol::{Code, CommandHome, ErrorInfo, Outcome, ProjectId};

use super::{Engine, blocking};
use crate::commands::{Homes, clear_home, home_bytes};

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
        let store = &self.shared.store;
        let project = store.project(project_id).await?;
        self.find_interrupted().await?;
        if let Some(session_id) = store.at_work(project_id).await? {
            let mut refused = ErrorInfo::new(
                Code::TurnActive,
                "A turn of this project is at work, and a command of it may use this home.",
                "Wait for its end or stop it, then clear the home.",
            );
            (refused.session_id, refused.project_id) = (Some(session_id), Some(project_id));
            return Err(refused);
        }
        let home = Homes::of(&self.shared.options.paths).at(&project.path);
        let closing = self.shared.closing.child_token();
        blocking(move || clear_home(&home, closing)).await?;
        Ok(Outcome::Done)
    }
}
