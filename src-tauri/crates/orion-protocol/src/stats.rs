//! Figures over the turns of all sessions, by their reports (J5).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Mode, ProjectId, Route, Usd};

/// What turns are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatsBy {
    Route,
    Model,
    Mode,
    Project,
}

/// The figures of one group of turns. What the turns are not grouped by is null. A turn counts once it has ended; compactions are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct StatsRow {
    pub route: Option<Route>,
    pub model: Option<String>,
    pub mode: Option<Mode>,
    pub project_id: Option<ProjectId>,
    /// The name of that project.
    pub project: Option<String>,
    pub turns: u32,
    /// Turns that ended with a whole answer.
    pub answered: u32,
    /// Turns that used up a budget before they had one.
    pub budget_exhausted: u32,
    pub failed: u32,
    pub stopped: u32,
    /// Repeated calls that were refused (D2).
    pub duplicates_refused: u32,
    /// Model calls, those of write sessions included.
    pub model_calls: u32,
    pub tool_runs: u32,
    #[ts(type = "number")]
    pub prompt_tokens: u64,
    /// Those of the prompt tokens that came from a cache of their provider.
    #[ts(type = "number")]
    pub cached_tokens: u64,
    #[ts(type = "number")]
    pub completion_tokens: u64,
    /// Turns whose tokens nobody counted; the tokens are then a part.
    pub unmeasured_turns: u32,
    /// Of the turns whose cost is known; null when there is none (T7).
    pub cost_usd: Option<Usd>,
    /// How many turns these are. With fewer than there are turns, the cost is a part.
    pub priced_turns: u32,
    /// The time of all its turns, from beginning to end.
    #[ts(type = "number")]
    pub duration_ms: u64,
}

/// Figures over all sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    pub by: Vec<StatsBy>,
    /// Turns that began before this are left out.
    pub since_ms: Option<i64>,
    /// In the order of their groups.
    pub rows: Vec<StatsRow>,
    /// Turns that run, wait or were interrupted: in no row.
    pub unfinished: u32,
    /// Turns whose report cannot be read: in no row.
    pub unreadable: u32,
}
