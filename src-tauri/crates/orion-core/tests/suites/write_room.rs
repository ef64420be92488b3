//! The room of the requests of a write session (X3, X5).

use orion_core::model::ModelNumbers;
use orion_core::tool::ToolOutcome;
use orion_core::turn::{ModelInput, TurnSetup};
use orion_protocol::{Code, CutCause, ErrorInfo, Policy, Route, TurnEvent, WindowSource, WriteState};

use crate::acts::opening;
use crate::common::{Played, WRITE_PLAN_BEGIN, call, finish, found, limited, setup, text};
use crate::context_turns::{cuts, of_four_reads};
use crate::turn_writes::state;

/// Text that does not repeat itself, of so many bytes.
fn various(bytes: usize) -> String {
    let mut text: String = (0..bytes).map(|number| format!("{number} ")).take(bytes / 4).collect();
    text.truncate(bytes);
    text
}

// X3
#[test]
fn results_of_the_step_that_opened_a_session_leave_where_its_content_needs_the_room() {
    let numbers = ModelNumbers {
        window: Some(32_768),
        window_source: Some(WindowSource::Assumed),
        ..ModelNumbers::default()
    };
    let mut played = Played::start(TurnSetup { numbers, ..setup(limited(Route::Unified, 5, 3, 5)) });
    let path = |path: &str| format!("{{\"path\":\"{path}\"}}");
    let calls = [
        call(0, "a", "read", &path("a")),
        call(1, "b", "read", &path("b")),
        call(2, "w", WRITE_PLAN_BEGIN, &path("c")),
    ];
    played.says(calls).ends();
    played.tool(found(&various(32_000))).tool(found(&various(32_000)));
    played.tool(ToolOutcome { opens: Some(Box::new(opening("c"))), ..found("open") });
    assert_eq!(played.requests.len(), 2);
    played.answers([text(&various(32_000)), finish("length")]);
    let cut = cuts(&played);
    assert!(
        matches!(&cut[..], [TurnEvent::ContextCut { cause: CutCause::Full, boxes, .. }] if !boxes.is_empty()),
        "{cut:?}"
    );
    assert_eq!((played.requests.len(), state(&played)), (3, Some(WriteState::AwaitingDoneOrMore)));
}

// X5
#[test]
fn content_that_was_too_long_to_ask_for_is_asked_for_once_more_with_a_shorter_conversation() {
    let mut session = of_four_reads();
    let too_long = || ModelInput::Failed { error: ErrorInfo::new(Code::ContextTooLong, "Too long.", "") };
    let mut played = session.turn(Policy::two_stage(), "Write it.");
    played.says([call(0, "w", WRITE_PLAN_BEGIN, "{\"path\":\"a\"}")]);
    played.tool(ToolOutcome { opens: Some(Box::new(opening("a"))), ..found("open") });
    let whole = played.requests[1].text_bytes();
    played.model(too_long());
    let cut = cuts(&played);
    assert!(matches!(&cut[..], [TurnEvent::ContextCut { cause: CutCause::Refused, .. }]), "{cut:?}");
    assert_eq!(played.requests.len(), 3);
    assert!(played.requests[2].text_bytes() < whole);
    // Nothing had come, so it is asked for from its beginning.
    assert_eq!(played.requests[2].messages.last(), played.requests[1].messages.last());
    played.answers([text("one\nDONE")]);
    assert_eq!(state(&played), Some(WriteState::Finalizing));
    // Once.
    let mut played = session.turn(Policy::two_stage(), "Write it.");
    played.says([call(0, "w", WRITE_PLAN_BEGIN, "{\"path\":\"a\"}")]);
    played.tool(ToolOutcome { opens: Some(Box::new(opening("a"))), ..found("open") });
    played.model(too_long()).model(too_long());
    assert_eq!((played.requests.len(), played.turn.is_over()), (3, true));
}
