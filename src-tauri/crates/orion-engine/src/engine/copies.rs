//! Copies of projects, in which the sides of a comparison work: where they are, and when they go.
//!
//! A copy is in the system's folder for temporary files, for its owner alone. It is a project of its own, so nothing that is done in it, or
//! undone, reaches the person's folder. This process removes the copies that it made, and none of an earlier one.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use orion_files::copying;
use orion_files::workspace::{self, Budget};
use orion_protocol::{
    Code, CopySize, ErrorInfo, Outcome, Project, ProjectId, RequestId, SessionId, TurnPlace, TurnState,
    Update,
};
use orion_store::StoreError;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::command_home::leave_home;
use super::{Engine, blocking};
use crate::driver::Clock;

/// How long looking at a project may take before a copy, and making one: a slow disk writes 10 GB in that time.
const TIME: Duration = Duration::from_secs(600);

/// On Windows nothing can be removed while somebody has it open. What watched a copy, and what looks at each new file for viruses, lets go
/// of it a moment later.
const LETS_GO: Duration = if cfg!(windows) { Duration::from_secs(3) } else { Duration::ZERO };
const LOOK: Duration = Duration::from_millis(20);

/// The copies that this process made, by the session that works in each.
#[derive(Debug, Default)]
pub(super) struct Copies(Mutex<HashMap<SessionId, (ProjectId, TempDir)>>);

impl Copies {
    fn take(&self, session_id: SessionId) -> Option<(ProjectId, TempDir)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&session_id)
    }

    pub(super) fn keep(&self, session_id: SessionId, copy: Copy) {
        let mut copies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        copies.insert(session_id, (copy.project.project_id, copy.folder));
    }

    /// What is still there at the end of the process stays: a turn may wait in it.
    pub(super) fn leave(&self) {
        for (_, folder) in self.0.lock().unwrap_or_else(PoisonError::into_inner).drain().map(|(_, copy)| copy)
        {
            _ = folder.keep();
        }
    }
}

/// A copy, which goes when this is dropped.
pub(super) struct Copy {
    pub(super) project: Project,
    folder: TempDir,
}

impl Engine {
    /// What a copy of the project of a turn would have.
    ///
    /// # Errors
    /// `turn_unknown`, `project_unreadable`.
    pub(super) async fn copy_size(&self, request_id: RequestId) -> Result<CopySize, ErrorInfo> {
        let folder = self.folder(self.shared.store.turn_ids(request_id).await?.project_id).await?;
        let budget = self.copying();
        blocking(move || copying::size(&folder, budget)).await
    }

    /// Copies a project. `mark` tells it from the project, whose name the folder has: a model is told that name.
    pub(super) async fn copied(&self, project: &Project, mark: &str, most: u64) -> Result<Copy, ErrorInfo> {
        let original = self.folder(project.project_id).await?;
        let budget = self.copying();
        let (folder, root) = blocking(move || {
            let place = std::env::temp_dir();
            if workspace::Project::root_of(&place)?.starts_with(original.root()) {
                let message =
                    "The system's folder for temporary files is in this project, so no copy was made.";
                return Err(ErrorInfo::new(Code::Usage, message, "Set TMPDIR to a folder elsewhere."));
            }
            let folder = own_folder(&place).map_err(|error| no_place(&error))?;
            let root = folder.path().join(original.root().file_name().unwrap_or("project".as_ref()));
            std::fs::create_dir(&root).map_err(|error| no_place(&error))?;
            copying::copy(&original, &root, most, budget)?;
            Ok((folder, workspace::Project::root_of(&root)?))
        })
        .await?;
        let path = root.to_str().ok_or_else(no_unicode)?;
        let name = format!("{} ({mark})", project.name);
        let project = self.shared.store.open_project(path, &name, Clock::start().now_ms()).await?;
        self.tell(Update::Project { project: project.clone() });
        Ok(Copy { project, folder })
    }

    /// Removes the copy that a session works in. What its turns wrote stays in their journals.
    ///
    /// # Errors
    /// `turn_active`; `usage` where this process made no copy for it; `write_failed`.
    pub(super) async fn remove_copy(&self, session_id: SessionId) -> Result<Outcome, ErrorInfo> {
        let newest = self.shared.store.session_page(session_id, TurnPlace::Newest, 1).await?;
        if newest.turns.iter().any(|turn| turn.state != TurnState::Over) {
            return Err(StoreError::TurnActive(session_id).into());
        }
        let Some((project_id, folder)) = self.shared.copies.take(session_id) else {
            return Err(ErrorInfo::new(
                Code::Usage,
                "There is no copy to remove.",
                "There is nothing to do.",
            ));
        };
        self.shared.watches.forget(project_id);
        self.shared.indexes.forget(project_id);
        remove(folder).await?;
        let project = self.shared.store.project(project_id).await?;
        leave_home(&self.shared, &project.path).await;
        self.tell(Update::Project { project: Project { available: false, ..project } });
        Ok(Outcome::Done)
    }

    /// Removes what a session that is deleted worked in, where this process made it.
    pub(super) async fn forget_copy(&self, session_id: SessionId) -> Result<(), ErrorInfo> {
        let Some((project_id, folder)) = self.shared.copies.take(session_id) else { return Ok(()) };
        self.shared.watches.forget(project_id);
        self.shared.indexes.forget(project_id);
        remove(folder).await?;
        let project = self.shared.store.project(project_id).await?;
        leave_home(&self.shared, &project.path).await;
        if self.shared.store.sessions(Some(project_id), 1).await?.is_empty() {
            self.shared.store.forget_project(project_id).await?;
            self.tell(Update::ProjectForgotten { project_id });
        }
        Ok(())
    }

    /// Ends with the program.
    fn copying(&self) -> Budget {
        let cancel: CancellationToken = self.shared.closing.child_token();
        Budget::new(Budget::ENTRIES, TIME, cancel)
    }
}

/// Removes a copy with all that is in it.
async fn remove(folder: TempDir) -> Result<(), ErrorInfo> {
    let place = folder.keep();
    let until = Instant::now() + LETS_GO;
    loop {
        let this = place.clone();
        let removed = blocking(move || match std::fs::remove_dir_all(&this) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(remains(&this, &error)),
            _ => Ok(()),
        });
        match removed.await {
            Err(_) if Instant::now() < until => tokio::time::sleep(LOOK).await,
            removed => return removed,
        }
    }
}

/// A folder for its owner alone: the system's is for everybody.
fn own_folder(place: &Path) -> std::io::Result<TempDir> {
    let mut folder = tempfile::Builder::new();
    folder.prefix("orion-copy-");
    #[cfg(unix)]
    folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    folder.tempdir_in(place)
}

fn no_place(error: &std::io::Error) -> ErrorInfo {
    let message = "No folder can be made for a copy of the project.";
    ErrorInfo::new(Code::WriteFailed, message, "Free some space, or set TMPDIR to a folder elsewhere.")
        .with_detail(error.to_string())
}

fn no_unicode() -> ErrorInfo {
    let message = "The system's folder for temporary files has a name that is not valid Unicode.";
    ErrorInfo::new(Code::ProjectUnreadable, message, "Set TMPDIR to a folder elsewhere.")
}

fn remains(place: &Path, error: &std::io::Error) -> ErrorInfo {
    let message = format!("The copy {} could not be removed.", place.display());
    ErrorInfo::new(Code::WriteFailed, message, "Remove it yourself.").with_detail(error.to_string())
}
