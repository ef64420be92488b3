//! Checks in words: one of them when it has ended, and all of them at the end of a turn (V3).

use orion_protocol::{CheckReport, CheckRun, CheckSkipped, CheckStatus, Evaluation, TurnReport};

use crate::terminal::one_line;

/// The end of one check.
pub(crate) fn ended(run: &CheckRun, failed_before: bool) -> String {
    one_line(&run.words(failed_before), 200)
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
            let reason = last.iter().find_map(|check| check.reason).map(CheckSkipped::words);
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
