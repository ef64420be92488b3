//! A read that the box of an earlier call answers (X6): when, when not, and what it costs.

use orion_core::context::{About, BoxItem, Item};
use orion_core::model::Message;
use orion_core::prompt;
use orion_core::signature::{digest, signature};
use orion_core::tool::Seen;
use orion_core::turn::{Done, Flag, Flags, Input, JobId, TurnSetup};
use orion_protocol::{CallId, Permission, Policy, Route, Signature, ToolStatus, TurnEvent};
use serde_json::json;

use crate::common::{Played, call, file, ids, limited, parsed, read_from, setup, text, tool};
use crate::context_turns::{Session, read, said};

/// The signature of a read of this path.
fn of_read(path: &str) -> Signature {
    let given = json!({ "path": path });
    let arguments = parsed(Some(&tool("read", Permission::Allow)), &given);
    signature("read", arguments.value(), ids().project_id)
}

/// The box of a read in an earlier turn.
pub(crate) fn box_of(path: &str, body: &str) -> Item {
    let call = CallId(format!("earlier_{path}"));
    let given = json!({ "path": path, "line": 1 });
    let (text, head) =
        prompt::result_box("NONCE", &call, "read", &parsed(None, &given), &read_from(path, body), "");
    let of = BoxItem {
        call,
        signature: of_read(path),
        head,
        sha256: digest(body),
        source: Some(file(path, body)),
        attachment: false,
        emptied: false,
    };
    Item::new(Message::System { text }, About::Box(of))
}

/// A session that read `a` in its first turn.
fn having_read(policy: Policy) -> Session {
    let mut session = Session::default();
    let mut played = session.turn(policy, "What is in a?");
    played.says(read("a")).ends();
    played.tool(read_from("a", "alpha"));
    played.says([text("Alpha.")]).ends();
    session.end(&played);
    session
}

fn reuses(played: &Played) -> Vec<&TurnEvent> {
    played.events().filter(|event| matches!(event, TurnEvent::CallReused { .. })).collect()
}

fn counts(played: &Played) -> (u32, u32, u32, u32) {
    let report = played.turn.report();
    (report.reused, report.tool_runs, report.cycles, report.model_calls)
}

// X6
#[test]
fn the_same_read_in_a_later_turn_runs_no_tool_and_spends_no_cycle() {
    let mut session = having_read(Policy::two_stage());
    let first = session.ids().request_id;
    let mut played = session.turn(Policy::two_stage(), "And again?");
    played.says(read("./a"));
    let (_, compared) = played.comparing.clone().unwrap();
    assert_eq!((&compared, &played.running), (&file("a", "alpha"), &None));
    played.compared(true);
    let call_id = match reuses(&played)[..] {
        [TurnEvent::CallReused { tool_call_id, .. }] => tool_call_id.clone(),
        ref other => panic!("{other:?}"),
    };
    let expected = TurnEvent::CallReused {
        tool_call_id: call_id.clone(),
        name: "read".to_owned(),
        arguments: json!({ "path": "a", "line": 1 }),
        signature: of_read("a"),
        original_request_id: first,
        original: CallId("call_1".to_owned()),
        count: 1,
        limit: 3,
    };
    assert_eq!(reuses(&played), [&expected]);
    let messages = played.messages();
    let last = match messages.last() {
        Some(Message::System { text }) => text.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        last,
        format!(
            "Call {call_id}: read {{\"line\":1,\"path\":\"a\"}} was not run again, since the file has not changed. \
             Its text is in the result of call call_1. Use it."
        )
    );
    assert_eq!(said(messages, "alpha"), 1, "the box is there once");
    assert_eq!(played.requests[1].tools, played.requests[0].tools);
    played.says([text("Alpha still.")]).ends();
    let report = played.envelopes.last().unwrap().event.terminal().unwrap();
    assert_eq!(
        (report.reused, report.tool_runs, report.cycles, report.model_calls, report.duplicates_refused),
        (1, 0, 0, 2, 0)
    );
    let calls: Vec<_> = report.tool_calls.iter().map(|call| (call.tool_batch_id, call.status)).collect();
    assert_eq!(calls, [(None, Some(ToolStatus::Reused))]);
}

