//! `orion stats`: what turns came to, over all sessions.

use serde_json::{Value, json};
use support::{Folder, Script, Turn};

use super::{Desk, json as parsed, ran};

fn stats(desk: &Desk, arguments: &[&str]) -> Value {
    let ran = ran(desk.orion(&["stats", "--json"]).args(arguments));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let mut stats = parsed(&ran.stdout);
    for row in stats["rows"].as_array_mut().unwrap() {
        // What no two runs have in common.
        assert!(row["durationMs"].take().as_u64().is_some_and(|ms| ms < 60_000), "{row}");
    }
    stats
}

/// Two turns on each of two routes, with two models, one of which has a price. One repeats itself, and one uses up its budget.
fn desk() -> Desk {
    let reads =
        |t: Turn| t.call("read_file", json!({"path": "notes.txt"})).usage(1_000, 10).end("tool_calls");
    let answers = |t: Turn| t.text("It is 42.").usage(2_000, 20).end("stop");
    let model = Script::new()
        .turn(reads)
        .turn(answers)
        .turn(reads)
        .turn(reads)
        .turn(answers)
        .turn(answers)
        .turn(reads)
        .turn(answers)
        .start();
    let desk = Desk::new();
    desk.home.write("config/prices.toml", "[command-line.priced]\nprompt = 2\ncompletion = 10\n");
    let run = |name: &str, arguments: &[&str]| {
        let at = ["run", "--base-url", &model.base_url(), "--model", name, "--json"];
        parsed(&ran(desk.orion(&at).args(arguments)).stdout)["stopReason"].clone()
    };
    assert_eq!(run("priced", &["What is it?"]), "answered");
    assert_eq!(run("priced", &["What is it, twice?"]), "answered");
    assert_eq!(run("other", &["--route", "unified", "Say it."]), "answered");
    assert_eq!(run("other", &["--route", "unified", "--max-cycles", "1", "Look."]), "budget_exhausted");
    model.finish();
    desk
}

#[test]
fn turns_are_counted_by_route_and_model_over_all_sessions() {
    let desk = desk();
    let two_stage = json!({
        "route": "two_stage", "model": "priced", "mode": null, "projectId": null, "project": null,
        "turns": 2, "answered": 2, "budgetExhausted": 0, "failed": 0, "stopped": 0, "duplicatesRefused": 1,
        "modelCalls": 5, "toolRuns": 2, "promptTokens": null, "cachedTokens": 0, "completionTokens": null, "unmeasuredTurns": 0,
        "costUsd": null, "pricedTurns": 2, "durationMs": null,
    });
    let unified = json!({
        "route": "unified", "model": "other", "mode": null, "projectId": null, "project": null,
        "turns": 2, "answered": 1, "budgetExhausted": 1, "failed": 0, "stopped": 0, "duplicatesRefused": 0,
        "modelCalls": 3, "toolRuns": 1, "promptTokens": 5_000, "cachedTokens": 0, "completionTokens": 50, "unmeasuredTurns": 0,
        "costUsd": null, "pricedTurns": 0, "durationMs": null,
    });
    let expected = json!({
        "by": ["route", "model"], "sinceMs": null, "rows": [two_stage, unified], "unfinished": 0, "unreadable": 0,
    });
    let mut found = stats(&desk, &[]);
    // What was dropped at its call (P4) is estimated: more than was counted, and priced.
    let mut taken = |name: &str| found["rows"][0][name].take();
    let [prompt, completion, cost] =
        ["promptTokens", "completionTokens", "costUsd"].map(|name| taken(name).as_f64().unwrap());
    assert!(prompt > 4_000.0 && completion > 40.0, "{prompt} {completion}");
    assert_eq!((cost * 1e6).round(), prompt * 2.0 + completion * 10.0);
    assert_eq!(found, expected);
    // All of them in one group, where a cost is a part (T7).
    let all = &stats(&desk, &["--by", "project"])["rows"];
    assert_eq!(all.as_array().unwrap().len(), 1);
    let figures = ["turns", "answered", "pricedTurns", "route"].map(|key| all[0][key].clone());
    assert_eq!(figures, [json!(4), json!(3), json!(2), Value::Null]);
    assert_eq!((all[0]["costUsd"].as_f64().unwrap() * 1e6).round(), (cost * 1e6).round());

    let shown = ran(&mut desk.orion(&["stats"]));
    let lines: Vec<Vec<&str>> = shown
        .stdout
        .lines()
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    let head = [
        "route",
        "model",
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
    let first = ["two_stage", "priced", "2", "2 (100 %)", "0 (0 %)", "0", "0", "1", "5", "2"];
    let second =
        ["unified", "other", "2", "1 (50 %)", "1 (50 %)", "0", "0", "0", "3", "1", "5,000", "50", "unknown"];
    assert_eq!(lines[0], head);
    assert_eq!((&lines[1][..10], lines[1][12]), (&first[..], "$0.01"));
    assert_eq!(lines[2][..13], second);
    assert_eq!((shown.code, shown.stderr.as_str(), lines.len()), (Some(0), "", 3));
}

#[test]
fn turns_of_another_time_or_another_project_are_not_counted() {
    let desk = desk();
    let none = json!({"by": ["route", "model"], "sinceMs": 4_102_444_800_000_i64, "rows": [], "unfinished": 0, "unreadable": 0});
    assert_eq!(stats(&desk, &["--since", "2100-01-01"]), none);
    assert_eq!(stats(&desk, &["--since", "1h"])["rows"].as_array().unwrap().len(), 2);
    let here = desk.project.path().display().to_string();
    assert_eq!(stats(&desk, &["--project", &here])["rows"].as_array().unwrap().len(), 2);

    let elsewhere = Folder::empty();
    let other = ran(&mut desk.orion(&["stats", "--project", &elsewhere.path().display().to_string()]));
    assert_eq!(other.code, Some(1), "{}", other.stdout);
    assert!(other.stderr.contains("No session was ever started in this folder."), "{}", other.stderr);
    let wrong = ran(&mut desk.orion(&["stats", "--since", "yesterday"]));
    assert_eq!((wrong.code, wrong.stderr.contains("expected a day such as 2026-01-04")), (Some(2), true));
    let nothing = ran(&mut Desk::new().orion(&["stats"]));
    let said = (nothing.code, nothing.stdout.as_str(), nothing.stderr.as_str());
    assert_eq!(said, (Some(0), "", "No turn has ended yet.\n"));
}
