//! Whether a run kept what Orion promises: an end, within the bounds, with the exit code that the end has.

use std::time::Duration;

use orion_protocol::{ContextView, Envelope, StopReason, TurnEvent, TurnReport};
use serde::Serialize;

use crate::tasks::{LIMIT, Run};

/// The exit code of a turn that waits for a person.
pub(crate) const WAITS: i32 = 3;

/// Milliseconds that a turn may take to end after its deadline.
const LATE_MS: u64 = 5_000;

/// Percent by which Orion's count of a request may differ from the server's, once the server has counted one of the session.
const ESTIMATE: f64 = 10.0;

/// What a run came to. It kept every promise if there are no faults.
#[derive(Debug)]
pub(crate) struct Verdict {
    report: Option<TurnReport>,
    /// Percent by which Orion's count of the first request differs from the server's (X2). None where one of them is not known.
    estimate: Option<f64>,
    exit_code: Option<i32>,
    took: Duration,
    pub(crate) faults: Vec<String>,
}

pub(crate) fn judge(run: &Run) -> Verdict {
    let mut faults = Vec::new();
    let mut reports = Vec::new();
    let mut counted = None;
    for line in run.events.lines() {
        match serde_json::from_str::<Envelope>(line) {
            Ok(envelope) => {
                counted = counted.or_else(|| prompt_tokens(&envelope.event));
                reports.extend(report(envelope.event));
            }
            Err(error) => faults.push(format!("a line of its output is no event ({error}): {line:.80}")),
        }
    }
    // T3
    if reports.len() != 1 {
        faults.push(format!("{} terminal events", reports.len()));
    }
    let report = reports.pop();
    match run.exit_code {
        None => faults.push(format!(
            "was killed after {:.0} s; the limit is {} s",
            run.took.as_secs_f64(),
            LIMIT.as_secs()
        )),
        Some(code) => faults.extend(report.as_ref().and_then(|report| wrong_code(report, code))),
    }
    if let Some(report) = &report {
        faults.extend(beyond(report));
        if let Some(error) = &report.error {
            faults.push(format!("failed: {}", error.message));
        }
    } else if let Some(line) = run.stderr.lines().last() {
        faults.push(format!("said: {line}"));
    }
    let estimate = run.expected.zip(counted).map(|(expected, counted)| off_by(expected, counted));
    if let Some(estimate) = estimate.filter(|estimate| estimate.abs() > ESTIMATE) {
        faults.push(format!("the first request was estimated {estimate:+.1} % off the server's count"));
    }
    Verdict { report, estimate, exit_code: run.exit_code, took: run.took, faults }
}

/// What the server counted of a request.
fn prompt_tokens(event: &TurnEvent) -> Option<u32> {
    match event {
        TurnEvent::PhaseEnded { usage: Some(usage), .. } if !usage.estimated => usage.prompt_tokens,
        _ => None,
    }
}

/// Percent of the count.
fn off_by(expected: u64, counted: u32) -> f64 {
    (expected as f64 / f64::from(counted.max(1)) - 1.0) * 100.0
}

/// The tokens of a session's next request, without its message, as `orion context --json` gives them. None before the server has counted any.
pub(crate) fn tokens(shown: &str) -> Option<u64> {
    let view = serde_json::from_str::<ContextView>(shown).ok()?;
    view.counted.then_some(view.tokens)
}

/// The report in a terminal event.
fn report(event: TurnEvent) -> Option<TurnReport> {
    match event {
        TurnEvent::Completed { report } | TurnEvent::Stopped { report } | TurnEvent::Failed { report } => {
            Some(*report)
        }
        _ => None,
    }
}

/// The turn that events are of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ids {
    pub(crate) request: String,
    pub(crate) session: String,
}

pub(crate) fn ids(events: &str) -> Option<Ids> {
    let first = serde_json::from_str::<Envelope>(events.lines().next()?).ok()?;
    Some(Ids { request: first.request_id.to_string(), session: first.session_id.to_string() })
}

/// The exit codes as `orion run --help` states them.
fn wrong_code(report: &TurnReport, code: i32) -> Option<String> {
    let expected = match report.stop_reason {
        StopReason::Answered => 0,
        StopReason::ContentFilter | StopReason::Error => 1,
        StopReason::Approval | StopReason::Clarification | StopReason::Paused => WAITS,
        StopReason::BudgetExhausted | StopReason::DuplicatesExhausted => 4,
        StopReason::Length | StopReason::Unknown | StopReason::Empty => 5,
        StopReason::Stopped => 130,
    };
    let reason = word(report.stop_reason);
    (code != expected).then(|| format!("exit code {code} for {reason}, expected {expected}"))
}

