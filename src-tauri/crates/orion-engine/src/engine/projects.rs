//! Opening and forgetting project folders.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use orion_protocol::{Code, DesktopAction, ErrorInfo, Outcome, Project, ProjectId, Update};

use super::command_home::leave_home;
use super::{Engine, blocking};
use crate::driver::Clock;
use orion_files::workspace;

impl Engine {
    pub(super) async fn open_project(&self, path: &Path) -> Result<Outcome, ErrorInfo> {
        let (path, name) = self.folder_at(path).await?;
        let project = self.shared.store.open_project(&path, &name, Clock::start().now_ms()).await?;
        self.shared.folders.lock().saw(project.project_id, true);
        self.tell(Update::Project { project: project.clone() });
        Ok(Outcome::Project { project })
    }

    /// The path and the name of a folder that can be a project.
    async fn folder_at(&self, path: &Path) -> Result<(String, String), ErrorInfo> {
        let path: PathBuf = path.to_owned();
        let private = self.shared.private.clone();
        let folder = blocking(move || workspace::Project::open(&path, &private)).await?;
        let root = folder.root();
        let Some(text) = root.to_str() else {
            let message = format!("The name of the folder {} is not valid Unicode.", root.display());
            return Err(ErrorInfo::new(Code::ProjectUnreadable, message, "Rename it, or open another one."));
        };
        let name = root.file_name().and_then(|name| name.to_str()).unwrap_or(text);
        Ok((text.to_owned(), name.to_owned()))
    }

    /// The sessions of a project go on in this folder: it was moved or renamed.
    pub(super) async fn locate_project(
        &self,
        project_id: ProjectId,
        path: &Path,
    ) -> Result<Outcome, ErrorInfo> {
        let (path, name) = self.folder_at(path).await?;
        let known = self.shared.store.projects().await?;
        if known.iter().any(|other| other.path == path && other.project_id != project_id) {
            let message = format!("{name} is a project of its own already.");
            return Err(ErrorInfo::new(
                Code::Usage,
                message,
                "Choose the folder that was moved, or open that project.",
            ));
        }
        if known.iter().any(|project| project.project_id == project_id && project.path.is_empty()) {
            let message = "Sessions that were opened from files have no folder.";
            return Err(ErrorInfo::new(Code::Usage, message, "Open the folder as a project."));
        }
        let project = self.shared.store.locate_project(project_id, &path, &name).await?;
        self.shared.folders.lock().saw(project_id, true);
        // What was read of the other folder says nothing of this one.
        self.shared.watches.forget(project_id);
        self.shared.indexes.forget(project_id);
        self.tell(Update::Project { project: project.clone() });
        Ok(Outcome::Project { project })
    }

    /// Opens a folder that a person named outside of the window, and has the window show it, or say why it cannot.
    pub async fn show_project(&self, path: &Path) {
        match self.open_project(path).await {
            Ok(Outcome::Project { project }) => {
                self.tell(Update::ProjectShown { project_id: project.project_id });
            }
            Ok(_) => {}
            Err(error) => self.tell(Update::Problem { error }),
        }
    }

    /// Has the window do what a person asked for outside of it.
    pub fn ask_window(&self, act: DesktopAction) {
        self.tell(Update::Asked { act });
    }

    pub(super) async fn forget_project(&self, project_id: ProjectId) -> Result<Outcome, ErrorInfo> {
        for turn in self.shared.turns.of_project(project_id) {
            turn.stop().await;
        }
        self.find_interrupted().await?;
        self.forget_instructions(project_id).await?;
        let project = self.shared.store.project(project_id).await?;
        self.shared.store.forget_project(project_id).await?;
        leave_home(&self.shared, &project.path).await;
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

    /// Looks at the folders on a thread of its own, since a disk may not answer. Then only this look hangs, and the next
    /// one waits for it: a look always begins after it was asked for. The end of the program does not wait for the
    /// thread.
    fn look_at_folders(&self, projects: Vec<Project>) {
        if !self.shared.folders.lock().asks(projects) {
            return;
        }
        // A look does not keep an engine alive.
        let shared = Arc::downgrade(&self.shared);
        let look = move || {
            while let Some(projects) = shared.upgrade().and_then(|shared| shared.folders.lock().next()) {
                for project in projects {
                    let available = Path::new(&project.path).is_dir();
                    let Some(engine) = shared.upgrade().map(|shared| Self { shared }) else { return };
                    if engine.shared.folders.lock().saw(project.project_id, available) {
                        engine.tell(Update::Project { project: Project { available, ..project } });
                    }
                }
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
    /// The projects that the next look is for.
    asked: Option<Vec<Project>>,
}

impl Folders {
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// Asks for a look, and says whether somebody has to begin it.
    fn asks(&mut self, projects: Vec<Project>) -> bool {
        self.asked = Some(projects);
        !std::mem::replace(&mut self.looking, true)
    }

    /// Takes the projects that were asked about. Without any, nobody looks any more.
    fn next(&mut self) -> Option<Vec<Project>> {
        let asked = self.asked.take();
        self.looking = asked.is_some();
        asked
    }

    /// Notes what a look saw, and says whether that is new.
    fn saw(&mut self, project_id: ProjectId, available: bool) -> bool {
        if available { self.missing.remove(&project_id) } else { self.missing.insert(project_id) }
    }
}

pub(super) fn no_folder() -> ErrorInfo {
    ErrorInfo::new(Code::Usage, "No folder was chosen.", "Name the folder to open.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_that_is_asked_for_during_another_one_follows_it() {
        let mut seen = Seen::default();
        assert!(seen.asks(Vec::new()), "nobody looks yet");
        assert!(seen.next().is_some());
        assert!(!seen.asks(Vec::new()), "somebody does");
        assert!(seen.next().is_some(), "and looks again");
        assert!(seen.next().is_none() && seen.asks(Vec::new()), "nobody looks any more");
    }
}
