//! A turn whose driver cannot go on: the disk refused, or Orion has a defect. Its machine ends it, as with any other
//! input (T3, T5).

use orion_core::model::ModelDelta;
use orion_core::turn::{Effect, Input, ModelInput, Turn, WriteOutcome};
use orion_protocol::{Code, ErrorInfo, Phase, Policy, StopReason, TurnEvent, TurnStatus, WriteStatus};

use crate::acts::ready;
use crate::common::{Played, call, found, ids, setup, text, two_stage};
use crate::turn_writes::opened;

fn full() -> ErrorInfo {
    ErrorInfo::new(Code::Storage, "The disk is full.", "Make room.")
}

/// What the failure has the driver do, and what it says.
fn fails(played: &mut Played) -> Vec<String> {
    let before = played.envelopes.len();
    let lines = played.lines.len();
    played.input(Input::Failed { error: full() });
    assert!(played.turn.is_over());
    assert_eq!(played.turn.pending(), None);
    let driver = played.lines[lines..].lines().filter(|line| line.starts_with('>')).map(str::to_owned);
    let driver: Vec<String> = driver.collect();
    let events = played.envelopes[before..].iter().map(|envelope| match &envelope.event {
        TurnEvent::PhaseEnded { cause, .. } => format!("ended {cause:?}"),
        TurnEvent::ToolResult { tool_call_id, status, .. } => format!("result {tool_call_id} {status:?}"),
        TurnEvent::WriteDone { status, sha256: None, error: None, .. } => format!("write {status:?}"),
        TurnEvent::Failed { report } => {
            assert_eq!((report.status, report.stop_reason), (TurnStatus::Failed, StopReason::Error));
            // J4
            assert_eq!(report.error, Some(full().of_turn(ids())));
            assert_eq!((envelope.phase, envelope.tool_batch_id), (Phase::Complete, None));
            format!("failed in {:?}: {}", report.phase_reached, report.answer)
        }
        other => panic!("{other:?}"),
    });
    driver.into_iter().chain(events).collect()
}

#[test]
fn what_was_streamed_is_kept() {
    let mut played = two_stage();
    played.says([text("So far")]);
    assert_eq!(fails(&mut played), ["> drop model 1", "ended Failed", "failed in ActionPhase: So far"]);
}

#[test]
fn a_tool_that_runs_is_cancelled_and_no_other_begins() {
    let mut played = Played::start(setup(Policy::unified()));
    let calls = [call(0, "a", "read", "{\"path\":\"a\"}"), call(1, "b", "read", "{\"path\":\"b\"}")];
    played.answers(calls);
    assert_eq!(
        fails(&mut played),
        ["> cancel a", "result a Cancelled", "result b Cancelled", "ended Failed", "failed in ToolPhase: "]
    );
}

#[test]
fn a_call_that_waits_for_a_person_waits_no_more() {
    let mut played = two_stage();
    played.says([call(0, "q", "ask", "{\"path\":\"a\"}")]);
    assert_eq!(fails(&mut played), ["result q Cancelled", "ended Failed", "failed in ToolPhase: "]);
}

#[test]
fn a_write_that_was_not_approved_is_discarded() {
    let mut played = opened(Policy::two_stage());
    played.says([text("one\n")]);
    let streamed =
        ["> drop model 2", "ended Failed", "write Discarded", "failed in ActionPhase: I write it."];
    assert_eq!(fails(&mut played), streamed);

    let mut played = opened(Policy::two_stage());
    played.answers([text("one\nDONE")]).proposed(ready("one\n"));
    assert_eq!(fails(&mut played), ["write Discarded", "failed in ActionPhase: I write it."]);
}

#[test]
fn of_an_approved_write_it_is_not_said_that_it_did_not_happen() {
    // W6: what became of it the next start finds out.
    let mut played = opened(Policy::two_stage());
    played.answers([text("one\nDONE")]).proposed(ready("one\n"));
    played.allow(true);
    assert_eq!(fails(&mut played), ["write Unknown", "failed in ActionPhase: I write it."]);
    let TurnEvent::Failed { report } = played.events().last().unwrap() else { panic!() };
    assert_eq!(report.writes[0].status, Some(WriteStatus::Unknown));
    played.wrote(WriteOutcome::Written);
    assert!(matches!(played.events().last(), Some(TurnEvent::Failed { .. })), "T3: nothing follows");
}

#[test]
fn a_turn_that_was_interrupted_can_fail_too_and_one_that_is_over_cannot() {
    let mut played = two_stage();
    played.says([text("So far")]).input(Input::Interrupted);
    assert_eq!(fails(&mut played), ["failed in ActionPhase: So far"]);
    let said = played.envelopes.len();
    played.input(Input::Failed { error: full() }).input(Input::Stop);
    assert_eq!(played.envelopes.len(), said, "T3");
}

#[test]
fn the_failure_is_an_input_like_any_other_and_comes_to_the_same_from_its_journal() {
    // T5
    let input = Input::Failed { error: full() };
    let row = serde_json::to_string(&input).unwrap();
    assert_eq!(serde_json::from_str::<Input>(&row).unwrap(), input);
    let run = |input: Input| -> Vec<Effect> {
        let (mut turn, _) = Turn::start(setup(Policy::two_stage()));
        turn.step(2_000, input)
    };
    assert_eq!(run(serde_json::from_str(&row).unwrap()), run(input));
}

#[test]
fn the_text_that_one_turn_has_and_the_same_turn_some_inputs_before_has_not() {
    let thought = |text: &str| ModelDelta::Reasoning { text: text.to_owned() };
    let mut before = two_stage();
    before.says([thought("hm"), text("So ")]);
    let mut now = two_stage();
    now.says([thought("hm"), text("So ")]).says([thought(", yes"), text("far")]);
    let missing = now.turn.streamed_since(&before.turn).unwrap();
    let deltas = vec![thought(", yes"), text("far")];
    assert_eq!(missing, Input::Model { call: 1, event: ModelInput::Deltas { deltas } });
    before.input(missing);
    assert_eq!(now.turn.streamed_since(&before.turn), None, "nothing is missing any more");
    assert_eq!(fails(&mut before), fails(&mut now));

    // Of each alone.
    let (mut thinks, mut speaks) = (two_stage(), two_stage());
    thinks.says([thought("hm")]);
    speaks.says([text("So")]);
    let deltas = |reasoning: &str, said: &str| {
        let deltas = vec![thought(reasoning), text(said)];
        Some(Input::Model { call: 1, event: ModelInput::Deltas { deltas } })
    };
    assert_eq!(thinks.turn.streamed_since(&two_stage().turn), deltas("hm", ""));
    assert_eq!(speaks.turn.streamed_since(&two_stage().turn), deltas("", "So"));
    // Another text is no more of the same.
    assert_eq!(speaks.turn.streamed_since(&thinks.turn), None);
    let mut other = two_stage();
    other.says([text("No")]);
    assert_eq!(speaks.turn.streamed_since(&other.turn), None);
    // Another call, and another state.
    let mut later = two_stage();
    later.says([call(0, "r", "read", "{\"path\":\"a\"}")]);
    assert_eq!(later.turn.streamed_since(&two_stage().turn), None);
    assert_eq!(two_stage().turn.streamed_since(&later.turn), None);
    later.tool(found("x")).says([text("So")]);
    assert_eq!(later.turn.streamed_since(&two_stage().turn), None);
}
