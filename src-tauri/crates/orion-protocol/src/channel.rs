//! The ways in which a person reaches Orion.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A way in which a person reaches the engine. All have the same sessions, rules and bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Channel {
    Window,
    CommandLine,
    Http,
}
