//! The preview of a write: the state of its session, its difference row by row, and its text for an editor.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use orion_protocol::{
    Code, DiffRow, Envelope, ErrorInfo, Given, PendingOf, RequestId, RowRest, Sha256, TurnEvent,
    WriteOperation, WriteProposal, WriteState, WriteStatus, WriteView,
};
use orion_store::{StoreError, StoredWrite, WriteStage};

use super::Engine;
use super::running::stale;
use super::writes::none;
use crate::driver::{self, OpenWrite, Rebuilt};
use crate::proposals::{self, Position};
use orion_files::difference::Difference;
use orion_files::writing::{self, Style};

/// Cut rows that a view names; the rest are counted (the wire's `WriteView`).
const MOST_CUT: usize = 500;

/// Rows that one question may ask for.
const MOST_ROWS: u32 = 5_000;

/// The largest text that the window edits, in bytes: 4 MiB. An editor in a webview is slow beyond that.
const MOST_TEXT: usize = 4 * 1024 * 1024;

/// The difference that was looked at last: rows of one are asked for again and again.
#[derive(Debug, Default)]
pub(super) struct Shown(Mutex<Option<(Look, Arc<Difference>)>>);

/// What exactly is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    request_id: RequestId,
    write: u32,
    /// Of the proposal.
    digest: Sha256,
    /// SHA-256 of the file as it was, and as it would be or was approved.
    base: Option<Sha256>,
    new: Sha256,
}

impl Look {
    fn at(request_id: RequestId, digest: Sha256, stored: &StoredWrite) -> Self {
        let StoredWrite { number: write, base_sha256: base, sha256: new, .. } = *stored;
        Self { request_id, write, digest, base, new }
    }

    /// Two contents of a file, the later of which this write made.
    pub(super) fn between(
        (request_id, write): (RequestId, u32),
        digest: Sha256,
        base: Option<Sha256>,
        new: Sha256,
    ) -> Self {
        Self { request_id, write, digest, base, new }
    }
}

impl Shown {
    pub(super) fn of(&self, look: &Look) -> Option<Arc<Difference>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().filter(|(known, _)| known == look).map(|(_, difference)| difference.clone())
    }

    pub(super) fn keep(&self, look: Look, difference: Arc<Difference>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((look, difference));
    }
}

impl Engine {
    /// The unified difference of a write, as `patch` takes it.
    ///
    /// # Errors
    /// `turn_unknown`; `write_unknown_session` where no proposal was made, or none of this number.
    pub async fn unified(&self, request_id: RequestId, write: Option<u32>) -> Result<String, ErrorInfo> {
        let mut stored = self.shared.store.writes(request_id).await?;
        stored.retain(|it| write.is_none_or(|write| write == it.number));
        if stored.is_empty() {
            self.shared.store.turn_ids(request_id).await?;
            return Err(self.without_contents(request_id, not_proposed(write)).await);
        }
        let mut out = String::new();
        for it in &stored {
            let difference = self.difference(it.sha256, it.base_sha256, Vec::new()).await?;
            let old = it.base_sha256.as_ref().map_or("/dev/null".to_owned(), |_| format!("a/{}", it.path));
            out.push_str(&difference.unified(&old, &format!("b/{}", it.path)));
        }
        Ok(out)
    }

