//! A turn that another process goes on with, in whatever state the first one left it (A5).

use orion_core::model::Message;
use orion_core::prompt;
use orion_core::tool::ToolKind;
use orion_core::turn::{Input, ModelInput};
use orion_protocol::{Code, NoticeCode, Policy, Route, StopReason, ToolStatus, TurnEvent};

use crate::common::{Played, call, found, limited, setup, text, two_stage, yes_or_no};

/// The process died, and the one that found the turn has recorded an event of its own.
fn dies(played: &mut Played) {
    let seq = played.envelopes.last().map_or(0, |last| last.seq) + 1;
    played.input(Input::Resumed { seq });
}

fn ended(played: &Played) -> Option<StopReason> {
    played.envelopes.last()?.event.terminal().map(|report| report.stop_reason)
}

#[test]
fn a_response_that_broke_off_is_kept_and_continued_for_a_cycle() {
    let mut played = two_stage();
    played.says([text("The files are a")]);
    dies(&mut played);
    assert_eq!(played.requests.len(), 2);
    let last: Vec<&Message> = played.messages().iter().rev().take(2).collect();
    assert_eq!(*last[0], Message::System { text: prompt::BROKE_OFF.to_owned() });
    assert!(matches!(last[1], Message::Assistant { text, .. } if text == "The files are a"));
    played.says([text(" and b.")]).ends();
    let report = played.envelopes.last().unwrap().event.terminal().unwrap();
    assert_eq!(
        (report.answer.as_str(), report.cycles, report.model_calls),
        ("The files are a\n\n and b.", 1, 2)
    );
}

#[test]
fn a_response_that_had_not_begun_is_asked_for_again_in_the_same_words() {
    let mut played = two_stage();
    dies(&mut played);
    assert_eq!(played.requests[0], played.requests[1]);
    // What the dead process still got changes nothing.
    played.input(Input::Model { call: 1, event: ModelInput::Ended });
    assert_eq!(ended(&played), None);
}

#[test]
fn no_number_of_crashes_leads_beyond_the_bounds() {
    let mut played = two_stage();
    let bounds = setup(Policy::two_stage()).bounds();
    for _ in 0..20 {
        played.says([text("word ")]);
        dies(&mut played);
    }
    // Three cycles, and the forced final answer (P3), which is not asked for twice.
    assert_eq!((played.requests.len(), ended(&played)), (4, Some(StopReason::BudgetExhausted)));
    assert!(played.requests.len() as u32 <= bounds.model_calls, "T4");
    let report = played.envelopes.last().unwrap().event.terminal().unwrap();
    assert_eq!(report.answer, "word \n\nword \n\nword \n\nword ");
}

#[test]
fn a_read_that_had_begun_runs_again_and_is_one_run() {
    let mut played = two_stage();
    played.says([call(0, "r", "read", "{\"path\":\"a\"}")]);
    dies(&mut played);
    assert_eq!(played.lines.matches("> run 1 r read").count(), 2);
    played.tool(found("x")).says([text("It says x.")]);
    played.ends();
    let report = played.envelopes.last().unwrap().event.terminal().unwrap();
    assert_eq!((report.stop_reason, report.tool_runs, report.cycles), (StopReason::Answered, 1, 1));
}

#[test]
fn a_result_that_had_come_is_not_asked_for_again() {
    let mut played = two_stage();
    played.says([call(0, "r", "read", "{\"path\":\"a\"}")]).tool(found("x"));
    dies(&mut played);
    assert_eq!(played.lines.matches("> run 1 r read").count(), 1);
    assert_eq!(played.requests[1].messages, played.requests[2].messages);
}

/// The tool `ask` has begun, which changes something.
fn begun() -> Played {
    let mut setup = setup(Policy::two_stage());
    assert_eq!(setup.tools.get("ask").map(|tool| tool.kind), Some(ToolKind::Mutates));
    setup.nonce = "NONCE".to_owned();
    let mut played = Played::start(setup);
    played.says([call(0, "q", "ask", "{\"path\":\"a\"}")]).allow(true);
    played
}

#[test]
fn a_call_that_may_have_changed_something_is_put_to_the_person() {
    let mut played = begun();
    let before = played.asked;
    dies(&mut played);
    assert_eq!(played.lines.matches("> run 1 q ask").count(), 1);
    assert_ne!(played.asked, before, "A3: the earlier yes was for the earlier run");
    let told = played.events().any(|event| {
        matches!(event, TurnEvent::Notice { code: NoticeCode::OutcomeUnknown, message }
        if message == "ask had begun when Orion was closed. What it did is not known. Allow it to run again?")
    });
    assert!(told);
    // A second crash leaves the question open.
    dies(&mut played);
    played.allow(true);
    assert_eq!(played.lines.matches("> run 1 q ask").count(), 2);
    played.tool(found("done"));
    assert!(played.requests.len() == 2);
}

#[test]
fn the_earlier_yes_does_not_answer_the_question_whether_it_may_run_again() {
    let mut played = begun();
    let digest = played.asked.unwrap();
    dies(&mut played);
    played.input(yes_or_no(digest, true));
    assert_eq!(played.lines.matches("> run 1 q ask").count(), 1);
}

#[test]
fn a_no_tells_the_model_that_the_outcome_is_unknown() {
    let mut played = begun();
    dies(&mut played);
    played.allow(false);
    let Some(TurnEvent::ToolResult { status, error: Some(error), .. }) =
        played.events().find(|event| matches!(event, TurnEvent::ToolResult { .. }))
    else {
        panic!("a result");
    };
    assert_eq!((*status, error.code), (ToolStatus::Failed, Code::Interrupted));
    let said = played.messages().iter().any(
        |message| matches!(message, Message::System { text } if text.contains("what it did is not known")),
    );
    assert!(said);
}

#[test]
fn an_approval_that_waits_still_waits() {
    let mut played = two_stage();
    played.says([call(0, "q", "ask", "{\"path\":\"a\"}")]);
    let asked = played.asked;
    dies(&mut played);
    assert_eq!((played.asked, played.requests.len()), (asked, 1));
    played.allow(true);
    assert_eq!(played.lines.matches("> run 1 q ask").count(), 1);
}

#[test]
fn in_the_unified_route_the_calls_that_had_no_outcome_run() {
    let mut played = Played::start(setup(limited(Route::Unified, 5, 5, 3)));
    played.says([call(0, "1", "read", "{\"path\":\"a\"}"), call(1, "2", "read", "{\"path\":\"b\"}")]);
    played.input(Input::Model { call: 1, event: ModelInput::Ended }).tool(found("x"));
    dies(&mut played);
    let runs = |id: &str| played.lines.matches(&format!("> run 1 {id} read")).count();
    assert_eq!((runs("1"), runs("2")), (1, 2));
}

#[test]
fn a_call_after_one_that_may_have_run_is_a_run_of_its_own() {
    let mut played = Played::start(setup(limited(Route::Unified, 5, 5, 3)));
    played
        .says([call(0, "q", "ask", "{\"path\":\"a\"}"), call(1, "r", "read", "{\"path\":\"b\"}")])
        .ends()
        .allow(true);
    dies(&mut played);
    played.allow(false).tool(found("x")).says([text("Done.")]).ends();
    let report = played.envelopes.last().unwrap().event.terminal().unwrap();
    assert_eq!(report.tool_runs, 2, "T4");
}
