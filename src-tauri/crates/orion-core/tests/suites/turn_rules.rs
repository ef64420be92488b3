//! The rules of a turn, one conversation each, compared with the whole log it makes.

use crate::common::{
    Played, call, failed, finish, found, limited, piece, setup, text, two_stage, usage, whole, yes_or_no,
};
use insta::{assert_json_snapshot, assert_snapshot};
use orion_core::model::{Message, ModelDelta};
use orion_core::signature::digest;
use orion_core::tool::{Seen, ToolOutcome};
use orion_core::turn::{Done, Input, JobId};
use orion_protocol::{CallId, Policy, Route, StopReason, ToolStatus, TurnStatus};
use serde_json::json;

#[test]
fn an_answer_without_a_tool_call_completes_the_turn() {
    // P7, T3
    let mut played = two_stage();
    played.says([text("Hello ")]).says([text("there."), finish("stop"), usage(9, 3)]).ends();
    assert_snapshot!(played.lines);
}

#[test]
fn the_first_complete_call_cuts_the_phase_and_its_box_goes_back() {
    // P1, P4, R1
    let mut played = two_stage();
    played
        .says([text("I'll look."), ModelDelta::Reasoning { text: "hm".to_owned() }])
        .says([piece(Some(0), Some("c1"), Some("read"), Some("{\"path\":"))])
        .says([piece(Some(0), None, None, Some("\"./a\"}"))])
        .tool(found("alpha"))
        .says([text("It says alpha."), finish("stop")])
        .ends();
    assert_snapshot!(played.lines);
    assert_json_snapshot!("the_messages_after_a_box", played.messages());
}

#[test]
fn further_calls_of_the_same_event_are_blocked_and_the_model_is_told() {
    // P4
    let mut played = two_stage();
    played.says([
        call(0, "c1", "read", "{\"path\":\"a\"}"),
        call(1, "c2", "read", "{\"path\":\"b\"}"),
        piece(Some(2), Some("c3"), None, Some("{\"pa")),
    ]);
    played.tool(found("alpha"));
    assert_snapshot!(played.lines);
    assert_json_snapshot!("the_messages_after_blocked_calls", played.messages());
}

#[test]
fn a_repeated_call_is_refused_and_never_runs() {
    // D2, D4: key order, formatting, defaults and the form of the path do not matter
    let mut played = two_stage();
    played
        .says([call(0, "c1", "read", "{\"path\":\"a\",\"line\":1}")])
        .tool(found("alpha"))
        .says([call(0, "c2", "read", "{ \"line\": 1.0, \"path\": \"./x/../a\" }")])
        .says([call(0, "c3", "read", "{\"path\":\"/project/a\"}")])
        .says([text("It says alpha.")])
        .ends();
    assert_snapshot!(played.lines);
    assert_json_snapshot!("the_messages_after_refusals", played.messages());
}

#[test]
fn the_last_refusal_the_turn_allows_forces_the_final_answer() {
    // P3
    let mut played = Played::start(setup(limited(Route::TwoStage, 3, 1, 2)));
    played
        .says([call(0, "c1", "read", "{\"path\":\"a\"}")])
        .tool(found("alpha"))
        .says([call(0, "c2", "read", "{\"path\":\"a\"}")])
        .says([call(0, "c3", "read", "{\"path\":\"a\"}")])
        .answers([text("Alpha."), finish("stop")]);
    assert_snapshot!(played.lines);
    assert_eq!(
        played.messages().last(),
        Some(&Message::System { text: orion_core::prompt::DUPLICATES_SPENT.to_owned() })
    );
}

#[test]
fn a_spent_budget_forces_the_final_answer_and_its_calls_are_refused() {
    // P3, P8
    let mut played = Played::start(setup(limited(Route::TwoStage, 1, 1, 3)));
    played
        .says([call(0, "c1", "read", "{\"path\":\"a\"}")])
        .tool(found("alpha"))
        .says([
            text("Alpha, and "),
            call(0, "c2", "read", "{\"path\":\"b\"}"),
            piece(Some(1), None, Some("read"), None),
        ])
        .says([finish("tool_calls")])
        .ends();
    assert_snapshot!(played.lines);
    assert_json_snapshot!("the_messages_of_a_forced_final_answer", played.messages());
}

#[test]
fn no_cycles_at_all_means_an_answer_without_tools() {
    // P3
    let mut played = Played::start(setup(limited(Route::TwoStage, 0, 1, 3)));
    played.answers([text("Four.")]);
    assert_snapshot!(played.lines);
}

