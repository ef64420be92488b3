//! The turns that run in this process, as far as others can reach them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use orion_core::tool::Seen;
use orion_protocol::{Code, ErrorInfo, ProjectId, Reply, RequestId, SessionId, Sha256, TurnIds};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::driver::{Command, OpenWrite};
use crate::proposals::Made;

/// How a running turn is reached.
#[derive(Debug, Clone)]
pub(super) struct Running {
    pub(super) ids: TurnIds,
    pub(super) stop: CancellationToken,
    /// Bounded: whoever has something to say to a busy turn waits.
    pub(super) commands: mpsc::Sender<Command>,
}

impl Running {
    /// Stops the turn and waits for its end (A4).
    pub(super) async fn stop(&self) {
        self.stop.cancel();
        self.commands.closed().await;
    }

    /// Says something to the turn.
    pub(super) async fn say(&self, command: Command) -> Result<Reply, ErrorInfo> {
        self.commands.send(command).await.map(|()| Reply::Done).map_err(|_over| over())
    }

    /// Says what a person wants instead of what is asked; false when something else is asked by now.
    pub(super) async fn revise(&self, write: u32, digest: Sha256, made: Made) -> Result<bool, ErrorInfo> {
        let (taken, told) = oneshot::channel();
        self.say(Command::Revised { write, digest, made: Box::new(made), taken }).await?;
        told.await.map_err(|_over| over())
    }

    /// The open write session, if there is one.
    pub(super) async fn write(&self) -> Option<OpenWrite> {
        let (told, write) = oneshot::channel();
        // A turn that has ended has none.
        let _ = self.commands.send(Command::Write(told)).await;
        write.await.ok().flatten()
    }

    /// Tries a model call again at once; false when it does not wait to be tried again.
    pub(super) async fn retry_now(&self) -> Result<bool, ErrorInfo> {
        let (told, waited) = oneshot::channel();
        self.say(Command::RetryNow(told)).await?;
        waited.await.map_err(|_over| over())
    }

    /// Waits until everything that was streamed so far is in the journal.
    pub(super) async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.commands.send(Command::Flush(done)).await.is_ok() {
            // A turn that ended instead has flushed too.
            let _ = flushed.await;
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<HashMap<RequestId, Running>>);

impl Turns {
    pub(super) fn enter(&self, running: Running) {
        self.lock().insert(running.ids.request_id, running);
    }

    pub(super) fn leave(&self, request_id: RequestId) {
        self.lock().remove(&request_id);
    }

    pub(super) fn get(&self, request_id: RequestId) -> Option<Running> {
        self.lock().get(&request_id).cloned()
    }

    pub(super) fn all(&self) -> Vec<RequestId> {
        self.lock().keys().copied().collect()
    }

    pub(super) fn of_session(&self, session_id: SessionId) -> Vec<Running> {
        self.lock().values().filter(|turn| turn.ids.session_id == session_id).cloned().collect()
    }

    pub(super) fn of_project(&self, project_id: ProjectId) -> Vec<Running> {
        self.lock().values().filter(|turn| turn.ids.project_id == project_id).cloned().collect()
    }

    /// Tells the turns of a project that files changed (D3). Waits for those that are busy; what changes meanwhile the
    /// watcher joins.
    pub(super) async fn changed(&self, project_id: ProjectId, changes: &[Seen]) {
        for turn in self.of_project(project_id) {
            // A turn that has ended needs no word of it.
            let _ = turn.commands.send(Command::Changed(changes.to_vec())).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Running>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn over() -> ErrorInfo {
    ErrorInfo::new(Code::TurnOver, "This turn is over.", "Send a new message.")
}
