//! Opening and forgetting project folders.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use orion_protocol::{Code, ErrorInfo, Project, ProjectId, Reply, Update};

use super::{Engine, blocking};
use crate::driver::Clock;
use orion_files::workspace;

impl Engine {
    pub(super) async fn open_project(&self, path: &Path) -> Result<Reply, ErrorInfo> {
        let path: PathBuf = path.to_owned();
        let private = self.shared.private.clone();
        let folder = blocking(move || workspace::Project::open(&path, &private)).await?;
        let root = folder.root();
        let Some(text) = root.to_str() else {
            let message = format!("The name of the folder {} is not valid Unicode.", root.display());
            return Err(ErrorInfo::new(Code::ProjectUnreadable, message, "Rename it, or open another one."));
        };
        let name = root.file_name().and_then(|name| name.to_str()).unwrap_or(text);
        let project = self.shared.store.open_project(text, name, Clock::start().now_ms()).await?;
        self.shared.folders.lock().saw(project.project_id, true);
        self.tell(Update::Project { project: project.clone() });
        Ok(Reply::Project { project })
    }

    /// Opens a folder that a person named outside of the window, and has the window show it, or say why it cannot.
    pub async fn show_project(&self, path: &Path) {
        match self.open_project(path).await {
            Ok(Reply::Project { project }) => {
                self.tell(Update::ProjectShown { project_id: project.project_id });
            }
            Ok(_) => {}
            Err(error) => self.tell(Update::Problem { error }),
        }
    }

    pub(super) async fn forget_project(&self, project_id: ProjectId) -> Result<Reply, ErrorInfo> {
        for turn in self.shared.turns.of_project(project_id) {
            turn.stop().await;
        }
        self.find_interrupted().await?;
        self.forget_instructions(project_id).await?;
        self.shared.store.forget_project(project_id).await?;
        self.shared.watches.forget(project_id);
        self.shared.indexes.forget(project_id);
        self.tell(Update::ProjectForgotten { project_id });
        Ok(self.deleted().await)
    }

    /// All projects, each with whether its folder was there at the last look. The folders are looked at again, and
    /// listeners are told which have come or gone.
    pub(super) async fn projects(&self) -> Result<Vec<Project>, ErrorInfo> {
        let mut projects = self.shared.store.projects().await?;
        for project in &mut projects {
            project.available = !self.shared.folders.lock().missing.contains(&project.project_id);
        }
        self.look_at_folders(projects.clone());
        Ok(projects)
    }

    /// Looks at the folders on a thread of its own, since a disk may not answer. Then only this look hangs, and the
    /// next ones wait for it. The end of the program does not wait for the thread.
    fn look_at_folders(&self, projects: Vec<Project>) {
        if std::mem::replace(&mut self.shared.folders.lock().looking, true) {
            return;
        }
        // A look does not keep an engine alive.
        let shared = Arc::downgrade(&self.shared);
        let look = move || {
            for project in projects {
                let available = Path::new(&project.path).is_dir();
                let Some(engine) = shared.upgrade().map(|shared| Self { shared }) else { return };
                engine.shared.folders.lock().saw(project.project_id, available);
                if available != project.available {
                    engine.tell(Update::Project { project: Project { available, ..project } });
                }
            }
            if let Some(shared) = shared.upgrade() {
                shared.folders.lock().looking = false;
            }
        };
        if std::thread::Builder::new().name("folders".to_owned()).spawn(look).is_err() {
            self.shared.folders.lock().looking = false;
        }
    }

    /// The project's folder, opened again: it may have been moved in the meantime.
    pub(super) async fn folder(&self, project_id: ProjectId) -> Result<workspace::Project, ErrorInfo> {
        let project = self.shared.store.project(project_id).await?;
        let private = self.shared.private.clone();
        blocking(move || workspace::Project::open(Path::new(&project.path), &private)).await
    }
}

/// Whether the folders of the projects were there at the last look.
#[derive(Debug, Default)]
pub(super) struct Folders(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    missing: HashSet<ProjectId>,
    /// A look is under way.
    looking: bool,
}

impl Folders {
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn saw(&mut self, project_id: ProjectId, available: bool) {
        if available {
            self.missing.remove(&project_id);
        } else {
            self.missing.insert(project_id);
        }
    }
}

pub(super) fn no_folder() -> ErrorInfo {
    ErrorInfo::new(Code::Usage, "No folder was chosen.", "Name the folder to open.")
}
