//! Figures over the turns of all sessions, by their reports: what a route or a model is worth is not a matter of belief.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::PathBuf;

use orion_files::workspace;
use orion_protocol::{
    Code, ErrorInfo, Mode, PhaseReport, Project, ProjectId, Route, Stats, StatsBy, StatsRow, StopReason,
    ToolCallReport, TurnStatus, Usage, Usd,
};
use orion_store::{EndsOf, TurnEnds};
use serde::Deserialize;

use super::{Engine, blocking};

/// Which turns are counted, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatsOf {
    pub by: Vec<StatsBy>,
    /// Turns that began at this time or later, in milliseconds since the Unix epoch.
    pub since_ms: Option<i64>,
    /// Turns of the project in this folder.
    pub folder: Option<PathBuf>,
}

/// The fields of a report that are counted.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Counted {
    pub(super) route: Route,
    pub(super) mode: Mode,
    pub(super) model: String,
    pub(super) status: TurnStatus,
    pub(super) stop_reason: StopReason,
    pub(super) cycles: u32,
    pub(super) tool_runs: u32,
    pub(super) duplicates_refused: u32,
    model_calls: u32,
    write_prompts: u32,
    pub(super) retries: u32,
    pub(super) usage: Usage,
    pub(super) cost_usd: Option<Usd>,
    pub(super) duration_ms: u64,
    pub(super) phases: Vec<PhaseReport>,
    pub(super) tool_calls: Vec<ToolCallReport>,
}

impl Counted {
    /// The report of a turn, where it can be read.
    pub(super) fn of(turn: &TurnEnds) -> Option<Self> {
        let last: Last = serde_json::from_str(turn.report.as_deref()?).ok()?;
        Some(last.event.report)
    }

    /// Those of write sessions included.
    pub(super) fn all_model_calls(&self) -> u32 {
        self.model_calls.saturating_add(self.write_prompts)
    }
}

/// X4: a compaction answers nothing.
pub(super) fn is_compaction(turn: &TurnEnds) -> bool {
    turn.purpose.as_deref() == Some("compact")
}

#[derive(Deserialize)]
struct Last {
    event: Ended,
}

#[derive(Deserialize)]
struct Ended {
    report: Counted,
}

impl Engine {
    /// Figures over the turns of all sessions.
    ///
    /// # Errors
    /// A folder that is not there, or that is no project's.
    pub async fn stats(&self, of: StatsOf) -> Result<Stats, ErrorInfo> {
        let StatsOf { by, since_ms, folder } = of;
        let projects = self.shared.store.projects().await?;
        let project = match folder {
            Some(folder) => {
                let root = blocking(move || workspace::Project::root_of(&folder)).await?;
                let found = projects.iter().find(|project| std::path::Path::new(&project.path) == root);
                Some(found.ok_or_else(never_opened)?.project_id)
            }
            None => None,
        };
        let ends = self.shared.store.turn_ends(EndsOf { since_ms, project, session: None }).await?;
        Ok(stats(by, since_ms, &ends, &projects))
    }
}

pub(super) fn stats(
    by: Vec<StatsBy>,
    since_ms: Option<i64>,
    ends: &[TurnEnds],
    projects: &[Project],
) -> Stats {
    let mut stats = Stats { by, since_ms, rows: Vec::new(), unfinished: 0, unreadable: 0 };
    let mut places = HashMap::new();
    for turn in ends {
        if is_compaction(turn) {
            continue;
        }
        if !turn.is_over {
            stats.unfinished += 1;
            continue;
        }
        let Some(counted) = Counted::of(turn) else {
            stats.unreadable += 1;
            continue;
        };
        let empty = group(&stats.by, turn.ids.project_id, &counted, projects);
        let key = (empty.route, empty.model.clone(), empty.mode, empty.project_id);
        let place = *places.entry(key).or_insert(stats.rows.len());
        if place == stats.rows.len() {
            stats.rows.push(empty);
        }
        if let Some(row) = stats.rows.get_mut(place) {
            count(row, &counted);
        }
    }
    stats.rows.sort_by(in_order);
    stats
}

/// The group of a turn, still without figures.
fn group(by: &[StatsBy], project_id: ProjectId, counted: &Counted, projects: &[Project]) -> StatsRow {
    let has = |what| by.contains(&what);
    let project_id = has(StatsBy::Project).then_some(project_id);
    StatsRow {
        route: has(StatsBy::Route).then_some(counted.route),
        model: has(StatsBy::Model).then(|| counted.model.clone()),
        mode: has(StatsBy::Mode).then_some(counted.mode),
        project_id,
        project: projects
            .iter()
            .find(|project| Some(project.project_id) == project_id)
            .map(|project| project.name.clone()),
        turns: 0,
        answered: 0,
        budget_exhausted: 0,
        failed: 0,
        stopped: 0,
        duplicates_refused: 0,
        model_calls: 0,
        tool_runs: 0,
        prompt_tokens: 0,
        cached_tokens: 0,
        completion_tokens: 0,
        unmeasured_turns: 0,
        cost_usd: None,
        priced_turns: 0,
        duration_ms: 0,
    }
}

fn count(row: &mut StatsRow, turn: &Counted) {
    row.turns += 1;
    row.answered += u32::from(turn.stop_reason == StopReason::Answered);
    row.budget_exhausted += u32::from(turn.stop_reason == StopReason::BudgetExhausted);
    row.failed += u32::from(turn.status == TurnStatus::Failed);
    row.stopped += u32::from(turn.status == TurnStatus::Stopped);
    row.duplicates_refused = row.duplicates_refused.saturating_add(turn.duplicates_refused);
    row.model_calls = row.model_calls.saturating_add(turn.all_model_calls());
    row.tool_runs = row.tool_runs.saturating_add(turn.tool_runs);
    let Usage { prompt_tokens, completion_tokens, cached_tokens, .. } = turn.usage;
    row.prompt_tokens += u64::from(prompt_tokens.unwrap_or(0));
    row.cached_tokens += u64::from(cached_tokens.unwrap_or(0));
    row.completion_tokens += u64::from(completion_tokens.unwrap_or(0));
    row.unmeasured_turns += u32::from(prompt_tokens.is_none() && completion_tokens.is_none());
    // T7: a cost that is not known is none of 0.
    if let Some(cost) = turn.cost_usd {
        row.cost_usd = Some(row.cost_usd.unwrap_or(Usd::ZERO).plus(cost));
        row.priced_turns += 1;
    }
    row.duration_ms = row.duration_ms.saturating_add(turn.duration_ms);
}

fn in_order(one: &StatsRow, other: &StatsRow) -> Ordering {
    let key = |row: &StatsRow| {
        let route = row.route.map(|route| route == Route::Unified);
        let mode = row.mode.map(|mode| mode == Mode::Act);
        (row.project.clone(), row.project_id.map(|id| id.to_string()), route, row.model.clone(), mode)
    };
    key(one).cmp(&key(other))
}

fn never_opened() -> ErrorInfo {
    ErrorInfo::new(
        Code::ProjectUnknown,
        "No session was ever started in this folder.",
        "Choose another folder, or leave it out for all projects.",
    )
}