// X6
#[test]
fn a_file_that_changed_is_read_again() {
    let mut session = having_read(Policy::two_stage());
    let mut played = session.turn(Policy::two_stage(), "And again?");
    played.says(read("a")).compared(false);
    assert!(played.running.is_some() && reuses(&played).is_empty());
    played.tool(read_from("a", "beta"));
    assert_eq!(counts(&played), (0, 1, 1, 2));
    played.says([text("Beta.")]).ends();
    session.end(&played);
    // The latest box is the one that answers.
    let mut played = session.turn(Policy::two_stage(), "And now?");
    played.says(read("a"));
    assert_eq!(played.comparing.as_ref().map(|(_, file)| file.clone()), Some(file("a", "beta")));
}

// D2, D3: it counts as a run.
#[test]
fn a_second_time_in_a_turn_it_is_a_duplicate_until_the_file_changes() {
    let mut session = having_read(Policy::two_stage());
    let mut played = session.turn(Policy::two_stage(), "And again?");
    played.says(read("a")).compared(true);
    played.says(read("a"));
    let refused = played.events().find_map(|event| match event {
        TurnEvent::DuplicateRefused { original, .. } => Some(original.0.clone()),
        _ => None,
    });
    assert_eq!(refused.as_deref(), Some("call_1"), "the box that holds the answer");
    assert_eq!(played.comparing, None);
    played.input(Input::Changed { changes: vec![Seen::Path("a".to_owned())] });
    played.says(read("a"));
    assert!(played.comparing.is_some(), "the change may be one that was undone");
    played.compared(false);
    assert!(played.running.is_some());
}

// D3: what changes while a file is compared may have come too late to be seen.
#[test]
fn a_change_during_the_comparison_makes_the_call_fresh() {
    let mut session = having_read(Policy::two_stage());
    let mut played = session.turn(Policy::two_stage(), "And again?");
    played.says(read("a")).input(Input::Changed { changes: vec![Seen::Path("a".to_owned())] });
    played.compared(true);
    played.says(read("a"));
    assert!(played.comparing.is_some(), "it is not refused");
}

#[test]
fn a_turn_has_at_most_max_cycles_of_them() {
    let mut session = Session::default();
    session.items = ["a", "b", "c"].map(|path| box_of(path, path)).into();
    let mut played = session.turn(limited(Route::TwoStage, 2, 1, 3), "Go");
    played.says(read("a")).compared(true);
    played.says(read("b")).compared(true);
    played.says(read("c"));
    assert!(played.comparing.is_none() && played.running.is_some(), "the third one runs");
    assert_eq!(counts(&played), (2, 1, 1, 3));
}

// X3
#[test]
fn a_box_whose_body_left_answers_nothing() {
    let mut session = Session::of_window(4_000);
    let mut played = session.turn(Policy::two_stage(), "Go");
    played.says(read("a")).tool(read_from("a", &"alpha beta ".repeat(450)));
    played.says([text("Done.")]).ends();
    session.end(&played);
    let mut played = session.turn(Policy::two_stage(), &"word ".repeat(960));
    assert_eq!(said(&played.requests[0].messages, "left the conversation"), 1);
    played.says(read("a"));
    assert!(played.comparing.is_none() && played.running.is_some());
}

// D3: once the box that answered is cut, the call may run.
#[test]
fn a_call_whose_answering_box_was_cut_may_run() {
    let mut session = Session::of_window(4_000);
    let mut played = session.turn(Policy::two_stage(), "Go");
    played.says(read("a")).tool(read_from("a", &"alpha beta ".repeat(450)));
    played.says([text("Done.")]).ends();
    session.end(&played);
    let mut played = session.turn(Policy::two_stage(), "Again");
    played.says(read("a")).compared(true);
    played.says(read("b")).tool(read_from("b", &"gamma delta ".repeat(400)));
    assert_eq!(said(played.messages(), "left the conversation"), 1, "the box of a");
    played.says(read("a"));
    assert!(played.comparing.is_none() && played.running.is_some());
}

// A1
#[test]
fn a_call_that_is_asked_about_or_not_allowed_is_not_answered_by_a_box() {
    for permission in [Permission::Ask, Permission::Deny] {
        let with = setup(Policy::two_stage());
        let tools = with.tools.permitted(|_| permission);
        let mut played =
            Played::start(orion_core::turn::TurnSetup { tools, history: vec![box_of("a", "alpha")], ..with });
        played.says(read("a"));
        assert!(played.comparing.is_none() && played.running.is_none(), "{permission:?}");
        assert_eq!(played.asked.is_some(), permission == Permission::Ask);
    }
}

