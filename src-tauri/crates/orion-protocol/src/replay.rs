//! What came of running a recorded turn through its machine again (T5, T8).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{BatchId, Phase, RequestId};

/// The events of a turn, compared with those that its inputs give now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Replay {
    pub request_id: RequestId,
    /// Recorded events that were compared. The text between two others counts as one.
    pub events: u32,
    /// Rules of a later version that the turn keeps and this Orion does not know, by their numbers (T8).
    pub unknown_flags: Vec<u16>,
    /// The first event that differs; null when all are equal.
    pub difference: Option<ReplayDifference>,
}

/// The first event that is not what was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ReplayDifference {
    /// Its place among the events, from 1.
    pub number: u32,
    /// Where it is, by the recorded event, or by the one of now where nothing was recorded.
    pub seq: u32,
    pub phase: Phase,
    pub tool_batch_id: Option<BatchId>,
    /// Its type, such as `tool_result`.
    pub event: String,
    /// The first field that differs, such as `event.summary`; null where only one of the two events is there.
    pub field: Option<String>,
    /// What that field was and what it is now, or else the whole event: JSON, cut to 2,000 bytes. Null where there is no such event or field.
    pub recorded: Option<String>,
    pub replayed: Option<String>,
}
