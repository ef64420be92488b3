//! Turns that another version of Orion wrote and that this one cannot resume (T8). They can be read, rejected and stopped.

use orion_protocol::{Code, ErrorInfo, Reply, RequestId, Sha256, TurnState, TurnView, Update};

use super::Engine;
use crate::driver::{self, Clock};

impl Engine {
    /// Ends a turn without its machine. With the digest of what it asks, that is rejected first.
    pub(super) async fn end_without_machine(
        &self,
        request_id: RequestId,
        rejected: Option<Sha256>,
    ) -> Result<Reply, ErrorInfo> {
        let at_ms = Clock::start().now_ms();
        let (events, session) = driver::end(&self.shared.store, request_id, at_ms, rejected).await?;
        events.into_iter().for_each(|envelope| self.tell(Update::Event { envelope }));
        self.tell(Update::Session { session });
        Ok(Reply::Done)
    }

    /// Finds out which of these turns cannot be resumed here, of those that have something to resume.
    pub(super) async fn find_other_versions(&self, turns: &mut [TurnView]) -> Result<(), ErrorInfo> {
        for turn in turns {
            let open = matches!(turn.state, TurnState::Waiting | TurnState::Interrupted)
                && driver::open_write(&turn.envelopes).is_some();
            if !open {
                continue;
            }
            match driver::rebuild(&self.shared.store, turn.request_id).await {
                Err(error) if error.code == Code::OtherVersion => turn.state = TurnState::OtherVersion,
                Ok(_) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
