//! Going from one branch of a session to another (T9). No journal is changed.

use orion_protocol::{ErrorInfo, Outcome, RequestId, Update};
use orion_store::StoreError;

use super::Engine;

impl Engine {
    pub(super) async fn switch_branch(&self, request_id: RequestId) -> Result<Outcome, ErrorInfo> {
        // One whose process died keeps nobody from it.
        self.find_interrupted().await?;
        match self.shared.store.switch_branch(request_id).await {
            Err(StoreError::TurnActive(session_id)) => Err(self.occupied(session_id).await),
            tip => {
                let session_id = self.shared.store.turn_ids(request_id).await?.session_id;
                self.tell(Update::TipMoved { session_id, tip: Some(tip?) });
                Ok(Outcome::Done)
            }
        }
    }
}
