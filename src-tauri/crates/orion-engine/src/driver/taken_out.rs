//! What a person took out of a session, which holds in every turn that follows, in whichever branch (X6).

use orion_core::context::{Item, Withheld, undone};
use orion_core::turn::TurnSetup;
use orion_protocol::ContextEdit;
use orion_store::{Record, StoreError};
use serde::{Deserialize, Serialize};

use super::texts::json;

/// One of the things that a session keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TakenOut {
    /// What the person did to the context.
    Edit(ContextEdit),
    /// A result that they took out, edited or dropped.
    Result(Withheld),
}

/// The setup without what its session keeps as taken out, and what this turn's own edits take out. What is in this history all the same, as in a
/// branch from before the person took it out, is taken out now.
pub(super) fn without(setup: TurnSetup, kept: &[String], history: &[Item]) -> TurnSetup {
    let (mut before, mut withheld) = (Vec::new(), Vec::new());
    // What another version keeps is not known here.
    for kept in kept.iter().filter_map(|kept| serde_json::from_str(kept).ok()) {
        match kept {
            TakenOut::Edit(edit) => before.push(edit),
            TakenOut::Result(result) => withheld.push(result),
        }
    }
    before.retain(|edit| !setup.edits.contains(edit));
    let edits = [undone(&before, history), setup.edits].concat();
    for taken in Withheld::by(&edits, history, &setup.tools) {
        if !withheld.contains(&taken) {
            withheld.push(taken);
        }
    }
    TurnSetup { edits, withheld, ..setup }
}

/// What a turn was set up without, for its session to keep. None where that is nothing.
pub(super) fn of_setup(setup: &TurnSetup) -> Result<Option<Record>, StoreError> {
    let edits = setup.edits.iter().filter(|edit| edit.takes_out()).cloned().map(TakenOut::Edit);
    record(edits.chain(results(&setup.withheld)).collect())
}

/// Results that a person took out, edited or dropped, for the session of their turn to keep.
pub(super) fn of_results(withheld: &[Withheld]) -> Result<Option<Record>, StoreError> {
    record(results(withheld).collect())
}

fn results(withheld: &[Withheld]) -> impl Iterator<Item = TakenOut> {
    withheld.iter().cloned().map(TakenOut::Result)
}

fn record(taken: Vec<TakenOut>) -> Result<Option<Record>, StoreError> {
    if taken.is_empty() { Ok(None) } else { json(&taken).map(Record::TakenOut).map(Some) }
}
