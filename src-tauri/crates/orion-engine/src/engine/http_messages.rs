//! Turns that messages over HTTP begin: each is kept with its turn, so that the same one begins no other, in whichever process (H4, H5).

use orion_protocol::{ErrorInfo, ProjectId, RequestId, SessionId, Sha256, TurnOptions};
use orion_store::HttpMessage;

use super::Engine;
use super::turns::Ask;
use crate::driver::Caller;

impl Engine {
    /// Starts the turn of a message, and keeps the message with it.
    ///
    /// # Errors
    /// Those of [`Engine::run_turn`]; `usage` where a message of the same name came first.
    pub async fn start_http_turn(
        &self,
        session_id: SessionId,
        text: String,
        options: TurnOptions,
        message: HttpMessage,
    ) -> Result<RequestId, ErrorInfo> {
        let ask = Ask::Called(text, Caller::Http(message));
        Ok(self.begin(session_id, ask, options, None).await?.ids.request_id)
    }

    /// The turn that a message of this name began in the project, and the message.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn begun_by(
        &self,
        project_id: ProjectId,
        name: Sha256,
    ) -> Result<Option<(RequestId, HttpMessage)>, ErrorInfo> {
        Ok(self.shared.store.begun_by(project_id, name).await?)
    }

    /// True for a turn that a message over HTTP began and that goes on without a reader; none for one that no such message began.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn goes_on_unread(&self, request_id: RequestId) -> Result<Option<bool>, ErrorInfo> {
        Ok(self.shared.store.goes_on_unread(request_id).await?)
    }
}
