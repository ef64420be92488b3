//! Tools in requests in which none may be called (P12): withheld, or there and forbidden.

use orion_core::model::{FinalTools, Profile};
use orion_core::tool::ToolOutcome;
use orion_core::turn::TurnSetup;
use orion_protocol::{CallReason, Policy, Route, StopReason, TurnEvent};

use crate::acts::opening;
use crate::common::{Played, WRITE_PLAN_BEGIN, call, finish, found, limited, setup, text};
use crate::context_turns::read;

fn with(final_tools: FinalTools, policy: Policy) -> Played {
    let profile = Profile { final_tools, ..Profile::default() };
    Played::start(TurnSetup { profile, ..setup(policy) })
}

/// Of each request: whether it has all tools, and whether it forbids them.
fn tools(played: &Played) -> Vec<(bool, bool)> {
    let first = &played.requests[0].tools;
    played.requests.iter().map(|request| (request.tools == *first, request.forbids_tools)).collect()
}

// P3
#[test]
fn the_final_request_has_the_tools_where_the_profile_says_so() {
    for (final_tools, last) in [(FinalTools::Withheld, (false, true)), (FinalTools::Forbidden, (true, true))]
    {
        let mut played = with(final_tools, limited(Route::TwoStage, 1, 1, 3));
        played.says(read("a")).tool(found("alpha"));
        assert_eq!(tools(&played), [(true, false), last]);
    }
}

// P8: whatever the provider makes of it.
#[test]
fn a_call_of_a_forbidden_tool_is_ignored() {
    let mut played = with(FinalTools::Forbidden, limited(Route::TwoStage, 1, 1, 3));
    played.says(read("a")).tool(found("alpha"));
    played.says([call(0, "c", "read", "{\"path\":\"b\"}"), call(1, "d", "", "{}")]).ends();
    assert!(played.running.is_none());
    let blocked = played.events().any(|event| {
        matches!(event, TurnEvent::CallsBlocked { reason: CallReason::FinalAnswer, names, .. } if names == &["read", "a tool without a name"])
    });
    assert!(blocked);
    let report = played.envelopes.last().unwrap().event.terminal().unwrap();
    assert_eq!((report.stop_reason, report.tool_runs), (StopReason::BudgetExhausted, 1));
}

// P12: a write session is a branch, whose requests extend the one that opened it.
#[test]
fn the_requests_of_a_write_session_extend_the_one_that_opened_it() {
    for final_tools in [FinalTools::Withheld, FinalTools::Forbidden] {
        let mut played = with(final_tools, Policy::two_stage());
        played.says([text("I write."), call(0, "w", WRITE_PLAN_BEGIN, "{\"path\":\"a\"}")]);
        played.tool(ToolOutcome { opens: Some(Box::new(opening("a"))), ..found("open") });
        played.answers([text("first line\n"), finish("length")]);
        played.answers([text("second line\n"), finish("length")]);
        let content = (final_tools == FinalTools::Forbidden, true);
        assert_eq!(tools(&played), [(true, false), content, content, content]);
        let opener = &played.requests[0].messages;
        for (number, request) in played.requests.iter().enumerate().skip(1) {
            let same = opener.iter().zip(&request.messages).take_while(|(before, now)| before == now).count();
            assert_eq!(same, opener.len(), "message {same} of request {number} is another one");
        }
    }
}
