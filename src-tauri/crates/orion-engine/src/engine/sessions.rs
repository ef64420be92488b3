//! Sessions: creating, naming and deleting them.

use std::path::{Path, PathBuf};

use orion_protocol::{Code, ErrorInfo, Notifications, Outcome, ProjectId, Session, SessionId, Update};
use orion_store::InProject;

use super::title::given_title;
use super::{Engine, blocking};
use crate::driver::Clock;
use orion_files::workspace;

impl Engine {
    /// The sessions of the project in this folder, the newest first. Empty when the folder was never opened.
    ///
    /// # Errors
    /// A folder that is not there.
    pub async fn sessions_in(&self, folder: &Path) -> Result<Vec<Session>, ErrorInfo> {
        let folder = folder.to_owned();
        let root = blocking(move || workspace::Project::root_of(&folder)).await?;
        let projects = self.shared.store.projects().await?;
        let project = projects.iter().find(|project| Path::new(&project.path) == root);
        match project {
            Some(project) => Ok(self.shared.store.sessions(Some(project.project_id), u32::MAX).await?),
            None => Ok(Vec::new()),
        }
    }

    /// The session with the latest activity of the project in this folder. None where there is none.
    ///
    /// # Errors
    /// A folder that is not there.
    pub async fn latest_session_in(&self, folder: &Path) -> Result<Option<SessionId>, ErrorInfo> {
        let folder = folder.to_owned();
        let root = blocking(move || workspace::Project::root_of(&folder)).await?;
        Ok(self.shared.store.latest_session_in(&root.to_string_lossy()).await?)
    }

    /// The last messages of the person in a project, the newest first, `limit` at most.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn messages_in(&self, project_id: ProjectId, limit: u32) -> Result<Vec<String>, ErrorInfo> {
        Ok(self.shared.store.messages_in(project_id, limit).await?)
    }

    /// The folder of a session's project.
    ///
    /// # Errors
    /// `session_unknown`, and `session_read_only` for an imported session, which has none.
    pub async fn folder_of(&self, session_id: SessionId) -> Result<PathBuf, ErrorInfo> {
        self.writable(session_id).await?;
        let InProject { project, .. } = self.shared.store.session_in_project(session_id).await?;
        Ok(PathBuf::from(project.path))
    }

    /// What a session is called; empty before its first message.
    ///
    /// # Errors
    /// `session_unknown`.
    pub async fn title_of(&self, session_id: SessionId) -> Result<String, ErrorInfo> {
        Ok(self.shared.store.session(session_id).await?.title)
    }

    /// When the desktop tells a person of a turn, by their settings.
    #[must_use]
    pub fn notifications(&self) -> Notifications {
        self.config().without_project().values.notifications()
    }

    pub(super) async fn new_session(&self, project_id: ProjectId) -> Result<Outcome, ErrorInfo> {
        let session = self.shared.store.new_session(project_id, Clock::start().now_ms()).await?;
        self.tell(Update::Session { session: session.clone() });
        Ok(Outcome::Session { session })
    }

    pub(super) async fn rename_session(
        &self,
        session_id: SessionId,
        title: &str,
    ) -> Result<Outcome, ErrorInfo> {
        let title = given_title(title);
        if title.is_empty() {
            return Err(ErrorInfo::new(Code::Usage, "The title is empty.", "Write a title."));
        }
        let session = self.shared.store.rename_session(session_id, &title).await?;
        self.tell(Update::Session { session: session.clone() });
        Ok(Outcome::Session { session })
    }

    pub(super) async fn pin_session(
        &self,
        session_id: SessionId,
        pinned: bool,
    ) -> Result<Outcome, ErrorInfo> {
        let session = self.shared.store.pin_session(session_id, pinned).await?;
        self.tell(Update::Session { session: session.clone() });
        Ok(Outcome::Session { session })
    }

    pub(super) async fn archive_session(
        &self,
        session_id: SessionId,
        archived: bool,
    ) -> Result<Outcome, ErrorInfo> {
        let session = self.shared.store.archive_session(session_id, archived).await?;
        self.tell(Update::Session { session: session.clone() });
        Ok(Outcome::Session { session })
    }

    pub(super) async fn delete_session(&self, session_id: SessionId) -> Result<Outcome, ErrorInfo> {
        for turn in self.shared.turns.of_session(session_id) {
            turn.stop().await;
        }
        // One whose process died keeps nobody from deleting it.
        self.find_interrupted().await?;
        let of = self.shared.store.session(session_id).await?;
        self.shared.store.delete_session(session_id).await?;
        self.forget_outputs(session_id).await;
        self.tell(Update::SessionDeleted { session_id });
        let copy = self.forget_copy(session_id).await;
        let project = if of.imported { self.forget_if_empty(of.project_id).await } else { Ok(()) };
        // A copy that cannot be removed keeps nothing else on the disk.
        let deleted = self.deleted().await;
        copy.and(project).map(|()| deleted)
    }
}
