//! Turns as they are read: one with its events, and a page of a session.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Envelope, ForkedFrom, RequestId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum TurnState {
    Running,
    /// No process runs it; it waits for a person to approve a write.
    Waiting,
    Interrupted,
    /// The turn waits or was interrupted, and another version of Orion wrote it. It can be read, rejected and
    /// stopped, but not resumed (T8).
    OtherVersion,
    Over,
}

/// What happened to a turn after it was over. No event reports that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Aftermath {
    /// Numbers of its writes that were undone, in order (W7).
    pub undone: Vec<u32>,
    /// All turns that follow the same turn as this one, itself among them, in the order they began (T9).
    pub branches: Vec<RequestId>,
    /// The compaction that it made was undone (X4).
    pub compaction_undone: bool,
}

/// One turn of a session: its events in order, text coalesced into few chunks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct TurnView {
    pub request_id: RequestId,
    pub state: TurnState,
    /// Events this version does not know are left as they were stored (E3).
    pub envelopes: Vec<Envelope>,
    #[serde(flatten)]
    pub aftermath: Aftermath,
    /// Where its session was forked from, in the first turn of a fork (T9).
    pub forked_from: Option<ForkedFrom>,
}

/// Where in a session a page of turns lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum TurnPlace {
    /// At the session's tip.
    Newest,
    /// Right before this turn.
    Before { request_id: RequestId },
    /// Right after this turn.
    After { request_id: RequestId },
    /// This turn and those after it.
    From { request_id: RequestId },
}

/// Turns of a session that follow one another, on the path from its first turn to its tip (T9).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct TurnPage {
    pub turns: Vec<TurnView>,
    /// The path has turns before these. In an empty page: before its place.
    pub earlier: bool,
    /// The path has turns after these. In an empty page: after its place.
    pub later: bool,
    /// The path does not lead through the place that was asked for: these are the turns at its end.
    pub anew: bool,
}
