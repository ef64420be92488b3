//! A reader of a turn, and what becomes of the turn when its last one is gone (H5).

use std::sync::Arc;
use std::time::Duration;

use orion_protocol::{Op, RequestId};

use crate::design::OnDisconnect;
use crate::server::Server;

/// The time for which a turn goes on without a reader.
const ALONE: Duration = Duration::from_secs(10);

/// A reader of a turn, for as long as it is kept.
#[derive(Debug)]
pub(crate) struct Reader {
    server: Arc<Server>,
    request_id: RequestId,
}

impl Reader {
    pub(crate) fn new(server: Arc<Server>, request_id: RequestId) -> Self {
        server.watched.came(request_id);
        Self { server, request_id }
    }

    pub(crate) fn request_id(&self) -> RequestId {
        self.request_id
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let Some(ever) = self.server.watched.left(self.request_id) else { return };
        let (server, request_id) = (Arc::clone(&self.server), self.request_id);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            tokio::select! {
                // A turn that is interrupted can be resumed.
                () = server.closing.cancelled() => return,
                () = tokio::time::sleep(ALONE) => {}
            }
            if let Some(then) = server.watched.alone_since(request_id, ever) {
                leave(&server, request_id, then).await;
            }
        });
    }
}

/// Stops a turn at work, unless it is to go on. One that waits for a person waits on (A7), and what becomes of it then is kept.
async fn leave(server: &Server, request_id: RequestId, then: OnDisconnect) {
    if matches!(server.engine.pending_of(request_id).await, Ok(Some(_))) {
        return;
    }
    let runs = server.engine.running_turns().contains(&request_id);
    if runs && then == OnDisconnect::Continue {
        return;
    }
    server.watched.forget(request_id);
    if !runs {
        return;
    }
    if let Err(error) = server.engine.submit(Op::StopTurn { request_id }).await {
        tracing::info!(%error, "a turn without a reader was not stopped");
    }
}
