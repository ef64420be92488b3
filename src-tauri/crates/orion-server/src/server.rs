//! The state that all requests share.

use std::sync::Arc;

use orion_engine::Engine;
use orion_protocol::{Code, ErrorInfo, Project, ProjectId};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::doors::Doors;
use crate::problem::Problem;
use crate::remembered::Remembered;
use crate::watched::Watched;

/// Streams that are open at once (H6).
pub(crate) const STREAMS: usize = 64;

/// Turns that run at once (H6).
pub(crate) const TURNS: usize = 8;

#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) engine: Engine,
    /// The projects that can be reached, the first one where none is named.
    pub(crate) projects: Vec<Project>,
    pub(crate) doors: Doors,
    pub(crate) remembered: tokio::sync::Mutex<Remembered>,
    pub(crate) watched: Arc<Watched>,
    pub(crate) streams: Arc<Semaphore>,
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

    pub(crate) fn serves(&self, project_id: ProjectId) -> bool {
        self.projects.iter().any(|project| project.project_id == project_id)
    }
}
