//! Approving, changing, showing and taking back writes.

use std::sync::{Arc, Mutex, PoisonError};

use orion_core::turn::Proposed;
use orion_protocol::{
    Code, DiffRow, Envelope, ErrorInfo, Reply, RequestId, SessionId, TurnEvent, TurnIds, Undone,
    WriteProposal, WriteRevision, WriteState, WriteStatus, WriteView,
};
use orion_store::{StoredWrite, WriteStage};

use super::Engine;
use super::running::Running;
use crate::difference::Difference;
use crate::driver::{self, Command, OpenWrite, Writes};
use crate::workspace;
use crate::writing::{self, Recovered, Style};

/// Rows that one question may ask for.
const MOST_ROWS: u32 = 5_000;

/// The largest text that the window edits, in bytes: 4 MiB. An editor in a webview is slow beyond that.
const MOST_TEXT: usize = 4 * 1024 * 1024;

/// The difference that was looked at last: rows of one are asked for again and again.
#[derive(Debug, Default)]
pub(super) struct Shown(Mutex<Option<(String, Arc<Difference>)>>);

impl Engine {
    pub(super) async fn approve_write(
        &self,
        request_id: RequestId,
        digest: String,
        hunks: Option<Vec<u32>>,
        despite_faults: bool,
    ) -> Result<Reply, ErrorInfo> {
        let running = self.reach(request_id).await?;
        let (open, proposal) = asked(&running, &digest).await?;
        if !proposal.faults.is_empty() && !despite_faults {
            return Err(ErrorInfo::new(
                Code::WriteFaulty,
                format!(
                    "{} places in the content are still wrong.",
                    proposal.faults.len() as u64 + proposal.more_faults
                ),
                "Look at them, and approve again if you want it written all the same.",
            ));
        }
        let all: Vec<u32> = (1..=proposal.hunks).collect();
        let writes = self.writes(request_id).await?;
        let hunks = hunks.unwrap_or(all);
        match writes.only(&proposal, &open.path, &hunks, despite_faults).await {
            Ok(approved) => running.say(Command::WriteApproved { digest, approved }).await,
            Err(error) if error.code == Code::FileChanged => {
                // W6: without a watcher nobody else says so. When this returns, the new difference is what is asked.
                self.revise(&running, open, WriteRevision::Refresh).await?;
                running.flush().await;
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    pub(super) async fn revise_write(
        &self,
        request_id: RequestId,
        digest: String,
        revision: WriteRevision,
    ) -> Result<Reply, ErrorInfo> {
        let running = self.reach(request_id).await?;
        let (open, _) = asked(&running, &digest).await?;
        self.revise(&running, open, revision).await
    }

    /// Has a new proposal made and hands it to the turn.
    async fn revise(
        &self,
        running: &Running,
        open: OpenWrite,
        revision: WriteRevision,
    ) -> Result<Reply, ErrorInfo> {
        let proposal = open.proposal.ok_or_else(stale)?;
        let writes = self.writes(running.ids.request_id).await?;
        let path = open.path.clone();
        let made = writes.revise(open.number, open.path, proposal, revision).await?;
        match &made.outcome {
            Proposed::Ready { .. } => {}
            Proposed::Failed { error } => return Err(error.clone()),
            Proposed::Faulty { faults } => {
                let what = faults.first().map_or_else(String::new, |fault| fault.what.clone());
                let message = format!("{path} cannot be written like this: {what}.");
                return Err(ErrorInfo::new(Code::WriteFaulty, message, "Change it, or leave it as it was."));
            }
        }
        running.say(Command::Revised(made)).await
    }

    /// Takes back the writes of a turn, or one of them, newest first. What cannot be taken back says why.
    pub(super) async fn undo_write(
        &self,
        request_id: RequestId,
        write: Option<u32>,
    ) -> Result<Reply, ErrorInfo> {
        Ok(Reply::Undone { writes: something(self.undo(request_id, write).await?)? })
    }

    async fn undo(&self, request_id: RequestId, write: Option<u32>) -> Result<Vec<Undone>, ErrorInfo> {
        let stored = self.shared.store.writes(request_id).await?;
        let written = stored.into_iter().rev().filter(|it| it.stage == WriteStage::Written);
        let writes = self.writes(request_id).await?;
        let mut undone = Vec::new();
        for stored in written.filter(|it| write.is_none_or(|write| write == it.number)) {
            let error = writes.undo(&stored).await.err();
            undone.push(Undone { request_id, write: stored.number, path: stored.path, error });
        }
        Ok(undone)
    }

    /// Takes back all writes of a session, newest first.
    ///
    /// # Errors
    /// A session that is not there, or in which nothing is to be taken back.
    pub async fn undo_session(&self, session_id: SessionId) -> Result<Vec<Undone>, ErrorInfo> {
        self.shared.store.session_in_project(session_id).await?;
        let mut undone = Vec::new();
        for request_id in self.shared.store.turns_that_wrote(session_id).await? {
            undone.extend(self.undo(request_id, None).await?);
        }
        something(undone)
    }

    pub(super) async fn go_on(&self, request_id: RequestId) -> Result<Reply, ErrorInfo> {
        self.reach(request_id).await?;
        Ok(Reply::Turn { request_id })
    }

    /// Cleans up after writes whose process died: no temporary file stays behind, and what was written is known (W6, W7).
    /// What does not succeed goes to the log, and the next start tries it again.
    pub(super) async fn clean_up(&self) {
        let turns = match self.shared.store.turns_writing().await {
            Ok(turns) => turns,
            Err(error) => {
                let code = ErrorInfo::from(error).code;
                return tracing::warn!(?code, "writes that were under way cannot be looked up");
            }
        };
        for TurnIds { request_id, .. } in turns {
            let stored = match self.shared.store.writes(request_id).await {
                Ok(stored) => stored,
                Err(error) => {
                    let code = ErrorInfo::from(error).code;
                    tracing::warn!(%request_id, ?code, "the writes of a turn cannot be looked up");
                    continue;
                }
            };
            for it in stored.into_iter().filter(|it| it.stage == WriteStage::Writing) {
                let path = it.path.clone();
                if let Err(ErrorInfo { code, .. }) = self.clean(request_id, it).await {
                    tracing::warn!(%request_id, path, ?code, "a write that was under way cannot be cleaned up");
                }
            }
        }
    }

    async fn clean(&self, request_id: RequestId, stored: StoredWrite) -> Result<(), ErrorInfo> {
        let StoredWrite { number, path, base_sha256, sha256, .. } = stored;
        let writes = self.writes(request_id).await?;
        let stage = match writes.clean(number, path, base_sha256, sha256).await? {
            Recovered::Written => WriteStage::Written,
            Recovered::NotWritten | Recovered::Changed { .. } => WriteStage::Over,
        };
        Ok(self.shared.store.move_write(request_id, number, stage).await?)
    }

    /// The unified difference of a write, as `patch` takes it.
    ///
    /// # Errors
    /// A write session that came to no proposal.
    pub async fn unified(&self, request_id: RequestId, write: Option<u32>) -> Result<String, ErrorInfo> {
        let stored = self.shared.store.writes(request_id).await?;
        let mut out = String::new();
        for it in stored.iter().filter(|it| write.is_none_or(|write| write == it.number)) {
            let difference = self.difference(&it.sha256, it.base_sha256.as_deref(), &[]).await?;
            let old = it.base_sha256.as_ref().map_or("/dev/null".to_owned(), |_| format!("a/{}", it.path));
            out.push_str(&difference.unified(&old, &format!("b/{}", it.path)));
        }
        if stored.is_empty() { Err(none()) } else { Ok(out) }
    }

    pub(super) async fn write_view(&self, request_id: RequestId, write: u32) -> Result<WriteView, ErrorInfo> {
        let events = self.events(request_id, 0).await?;
        let mut view = folded(request_id, write, &events).ok_or_else(none)?;
        let open = match self.shared.turns.get(request_id) {
            Some(running) => running.write().await,
            None if matches!(view.state, WriteState::Done | WriteState::Discarded) => None,
            None => {
                let (turn, _) = driver::rebuild(&self.shared.store, request_id).await?;
                turn.write_session().map(OpenWrite::of)
            }
        };
        if let Some(open) = open.filter(|open| open.number == write) {
            view.state = open.state;
            if open.proposal.is_none() {
                view.proposal = None;
                (view.tail, view.tail_offset) = (open.tail, open.tail_offset);
            }
        }
        let Some(proposal) = view.proposal.clone() else { return Ok(view) };
        let stored = self.shared.store.writes(request_id).await?;
        let stored = stored.into_iter().find(|it| it.number == write);
        let new = stored.as_ref().map_or(&proposal.sha256, |it| &it.sha256);
        let difference = self.difference(new, proposal.base_sha256.as_deref(), &proposal.seams).await?;
        view.hunks = difference.hunks();
        view.rows = difference.rows_total();
        let on_disk = self.on_disk(request_id, &view.path).await;
        let base = on_disk.as_ref().and_then(writing::Target::base_sha256);
        let leads_to = on_disk.as_ref().and_then(writing::Target::leads_to);
        let is_asked = (base, &leads_to) == (proposal.base_sha256.as_deref(), &proposal.leads_to);
        view.changed_on_disk = view.state == WriteState::AwaitingApproval && !is_asked;
        view.undoable =
            stored.is_some_and(|it| it.stage == WriteStage::Written && base == Some(it.sha256.as_str()));
        Ok(view)
    }

    pub(super) async fn write_rows(
        &self,
        request_id: RequestId,
        write: u32,
        digest: String,
        from: u64,
        count: u32,
    ) -> Result<Vec<DiffRow>, ErrorInfo> {
        let events = self.events(request_id, 0).await?;
        let view = folded(request_id, write, &events).ok_or_else(none)?;
        let proposal = view.proposal.filter(|it| it.digest == digest).ok_or_else(stale)?;
        let stored = self.shared.store.writes(request_id).await?;
        let stored = stored.into_iter().find(|it| it.number == write).ok_or_else(none)?;
        let difference =
            self.difference(&stored.sha256, proposal.base_sha256.as_deref(), &proposal.seams).await?;
        Ok(difference.rows(from, count.min(MOST_ROWS)))
    }

    pub(super) async fn write_text(&self, request_id: RequestId, write: u32) -> Result<String, ErrorInfo> {
        let stored = self.shared.store.writes(request_id).await?;
        let stored = stored.into_iter().find(|it| it.number == write).ok_or_else(none)?;
        let new = self.shared.store.body(&stored.sha256).await?;
        if new.len() > MOST_TEXT {
            let message = format!("{} is larger than 4 MiB.", stored.path);
            let action = "Approve or reject it, and edit the file in an editor.";
            return Err(ErrorInfo::new(Code::ResponseTooLarge, message, action));
        }
        let text = Style::of(&new).text(&new).map(|text| text.replace("\r\n", "\n"));
        text.ok_or_else(|| {
            let message = format!("{} is not text.", stored.path);
            ErrorInfo::new(Code::FileBinary, message, "Approve or reject it.")
        })
    }

    /// The difference of two bodies, remembered while it is looked at.
    async fn difference(
        &self,
        new: &str,
        base: Option<&str>,
        seams: &[orion_protocol::Seam],
    ) -> Result<Arc<Difference>, ErrorInfo> {
        let key = format!("{}-{new}", base.unwrap_or("none"));
        let shown = &self.shared.shown.0;
        let known = shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, difference)) = known.filter(|(known, _)| *known == key) {
            return Ok(difference);
        }
        let old = match base {
            Some(base) => Some(self.shared.store.body(base).await?),
            None => None,
        };
        let new = self.shared.store.body(new).await?;
        let seams = seams.to_vec();
        let difference =
            super::blocking(move || Ok(Arc::new(driver::difference(old.as_deref(), &new, &seams)))).await?;
        *shown.lock().unwrap_or_else(PoisonError::into_inner) = Some((key, difference.clone()));
        Ok(difference)
    }

    /// The file as it is now; none when it cannot be written at all.
    async fn on_disk(&self, request_id: RequestId, path: &str) -> Option<writing::Target> {
        let writes = self.writes(request_id).await.ok()?;
        let path = path.to_owned();
        let read = super::blocking(move || {
            let path = writes.project.path(&path)?;
            writing::Target::find(&writes.project, &path, orion_protocol::WriteOperation::Overwrite)
        });
        read.await.ok()
    }

    /// What a turn's writes are done with, also of a turn that runs no more.
    async fn writes(&self, request_id: RequestId) -> Result<Writes, ErrorInfo> {
        let ids = self.shared.store.turn_ids(request_id).await?;
        let (_, project) = self.shared.store.session_in_project(ids.session_id).await?;
        let project =
            super::blocking(move || workspace::Project::open(std::path::Path::new(&project.path))).await?;
        Ok(Writes { store: self.shared.store.clone(), project, request_id })
    }
}

/// The proposal that the turn waits for an answer to, if it is the one that was looked at (A3).
async fn asked(running: &Running, digest: &str) -> Result<(OpenWrite, WriteProposal), ErrorInfo> {
    let open = running.write().await.ok_or_else(stale)?;
    match &open.proposal {
        // Also while the difference is made anew: what is asked may stay the same.
        Some((proposal, _)) if proposal.digest == digest && open.state != WriteState::Writing => {
            let proposal = proposal.clone();
            Ok((open, proposal))
        }
        _ => Err(stale()),
    }
}

/// A write session as the events of its turn show it.
fn folded(request_id: RequestId, number: u32, events: &[Envelope]) -> Option<WriteView> {
    let mut view: Option<WriteView> = None;
    for envelope in events {
        match (&envelope.event, &mut view) {
            (TurnEvent::WriteStarted { write, tool_call_id, path, operation, intent }, _)
                if *write == number =>
            {
                view = Some(WriteView {
                    request_id,
                    write: number,
                    tool_call_id: tool_call_id.clone(),
                    path: path.clone(),
                    operation: *operation,
                    intent: intent.clone(),
                    state: WriteState::AwaitingContent,
                    tail: String::new(),
                    tail_offset: 0,
                    proposal: None,
                    hunks: Vec::new(),
                    rows: 0,
                    changed_on_disk: false,
                    undoable: false,
                });
            }
            (TurnEvent::WriteFaults { write, .. }, Some(view)) if *write == number => {
                view.state = WriteState::NeedsCorrections;
            }
            (TurnEvent::WriteReady { write, proposal }, Some(view)) if *write == number => {
                view.state = WriteState::AwaitingApproval;
                view.proposal = Some((**proposal).clone());
            }
            (TurnEvent::ApprovalGiven { digest, granted: true }, Some(view))
                if view.proposal.as_ref().is_some_and(|it| it.digest == *digest) =>
            {
                view.state = WriteState::Writing;
            }
            (TurnEvent::WriteDone { write, status, .. }, Some(view)) if *write == number => {
                view.state = match status {
                    WriteStatus::Written | WriteStatus::Unknown => WriteState::Done,
                    WriteStatus::Rejected | WriteStatus::Discarded | WriteStatus::Failed => {
                        WriteState::Discarded
                    }
                };
            }
            _ => {}
        }
    }
    view
}

/// What was or was not taken back; it is a fault when there was nothing.
fn something(undone: Vec<Undone>) -> Result<Vec<Undone>, ErrorInfo> {
    if undone.is_empty() {
        let (message, action) =
            ("There is nothing to take back.", "Orion wrote no file there, or took it back already.");
        return Err(ErrorInfo::new(Code::WriteUnknownSession, message, action));
    }
    Ok(undone)
}

fn stale() -> ErrorInfo {
    ErrorInfo::new(
        Code::ApprovalStale,
        "This is not what is asked any more.",
        "Look at the difference as it is now.",
    )
}

fn none() -> ErrorInfo {
    ErrorInfo::new(Code::WriteUnknownSession, "There is no such write session.", "Open the chat again.")
}
