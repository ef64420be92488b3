//! Checks in words: one of them when it has ended, and all of them at the end of a turn (V3).

use orion_protocol::{CheckReport, CheckRun, CheckSkipped, CheckStatus, CommandEnd, Evaluation, TurnReport};

use crate::terminal::one_line;

/// The end of one check.
pub(crate) fn ended(run: &CheckRun, failed_before: bool) -> String {
    let name = one_line(&run.name, 40);
    let before = if failed_before && run.status == CheckStatus::Failed { ", as before the turn" } else { "" };
    let how = match (run.status, &run.command) {
        (CheckStatus::Failed, Some(command)) if command.ended != (CommandEnd::Exited { code: 0 }) => {
            format!("failed, {}", command.ended)
        }
        (status, _) => word(status, run.skipped),
    };
    let time = run
        .command
        .as_ref()
        .map_or_else(String::new, |command| format!(", {:.1} s", command.duration_ms as f64 / 1_000.0));
    format!("{name}: {how}{before}{time}")
}

/// The line about all checks of a turn. None where it has none, or changed nothing that one is about.
pub(crate) fn whole(report: &TurnReport) -> Option<String> {
    let last = last_attempts(report.checks.as_deref()?);
    if last.is_empty() {
        return None;
    }
    let passed = last.iter().filter(|check| check.status == CheckStatus::Passed).count();
    let ms: u64 = report.checks.iter().flatten().filter_map(|check| check.duration_ms).sum();
    let of = format!("{passed} of {} · {} s", last.len(), (ms + 500) / 1_000);
    let named = |wanted: &[CheckStatus]| {
        let those = last.iter().filter(|check| wanted.contains(&check.status));
        those.map(|check| one_line(&check.name, 40)).collect::<Vec<_>>().join(", ")
    };
    Some(match report.evaluation? {
        Evaluation::Passed => format!("Checks passed · {of}"),
        Evaluation::Failed => {
            format!("Checks failed: {} · {of}", named(&[CheckStatus::Failed, CheckStatus::TimedOut]))
        }
        Evaluation::Skipped => {
            let not_run = named(&[CheckStatus::Skipped, CheckStatus::Stopped]);
            let reason = last.iter().find_map(|check| check.reason).map(why);
            let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
            let names = if not_run.is_empty() { String::new() } else { format!(": {not_run}{reason}") };
            format!("Checks skipped{names} · {of}")
        }
    })
}

/// The last attempt of each check, in the order in which they ran.
fn last_attempts(checks: &[CheckReport]) -> Vec<&CheckReport> {
    let is_last =
        |at: usize, check: &CheckReport| checks.iter().skip(at + 1).all(|later| later.name != check.name);
    checks.iter().enumerate().filter(|(at, check)| is_last(*at, check)).map(|(_, check)| check).collect()
}

fn word(status: CheckStatus, skipped: Option<CheckSkipped>) -> String {
    match (status, skipped) {
        (CheckStatus::Passed, _) => "passed".to_owned(),
        (CheckStatus::Failed, _) => "failed".to_owned(),
        (CheckStatus::TimedOut, _) => "timed out".to_owned(),
        (CheckStatus::Stopped, _) => "stopped".to_owned(),
        (CheckStatus::Skipped, None) => "skipped".to_owned(),
        (CheckStatus::Skipped, Some(skipped)) => format!("skipped, {}", why(skipped)),
    }
}

fn why(skipped: CheckSkipped) -> &'static str {
    match skipped {
        CheckSkipped::ScriptChanged => "its script changed",
        CheckSkipped::NoSandbox => "no sandbox holds it",
        CheckSkipped::Seconds => "the turn's time is used up",
        CheckSkipped::Cost => "the turn's money is used up",
        CheckSkipped::Stopped => "stopped",
        CheckSkipped::NotStarted => "it could not be started",
        CheckSkipped::NoLongerAccepted => "it was removed, switched off or accepted anew",
    }
}