#[test]
fn arguments_that_never_parse_cost_a_cycle_and_the_model_is_told_what_was_wrong() {
    // P6
    let mut played = Played::start(setup(limited(Route::TwoStage, 5, 1, 3)));
    played
        .answers([call(0, "c1", "read", "{\"path\":\"a"), finish("length")])
        .answers([call(0, "c1", "read", "[1]"), call(1, "", "read", "{\"a\":tru}")])
        .answers([piece(Some(0), Some("c9"), None, Some("{\"path\":\"a\"}"))])
        .answers([call(0, "c5", "read", "")])
        .answers([whole(0, "read", json!(5))])
        .answers([text("Sorry.")]);
    assert_snapshot!(played.lines);
    assert_json_snapshot!("the_messages_after_malformed_calls", played.messages());
}

#[test]
fn empty_arguments_wait_until_the_call_is_closed() {
    // P5: `{}` may still be followed by the real arguments
    let mut played = two_stage();
    played.says([call(0, "c1", "read", "{}")]);
    assert_eq!((played.running.clone(), played.live_call), (None, Some(1)));
    played.says([piece(Some(0), None, None, Some("{\"path\":\"b\"}"))]);
    assert_eq!((played.running.clone(), played.live_call), (Some(CallId("c1".to_owned())), None));
    assert!(played.lines.ends_with("> run 1 c1 read {\"line\":1,\"path\":\"b\"}\n"), "{}", played.lines);

    for close in [finish("stop"), call(1, "c2", "read", "")] {
        let mut played = two_stage();
        played.says([call(0, "c1", "read", "{}")]).says([close]);
        assert_eq!(played.running, Some(CallId("c1".to_owned())));
        assert!(played.lines.contains("> run 1 c1 read {\"line\":1,\"path\":\".\"}\n"), "{}", played.lines);
    }
    let mut played = two_stage();
    played.answers([call(0, "c1", "read", "{}")]);
    assert_eq!(played.running, Some(CallId("c1".to_owned())));
}

#[test]
fn two_tools_a_phase_run_one_after_the_other() {
    // P3: the number of tools is a setting
    let mut played = Played::start(setup(limited(Route::TwoStage, 2, 2, 3)));
    played
        .says([call(0, "c1", "read", "{\"path\":\"a\"}")])
        .says([call(1, "c2", "unknown", "{\"path\":\"b\"}")])
        .tool(found("alpha"))
        .tool(failed())
        .answers([call(0, "c3", "read", "{\"path\":\"c\"}"), call(1, "c4", "read", "{\"pa")])
        .tool(found("gamma"))
        .answers([text("Done.")]);
    assert_snapshot!(played.lines);
    assert_json_snapshot!("the_messages_after_two_tools", played.messages());
}

#[test]
fn the_unified_route_runs_all_calls_and_answers_them_natively() {
    // P2
    let mut played = Played::start(setup(Policy::unified()));
    played
        .says([text("Both."), call(0, "c1", "read", "{\"path\":\"a\"}")])
        .says([call(1, "c2", "read", "{\"path\":\"b\"}"), call(2, "c3", "read", "{\"path\":\"a\"}")])
        .says([call(3, "c4", "read", "{\"pa")])
        .ends()
        .tool(found("alpha"))
        .tool(failed())
        .answers([text("Done."), finish("stop")]);
    assert_snapshot!(played.lines);
    assert_json_snapshot!("the_messages_of_the_unified_route", played.messages());
}

#[test]
fn three_blocked_duplicates_end_the_unified_loop_softly() {
    // P2
    let mut played = Played::start(setup(Policy::unified()));
    played.answers([call(0, "c1", "read", "{\"path\":\"a\"}")]).tool(found("alpha"));
    for id in ["c2", "c3", "c4"] {
        played.answers([call(0, id, "read", "{\"path\":\"a\"}")]);
    }
    played.answers([text("Alpha.")]);
    assert_snapshot!(played.lines);
}

