//! What a turn takes from the turns before it: the history, the count of its tokens and its first bytes (X1).

use orion_core::turn::TurnSetup;
use orion_protocol::SessionId;
use orion_store::{Past, Store, StoreError};

use super::continuing::continuing;
use super::history::{self, Given, History};
use super::recorded;

/// The setup of a turn that follows these, with its history, and how the journal names the history.
pub(super) fn following(setup: &TurnSetup, past: Past) -> Result<(TurnSetup, History), StoreError> {
    let Given { items, history, has_earlier } = Given::of(past.earlier)?;
    let gauged = past.gauge.and_then(|gauged| recorded::gauged(&gauged));
    let gauge = gauged.as_ref().filter(|gauged| gauged.model == setup.model);
    let gauge = gauge.map(|gauged| gauged.gauge).unwrap_or_default();
    let setup = TurnSetup { parent: past.parent, has_earlier, gauge, ..setup.clone() };
    let setup = continuing(setup, past.given, gauged.map(|gauged| gauged.model))?;
    Ok((TurnSetup { history: items, ..setup }, history))
}

/// The setup as a turn would have it that began now in this session. Nothing begins.
pub(crate) async fn would_follow(
    store: &Store,
    session_id: SessionId,
    setup: &TurnSetup,
) -> Result<TurnSetup, StoreError> {
    let past = store.past(session_id, history::reach(&setup.numbers)).await?;
    Ok(following(setup, past)?.0)
}
