//! Rebuilds a turn from its journal, to resume it (A5, W7). Only a turn that this version replays exactly as it was
//! recorded is resumed (T8).

use orion_core::turn::{Turn, TurnSetup};
use orion_protocol::{Code, ErrorInfo, RequestId};
use orion_store::Store;

use super::replay::{Difference, Replayed, Run, run};

/// A turn as its journal left it.
pub(crate) struct Rebuilt {
    /// In the state to which its inputs led.
    pub(crate) turn: Turn,
    pub(crate) setup: TurnSetup,
    /// The last event in the journal.
    pub(crate) seq: u32,
}

/// The machine of a recorded turn.
///
/// # Errors
/// `turn_unknown`; `other_version` when this version does not say what was recorded: nothing is to be done with the turn then that
/// its machine would have to know.
pub(crate) async fn rebuild(store: &Store, request_id: RequestId) -> Result<Rebuilt, ErrorInfo> {
    let Run { turn, setup, seq, is_newer, replayed } = run(store, request_id).await?;
    match replayed.difference {
        Some(difference) => Err(other_version(request_id).with_detail(difference.to_string())),
        None if is_newer => Err(other_version(request_id)),
        None => Ok(Rebuilt { turn, setup, seq }),
    }
}

/// Replays a turn, to compare (T5). No model is called, no tool runs, and nothing is stored.
///
/// # Errors
/// `turn_unknown`, and `other_version` for a journal that this version cannot read.
pub async fn replay(store: &Store, request_id: RequestId) -> Result<Replayed, ErrorInfo> {
    Ok(run(store, request_id).await?.replayed)
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (number, nothing) = (self.number, || "nothing".to_owned());
        let recorded = self.recorded.as_ref().map_or_else(nothing, ToString::to_string);
        let replayed = self.replayed.as_ref().map_or_else(nothing, ToString::to_string);
        write!(f, "Event {number}. Recorded: {recorded} Now: {replayed}")
    }
}

fn other_version(request_id: RequestId) -> ErrorInfo {
    let message = "This turn was written by another version of Orion, so it cannot be resumed here.";
    ErrorInfo::new(Code::OtherVersion, message, what_to_do(request_id))
}

fn what_to_do(request_id: RequestId) -> String {
    format!(
        "Stop it or reject what it proposes, then send the message again; orion export {request_id} prints it."
    )
}
