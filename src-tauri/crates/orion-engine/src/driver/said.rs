//! What the session of a turn has of it already, while the turn is not over (X1).

use orion_core::context::Item;
use orion_core::model::Message;
use orion_core::turn::Turn;
use orion_protocol::RequestId;
use orion_store::{Earlier, Store, StoreError};

use super::history::unreadable_item;

/// What the session has of a turn beyond what the turn began with. Nothing but for a turn that the session once went on without.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    pub(super) items: Vec<Item>,
    /// A context stands in the place of what came before the turn (X3).
    pub(super) has_context: bool,
}

impl Said {
    pub(crate) async fn of(store: &Store, turn: &Turn, request_id: RequestId) -> Result<Self, StoreError> {
        Self::among(turn, store.said_in(request_id).await?.as_ref())
    }

    pub(super) fn among(turn: &Turn, kept: Option<&Earlier>) -> Result<Self, StoreError> {
        let began_with = turn.conversation().begins(false).count();
        let items = kept.map_or(&[][..], |kept| &kept.items).iter().skip(began_with);
        let items = items.map(|item| serde_json::from_str(&item.body).map_err(unreadable_item));
        let has_context = kept.is_some_and(|kept| kept.context.is_some());
        Ok(Self { items: items.collect::<Result<_, _>>()?, has_context })
    }

    /// Whether the session has this message of the person's.
    pub(super) fn has_message(&self, text: &str) -> bool {
        let is_it = |item: &Item| matches!(&item.message, Message::User { text: said, .. } if said == text);
        self.items.iter().any(|item| item.is_the_persons() && is_it(item))
    }
}
