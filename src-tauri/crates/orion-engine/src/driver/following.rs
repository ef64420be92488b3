//! What a turn takes from the turns before it: the history, the count of its tokens and its first bytes (X1).

use orion_core::prompt;
use orion_core::turn::TurnSetup;
use orion_protocol::{ContextEdit, Rewind, SessionId};
use orion_store::{Past, Store, StoreError};

use super::broken;
use super::continuing::continuing;
use super::history::{self, Given, History};
use super::recorded;
use super::taken_out;
use super::texts::json;
use crate::rewinds;

/// The setup of a turn that follows these, with its history, and how the journal names the history.
pub(super) fn following(setup: &TurnSetup, past: Past) -> Result<(TurnSetup, History), StoreError> {
    let Given { items, history, has_earlier } = Given::of(past.earlier)?;
    let gauged = past.gauge.and_then(|gauged| recorded::gauged(&gauged));
    let gauge = gauged.as_ref().filter(|gauged| gauged.model == setup.model);
    let gauge = gauge.map(|gauged| gauged.gauge).unwrap_or_default();
    let edits = edited(past.edits.as_deref(), &setup.edits);
    let setup = TurnSetup { parent: past.parent, has_earlier, gauge, edits, ..setup.clone() };
    let setup = taken_out::without(setup, &past.taken_out, &items);
    let setup = continuing(setup, past.given, gauged.map(|gauged| gauged.model))?;
    let setup = after_rewind(setup, past.rewound.as_ref().map(rewinds::told));
    Ok((TurnSetup { history: items, ..setup }, history))
}

/// Files that a rewind tells of at most.
const MOST_FILES: usize = 100;

/// The setup of a turn whose person went back since the turn before (A10). Where the conversation went back as well, the model knows nothing of what
/// was left, so nothing has to be said.
fn after_rewind(setup: TurnSetup, rewound: Option<Rewind>) -> TurnSetup {
    let Some(mut rewind) = rewound else { return setup };
    rewind.files.truncate(MOST_FILES);
    rewind.writes.clear();
    let words = prompt::put_back(&rewind.files).filter(|_| !rewind.conversation);
    let said = Some(setup.changes.clone()).filter(|changes| !changes.is_empty());
    let changes = said.into_iter().chain(words).collect::<Vec<_>>().join("\n\n");
    TurnSetup { changes, rewound: Some(rewind), ..setup }
}

/// What was kept for the turn, and what it was given beside that (X3).
fn edited(kept: Option<&str>, given: &[ContextEdit]) -> Vec<ContextEdit> {
    let mut edits = kept_edits(kept);
    edits.retain(|edit| !given.contains(edit));
    edits.extend_from_slice(given);
    edits
}

/// What a person did to a conversation by hand. Nothing where another version kept what this one does not know.
pub(crate) fn kept_edits(kept: Option<&str>) -> Vec<ContextEdit> {
    kept.and_then(|kept| serde_json::from_str(kept).ok()).unwrap_or_default()
}

/// The form in which they are kept; none where there is nothing to keep.
pub(crate) fn keep_edits(edits: &[ContextEdit]) -> Result<Option<String>, StoreError> {
    if edits.is_empty() { Ok(None) } else { json(&edits).map(Some) }
}

/// The setup as a turn would have it that began now in this session. Nothing begins.
pub(crate) async fn would_follow(
    store: &Store,
    session_id: SessionId,
    setup: &TurnSetup,
) -> Result<TurnSetup, StoreError> {
    let past = store.past(session_id, history::reach(&setup.numbers)).await?;
    let (past, known) = broken::known(store, past).await;
    Ok(following(&TurnSetup { forgets: !known, ..setup.clone() }, past)?.0)
}
