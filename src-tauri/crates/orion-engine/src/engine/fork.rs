//! Forking a turn: a session of its own goes on from one of its phases (T9). Nothing of the turn or its session is changed.

use orion_protocol::{ErrorInfo, Outcome, RequestId, SessionId, TurnIds, Update};

use super::Engine;
use crate::driver::{self, Clock};

impl Engine {
    pub(super) async fn fork(&self, request_id: RequestId, phase: Option<u32>) -> Result<Outcome, ErrorInfo> {
        if let Some(turn) = self.shared.turns.get(request_id) {
            turn.flush().await;
        }
        let store = &self.shared.store;
        let of = store.turn_ids(request_id).await?;
        let ids = TurnIds {
            request_id: RequestId(orion_store::new_id()),
            session_id: SessionId(orion_store::new_id()),
            project_id: of.project_id,
        };
        let fork = driver::fork(store, request_id, phase, (ids, Clock::start().now_ms())).await?;
        let session = store.fork(fork).await?;
        // T8: the copy is what the machine makes of it, or it is not kept.
        if let Err(differs) = driver::rebuild(store, ids.request_id).await {
            store.delete_session(ids.session_id).await?;
            return Err(differs);
        }
        self.tell(Update::Session { session: session.clone() });
        Ok(Outcome::Forked { session, request_id: ids.request_id })
    }
}