// P2, D4: in the unified route a response with calls costs a cycle, whatever becomes of them, and each call gets its message.
#[test]
fn of_one_response_one_call_is_answered_one_runs_and_one_is_refused() {
    let mut session = having_read(Policy::unified());
    let mut played = session.turn(Policy::unified(), "And again?");
    played
        .says([
            call(0, "x", "read", "{\"path\":\"b\"}"),
            call(1, "y", "read", "{\"path\":\"a\"}"),
            call(2, "z", "read", "{\"path\":\"b\"}"),
        ])
        .ends();
    played.compared(true).tool(read_from("b", "beta"));
    assert_eq!(counts(&played), (1, 1, 1, 2));
    let answered: Vec<(&str, &str)> = played
        .messages()
        .iter()
        .rev()
        .take(3)
        .filter_map(|message| match message {
            Message::Tool { call_id, text, .. } => Some((call_id.as_str(), text.get(..9)?)),
            _ => None,
        })
        .collect();
    assert_eq!(answered, [("x", "Result of"), ("z", "DUPLICATE"), ("y", "Call y: r")]);
    let made = played.messages().iter().rev().find_map(|message| match message {
        Message::Assistant { tool_calls, .. } => Some(tool_calls.len()),
        _ => None,
    });
    assert_eq!(made, Some(3));
}

#[test]
fn a_response_of_the_unified_route_that_only_reads_again_costs_a_cycle() {
    let mut session = having_read(Policy::unified());
    let mut played = session.turn(limited(Route::Unified, 1, 4, 3), "And again?");
    assert_eq!(played.turn.report().bounds.model_calls, 2);
    played.says(read("a")).ends().compared(true);
    assert_eq!(counts(&played), (1, 0, 1, 2));
    assert!(played.requests[1].forbids_tools, "this is the final answer");
}

// A4, A5
#[test]
fn a_turn_that_ends_while_a_file_is_compared_starts_nothing() {
    for input in [Input::Stop, Input::Interrupted] {
        let mut session = having_read(Policy::two_stage());
        let mut played = session.turn(Policy::two_stage(), "And again?");
        played.says(read("a"));
        let (job, _) = played.comparing.clone().unwrap();
        played.input(input);
        let last = played.envelopes.len();
        played.input(Input::Done { job, done: Done::Compared { same: false, seen: Vec::new() } });
        assert_eq!((played.envelopes.len(), &played.running), (last, &None));
        played.input(Input::Stop);
        let report = played.envelopes.last().unwrap().event.terminal().unwrap();
        let calls: Vec<_> = report.tool_calls.iter().map(|call| call.status).collect();
        assert_eq!((calls, report.reused), (vec![Some(ToolStatus::Cancelled)], 0));
    }
}

#[test]
fn the_result_of_another_comparison_changes_nothing() {
    let mut session = having_read(Policy::two_stage());
    let mut played = session.turn(Policy::two_stage(), "And again?");
    played.says(read("a"));
    played.input(Input::Done { job: JobId(99), done: Done::Compared { same: true, seen: Vec::new() } });
    assert!(reuses(&played).is_empty());
    played.compared(true);
    assert_eq!(reuses(&played).len(), 1);
}

// T8
#[test]
fn a_turn_without_the_flag_reads_again() {
    let mut session = having_read(Policy::two_stage());
    let flags = Flags::of_this_version().without(Flag::ReuseReads);
    let mut played = session.turn_by(flags, Policy::two_stage(), "And again?");
    played.says(read("a"));
    assert!(played.comparing.is_none() && played.running.is_some());
    // T4
    let calls = |flags| TurnSetup { flags, ..setup(Policy::two_stage()) }.bounds().model_calls;
    let all = Flags::of_this_version();
    assert_eq!(calls(all.clone().without(Flag::ReuseReads)) + 3, calls(all));
}

// X6
#[test]
fn no_more_reads_of_a_response_are_answered_by_boxes_than_a_turn_has_left() {
    let history = vec![Message::user("Before").into(), box_of("a", "alpha"), box_of("b", "beta")];
    let policy = limited(Route::Unified, 1, 3, 3);
    let mut played = Played::start(orion_core::turn::TurnSetup { history, ..setup(policy) });
    let read = |index, path: &str| call(index, path, "read", &json!({ "path": path }).to_string());
    played.answers([read(0, "a"), read(1, "b")]).compared(true);
    assert_eq!((reuses(&played).len(), played.comparing.is_some()), (1, false));
    assert_eq!(played.running, Some(CallId("b".to_owned())));
}
