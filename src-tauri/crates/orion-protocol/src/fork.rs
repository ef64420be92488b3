//! Forks: sessions that begin with a turn of another one (T9).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{RequestId, SessionId};

/// Where a session that was forked comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ForkedFrom {
    /// None where that session is not here: it was deleted, or this one was imported without it. So is its title.
    pub session_id: Option<SessionId>,
    pub title: Option<String>,
    pub request_id: RequestId,
    /// The phase from which the fork goes on, from 1 in the order of `phase_started`.
    pub phase: u32,
    /// Tool phases begun by then, from 0.
    pub step: u32,
}
