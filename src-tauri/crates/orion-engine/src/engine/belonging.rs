//! Questions of a channel that reaches some projects alone: the project that something belongs to, and how a turn stands.

use orion_protocol::{Code, ErrorInfo, Pending, ProjectId, RequestId, Touched, TurnReport};
use tokio::sync::oneshot;

use super::Engine;
use crate::driver::{Command, Rebuilt, rebuild};

impl Engine {
    /// The project of what is touched; none where it belongs to no single one.
    ///
    /// # Errors
    /// `turn_unknown`, `session_unknown`.
    pub async fn belongs_to(&self, touched: Touched) -> Result<Option<ProjectId>, ErrorInfo> {
        Ok(match touched {
            Touched::Project(project_id) => Some(project_id),
            Touched::Session(session_id) => Some(self.shared.store.session(session_id).await?.project_id),
            Touched::Turn(request_id) => Some(self.shared.store.turn_ids(request_id).await?.project_id),
            Touched::Nothing
            | Touched::Message(_)
            | Touched::Everything
            | Touched::Settings
            | Touched::Keys
            | Touched::Files
            | Touched::Computer => None,
        })
    }

    /// The report of a turn (J5): of one that is over, else as it stands by its journal. None of one that another version of Orion wrote.
    ///
    /// # Errors
    /// `turn_unknown`, and a journal that cannot be read.
    pub async fn report_of(&self, request_id: RequestId) -> Result<Option<TurnReport>, ErrorInfo> {
        if let Some(running) = self.shared.turns.get(request_id) {
            let (told, report) = oneshot::channel();
            // A turn that has ended meanwhile has its report in the journal.
            let _ = running.commands.send(Command::Report(told)).await;
            if let Ok(report) = report.await {
                return Ok(Some(report));
            }
        }
        if let Some(report) = self.shared.store.report(request_id).await? {
            return Ok(Some(report));
        }
        match rebuild(&self.shared.store, request_id).await {
            Ok(Rebuilt { turn, .. }) => Ok(Some(turn.report())),
            Err(error) if error.code == Code::OtherVersion => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The question that a turn waits with (A7).
    ///
    /// # Errors
    /// `turn_unknown`, and a journal that cannot be read.
    pub async fn pending_of(&self, request_id: RequestId) -> Result<Option<Pending>, ErrorInfo> {
        let events = self.events(request_id, 0).await?;
        Ok(Pending::after_all(events.iter().map(|envelope| &envelope.event)))
    }

    /// True where another process has the turn: what is asked of it is done there.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn is_with_neighbour(&self, request_id: RequestId) -> Result<bool, ErrorInfo> {
        let runs_here = self.shared.turns.get(request_id).is_some();
        Ok(!runs_here && self.shared.store.neighbour_with(request_id).await?.is_some())
    }

    /// The turns that run in this process.
    #[must_use]
    pub fn running_turns(&self) -> Vec<RequestId> {
        self.shared.turns.all()
    }
}
