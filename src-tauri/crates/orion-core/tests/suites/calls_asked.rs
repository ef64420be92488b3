//! Answers to a question about a call (A1, A3, A6): kept ones, changed calls, rejections.

use orion_core::model::{Message, ModelDelta, ModelNumbers};
use orion_core::turn::{Input, Supplied, TurnSetup, Unfit, Verdict};
use orion_protocol::{AskedBy, Fact, Given, KeptFor, PendingOf, Policy, Reply, Route, TurnEvent};
use serde_json::{Value, json};

use crate::common::{Played, approval, call, found, limited, replied, setup, yes_or_no};

fn asks(id: &str, arguments: &str) -> ModelDelta {
    call(0, id, "ask", arguments)
}

/// An approval that is kept.
fn keep(played: &mut Played, number: u32) -> Option<Verdict> {
    let digest = played.asked.unwrap();
    let supplied = Supplied::Approval { approval_id: approval(number) };
    let reply = Reply::Allow { keep: Some(KeptFor::Session) };
    give(played, Input::Replied { digest, reply, supplied })
}

fn edited(arguments: Value) -> Reply {
    Reply::AllowEdited { arguments: arguments.as_object().cloned().unwrap() }
}

/// A reply to what was asked last, and the verdict on it.
fn answer(played: &mut Played, reply: Reply) -> Option<Verdict> {
    let input = replied(played.asked.unwrap(), reply);
    give(played, input)
}

fn give(played: &mut Played, input: Input) -> Option<Verdict> {
    let verdict = played.turn.verdict(&input);
    played.input(input);
    verdict
}

fn questions(played: &Played) -> Vec<(AskedBy, Option<&str>)> {
    let asked = played.events().filter_map(|event| match event {
        TurnEvent::Asked { of: PendingOf::Call { by, keeps, .. }, .. } => Some((*by, keeps.as_deref())),
        _ => None,
    });
    asked.collect()
}

fn last_box(played: &Played) -> String {
    let said = played.messages().iter().rev().find_map(|message| match message {
        Message::System { text } | Message::Tool { text, .. } => Some(text.clone()),
        _ => None,
    });
    said.unwrap()
}

fn many(max_cycles: u32) -> Policy {
    limited(Route::TwoStage, max_cycles, 1, 3)
}

