//! Compacting a session's conversation (X4), and reading, changing and undoing what stands in its place.

use orion_core::context::Item;
use orion_core::prompt;
use orion_protocol::{
    Code, Entry, EntryState, EntryView, ErrorInfo, Outcome, RequestId, SessionId, TurnOptions,
};
use orion_store::{Context, ContextState, StoreError};
use tokio::sync::mpsc;

use super::handle::{BATCHES, TurnHandle};
use super::running::Running;
use super::turns::Ask;
use super::{Engine, limits};

impl Engine {
    /// Starts a turn that compacts a session, and hands it to the caller, who reads it to its end.
    ///
    /// # Errors
    /// Those of [`Engine::run_turn`], and `nothing_to_compact`.
    pub async fn run_compaction(
        &self,
        session_id: SessionId,
        options: TurnOptions,
    ) -> Result<TurnHandle, ErrorInfo> {
        let (sender, batches) = mpsc::channel(BATCHES);
        let running = self.begin(session_id, Ask::Summary, options, Some(sender)).await?;
        Ok(TurnHandle::new(running, batches))
    }

    pub(super) async fn compact(
        &self,
        session_id: SessionId,
        options: TurnOptions,
    ) -> Result<Outcome, ErrorInfo> {
        let Running { ids, .. } = self.begin(session_id, Ask::Summary, options, None).await?;
        Ok(Outcome::Turn { request_id: ids.request_id })
    }

    /// The entry that the next turn of a session is given.
    ///
    /// # Errors
    /// `session_unknown`, and `nothing_to_compact` where none is in force.
    pub async fn entry_of(&self, session_id: SessionId) -> Result<EntryView, ErrorInfo> {
        self.shared.store.session(session_id).await?;
        match self.shared.store.context_in_force(session_id).await? {
            Some(request_id) => self.entry(request_id).await,
            None => Err(no_entry()),
        }
    }

    pub(super) async fn entry(&self, request_id: RequestId) -> Result<EntryView, ErrorInfo> {
        let (context, entry) = self.kept_entry(request_id).await?;
        let state = match context.state {
            ContextState::InForce => EntryState::InForce,
            ContextState::Replaced => EntryState::Replaced,
            ContextState::Undone => EntryState::Undone,
        };
        let text = prompt::entry(&entry);
        Ok(EntryView { request_id, state, entry, text })
    }

    pub(super) async fn undo_compaction(&self, request_id: RequestId) -> Result<Outcome, ErrorInfo> {
        let (context, _) = self.kept_entry(request_id).await?;
        self.change_context(context, None).await
    }

    pub(super) async fn edit_entry(
        &self,
        request_id: RequestId,
        summary: String,
    ) -> Result<Outcome, ErrorInfo> {
        let summary = limits::message(summary)?;
        let (context, entry) = self.kept_entry(request_id).await?;
        let item = Item::of_entry(Entry { summary, edited: true, ..entry }, request_id);
        let kept: Vec<Item> = serde_json::from_str(&context.body.text).map_err(unreadable)?;
        // What a person has pinned comes after the entry.
        let items: Vec<Item> = std::iter::once(item).chain(kept.into_iter().skip(1)).collect();
        let items = serde_json::to_string(&items).map_err(unreadable)?;
        self.change_context(context, Some(items)).await
    }

    async fn change_context(&self, context: Context, to: Option<String>) -> Result<Outcome, ErrorInfo> {
        let store = &self.shared.store;
        // One whose process died keeps nobody from it.
        self.find_interrupted().await?;
        match store.change_context(context.request_id, context.body.sha256, to).await {
            Err(StoreError::TurnActive(session_id)) => Err(self.occupied(session_id).await),
            changed => Ok(changed.map(|()| Outcome::Done)?),
        }
    }

    /// What a turn left in the place of the conversation, if it compacted it.
    async fn kept_entry(&self, request_id: RequestId) -> Result<(Context, Entry), ErrorInfo> {
        let context = self.shared.store.context(request_id).await?.ok_or_else(no_entry)?;
        let items: Vec<Item> = serde_json::from_str(&context.body.text).map_err(unreadable)?;
        // After a cut the entry of an earlier turn may still be the first item.
        let first = items.into_iter().next().filter(|item| item.turn == Some(request_id));
        match first.and_then(|item| item.entry) {
            Some(entry) => Ok((context, *entry)),
            None => Err(no_entry()),
        }
    }
}

fn no_entry() -> ErrorInfo {
    let message = "This conversation is not compacted.";
    ErrorInfo::new(Code::NothingToCompact, message, "Compact it first.")
}

fn unreadable(error: serde_json::Error) -> ErrorInfo {
    StoreError::Value { detail: error.to_string() }.into()
}
