//! Conversations: new ones, their titles, their end.

use orion_protocol::{Code, ErrorInfo, ProjectId, Reply, SessionId, Update};

use super::{Engine, limits};
use crate::driver::Clock;

impl Engine {
    pub(super) async fn new_session(&self, project_id: ProjectId) -> Result<Reply, ErrorInfo> {
        let session = self.shared.store.new_session(project_id, Clock::start().now_ms()).await?;
        self.tell(Update::Session { session: session.clone() });
        Ok(Reply::Session { session })
    }

    pub(super) async fn rename_session(
        &self,
        session_id: SessionId,
        title: &str,
    ) -> Result<Reply, ErrorInfo> {
        let title = limits::title(title);
        if title.is_empty() {
            return Err(ErrorInfo::new(Code::Usage, "The title is empty.", "Write a title."));
        }
        let session = self.shared.store.rename_session(session_id, &title).await?;
        self.tell(Update::Session { session: session.clone() });
        Ok(Reply::Session { session })
    }

    pub(super) async fn delete_session(&self, session_id: SessionId) -> Result<Reply, ErrorInfo> {
        for turn in self.shared.turns.of_session(session_id) {
            turn.stop().await;
        }
        self.shared.store.delete_session(session_id).await?;
        self.tell(Update::SessionDeleted { session_id });
        Ok(Reply::Done)
    }
}