#[test]
fn an_approval_that_is_kept_holds_in_its_turn_until_it_is_taken_back() {
    // A1
    let mut played = Played::start(setup(many(9)));
    played.says([asks("c1", r#"{"path":"a"}"#)]);
    assert_eq!(questions(&played), [(AskedBy::Default, Some("a"))]);
    assert!(!played.turn.relies_on(approval(1)));
    assert_eq!(keep(&mut played, 1), Some(Verdict::Taken));
    assert!(played.turn.relies_on(approval(1)));
    played.tool(found("x"));
    // The rule is for the path; the rest of the call may differ.
    played.says([asks("c2", r#"{"path":"./a","line":2}"#)]);
    assert!(played.running.is_some(), "it runs unasked");
    let by_rule = played.events().any(|event| {
        matches!(event, TurnEvent::Answered { given, .. }
            if *given == Given::Kept { approval_id: approval(1), also: Vec::new() })
    });
    assert!(by_rule, "its use is an event");
    played.tool(found("y")).says([asks("c3", r#"{"path":"b"}"#)]).allow(true).tool(found("z"));
    assert_eq!(questions(&played).len(), 2, "another path is asked about");
    played.input(Input::Revoked { approval_id: approval(1) });
    assert!(!played.turn.relies_on(approval(1)));
    played.says([asks("c4", r#"{"path":"a","line":3}"#)]);
    assert_eq!(questions(&played).len(), 3, "it was revoked");
}

#[test]
fn what_was_configured_or_changed_is_not_kept() {
    // A1
    let mut configured = setup(many(3));
    if let Some(ask) = configured.rules.tools.get_mut("ask") {
        ask.user.iter_mut().for_each(|rule| rule.permission = orion_protocol::Permission::Ask);
    }
    let mut played = Played::start(configured);
    played.says([asks("c1", r#"{"path":"denied"}"#)]);
    assert_eq!(questions(&played), [(AskedBy::User, None)]);
    assert_eq!(keep(&mut played, 1), Some(Verdict::Unfit(Unfit::NotKept)));
    assert!(played.running.is_none() && !played.turn.relies_on(approval(1)));

    let mut played = Played::start(setup(many(3)));
    played.says([asks("c1", r#"{"path":"a"}"#)]);
}

#[test]
fn a_changed_call_runs_as_the_person_gave_it_and_both_are_in_the_ledger() {
    // A3
    let mut played = Played::start(setup(many(9)));
    played.says([call(0, "r", "ask", r#"{"path":"c"}"#)]).allow(true).tool(found("c"));
    played.says([asks("c1", r#"{"path":"a"}"#)]);
    for (arguments, unfit) in [
        (json!({ "path": "../a" }), Unfit::Outside),
        (json!({ "path": "x/../../a" }), Unfit::Outside),
        (json!({ "path": "/etc/passwd" }), Unfit::Outside),
        (json!({ "path": 7 }), Unfit::Outside),
        (json!({ "path": "./denied" }), Unfit::Denied),
        (json!({ "path": "c", "line": 1 }), Unfit::Repeats),
    ] {
        assert_eq!(answer(&mut played, edited(arguments)), Some(Verdict::Unfit(unfit)));
        assert!(played.running.is_none() && played.turn.pending().is_some(), "nothing has changed");
    }
    assert_eq!(answer(&mut played, edited(json!({ "path": "x/../b" }))), Some(Verdict::Taken));
    assert!(played.lines.ends_with("> run 2 c1 ask {\"line\":1,\"path\":\"b\"}\n"), "{}", played.lines);
    played.tool(found("of b"));
    let told = last_box(&played);
    assert!(told.starts_with("Result of call c1: ask {\"line\":1,\"path\":\"b\"}\n"), "{told}");
    assert!(told.contains("You had asked for {\"line\":1,\"path\":\"a\"}."), "{told}");
    for path in ["a", "b"] {
        played.says([asks("again", &format!("{{\"path\":\"{path}\"}}"))]);
        assert!(last_box(&played).contains("DUPLICATE_BLOCKED"), "{path}");
    }
    assert_eq!(questions(&played).len(), 2);
}

#[test]
fn arguments_that_mean_the_same_are_no_change() {
    let mut played = Played::start(setup(many(3)));
    played.says([asks("c1", r#"{"path":"a"}"#)]);
    assert_eq!(answer(&mut played, edited(json!({ "line": 1, "path": "./a" }))), Some(Verdict::Taken));
    played.tool(found("x"));
    assert!(!last_box(&played).contains("The user changed"));
}

/// A turn whose small room is cut after a call was rejected.
fn rejected_and_cut(setup: TurnSetup) -> Played {
    let numbers = ModelNumbers { window: Some(4_000), ..ModelNumbers::default() };
    let mut played = Played::start(TurnSetup { numbers, ..setup });
    played.says([asks("c1", r#"{"path":"a"}"#)]);
    let reason = Some("No.".to_owned());
    if played.turn.verdict(&yes_or_no(played.asked.unwrap(), false)).is_some() {
        answer(&mut played, Reply::Reject { reason, stop: false });
    }
    for path in ["b", "c", "d"] {
        played.says([call(0, "", "read", &format!("{{\"path\":\"{path}\"}}"))]);
        played.tool(found(&"alpha beta ".repeat(420)));
    }
    assert!(played.events().any(|event| matches!(event, TurnEvent::ContextCut { .. })));
    played.says([asks("c2", r#"{"path":"a"}"#)]);
    played
}

#[test]
fn a_rejected_call_is_not_asked_about_again_also_when_its_box_was_cut() {
    // A6
    let played = rejected_and_cut(setup(many(9)));
    assert_eq!(questions(&played).len(), 1);
    assert!(played.running.is_none());
}

#[test]
fn a_rejection_that_stops_ends_the_turn_after_the_outcome_of_the_call() {
    // A4, A6
    let mut played = Played::start(setup(limited(Route::Unified, 3, 3, 3)));
    let both = [asks("c1", r#"{"path":"a"}"#), call(1, "c2", "read", r#"{"path":"b"}"#)];
    played.answers(both);
    let reason = Some("Enough.".to_owned());
    assert_eq!(answer(&mut played, Reply::Reject { reason, stop: true }), Some(Verdict::Taken));
    assert!(played.turn.is_over() && played.running.is_none());
    let outcomes: Vec<_> = played
        .events()
        .filter_map(|event| match event {
            TurnEvent::ToolResult { tool_call_id, status, .. } => Some((tool_call_id.0.as_str(), *status)),
            _ => None,
        })
        .collect();
    use orion_protocol::ToolStatus::{Cancelled, Denied};
    assert_eq!(outcomes, [("c1", Denied), ("c2", Cancelled)]);
}

#[test]
fn the_signature_of_what_runs_is_in_the_answer_and_in_the_report() {
    // A3
    let mut played = Played::start(setup(many(9)));
    played.says([call(0, "r", "read", r#"{"path":"c"}"#)]).tool(found("c"));
    played.says([asks("c1", r#"{"path":"a"}"#)]);
    answer(&mut played, edited(json!({ "path": "b" })));
    let given = played.events().find_map(|event| match event {
        TurnEvent::Answered { given: Given::Allowed { edited, .. }, .. } => edited.clone(),
        _ => None,
    });
    let given = given.unwrap();
    assert_eq!(given.arguments, json!({ "line": 1, "path": "b" }));
    let calls = played.turn.report().tool_calls;
    let signatures: Vec<_> = calls.iter().map(|call| call.signature.clone().unwrap()).collect();
    let signature_of = |name: &str, path: &str| {
        let arguments = json!({ "line": 1, "path": path });
        orion_core::signature::signature(
            name,
            arguments.as_object().unwrap(),
            crate::common::ids().project_id,
        )
    };
    assert_eq!(signatures, [signature_of("read", "c"), signature_of("ask", "b")]);
    assert_eq!(given.signature, signatures[1]);
}

#[test]
fn a_compaction_is_told_of_the_call_that_ran() {
    // A3, X4
    let mut played = Played::start(setup(limited(Route::Unified, 9, 3, 3)));
    // The last call is another one than the one that is asked about.
    played.says([asks("c1", r#"{"path":"a"}"#), call(1, "c2", "read", r#"{"path":"b"}"#)]).ends();
    answer(&mut played, edited(json!({ "path": "z" })));
    played.tool(found("z")).tool(found("b"));
    let facts = orion_core::context::facts(&played.envelopes);
    let called: Vec<_> = facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::Call { name, arguments, .. } => Some((name.as_str(), arguments.as_str())),
            _ => None,
        })
        .collect();
    let arguments = [r#"{"line":1,"path":"z"}"#, r#"{"line":1,"path":"b"}"#];
    assert_eq!(called, [("ask", arguments[0]), ("read", arguments[1])]);
    let decided = facts.iter().find_map(|fact| match fact {
        Fact::Decision { summary, granted, .. } => Some((summary.as_str(), *granted)),
        _ => None,
    });
    let (summary, granted) = decided.unwrap();
    assert!(granted && summary.ends_with(&format!(", changed to {}", arguments[0])), "{summary}");
}
