//! Opening and forgetting the folders a person works in.

use std::path::{Path, PathBuf};

use orion_protocol::{Code, ErrorInfo, Project, ProjectId, Reply, Update};

use super::{Engine, blocking};
use crate::driver::Clock;
use orion_files::workspace;

impl Engine {
    pub(super) async fn open_project(&self, path: &Path) -> Result<Reply, ErrorInfo> {
        let path: PathBuf = path.to_owned();
        let folder = blocking(move || workspace::Project::open(&path)).await?;
        let root = folder.root();
        let Some(text) = root.to_str() else {
            let message = format!("The name of the folder {} is not valid Unicode.", root.display());
            return Err(ErrorInfo::new(Code::ProjectUnreadable, message, "Rename it, or open another one."));
        };
        let name = root.file_name().and_then(|name| name.to_str()).unwrap_or(text);
        let project = self.shared.store.open_project(text, name, Clock::start().now_ms()).await?;
        self.tell(Update::Project { project: project.clone() });
        Ok(Reply::Project { project })
    }

    pub(super) async fn forget_project(&self, project_id: ProjectId) -> Result<Reply, ErrorInfo> {
        for turn in self.shared.turns.of_project(project_id) {
            turn.stop().await;
        }
        self.shared.store.forget_project(project_id).await?;
        self.shared.watches.forget(project_id);
        self.tell(Update::ProjectForgotten { project_id });
        Ok(Reply::Done)
    }

    /// All projects, each with whether its folder is there.
    pub(super) async fn projects(&self) -> Result<Vec<Project>, ErrorInfo> {
        let mut projects = self.shared.store.projects().await?;
        blocking(move || {
            for project in &mut projects {
                project.available = Path::new(&project.path).is_dir();
            }
            Ok(projects)
        })
        .await
    }

    /// The project's folder, opened anew: it may have been moved away since.
    pub(super) async fn folder(&self, project_id: ProjectId) -> Result<workspace::Project, ErrorInfo> {
        let project = self.shared.store.project(project_id).await?;
        blocking(move || workspace::Project::open(Path::new(&project.path))).await
    }
}

pub(super) fn no_folder() -> ErrorInfo {
    ErrorInfo::new(Code::Usage, "No folder was chosen.", "Name the folder to open.")
}