#[test]
fn a_turn_minds_only_changes_that_may_matter_to_a_call() {
    // D3
    let minds = |played: &Played, path: &str| played.turn.minds(&[Seen::Path(path.to_owned())]);
    let mut played = Played::start(setup(limited(Route::TwoStage, 9, 2, 9)));
    assert!(!minds(&played, "a"), "nothing was seen yet");
    played.says([call(0, "c1", "ask", "{\"path\":\"a\"}")]).ends();
    assert!(!minds(&played, "a"), "it waits to be allowed");
    played.allow(true);
    assert!(minds(&played, "b"), "what it will have seen is not known");
    played.tool(found("alpha"));
    assert!(minds(&played, "a") && !minds(&played, "b"));
    played.input(Input::Changed { changes: vec![Seen::Path("a".to_owned())] });
    assert!(!minds(&played, "a"), "it is fresh already");
}

#[test]
fn more_changes_than_are_kept_apart_count_as_a_change_of_everything() {
    // D3: memory stays bounded while a call runs
    for (changes, runs) in [(1_000, 1), (1_001, 2)] {
        let mut played = Played::start(setup(limited(Route::TwoStage, 9, 1, 9)));
        played.says([call(0, "", "read", "{\"path\":\"a\"}")]);
        for number in 0..changes {
            played.input(Input::Changed { changes: vec![Seen::Path(format!("other/{number}"))] });
        }
        played.tool(found("alpha")).says([call(0, "", "read", "{\"path\":\"a\"}")]);
        assert_eq!(played.lines.matches("> run").count(), runs, "{changes} changes");
    }
}

#[test]
fn a_change_of_what_was_seen_makes_a_call_fresh_once() {
    // D3
    let read_a = || call(0, "", "read", "{\"path\":\"a\"}");
    let change = |path: &str| Input::Changed { changes: vec![Seen::Path(path.to_owned())] };
    let runs = |played: &Played| played.lines.matches("> run").count();

    let mut played = Played::start(setup(limited(Route::TwoStage, 9, 1, 9)));
    played.says([read_a()]).tool(found("alpha")).input(change("b")).says([read_a()]);
    assert_eq!(runs(&played), 1, "another file changed");
    played.input(change("a")).input(change("a")).says([read_a()]);
    assert_eq!(runs(&played), 2, "a changed");
    played.tool(found("beta")).says([read_a()]);
    assert_eq!(runs(&played), 2, "once per change");

    let mut played = Played::start(setup(limited(Route::TwoStage, 9, 1, 9)));
    played.says([read_a()]).input(change("a")).tool(found("alpha")).says([read_a()]);
    assert_eq!(runs(&played), 2, "a changed while it was read");

    let mut played = Played::start(setup(limited(Route::TwoStage, 9, 1, 9)));
    played.says([read_a()]).input(change("b")).tool(found("alpha")).says([read_a()]);
    assert_eq!(runs(&played), 1, "another file changed while it was read");

    let two = setup(limited(Route::Unified, 9, 2, 9));
    let mut played = Played::start(two);
    played.answers([call(0, "c1", "read", "{\"path\":\"b\"}"), call(1, "c2", "read", "{\"path\":\"a\"}")]);
    played.input(change("a")).tool(found("beta")).tool(found("alpha")).answers([read_a()]);
    assert_eq!(runs(&played), 2, "a changed before its turn to be read came");
}

#[test]
fn what_was_seen_is_touched_by_changes_at_it_above_it_and_in_it() {
    // D3
    let path = |path: &str| Seen::Path(path.to_owned());
    let tree = |path: &str| Seen::Tree(path.to_owned());
    let touched = [
        (path("a/b"), path("a/b")),
        (path("a/b"), path("a")),
        (path("a/b"), path("")),
        (path("a/b"), path("a/b/c")),
        (path(""), path("new")),
        (path("a/b"), tree("a")),
        (path("a/b"), tree("")),
        (tree("a"), path("a/b/c/d")),
        (tree("a"), path("a")),
        (tree("a/b"), path("a")),
        (tree(""), path("x")),
        (tree("a/b"), tree("a")),
        (tree("a"), tree("a/b")),
    ];
    for (seen, change) in touched {
        assert!(seen.is_touched_by(&change), "{seen:?} by {change:?}");
    }
    let untouched = [
        (path("a/b"), path("a/c")),
        (path("a/b"), path("a/bc")),
        (path("a"), path("a/b/c")),
        (path(""), path("a/b")),
        (path("ab"), path("a")),
        (tree("a"), path("ab")),
        (tree("a/b"), path("a/c")),
        (path("a"), tree("b")),
    ];
    for (seen, change) in untouched {
        assert!(!seen.is_touched_by(&change), "{seen:?} by {change:?}");
    }
}

