//! Approvals that a person keeps: reading them for a turn, listing them, taking them back (A1).
//!
//! They are kept with the answer that keeps them (`driver/acting`). Deliberately not here: what they allow (`orion-core`).

use orion_core::permission::{Kept, Pattern, RUN_COMMAND, exact_line};
use orion_protocol::{ApprovalId, ErrorInfo, KeptApproval, Outcome, ProjectId, SessionId};

use super::Engine;
use crate::driver::Command;

impl Engine {
    /// What a turn of this session may rely on, in the folder that its project has now.
    pub(super) async fn kept_approvals(
        &self,
        project_id: ProjectId,
        session_id: SessionId,
        identity: Option<&str>,
    ) -> Result<Vec<Kept>, ErrorInfo> {
        let Some(folder) = identity else { return Ok(Vec::new()) };
        let rules = self.shared.store.approvals_in(project_id, session_id, folder).await?;
        // What this version cannot read allows nothing.
        let kept = rules.into_iter().filter_map(|rule| {
            let pattern = Pattern::try_from(rule.pattern).ok()?;
            Some(Kept { approval_id: rule.approval_id, tool: rule.tool, pattern })
        });
        Ok(kept.collect())
    }

    /// All approvals that are kept.
    pub(super) async fn approvals(&self) -> Result<Vec<KeptApproval>, ErrorInfo> {
        let mut approvals = self.shared.store.approvals().await?;
        for KeptApproval { rule, line, .. } in &mut approvals {
            *line = (rule.tool == RUN_COMMAND).then(|| exact_line(&rule.pattern)).flatten();
        }
        Ok(approvals)
    }

    /// Takes an approval back, also from the turns that run here. A turn of another process has it until it ends.
    pub(super) async fn revoke_approval(&self, approval_id: ApprovalId) -> Result<Outcome, ErrorInfo> {
        let project_id = self.shared.store.revoke(approval_id).await?;
        for turn in self.shared.turns.of_project(project_id) {
            // A turn that has ended relies on nothing.
            let _ = turn.commands.send(Command::Revoked(approval_id)).await;
        }
        Ok(Outcome::Done)
    }
}
