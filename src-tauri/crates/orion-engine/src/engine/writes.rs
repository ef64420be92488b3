//! Approving, changing and undoing writes, and undoing changes of commands. The preview of a write is in `preview`.

use orion_core::turn::{Proposed, Supplied};
use orion_protocol::{
    Code, ErrorInfo, Outcome, RequestId, Sha256, Undone, WriteFault, WriteOperation, WriteProposal,
    WriteRevision,
};
use orion_store::{CommandFileStage, InProject, Stranded, WriteStage};

use super::Engine;
use super::resuming::Purpose;
use super::running::{Running, not_waiting, stale};
use crate::commands::Undoing;
use crate::driver::{Command, OpenWrite};
use crate::proposals::{Made, Writes};
use orion_files::workspace;
use orion_files::writing;

impl Engine {
    /// The file as a person approves it: all of the proposal, or these hunks.
    ///
    /// # Errors
    /// `write_faulty` where it has faults and they did not say that they saw them (W5); `file_changed` where the file is not the one that
    /// was previewed: they are asked about the new difference.
    pub(super) async fn approved(
        &self,
        running: &Running,
        digest: Sha256,
        hunks: Option<Vec<u32>>,
        despite_faults: bool,
    ) -> Result<Supplied, ErrorInfo> {
        let (open, proposal) = asked(running, digest).await?;
        if !proposal.faults.is_empty() && !despite_faults {
            let first =
                proposal.faults.first().map(|WriteFault { line, what, .. }| format!("line {line}: {what}"));
            let first = first.unwrap_or_default();
            let message = match proposal.faults.len() as u64 + proposal.more_faults {
                1 => format!("One place in the content is still in doubt: {first}."),
                places => {
                    format!("{places} places in the content are still in doubt, the first one at {first}.")
                }
            };
            let action = "Look at it in the preview, and approve again to write the file anyway.";
            return Err(ErrorInfo::new(Code::WriteFaulty, message, action));
        }
        let all: Vec<u32> = (1..=proposal.hunks).collect();
        let writes = self.writes(running.ids.request_id).await?;
        let hunks = hunks.unwrap_or(all);
        match writes.only(&proposal, &open.path, &hunks, despite_faults).await {
            Ok(approved) => Ok(Supplied::File { approved }),
            Err(error) if error.code == Code::FileChanged => {
                // W6: where nothing is watched, nobody else would notice. When this returns, the person is asked
                // about the new difference.
                self.revise(running, open, WriteRevision::Refresh).await?;
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    pub(super) async fn revise_write(
        &self,
        request_id: RequestId,
        digest: Sha256,
        revision: WriteRevision,
    ) -> Result<Outcome, ErrorInfo> {
        let running = self.to_answer(request_id, Purpose::GoOn).await?;
        let (open, _) = asked(&running, digest).await?;
        self.revise(&running, open, revision).await
    }

    /// Has a new proposal made and hands it to the turn.
    async fn revise(
        &self,
        running: &Running,
        open: OpenWrite,
        revision: WriteRevision,
    ) -> Result<Outcome, ErrorInfo> {
        let (proposal, _) = open.proposal.as_ref().ok_or_else(stale)?;
        let (write, digest) = (open.number, proposal.digest);
        let made = self.remade(running, open, revision).await;
        // Meanwhile the turn may have begun to ask about another proposal. Then this changes nothing, and what it is made from may be gone.
        match made {
            Ok(made) => running.revise(write, digest, made).await,
            Err(error) => asked(running, digest).await.and(Err(error)),
        }
    }

    /// A proposal that can be shown.
    async fn remade(
        &self,
        running: &Running,
        open: OpenWrite,
        revision: WriteRevision,
    ) -> Result<Made, ErrorInfo> {
        let OpenWrite { number, path, proposal, .. } = open;
        let writes = self.writes(running.ids.request_id).await?;
        let made = writes.revise(number, path.clone(), proposal.ok_or_else(stale)?, revision).await?;
        match &made.outcome {
            Proposed::Ready { .. } => Ok(made),
            Proposed::Failed { error } => Err(error.clone()),
            Proposed::Faulty { faults } => {
                let what = faults.first().map_or_else(String::new, |fault| fault.what.clone());
                let message = format!("{path} cannot be written like this: {what}.");
                Err(ErrorInfo::new(Code::WriteFaulty, message, "Change your edit, or undo it."))
            }
        }
    }

    /// Undoes the writes of a turn, or one of them, newest first. What cannot be undone says why.
    pub(super) async fn undo_write(
        &self,
        request_id: RequestId,
        write: Option<u32>,
    ) -> Result<Outcome, ErrorInfo> {
        let session_id = self.shared.store.turn_ids(request_id).await?.session_id;
        let undone = self.undo(request_id, write).await;
        // Some of it may be undone where the rest is not.
        self.tell_of_session(session_id).await;
        Ok(Outcome::Undone { writes: something(undone?)? })
    }

    pub(super) async fn undo(
        &self,
        request_id: RequestId,
        write: Option<u32>,
    ) -> Result<Vec<Undone>, ErrorInfo> {
        let _alone = self.shared.undoing.lock().await;
        // First find out how the writes ended that were under way when their process died.
        self.settle(|it| it.request_id == request_id).await;
        let stored = self.shared.store.writes(request_id).await?;
        let written = stored.into_iter().rev().filter(|it| it.stage == WriteStage::Written);
        let writes = self.writes(request_id).await?;
        let mut undone = Vec::new();
        for stored in written.filter(|it| write.is_none_or(|write| write == it.number)) {
            let error = writes.undo(&stored).await.err();
            undone.push(Undone { request_id, write: Some(stored.number), path: stored.path, error });
        }
        Ok(undone)
    }

    pub(super) async fn go_on(&self, request_id: RequestId) -> Result<Outcome, ErrorInfo> {
        self.reach(request_id, Purpose::GoOn).await?;
        Ok(Outcome::Turn { request_id })
    }

    /// Cleans up after processes that died: temporary files of writes are removed, it is found out what was
    /// written (W6, W7), and rewinds are completed (A10). Turns are marked as interrupted (A5), and deletions are completed. What fails goes to the
    /// log, and the next start tries again.
    pub(super) async fn clean_up(&self) {
        self.settle_all().await;
        if let Err(ErrorInfo { code, .. }) = self.find_interrupted().await {
            tracing::warn!(?code, "turns whose process died cannot be looked up");
        }
        self.complete_deletions().await;
    }

    /// Finds out how writes ended whose process died, and completes undoings and rewinds.
    pub(super) async fn settle_all(&self) {
        self.settle(|_| true).await;
        self.settle_command_files().await;
        self.settle_rewinds().await;
    }

    /// Completes undoings of commands' changes whose process died. What fails goes to the log, and the next start tries again.
    async fn settle_command_files(&self) {
        let stranded = match self.shared.store.stranded_command_files().await {
            Ok(stranded) => stranded,
            Err(error) => {
                let code = ErrorInfo::from(error).code;
                return tracing::warn!(?code, "undoings of commands that were under way cannot be looked up");
            }
        };
        for file in stranded {
            let request_id = file.request_id;
            let completed = match self.writes(request_id).await.and_then(|writes| writes.folder) {
                Ok(folder) => Undoing { store: self.shared.store.clone(), folder }.complete(file).await,
                Err(gone) => Err(gone),
            };
            if let Err(ErrorInfo { code, .. }) = completed {
                tracing::warn!(%request_id, ?code, "an undoing that was under way was not completed");
            }
        }
    }

    /// Undoes one change of a command. None where it was undone meanwhile.
    pub(super) async fn undo_command_file(
        &self,
        request_id: RequestId,
        number: u32,
    ) -> Result<Option<Undone>, ErrorInfo> {
        let _alone = self.shared.undoing.lock().await;
        let store = self.shared.store.clone();
        let Some(file) = store.command_file(request_id, number).await? else { return Ok(None) };
        if file.stage != CommandFileStage::Changed {
            return Ok(None);
        }
        let path = file.path.clone();
        let folder = self.writes(request_id).await?.folder?;
        let error = Undoing { store, folder }.put_back(file).await.err();
        Ok(Some(Undone { request_id, write: None, path, error }))
    }

    /// Finds out how the selected writes ended whose process died.
    async fn settle(&self, those: impl Fn(&Stranded) -> bool) {
        let stranded = match self.shared.store.stranded().await {
            Ok(stranded) => stranded,
            Err(error) => {
                let code = ErrorInfo::from(error).code;
                return tracing::warn!(?code, "writes that were under way cannot be looked up");
            }
        };
        for Stranded { request_id, write } in stranded.into_iter().filter(those) {
            let path = write.path.clone();
            let settled = match self.writes(request_id).await {
                Ok(writes) => writes.settle(write).await,
                Err(error) => Err(error),
            };
            if let Err(ErrorInfo { code, .. }) = settled {
                tracing::warn!(%request_id, path, ?code, "a write that was under way cannot be cleaned up");
            }
        }
    }

    /// The present file. None when it cannot be written at all.
    pub(super) async fn on_disk(&self, request_id: RequestId, path: &str) -> Option<writing::Target> {
        let writes = self.writes(request_id).await.ok()?;
        let path = path.to_owned();
        let read = super::blocking(move || {
            let project = writes.project()?;
            writing::Target::find(project, &project.path(&path)?, WriteOperation::Overwrite)
        });
        read.await.ok()
    }

    /// What is needed to read and undo a turn's writes, even if the turn does not run any more.
    async fn writes(&self, request_id: RequestId) -> Result<Writes, ErrorInfo> {
        let ids = self.shared.store.turn_ids(request_id).await?;
        let InProject { project, .. } = self.shared.store.session_in_project(ids.session_id).await?;
        let private = self.shared.private.clone();
        let project =
            super::blocking(move || workspace::Project::open(std::path::Path::new(&project.path), &private))
                .await?;
        Ok(Writes { store: self.shared.store.clone(), folder: Ok(project), request_id })
    }
}

/// The proposal that the turn waits for an answer to, if it is the one that was looked at (A3).
async fn asked(running: &Running, digest: Sha256) -> Result<(OpenWrite, WriteProposal), ErrorInfo> {
    running.answer(|told| Command::Judge { digest, told }).await?;
    let open = running.write().await.ok_or_else(not_waiting)?;
    match &open.proposal {
        // This holds also while a new difference is made, since the question may stay the same.
        Some((proposal, _)) if proposal.digest == digest => {
            let proposal = proposal.clone();
            Ok((open, proposal))
        }
        _ => Err(stale()),
    }
}

/// What was undone, or why not. It is an error when there was nothing to undo.
pub(super) fn something(undone: Vec<Undone>) -> Result<Vec<Undone>, ErrorInfo> {
    if undone.is_empty() {
        let (message, action) =
            ("There is nothing to undo.", "Orion wrote no file there, or undid it already.");
        return Err(ErrorInfo::new(Code::WriteUnknownSession, message, action));
    }
    Ok(undone)
}

pub(super) fn none() -> ErrorInfo {
    ErrorInfo::new(Code::WriteUnknownSession, "There is no such write session.", "Open the session again.")
}
