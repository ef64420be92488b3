//! `orion stats`: what turns came to, by route and model, over all sessions.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use orion_engine::StatsOf;
use orion_protocol::{ErrorInfo, Mode, Route, Stats, StatsBy, StatsRow, grouped};

use crate::exit::Exit;
use crate::output::{put, unwritable};
use crate::printed::Printed;
use crate::startup::Startup;
use crate::table::{Column, table};
use crate::terminal::{count, remark};

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// What the turns are grouped by, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["route", "model"])]
    by: Vec<ByArg>,
    /// Count turns that began on this day (2026-01-04, in UTC) or later, or in the last days or hours (30d, 12h)
    #[arg(long, value_name = "WHEN", value_parser = since)]
    since: Option<Since>,
    /// Count turns of the project in this folder
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ByArg {
    Route,
    Model,
    Mode,
    Project,
}

impl From<ByArg> for StatsBy {
    fn from(by: ByArg) -> Self {
        match by {
            ByArg::Route => Self::Route,
            ByArg::Model => Self::Model,
            ByArg::Mode => Self::Mode,
            ByArg::Project => Self::Project,
        }
    }
}

/// A moment, or a time before now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Since {
    At(i64),
    HoursAgo(i64),
}

fn since(text: &str) -> Result<Since, &'static str> {
    let wrong = "expected a day such as 2026-01-04, or a number of days or hours such as 30d or 12h";
    let number = |text: &str| text.parse::<u32>().ok().map(i64::from);
    if let Some(days) = text.strip_suffix('d').and_then(number) {
        return Ok(Since::HoursAgo(days.saturating_mul(24)));
    }
    if let Some(hours) = text.strip_suffix('h').and_then(number) {
        return Ok(Since::HoursAgo(hours));
    }
    let day: Date = text.parse().map_err(|_| wrong)?;
    let at = day.to_zoned(TimeZone::UTC).map_err(|_| wrong)?;
    Ok(Since::At(at.timestamp().as_millisecond()))
}

impl Since {
    fn at_ms(self, now_ms: i64) -> i64 {
        match self {
            Self::At(at_ms) => at_ms,
            Self::HoursAgo(hours) => now_ms.saturating_sub(hours.saturating_mul(3_600_000)),
        }
    }
}

pub(crate) async fn stats(args: StatsArgs) -> Result<Exit, ErrorInfo> {
    let StatsArgs { by, since, project, data_dir, json } = args;
    let engine = Startup::new(data_dir.as_ref())?.engine(None).await?;
    let mut chosen: Vec<StatsBy> = Vec::new();
    for by in by.into_iter().map(StatsBy::from) {
        if !chosen.contains(&by) {
            chosen.push(by);
        }
    }
    let since_ms = since.map(|since| since.at_ms(Timestamp::now().as_millisecond()));
    let found = engine.stats(StatsOf { by: chosen, since_ms, folder: project }).await;
    engine.close().await?;
    let stats = found?;
    if json {
        put(&Printed::json_lines(&stats).map_err(unwritable)?.line())?;
        return Ok(Exit::Answered);
    }
    if !stats.rows.is_empty() {
        put(&Printed::record(&shown(&stats)))?;
    }
    for (number, what) in [(stats.unfinished, "has not ended"), (stats.unreadable, "cannot be read")] {
        match number {
            0 => {}
            1 => remark(&format!("1 turn {what} and is not counted.")),
            _ => remark(&format!("{} are not counted: each {what}.", count(number, "turn"))),
        }
    }
    if stats.rows.is_empty() {
        remark("No turn has ended yet.");
    }
    Ok(Exit::Answered)
}

