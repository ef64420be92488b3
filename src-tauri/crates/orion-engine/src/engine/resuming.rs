//! Resuming a turn that no process runs: one that waits for a person, or was interrupted (A5, A7, W7).

use std::sync::Arc;

use orion_core::turn::Turn;
use orion_protocol::{Code, Envelope, ErrorInfo, Project, RequestId, TurnIds};
use orion_store::{InProject, StoreError, Taking};
use tokio::sync::mpsc;

use super::Engine;
use super::handle::{BATCHES, TurnHandle};
use super::running::{Running, over};
use super::setup::ProjectContext;
use crate::driver::{self, Clock, Driver, Rebuilt, Said};
use crate::endpoint::Unreachable;

/// What a turn is reached for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    GoOn,
    /// With an answer to what it waits for.
    Answer,
    Stop,
}

impl Purpose {
    fn of_one_that_is_over(self) -> ErrorInfo {
        match self {
            Self::GoOn => not_resumable("This turn is over, so there is nothing to resume."),
            Self::Answer | Self::Stop => over(),
        }
    }
}

fn left_behind() -> ErrorInfo {
    not_resumable("The session has gone on since this turn was interrupted, so it cannot be resumed.")
}

fn no_answer(path: &str) -> ErrorInfo {
    let message = format!("The folder {path} does not answer.");
    ErrorInfo::new(Code::ProjectUnreadable, message, "Check the disk or the network that it is on.")
}

fn not_resumable(message: &str) -> ErrorInfo {
    ErrorInfo::new(Code::NotResumable, message, "Send a new message.")
}

impl Engine {
    /// A turn that runs here. Else one that waits, or was interrupted with its write session open: it is resumed here
    /// (A5, W7).
    pub(super) async fn reach(&self, request_id: RequestId, purpose: Purpose) -> Result<Running, ErrorInfo> {
        match self.shared.turns.get(request_id) {
            Some(running) => Ok(running),
            None => self.revive(request_id, None, purpose, None).await,
        }
    }

    /// Resumes a turn that no process runs, and hands it to the caller, who reads it to its end. `endpoint` takes the
    /// place of the one that it began with.
    ///
    /// # Errors
    /// `turn_over` when nothing is left to go on with, `turn_active` while another process has it.
    pub async fn resume_turn(
        &self,
        request_id: RequestId,
        endpoint: Option<String>,
    ) -> Result<TurnHandle, ErrorInfo> {
        self.resume(request_id, endpoint, Purpose::GoOn).await
    }

    pub(super) async fn resume(
        &self,
        request_id: RequestId,
        endpoint: Option<String>,
        purpose: Purpose,
    ) -> Result<TurnHandle, ErrorInfo> {
        let (sender, batches) = mpsc::channel(BATCHES);
        let running = self.revive(request_id, endpoint, purpose, Some(sender)).await?;
        Ok(TurnHandle::new(running, batches))
    }

    /// What a turn is resumed in. A4: a stop does not wait for a disk that does not answer.
    async fn context_for(&self, project: Project, purpose: Purpose) -> Result<ProjectContext, ErrorInfo> {
        if purpose != Purpose::Stop {
            return self.context(project).await;
        }
        let without = self.without_folder(no_answer(&project.path));
        tokio::time::timeout(driver::LATE, self.read_context(project)).await.unwrap_or(Ok(without))
    }

    async fn revive(
        &self,
        request_id: RequestId,
        endpoint: Option<String>,
        purpose: Purpose,
        reader: Option<mpsc::Sender<Vec<Envelope>>>,
    ) -> Result<Running, ErrorInfo> {
        self.writable(self.shared.store.turn_ids(request_id).await?.session_id).await?;
        self.find_interrupted().await?;
        let Rebuilt { mut turn, setup, seq } = driver::rebuild(&self.shared.store, request_id).await?;
        if turn.is_over() {
            return Err(purpose.of_one_that_is_over().of_turn(setup.ids));
        }
        if purpose == Purpose::GoOn && !self.may_go_on(&turn, setup.ids).await? {
            return Err(left_behind().of_turn(setup.ids));
        }
        let clock = Clock::start();
        let ids = setup.ids;
        let InProject { project, .. } = self.shared.store.session_in_project(ids.session_id).await?;
        let context = self.context_for(project, purpose).await?;
        // T8: a turn that waits can be answered *no*, and any turn be stopped, without its folder.
        if let Err(gone) = &context.folder
            && purpose != Purpose::Stop
            && turn.pending().is_none()
        {
            return Err(gone.clone());
        }
        let name = endpoint.unwrap_or_else(|| setup.endpoint.clone());
        // What was approved is written even when the model cannot be reached. The turn then ends with this error.
        let (model, seconds) = (Some(setup.model.clone()), setup.policy.max_seconds);
        let endpoint = match self.endpoint(&context.in_force, &name, model, seconds).await {
            Ok(endpoint) => endpoint,
            Err(error) => Arc::new(Unreachable::new(name, setup.model.clone(), error)),
        };
        let taking = if purpose == Purpose::Answer { Taking::ToAnswer } else { Taking::ToGoOn };
        let taken = match self.shared.store.take_over(ids, taking).await {
            Err(StoreError::TurnOver(_)) => return Err(purpose.of_one_that_is_over().of_turn(ids)),
            taken => taken?,
        };
        // Another process may have had the turn since it was read, and may have answered it.
        if taken.seq != seq {
            turn = driver::rebuild(&self.shared.store, request_id).await?.turn;
            if turn.is_over() {
                return Err(purpose.of_one_that_is_over().of_turn(ids));
            }
        }
        // W6: the project must be watched from here on, since there may be no further tool call that would start the
        // watch.
        if let Ok(folder) = &context.folder {
            self.watch(ids.project_id, folder);
        }
        let (running, equipment) = self.equip(&setup, context, endpoint, reader);
        if purpose == Purpose::Stop {
            running.stop.cancel(); // A4: nothing starts.
        }
        let said = Said::of(&self.shared.store, &turn, request_id).await?;
        let (driver, first) = Driver::resume(clock, (turn, setup, said), taken, equipment)?;
        self.shared.turns.enter(running.clone());
        self.spawn(ids, async move { driver.run(first).await });
        Ok(running)
    }

    /// X1: what a turn says later is not known to those that came after it. What waits for a person can be ended in any case.
    async fn may_go_on(&self, turn: &Turn, ids: TurnIds) -> Result<bool, StoreError> {
        let waits = turn.write_session().is_some() || turn.pending().is_some();
        Ok(waits || self.shared.store.tip(ids.session_id).await? == Some(ids.request_id))
    }
}
