//! The state that all requests share.

use std::sync::Arc;

use orion_engine::Engine;
use orion_protocol::{Code, ErrorInfo, Project, ProjectId, RequestId};
use tokio::sync::{OwnedMutexGuard, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::doors::Doors;
use crate::given::Room;
use crate::problem::Problem;
use crate::watched::Watched;

/// Streams of each token that are open at once (H6).
pub(crate) const STREAMS: usize = 32;

/// Turns that run at once (H6).
pub(crate) const TURNS: usize = 8;

#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) engine: Engine,
    /// The projects that can be reached, the first one where none is named.
    pub(crate) projects: Vec<Project>,
    pub(crate) doors: Doors,
    pub(crate) bodies: Room,
    pub(crate) watched: Arc<Watched>,
    pub(crate) streams: Arc<Semaphore>,
    /// Those of the token that reads only, so that its readers hold up nobody else.
    pub(crate) reading_streams: Arc<Semaphore>,
    pub(crate) closing: CancellationToken,
}

impl Server {
    /// The project of this id, path or name; the only one where none is named.
    pub(crate) fn project(&self, named: Option<&str>) -> Result<&Project, Problem> {
        let Some(named) = named else {
            return match &self.projects[..] {
                [only] => Ok(only),
                _ => Err(Problem::of_field("project", "there are several, so one has to be named")),
            };
        };
        let is_it = |project: &&Project| {
            project.project_id.to_string() == named || project.path == named || project.name == named
        };
        self.projects.iter().find(is_it).ok_or_else(|| {
            ErrorInfo::new(
                Code::ProjectUnknown,
                "This server does not serve that project.",
                "Name one that GET /api/v1/projects lists.",
            )
            .into()
        })
    }

    /// Room for one more turn that runs, until this is dropped; a turn that runs already has its own.
    ///
    /// # Errors
    /// 429.
    pub(crate) async fn room(&self, request_id: Option<RequestId>) -> Result<OwnedMutexGuard<()>, Problem> {
        let room = self.engine.room(request_id).await;
        room.ok_or_else(|| Problem::too_many("As many turns run as may at once.", 5))
    }

    /// The same for a turn that goes on; one that another process has needs none here.
    ///
    /// # Errors
    /// 429.
    pub(crate) async fn room_to_go_on(
        &self,
        request_id: RequestId,
    ) -> Result<Option<OwnedMutexGuard<()>>, Problem> {
        match self.engine.is_with_neighbour(request_id).await? {
            true => Ok(None),
            false => self.room(Some(request_id)).await.map(Some),
        }
    }

    pub(crate) fn serves(&self, project_id: ProjectId) -> bool {
        self.projects.iter().any(|project| project.project_id == project_id)
    }
}
