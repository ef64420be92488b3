//! A turn as its journal left it, to go on with (A5, W7).

use orion_core::turn::{Turn, TurnSetup};
use orion_protocol::{ErrorInfo, RequestId};
use orion_store::{Store, StoredRow};

use super::replay::{input, setup};

/// The machine of a recorded turn in the state that its inputs led to, and what it was set up with.
///
/// # Errors
/// `turn_unknown`, and a journal that this version does not read.
pub(crate) async fn rebuild(store: &Store, request_id: RequestId) -> Result<(Turn, TurnSetup), ErrorInfo> {
    let mut inputs = store.journal(request_id).await?.into_iter().filter_map(|row| match row {
        StoredRow::Input { at_ms, body } => Some((at_ms, body)),
        StoredRow::Event { .. } => None,
    });
    let (_, first) = inputs.next().ok_or(orion_store::StoreError::TurnUnknown(request_id))?;
    let setup = setup(store, request_id, &first).await?;
    let (mut turn, _) = Turn::start(setup.clone());
    for (at_ms, body) in inputs {
        turn.step(at_ms, input(store, request_id, &body).await?);
    }
    Ok((turn, setup))
}
