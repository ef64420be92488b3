//! What a model is told beside Orion's own words, for a person to see and to change.

use orion_protocol::{ErrorInfo, Instructions, OWN_INSTRUCTIONS_BYTES, Outcome, ProjectId};

use super::{Engine, blocking};
use crate::own::OwnFiles;

impl Engine {
    pub(super) async fn instructions(
        &self,
        project_id: Option<ProjectId>,
    ) -> Result<Instructions, ErrorInfo> {
        let files = self.own_files(project_id);
        let own = blocking(move || Ok(files.read())).await?;
        let (agents, in_force) = match project_id {
            Some(project_id) => {
                let context = self.read_context(self.shared.store.project(project_id).await?).await?;
                (context.instructions, context.in_force)
            }
            None => (String::new(), self.config().without_project()),
        };
        Ok(Instructions {
            agents,
            agents_bytes: in_force.values.instructions_bytes(),
            everywhere: own.everywhere,
            here: own.here,
            own_bytes: u32::try_from(OWN_INSTRUCTIONS_BYTES).unwrap_or(u32::MAX),
        })
    }

    pub(super) async fn save_instructions(
        &self,
        project_id: Option<ProjectId>,
        text: String,
    ) -> Result<Outcome, ErrorInfo> {
        if let Some(project_id) = project_id {
            self.shared.store.project(project_id).await?;
        }
        let files = self.own_files(project_id);
        blocking(move || files.save(&text)).await?;
        Ok(Outcome::Done)
    }

    pub(super) async fn forget_instructions(&self, project_id: ProjectId) -> Result<(), ErrorInfo> {
        let files = self.own_files(Some(project_id));
        blocking(move || files.forget()).await
    }

    pub(super) fn own_files(&self, project_id: Option<ProjectId>) -> OwnFiles {
        OwnFiles::of(&self.shared.options.paths, project_id)
    }
}
