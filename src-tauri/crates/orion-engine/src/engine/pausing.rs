//! Pausing a turn that runs here (A2). Resuming it is a reply (`replies`).

use orion_protocol::{Code, ErrorInfo, Outcome, PauseRequest, RequestId};

use super::Engine;
use crate::driver::Command;

impl Engine {
    pub(super) async fn pause_turn(
        &self,
        request_id: RequestId,
        pause: PauseRequest,
    ) -> Result<Outcome, ErrorInfo> {
        let running =
            self.shared.turns.get(request_id).ok_or_else(|| {
                ErrorInfo::new(Code::TurnOver, "This turn does not run.", "Resume it first.")
            })?;
        running.answer(|told| Command::Pause { pause, told }).await
    }
}
