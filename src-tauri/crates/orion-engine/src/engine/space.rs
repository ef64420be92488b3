//! The disk space that sessions use.

use std::cmp::Reverse;
use std::collections::HashMap;

use orion_protocol::{ErrorInfo, ProjectSpace, SessionId, Space};

use super::Engine;

impl Engine {
    pub(super) async fn space(&self) -> Result<Space, ErrorInfo> {
        let store = &self.shared.store;
        let bytes_of = store.bytes_of_projects().await?;
        let mut projects: Vec<ProjectSpace> =
            bytes_of.into_iter().map(|(project_id, bytes)| ProjectSpace { project_id, bytes }).collect();
        projects.sort_by_key(|space| (Reverse(space.bytes), space.project_id.to_string()));
        Ok(Space { projects, bytes: store.bytes_on_disk().await? })
    }

    /// The bytes that each session takes. Sessions without a turn are left out.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn bytes_of_sessions(&self) -> Result<HashMap<SessionId, u64>, ErrorInfo> {
        Ok(self.shared.store.bytes_of_sessions().await?)
    }
}