#[test]
fn an_ask_tool_waits_for_exactly_its_approval() {
    // A1, A3
    let mut played = two_stage();
    played.says([call(0, "c1", "ask", "{\"path\":\"a\"}")]);
    assert_eq!(
        (played.turn.report().status, played.turn.report().stop_reason),
        (TurnStatus::Waiting, StopReason::Approval)
    );
    let before = played.lines.clone();
    played.input(yes_or_no(digest("another"), true));
    played.input(Input::Done {
        job: JobId(1),
        done: Done::Tool { outcome: found("forged").into(), duration_ms: 1 },
    });
    assert_eq!(played.lines, before, "neither another approval nor an early outcome counts");
    played
        .allow(true)
        .allow(true)
        .tool(found("alpha"))
        .says([call(0, "c2", "ask", "{\"path\":\"b\"}")])
        .allow(false);
    played.says([call(0, "c3", "never", "{}"), finish("stop")]);
    played.answers([text("Done.")]);
    assert_snapshot!(played.lines);
    assert_json_snapshot!("the_messages_after_approvals", played.messages());
}

#[test]
fn a_report_on_the_way_says_whether_the_user_is_asked() {
    // J5
    let so_far = |played: &Played| {
        let report = played.turn.report();
        (report.status, report.stop_reason)
    };
    let mut played = two_stage();
    assert_eq!(so_far(&played), (TurnStatus::Waiting, StopReason::Paused));
    played.says([call(0, "c1", "ask", "{\"path\":\"a\"}")]);
    assert_eq!(so_far(&played), (TurnStatus::Waiting, StopReason::Approval));
    played.allow(true);
    assert_eq!(so_far(&played), (TurnStatus::Waiting, StopReason::Paused), "the tool runs");
}

#[test]
fn a_stop_ends_the_turn_in_any_state_and_nothing_follows() {
    // A4
    let streaming = || {
        let mut played = two_stage();
        played.says([text("Let me")]);
        played
    };
    let running = || {
        let mut played = Played::start(setup(limited(Route::TwoStage, 3, 3, 3)));
        played
            .says([call(0, "c1", "read", "{\"path\":\"a\"}"), call(1, "c2", "read", "{\"path\":\"b\"}")])
            .ends();
        played
    };
    let asking = || {
        let mut played = two_stage();
        played.says([call(0, "c1", "ask", "{\"path\":\"a\"}")]);
        played
    };
    let interrupted = || {
        let mut played = running();
        played.input(Input::Interrupted).input(Input::Interrupted);
        played
    };
    let mut log = String::new();
    for mut played in [streaming(), running(), asking(), interrupted()] {
        played.input(Input::Stop);
        assert!(played.turn.is_over());
        let lines = played.lines.clone();
        played.input(Input::Stop).says([text("late")]).ends();
        assert_eq!(played.lines, lines, "nothing follows");
        log.push_str(&lines);
        log.push('\n');
    }
    assert_snapshot!(log);
}

// D3
#[test]
fn what_a_call_changed_makes_others_fresh_and_not_itself() {
    let mut played = Played::start(setup(Policy { max_cycles: 4, ..Policy::two_stage() }));
    let read = |id: &str| call(0, id, "read", "{\"path\":\"a\"}");
    let change = |id: &str| call(0, id, "ask", "{\"path\":\"b\"}");
    played.says([read("r1")]).tool(found("alpha"));
    played.says([read("r2")]);
    played.says([change("c1")]).allow(true);
    let seen = vec![Seen::Tree(String::new())];
    // The watcher sees it as well, and sees more.
    played.input(Input::Changed { changes: vec![Seen::Path("a".to_owned())] });
    played.tool(ToolOutcome { changed: vec![Seen::Path("a".to_owned())], seen, ..found("changed") });
    played.says([change("c2")]);
    played.says([read("r3")]).tool(found("beta"));
    played.answers([text("Done.")]);
    let calls = &played.turn.report().tool_calls;
    let statuses: Vec<_> =
        calls.iter().map(|call| (call.tool_call_id.0.as_str(), call.status.unwrap())).collect();
    assert_eq!(
        statuses,
        [
            ("r1", ToolStatus::Ok),
            ("r2", ToolStatus::Duplicate),
            ("c1", ToolStatus::Ok),
            ("c2", ToolStatus::Duplicate),
            ("r3", ToolStatus::Ok)
        ]
    );
}
