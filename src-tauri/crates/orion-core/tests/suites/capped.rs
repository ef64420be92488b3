//! T4: how often single tools may run in a turn.

use orion_core::tool::ToolSet;
use orion_core::turn::TurnSetup;
use orion_protocol::{Bounds, Policy, Route, ToolCaps, ToolStatus, TurnEvent};

use crate::common::{Played, WRITE_PLAN_BEGIN, call, found, limited, setup};

fn capped(policy: Policy, cap: impl Fn(&str) -> Option<u32>) -> TurnSetup {
    let setup = setup(policy);
    TurnSetup { tools: setup.tools.capped(|tool| cap(&tool.name)), ..setup }
}

#[test]
fn a_tool_runs_as_often_as_it_may_and_no_more() {
    let policy = limited(Route::TwoStage, 9, 1, 3);
    let mut played = Played::start(capped(policy, |name| (name == "read").then_some(2)));
    for path in ["a", "b", "c"] {
        played.says([call(0, "", "read", &format!("{{\"path\":\"{path}\"}}"))]);
        if played.running.is_some() {
            played.tool(found("x"));
        }
    }
    let outcomes: Vec<(ToolStatus, Option<String>)> = played
        .events()
        .filter_map(|event| match event {
            TurnEvent::ToolResult { status, error, .. } => {
                Some((*status, error.as_ref().map(|error| error.message.clone())))
            }
            _ => None,
        })
        .collect();
    let refused = "read has run 2 times in this turn, as often as it may.".to_owned();
    assert_eq!(
        outcomes,
        [(ToolStatus::Ok, None), (ToolStatus::Ok, None), (ToolStatus::Denied, Some(refused))]
    );
    // Another tool has its own number, and nobody is asked about one that may not run.
    played.says([call(0, "", "ask", r#"{"path":"a"}"#)]);
    assert!(played.asked.is_some());
}

#[test]
fn the_limits_of_all_tools_bound_the_turn() {
    let policy = limited(Route::TwoStage, 9, 2, 3);
    let bounds = |setup: TurnSetup| {
        let Bounds { tool_runs, write_prompts, .. } = setup.bounds();
        (tool_runs, write_prompts)
    };
    assert_eq!(bounds(setup(policy)), (18, 144));
    // Where one tool has no limit, only the turn's budget limits them all.
    assert_eq!(bounds(capped(policy, |name| (name == "read").then_some(1))), (18, 144));
    assert_eq!(bounds(capped(policy, |name| (name == WRITE_PLAN_BEGIN).then_some(1))), (18, 16));
    let all = capped(policy, |_| Some(2));
    assert_eq!(all.tools.caps(), ToolCaps { runs: Some(8), writes: Some(2), ..ToolCaps::default() });
    assert_eq!(bounds(all.clone()), (8, 32));

    // A model that calls tools which are not there runs nothing: it stays within the bound.
    let mut played =
        Played::start(TurnSetup { tools: ToolSet::from_iter(all.tools.iter().take(1).cloned()), ..all });
    for number in 0..9 {
        let name = if number % 2 == 0 { "read" } else { "nothing" };
        played.answers([call(0, "", name, &format!("{{\"path\":\"{number}\"}}"))]);
        if played.running.is_some() {
            played.tool(found("x"));
        }
    }
    let report = played.turn.report();
    assert_eq!((report.tool_runs, report.bounds.tool_runs), (2, 2));
}
