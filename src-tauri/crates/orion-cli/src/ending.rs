//! How a turn ended, in words.

use orion_protocol::{Exhausted, StopReason, TurnReport};

use crate::terminal::count;

/// What can be done about a finish reason that Orion does not know (P10).
pub(crate) const UNKNOWN_REASON: &str = "If this reason means a complete answer, add it to accepted_finish_reasons of the endpoint in the settings.";

/// Advice about a model that gave no answer (P7).
pub(crate) const NO_ANSWER: &str =
    "The model gave no answer. Another model, or the same question in other words, may do better.";

/// Which limit ended the turn; none where no limit did. `wants_more`: its last answer was not all that the model wanted to say.
pub(crate) fn why_no_further(report: &TurnReport, wants_more: bool) -> Option<String> {
    let why = match (report.exhausted, report.stop_reason) {
        (_, reason)
            if !matches!(
                reason,
                StopReason::BudgetExhausted | StopReason::DuplicatesExhausted | StopReason::Length
            ) =>
        {
            return None;
        }
        (Some(Exhausted::Seconds), _) => "its time limit is reached".to_owned(),
        (Some(Exhausted::Cost), _) => "its cost limit is reached".to_owned(),
        (_, StopReason::BudgetExhausted) => format!("all {} used", count(report.cycles, "step")),
        (_, StopReason::Length) => "cut off at the length limit".to_owned(),
        _ => "the model kept repeating a call".to_owned(),
    };
    let at_limit = matches!(report.exhausted, Some(Exhausted::Seconds | Exhausted::Cost));
    let answered = !wants_more && !at_limit && report.stop_reason != StopReason::Length;
    Some(format!("{}: {why}.", if answered { "Answered" } else { "Not finished" }))
}

/// What it took, and how to look at it.
pub(crate) fn spent(report: &TurnReport) -> String {
    let mut spent = vec![count(report.model_calls, "model call"), count(report.tool_runs, "tool run")];
    if report.write_prompts > 0 {
        spent.push(format!("{} for file content", count(report.write_prompts, "request")));
    }
    if let Some(cost) = report.cost_usd {
        let about = if report.usage.estimated { "about " } else { "" };
        spent.push(format!("{about}{cost}"));
    }
    let seconds = report.duration_ms as f64 / 1_000.0;
    format!("{}, {seconds:.1} s, orion trace {}", spent.join(", "), report.request_id)
}
