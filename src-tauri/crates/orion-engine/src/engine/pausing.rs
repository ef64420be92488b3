//! Pausing a turn that runs here, and resuming one that is paused, wherever that was (A2, A7).

use orion_protocol::{Code, ErrorInfo, PauseRequest, Reply, RequestId, ResultEdit, Sha256};

use super::resuming::Purpose;
use super::{Engine, limits};
use crate::driver::Command;

impl Engine {
    pub(super) async fn pause_turn(
        &self,
        request_id: RequestId,
        pause: PauseRequest,
    ) -> Result<Reply, ErrorInfo> {
        let running = self.shared.turns.get(request_id).ok_or_else(|| {
            ErrorInfo::new(
                Code::TurnOver,
                "This turn does not run in this Orion.",
                "Pause it where it runs, or resume it first.",
            )
        })?;
        running.answer(|told| Command::Pause { pause, told }).await
    }

    pub(super) async fn resume_paused(
        &self,
        request_id: RequestId,
        digest: Sha256,
        edits: Vec<ResultEdit>,
    ) -> Result<Reply, ErrorInfo> {
        limits::result_edits(&edits)?;
        let running = self.to_answer(request_id, Purpose::Answer).await?;
        running.answer(|told| Command::PauseEnded { digest, edits, told }).await
    }
}