fn shown(stats: &Stats) -> String {
    let groups = stats.by.iter().map(|by| match by {
        StatsBy::Route => "route",
        StatsBy::Model => "model",
        StatsBy::Mode => "mode",
        StatsBy::Project => "project",
    });
    let figures = [
        "turns",
        "answered",
        "budget spent",
        "failed",
        "stopped",
        "refused",
        "calls",
        "runs",
        "tokens in",
        "tokens out",
        "cost",
        "time",
    ];
    let columns: Vec<(&str, Column)> = groups
        .map(|name| (name, Column::Words))
        .chain(figures.into_iter().map(|name| (name, Column::Numbers)))
        .collect();
    let rows: Vec<Vec<String>> = stats
        .rows
        .iter()
        .map(|row| stats.by.iter().map(|by| name(row, *by)).chain(self::figures(row)).collect())
        .collect();
    table(&columns, &rows)
}

fn name(row: &StatsRow, by: StatsBy) -> String {
    let unknown = || "unknown".to_owned();
    match by {
        StatsBy::Route => row.route.map_or_else(unknown, |route| match route {
            Route::TwoStage => "two_stage".to_owned(),
            Route::Unified => "unified".to_owned(),
        }),
        StatsBy::Model => row.model.clone().unwrap_or_else(unknown),
        StatsBy::Mode => row.mode.map_or_else(unknown, |mode| match mode {
            Mode::Plan => "plan".to_owned(),
            Mode::Act => "act".to_owned(),
        }),
        StatsBy::Project => row.project.clone().unwrap_or_else(unknown),
    }
}

fn figures(row: &StatsRow) -> [String; 12] {
    let share = |number: u32| match row.turns {
        0 => grouped(number),
        turns => format!("{} ({} %)", grouped(number), percent(number, turns)),
    };
    [
        grouped(row.turns),
        share(row.answered),
        share(row.budget_exhausted),
        grouped(row.failed),
        grouped(row.stopped),
        grouped(row.duplicates_refused),
        grouped(row.model_calls),
        grouped(row.tool_runs),
        tokens(row, row.prompt_tokens),
        tokens(row, row.completion_tokens),
        cost(row),
        time(row.duration_ms),
    ]
}

/// To the nearest.
fn percent(number: u32, of: u32) -> u64 {
    (u64::from(number) * 100 + u64::from(of) / 2) / u64::from(of.max(1))
}

fn tokens(row: &StatsRow, tokens: u64) -> String {
    match row.unmeasured_turns {
        0 => grouped(tokens),
        unmeasured if unmeasured == row.turns => "unknown".to_owned(),
        _ => format!("at least {}", grouped(tokens)),
    }
}

/// T7: a cost that is not known is never taken for 0.
fn cost(row: &StatsRow) -> String {
    match row.cost_usd {
        None => "unknown".to_owned(),
        Some(cost) if row.priced_turns < row.turns => format!("at least {cost}"),
        Some(cost) => cost.to_string(),
    }
}

/// Such as `4 ms`, `1.2 s`, `3 min` and `2.5 h`.
pub(crate) fn time(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", ms as f64 / 1e3),
        60_000..3_600_000 => format!("{} min", ms / 60_000),
        _ => format!("{:.1} h", ms as f64 / 3.6e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_and_a_time_before_now_are_read_and_nothing_else() {
        let read = ["2026-01-04", "30d", "12h", "0h"].map(since);
        let expected =
            [Since::At(1_767_484_800_000), Since::HoursAgo(720), Since::HoursAgo(12), Since::HoursAgo(0)];
        assert_eq!(read, expected.map(Ok));
        for wrong in ["", "d", "-1d", "1w", "2026-02-30", "yesterday", "99999999999d"] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Since::HoursAgo(1).at_ms(3_600_001), 1);
        assert_eq!(Since::HoursAgo(i64::MAX).at_ms(0), -i64::MAX);
    }

    #[test]
    fn shares_and_times_are_rounded_as_people_round() {
        assert_eq!(
            [percent(1, 3), percent(2, 3), percent(1, 2), percent(0, 7), percent(7, 7)],
            [33, 67, 50, 0, 100]
        );
        let times = [0, 999, 1_000, 59_900, 60_000, 3_599_999, 9_000_000].map(time);
        assert_eq!(times, ["0 ms", "999 ms", "1.0 s", "59.9 s", "1 min", "59 min", "2.5 h"]);
    }
}