    pub(super) async fn write_view(&self, request_id: RequestId, write: u32) -> Result<WriteView, ErrorInfo> {
        let events = self.events(request_id, 0).await?;
        let mut view = folded(request_id, write, &events).ok_or_else(none)?;
        let open = match self.shared.turns.get(request_id) {
            Some(running) => running.write().await,
            None if matches!(view.state, WriteState::Done | WriteState::Discarded) => None,
            None => {
                match driver::rebuild(&self.shared.store, request_id).await {
                    Ok(Rebuilt { turn, .. }) => turn.write_session().map(OpenWrite::of),
                    // The events of the write can be shown all the same (T8).
                    Err(error) if error.code == Code::OtherVersion => None,
                    Err(error) => return Err(error),
                }
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
        let difference = match &stored {
            Some(stored) => self.shown(request_id, &proposal, stored).await?,
            None => self.difference(proposal.sha256, proposal.base_sha256, Vec::new()).await?,
        };
        view.hunks = difference.hunks();
        view.rows = difference.rows_total();
        view.replaced_bytes = difference.replaced_bytes();
        (view.cut_rows, view.more_cut_rows) = difference.cut_rows(MOST_CUT);
        if view.state == WriteState::AwaitingApproval {
            self.watch_over(request_id).await;
        }
        let on_disk = self.on_disk(request_id, &view.path).await;
        let base = on_disk.as_ref().and_then(writing::Target::base_sha256);
        let leads_to = on_disk.as_ref().and_then(writing::Target::leads_to);
        let is_asked = (base, &leads_to) == (proposal.base_sha256, &proposal.leads_to);
        view.changed_on_disk = view.state == WriteState::AwaitingApproval && !is_asked;
        view.undone = stored.as_ref().is_some_and(|it| it.stage == WriteStage::Undone);
        view.undoable = stored.is_some_and(|it| it.stage == WriteStage::Written && base == Some(it.sha256));
        Ok(view)
    }

    pub(super) async fn write_rows(
        &self,
        request_id: RequestId,
        write: u32,
        digest: Sha256,
        from: u64,
        count: u32,
    ) -> Result<Vec<DiffRow>, ErrorInfo> {
        let difference = self.looked_at(request_id, write, digest).await?;
        Ok(difference.rows(from, count.min(MOST_ROWS)))
    }

    /// A stretch of the line of a row, from a character on.
    pub(super) async fn row_rest(
        &self,
        request_id: RequestId,
        write: u32,
        digest: Sha256,
        (row, from): (u64, u64),
    ) -> Result<RowRest, ErrorInfo> {
        let difference = self.looked_at(request_id, write, digest).await?;
        // A row that this difference does not have is of another one.
        super::blocking(move || difference.rest(row, from).ok_or_else(stale)).await
    }

    /// The difference that a digest names.
    async fn looked_at(
        &self,
        request_id: RequestId,
        write: u32,
        digest: Sha256,
    ) -> Result<Arc<Difference>, ErrorInfo> {
        let stored = self.shared.store.writes(request_id).await?;
        let stored = stored.into_iter().find(|it| it.number == write).ok_or_else(none)?;
        let look = Look::at(request_id, digest, &stored);
        if let Some(difference) = self.shared.shown.of(&look) {
            return Ok(difference);
        }
        let events = self.events(request_id, 0).await?;
        let view = folded(request_id, write, &events).ok_or_else(none)?;
        let proposal = view.proposal.filter(|it| it.digest == look.digest).ok_or_else(stale)?;
        self.shown(request_id, &proposal, &stored).await
    }

    pub(super) async fn write_text(
        &self,
        request_id: RequestId,
        write: u32,
        hunks: Option<Vec<u32>>,
    ) -> Result<String, ErrorInfo> {
        let stored = self.shared.store.writes(request_id).await?;
        let stored = stored.into_iter().find(|it| it.number == write).ok_or_else(none)?;
        let old = match stored.base_sha256 {
            Some(base) => Some(self.shared.store.body(base).await.map_err(replaced)?),
            None => None,
        };
        let new = self.shared.store.body(stored.sha256).await.map_err(replaced)?;
        if new.len() > MOST_TEXT {
            let message = format!("{} is larger than 4 MiB.", stored.path);
            let action = "Approve or reject it, and edit the file in an editor.";
            return Err(ErrorInfo::new(Code::ResponseTooLarge, message, action));
        }
        let text = super::blocking(move || {
            let style = old.as_deref().map(Style::of);
            let text = match (hunks, proposals::text(style.as_ref(), &new)) {
                (Some(hunks), Some(_)) => {
                    let difference = proposals::difference(old.as_deref(), &new, |_| Vec::new());
                    Some(difference.accept(&hunks))
                }
                (_, whole) => whole.map(Cow::into_owned),
            };
            Ok(text.map(|text| orion_files::text::with_lf(&text)))
        });
        text.await?.ok_or_else(|| {
            let message = format!("{} is not text.", stored.path);
            ErrorInfo::new(Code::FileBinary, message, "Approve or reject it.")
        })
    }

    /// The difference of a write, remembered while it is looked at.
    async fn shown(
        &self,
        request_id: RequestId,
        proposal: &WriteProposal,
        stored: &StoredWrite,
    ) -> Result<Arc<Difference>, ErrorInfo> {
        let look = Look::at(request_id, proposal.digest, stored);
        if let Some(difference) = self.shared.shown.of(&look) {
            return Ok(difference);
        }
        // Seams are places in the content. The blocks of an edit are not in the file as they were sent, and a file
        // that has only part of the proposal may lack them.
        let has_seams = stored.operation != WriteOperation::Edit && stored.sha256 == proposal.sha256;
        let seams = match proposal.seams.as_slice() {
            seams @ [_, ..] if has_seams => proposals::positions(
                &self.shared.store.text(stored.content_sha256).await.map_err(replaced)?,
                seams,
            ),
            _ => Vec::new(),
        };
        let difference = self.difference(stored.sha256, proposal.base_sha256, seams).await?;
        self.shared.shown.keep(look, difference.clone());
        Ok(difference)
    }

    /// The difference of two bodies.
    pub(super) async fn difference(
        &self,
        new: Sha256,
        base: Option<Sha256>,
        seams: Vec<Position>,
    ) -> Result<Arc<Difference>, ErrorInfo> {
        let old = match base {
            Some(base) => Some(self.shared.store.body(base).await.map_err(replaced)?),
            None => None,
        };
        let new = self.shared.store.body(new).await.map_err(replaced)?;
        let made = move || {
            let seams = |text: &str| proposals::offsets(text, &seams);
            Ok(Arc::new(proposals::difference(old.as_deref(), &new, seams)))
        };
        super::blocking(made).await
    }
}

/// A body of a proposal is deleted when another proposal takes its place, which can happen between two reads.
fn replaced(error: StoreError) -> ErrorInfo {
    match error {
        StoreError::BodyUnknown(_) => stale(),
        other => other.into(),
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
                    replaced_bytes: None,
                    cut_rows: Vec::new(),
                    more_cut_rows: 0,
                    changed_on_disk: false,
                    undoable: false,
                    undone: false,
                });
            }
            (TurnEvent::WriteFaults { write, .. }, Some(view)) if *write == number => {
                view.state = WriteState::NeedsCorrections;
            }
            (TurnEvent::Asked { of: PendingOf::Repeats { write, .. }, .. }, Some(view))
                if *write == number =>
            {
                view.state = WriteState::AwaitingChoice;
            }
            (TurnEvent::Answered { given: Given::Chosen { .. }, .. }, Some(view))
                if view.state == WriteState::AwaitingChoice =>
            {
                view.state = WriteState::AwaitingDoneOrMore;
            }
            (TurnEvent::WriteReady { write, proposal }, Some(view)) if *write == number => {
                view.state = WriteState::AwaitingApproval;
                view.proposal = Some((**proposal).clone());
            }
            (TurnEvent::Answered { digest, given }, Some(view))
                if given.granted() == Some(true)
                    && view.proposal.as_ref().is_some_and(|it| it.digest == *digest) =>
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

fn not_proposed(write: Option<u32>) -> ErrorInfo {
    let message = match write {
        None => "This turn has proposed no change to a file.".to_owned(),
        Some(number) => format!("This turn has proposed no write with the number {number}."),
    };
    ErrorInfo::new(Code::WriteUnknownSession, message, "Look at what the turn did in its trace.")
}
