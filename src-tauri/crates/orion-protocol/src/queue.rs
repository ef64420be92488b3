//! Messages that a person wrote while a turn ran, and that wait to be sent (A9).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{QueuedId, TurnOptions};

/// A message that is sent when the turn has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct QueuedMessage {
    pub queued_id: QueuedId,
    pub text: String,
    /// How its turn will run, as it was chosen when the message was written.
    pub options: TurnOptions,
}

/// What waits to be sent in a session, the next one first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Queue {
    pub messages: Vec<QueuedMessage>,
    /// It goes on only when a person says so: a turn ended otherwise than `answered`, or the process that would have gone on has ended.
    pub held: bool,
}