/// What the turn had more of than its bounds allow (T4).
fn beyond(report: &TurnReport) -> Vec<String> {
    let bounds = &report.bounds;
    let counted = [
        ("model calls", report.model_calls, bounds.model_calls),
        ("tool runs", report.tool_runs, bounds.tool_runs),
        ("write prompts", report.write_prompts, bounds.write_prompts),
    ];
    let beyond = counted.into_iter().filter(|(_, count, bound)| count > bound);
    let mut beyond: Vec<String> =
        beyond.map(|(what, count, bound)| format!("{count} {what}, with a bound of {bound}")).collect();
    // T7. What the clock shows after the deadline is for dropping what runs, and for the disk.
    let late = bounds.seconds.filter(|seconds| report.duration_ms > u64::from(*seconds) * 1_000 + LATE_MS);
    beyond.extend(late.map(|seconds| format!("took {} ms, with a bound of {seconds} s", report.duration_ms)));
    let tokens = u64::from(report.usage.completion_tokens.unwrap_or(0));
    let many = bounds.output_tokens.filter(|most| tokens > *most);
    beyond.extend(many.map(|most| format!("{tokens} tokens of output, with a bound of {most}")));
    beyond
}

/// A stop reason or a limit as on the wire.
fn word(reason: impl Serialize) -> String {
    let word = serde_json::to_value(reason).ok();
    word.and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

const HEAD: &str = "\
| task | stop reason | limit | exit code | model calls | tool runs | refused | reused | prompt tokens | estimate | cached | completion tokens | seconds |
|---|---|---|---|---|---|---|---|---|---|---|---|---|";

pub(crate) fn table(rows: &[(&str, Verdict)]) -> String {
    let rows = rows.iter().map(|(name, verdict)| format!("\n{}", verdict.row(name)));
    format!("{HEAD}{}", rows.collect::<String>())
}

impl Verdict {
    /// The row of the table. What is not known is a dash, and estimated tokens are marked with `~`.
    pub(crate) fn row(&self, name: &str) -> String {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        let of = |read: fn(&TurnReport) -> String| or_dash(self.report.as_ref().map(read));
        let tokens = |read: fn(&TurnReport) -> Option<u32>| {
            let report = self.report.as_ref();
            let mark = if report.is_some_and(|report| report.usage.estimated) { "~" } else { "" };
            or_dash(report.and_then(read).map(|count| format!("{mark}{count}")))
        };
        let cells = [
            name.to_owned(),
            of(|report| word(report.stop_reason)),
            of(|report| report.exhausted.map_or_else(|| "–".to_owned(), word)),
            or_dash(self.exit_code.map(|code| code.to_string())),
            of(|report| format!("{} of {}", report.model_calls, report.bounds.model_calls)),
            of(|report| format!("{} of {}", report.tool_runs, report.bounds.tool_runs)),
            of(|report| report.duplicates_refused.to_string()),
            of(|report| report.reused.to_string()),
            tokens(|report| report.usage.prompt_tokens),
            or_dash(self.estimate.map(|estimate| format!("{estimate:+.1} %"))),
            tokens(|report| report.usage.cached_tokens),
            tokens(|report| report.usage.completion_tokens),
            format!("{:.1}", self.took.as_secs_f64()),
        ];
        format!("| {} |", cells.join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const ID: &str = "01890000-0000-7000-8000-000000000001";

    fn report(stop_reason: &str, model_calls: u32) -> Value {
        json!({
            "requestId": ID, "sessionId": ID, "projectId": ID, "route": "two_stage", "mode": "act", "model": "m",
            "status": "completed", "phaseReached": "complete", "stopReason": stop_reason, "answer": "",
            "cycles": 1, "toolRuns": 2, "reused": 0, "steered": 0, "duplicatesRefused": 1, "modelCalls": model_calls, "writePrompts": 0,
            "retries": 0, "bounds": {"modelCalls": 7, "toolRuns": 3, "writePrompts": 48},
            "usage": {"promptTokens": 900, "completionTokens": 40, "reasoningTokens": null, "cachedTokens": null,
                "estimated": true},
            "costUsd": null, "durationMs": 1, "phases": [], "toolCalls": [], "writes": [], "checks": null,
            "error": null
        })
    }

    fn end(report: Value) -> String {
        let envelope = json!({
            "v": 1, "requestId": ID, "sessionId": ID, "projectId": ID, "seq": 1, "atMs": 0, "phase": "complete",
            "toolBatchId": null, "event": {"type": "completed", "report": report}
        });
        format!("{envelope}\n")
    }

    fn run(events: String, exit_code: Option<i32>) -> Run {
        Run { events, exit_code, took: Duration::from_millis(2500), ..Run::default() }
    }

    #[test]
    fn a_turn_within_its_bounds_has_no_fault_and_a_row() {
        let verdict = judge(&run(end(report("answered", 7)), Some(0)));
        assert_eq!(verdict.faults, Vec::<String>::new());
        let row = "| list | answered | – | 0 | 7 of 7 | 2 of 3 | 1 | 0 | ~900 | – | – | ~40 | 2.5 |";
        assert_eq!(verdict.row("list"), row);
        assert_eq!(table(&[("list", verdict)]), format!("{HEAD}\n{row}"));
    }

    #[test]
    fn a_turn_beyond_its_bounds_is_found() {
        let mut beyond = report("budget_exhausted", 8);
        beyond["toolRuns"] = 4.into();
        beyond["writePrompts"] = 49.into();
        beyond["durationMs"] = 65_001.into();
        beyond["bounds"]["seconds"] = 60.into();
        beyond["bounds"]["outputTokens"] = 39.into();
        assert_eq!(
            judge(&run(end(beyond), Some(4))).faults,
            [
                "8 model calls, with a bound of 7",
                "4 tool runs, with a bound of 3",
                "49 write prompts, with a bound of 48",
                "took 65001 ms, with a bound of 60 s",
                "40 tokens of output, with a bound of 39"
            ]
        );
    }

    #[test]
    fn the_exit_code_belongs_to_the_stop_reason() {
        for (reason, code) in [("answered", 0), ("duplicates_exhausted", 4), ("length", 5), ("stopped", 130)]
        {
            assert_eq!(judge(&run(end(report(reason, 1)), Some(code))).faults, Vec::<String>::new());
            let fault = format!("exit code 2 for {reason}, expected {code}");
            assert_eq!(judge(&run(end(report(reason, 1)), Some(2))).faults, [fault]);
        }
    }

    #[test]
    fn an_end_that_is_missing_or_comes_twice_is_found() {
        let verdict = judge(&run(String::new(), None));
        assert_eq!(verdict.faults, ["0 terminal events", "was killed after 2 s; the limit is 120 s"]);
        assert_eq!(verdict.row("loop"), "| loop | – | – | – | – | – | – | – | – | – | – | – | 2.5 |");
        let twice = end(report("answered", 1)).repeat(2);
        assert_eq!(judge(&run(twice, Some(0))).faults, ["2 terminal events"]);
        let mut silent = run(String::new(), Some(1));
        silent.stderr = "no such model\n".to_owned();
        assert_eq!(judge(&silent).faults, ["0 terminal events", "said: no such model"]);
    }

    #[test]
    fn an_estimate_is_judged_by_the_first_count_of_the_server() {
        let counted = |tokens: u32| {
            let usage = json!({"promptTokens": tokens, "completionTokens": 1, "reasoningTokens": null, "cachedTokens": null,
                "estimated": false});
            let envelope = json!({
                "v": 1, "requestId": ID, "sessionId": ID, "projectId": ID, "seq": 1, "atMs": 0, "phase": "action_phase",
                "toolBatchId": null, "event": {"type": "phase_ended", "durationMs": 1, "cause": "answered",
                    "finishReason": "stop", "usage": usage, "firstChunkMs": 1}
            });
            format!("{envelope}\n")
        };
        let estimated = |tokens: u32| {
            let events = counted(tokens) + &counted(9_000) + &end(report("answered", 2));
            judge(&Run { expected: Some(1_000), ..run(events, Some(0)) })
        };
        assert_eq!(estimated(1_000).row("read").split(" | ").nth(9), Some("+0.0 %"));
        assert_eq!(estimated(910).faults, Vec::<String>::new());
        assert_eq!(estimated(909).faults, ["the first request was estimated +10.0 % off the server's count"]);
        assert_eq!(
            estimated(1_112).faults,
            ["the first request was estimated -10.1 % off the server's count"]
        );
        assert_eq!(
            judge(&run(counted(9) + &end(report("answered", 1)), Some(0))).faults,
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_turn_is_known_by_its_first_event() {
        let ids_of_the_turn = Ids { request: ID.to_owned(), session: ID.to_owned() };
        assert_eq!(ids(&end(report("approval", 1))), Some(ids_of_the_turn));
        assert_eq!(ids(""), None);
    }
}
