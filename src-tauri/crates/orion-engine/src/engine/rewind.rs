//! Going back to an earlier message: what would change, doing it, and undoing it (A10).

use std::path::Path;

use orion_files::workspace;
use orion_protocol::{Code, ErrorInfo, Outcome, RequestId, Rewind, RewindPreview, SessionId, Sha256, Update};
use orion_store::{InProject, NewRewind, PlannedFile, StoreError, StoredRewind};

use super::Engine;
use crate::driver::Clock;
use crate::rewinds::{self, Rewinding};

impl Engine {
    /// What going back to the message of this turn would change. Nothing is changed.
    ///
    /// # Errors
    /// `turn_unknown`, and those of opening the project's folder.
    pub(super) async fn rewind_preview(&self, request_id: RequestId) -> Result<RewindPreview, ErrorInfo> {
        self.writable(self.shared.store.turn_ids(request_id).await?.session_id).await?;
        let files = self.planned(request_id).await?;
        Ok(RewindPreview {
            request_id,
            turns: self.shared.store.turns_from(request_id).await?,
            digest: rewinds::digest(request_id, &files),
            files: files
                .iter()
                .filter_map(|it| rewinds::shown(&it.path, it.from, it.to, it.kept.as_ref()))
                .collect(),
        })
    }

    async fn planned(&self, request_id: RequestId) -> Result<Vec<PlannedFile>, ErrorInfo> {
        let session_id = self.shared.store.turn_ids(request_id).await?.session_id;
        let written = self.shared.store.written_since(request_id).await?;
        if written.is_empty() {
            return Ok(Vec::new());
        }
        let folder = self.project_of(session_id).await??;
        super::blocking(move || Ok(rewinds::plan(&folder, written))).await
    }

    pub(super) async fn rewind(
        &self,
        request_id: RequestId,
        conversation: bool,
        files: Option<Sha256>,
    ) -> Result<Outcome, ErrorInfo> {
        if !conversation && files.is_none() {
            let message = "Nothing is to go back: neither the conversation nor the files.";
            return Err(ErrorInfo::new(Code::Usage, message, "Choose one of them, or both."));
        }
        let _alone = self.shared.undoing.lock().await;
        self.find_interrupted().await?;
        self.settle_all().await;
        let session_id = self.shared.store.turn_ids(request_id).await?.session_id;
        let planned = match files {
            None => Vec::new(),
            Some(seen) => {
                let planned = self.planned(request_id).await?;
                if rewinds::digest(request_id, &planned) != seen {
                    return Err(looked_at_something_else());
                }
                planned
            }
        };
        let at_ms = Clock::start().now_ms();
        let rewind = NewRewind { session_id, request_id, at_ms, conversation, files: planned };
        let begun = match self.shared.store.begin_rewind(rewind).await {
            Err(StoreError::TurnActive(session_id)) => return Err(self.occupied(session_id).await),
            begun => begun?,
        };
        self.carried_out(begun).await
    }

    pub(super) async fn undo_rewind(&self, request_id: RequestId) -> Result<Outcome, ErrorInfo> {
        let _alone = self.shared.undoing.lock().await;
        self.find_interrupted().await?;
        self.settle_all().await;
        let rewind = self.shared.store.last_rewind_to(request_id).await?.ok_or_else(nothing_to_undo)?;
        if !rewind.files.is_empty() {
            self.project_of(rewind.session_id).await??;
        }
        let begun = match self.shared.store.begin_undoing_rewind(&rewind).await {
            Err(StoreError::TurnActive(session_id)) => return Err(self.occupied(session_id).await),
            begun => begun?,
        };
        self.carried_out(begun).await
    }

    /// Completes what is under way, and tells the window.
    async fn carried_out(&self, rewind: StoredRewind) -> Result<Outcome, ErrorInfo> {
        let session_id = rewind.session_id;
        let tip = self.shared.store.tip(session_id).await?;
        if rewind.conversation {
            self.tell(Update::TipMoved { session_id, tip });
        }
        let rewinding =
            Rewinding { store: self.shared.store.clone(), folder: self.project_of(session_id).await? };
        let rewind = rewinding.carry_out(rewind).await?;
        self.tell_of_session(session_id).await;
        Ok(Outcome::Rewound { rewind: rewinds::told(&rewind) })
    }

    /// The last rewind of a session, while no message has followed it.
    pub(super) async fn last_rewind(&self, session_id: SessionId) -> Result<Option<Rewind>, ErrorInfo> {
        let last = self.shared.store.last_rewind(session_id).await?;
        Ok(last.filter(|rewind| rewind.is_latest).as_ref().map(rewinds::told))
    }

    /// Completes rewinds whose process died, and undoings of rewinds. What fails goes to the log, and the next start tries again.
    pub(super) async fn settle_rewinds(&self) {
        let stranded = match self.shared.store.stranded_rewinds().await {
            Ok(stranded) => stranded,
            Err(error) => {
                let code = ErrorInfo::from(error).code;
                return tracing::warn!(?code, "rewinds that were under way cannot be looked up");
            }
        };
        for rewind in stranded {
            let (session_id, request_id) = (rewind.session_id, rewind.request_id);
            let carried_out = match self.project_of(session_id).await {
                // Without its folder nothing can be said of a file; the folder may come back.
                Ok(Err(gone)) | Err(gone) => Err(gone),
                Ok(folder) => Rewinding { store: self.shared.store.clone(), folder }.carry_out(rewind).await,
            };
            if let Err(ErrorInfo { code, .. }) = carried_out {
                tracing::warn!(%request_id, ?code, "a rewind that was under way cannot be completed");
            }
        }
    }

    /// The folder of a session's project, or why it cannot be opened.
    async fn project_of(
        &self,
        session_id: SessionId,
    ) -> Result<Result<workspace::Project, ErrorInfo>, ErrorInfo> {
        let InProject { project, .. } = self.shared.store.session_in_project(session_id).await?;
        let private = self.shared.private.clone();
        super::blocking(move || Ok(workspace::Project::open(Path::new(&project.path), &private))).await
    }
}

fn looked_at_something_else() -> ErrorInfo {
    ErrorInfo::new(
        Code::ApprovalStale,
        "The files have changed since you looked at what would be restored.",
        "Look at it again.",
    )
}

fn nothing_to_undo() -> ErrorInfo {
    ErrorInfo::new(
        Code::WriteUnknownSession,
        "There is no rewind to undo here.",
        "It was undone already, or the conversation never went back to this message.",
    )
}
