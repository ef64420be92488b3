//! Write sessions of a turn, step by step: what is asked, shown, proposed and written (W1–W6, A3).

use orion_core::tool::{Opening, Seen, ToolOutcome};
use orion_core::trace::TraceFold;
use orion_core::turn::{Approved, Flag, Flags, Input, Proposed, TurnSetup, WriteOutcome};
use orion_protocol::{
    Code, ErrorInfo, Policy, ProposalCause, Route, Sha256, SpanStatus, ToolStatus, TraceKind, TurnEvent,
    WriteState,
};

use crate::acts::{fault, opening, ready};
use crate::common::{Played, WRITE_PLAN_BEGIN, call, finish, found, setup, text, write_approved};

/// A session that waits for its content.
pub(crate) fn opened(policy: Policy) -> Played {
    opened_by(setup(policy))
}

/// A turn by the rule before [`Flag::CutRepeats`]: a model that repeats itself is asked on.
pub(crate) fn asking_on() -> TurnSetup {
    TurnSetup { flags: Flags::of_this_version().without(Flag::CutRepeats), ..setup(Policy::two_stage()) }
}

pub(crate) fn opened_by(setup: TurnSetup) -> Played {
    let policy = setup.policy;
    let mut played = Played::start(setup);
    played.says([text("I write it."), call(0, "w", WRITE_PLAN_BEGIN, "{\"path\":\"a\"}")]);
    if policy.route == Route::Unified {
        played.ends();
    }
    played.tool(ToolOutcome { opens: Some(Box::new(opening("a"))), ..found("open") });
    played
}

pub(crate) fn state(played: &Played) -> Option<WriteState> {
    played.turn.write_session().map(|session| session.state())
}

#[test]
fn a_session_from_its_call_to_its_box() {
    let mut played = opened(Policy::two_stage());
    played.says([text("one\n"), text("two")]).says([text("\nDO")]).answers([text("NE\n"), finish("stop")]);
    played.proposed(ready("one\ntwo\n"));
    played.allow(true).wrote(WriteOutcome::Written);
    played.answers([text("Done."), finish("stop")]);
    insta::assert_snapshot!(played.lines);
    let durable: Vec<_> = played.envelopes.iter().filter(|it| it.event.is_durable()).cloned().collect();
    let spans: Vec<_> = TraceFold::all(&durable)
        .into_iter()
        .filter(|span| matches!(span.kind, TraceKind::WriteSession | TraceKind::Approval))
        .map(|span| (span.kind, span.name, span.status, span.end_ms.is_some()))
        .collect();
    assert_eq!(
        spans,
        [
            (TraceKind::WriteSession, "a".to_owned(), SpanStatus::Ok, true),
            (TraceKind::WriteSession, "preview".to_owned(), SpanStatus::Ok, true),
            (TraceKind::Approval, WRITE_PLAN_BEGIN.to_owned(), SpanStatus::Ok, true),
        ]
    );
    let messages: Vec<_> = played.requests.iter().map(|request| &request.messages).collect();
    insta::assert_json_snapshot!("what_a_session_asks_and_leaves_behind", messages);
}

#[test]
fn a_session_says_where_it_stands() {
    let mut played = opened(Policy::unified());
    let mut seen = vec![state(&played)];
    played.says([text("one\n")]);
    seen.push(state(&played));
    played.ends();
    seen.push(state(&played));
    let call = played.idle.unwrap();
    played.input(Input::Idle { call });
    played.answers([text("\u{0}\nDONE")]);
    seen.push(state(&played));
    played.answers([text("two\nDONE")]);
    seen.push(state(&played));
    played.proposed(ready("two\n"));
    seen.push(state(&played));
    played.allow(true);
    seen.push(state(&played));
    played.wrote(WriteOutcome::Written);
    seen.push(state(&played));
    use WriteState::{
        AwaitingApproval, AwaitingContent, AwaitingDoneOrMore, Finalizing, NeedsCorrections, Writing,
    };
    assert_eq!(
        seen,
        [
            Some(AwaitingContent),
            Some(AwaitingDoneOrMore),
            Some(AwaitingDoneOrMore),
            Some(NeedsCorrections),
            Some(Finalizing),
            Some(AwaitingApproval),
            Some(Writing),
            None
        ]
    );
}

#[test]
fn an_approval_of_content_with_faults_counts_only_when_they_were_seen() {
    // W5, A3
    let mut played = opened(Policy::two_stage());
    for _ in 0..4 {
        played.answers([text("\u{0}\nDONE")]);
    }
    played.proposed(ready("\u{0}\n"));
    played.allow(true);
    assert_eq!(state(&played), Some(WriteState::AwaitingApproval));
    let approved = |despite_faults| Approved {
        sha256: Sha256::from([1; 32]),
        bytes: 2,
        lines: 1,
        rejected_hunks: vec![2],
        despite_faults,
    };
    let digest = played.asked.unwrap();
    played.input(write_approved(digest, approved(false)));
    assert_eq!(state(&played), Some(WriteState::AwaitingApproval));
    played.input(write_approved(digest, approved(true)));
    assert_eq!(state(&played), Some(WriteState::Writing));
    // What was left of it, and how the model finds out the rest.
    played.wrote(WriteOutcome::Written);
    let said = serde_json::to_string(played.messages()).unwrap();
    for told in [
        &*format!(
            "written: a, 1 lines, 2 bytes, SHA-256 {}\\nThe user rejected hunks 2 of 2 in the difference; the lines",
            Sha256::from([1; 32])
        ),
        "The user took a part of it: read the file to see which.",
    ] {
        assert!(said.contains(told), "{said}");
    }
}

#[test]
fn a_file_that_changed_and_changed_back_is_asked_about_once() {
    let mut played = opened(Policy::two_stage());
    played.answers([text("one\nDONE")]).proposed(ready("one\n"));
    let asked = played.events().filter(|it| matches!(it, TurnEvent::WriteReady { .. })).count();
    let changes = vec![Seen::Path("a".to_owned())];
    assert!(played.turn.minds(&changes), "the file is asked about");
    played.input(Input::Changed { changes });
    assert_eq!(state(&played), Some(WriteState::Finalizing));
    played.proposed(ready("one\n"));
    assert_eq!(state(&played), Some(WriteState::AwaitingApproval));
    assert_eq!(played.events().filter(|it| matches!(it, TurnEvent::WriteReady { .. })).count(), asked);
}

#[test]
fn an_answer_counts_while_the_difference_is_made_anew() {
    // A3: it names exactly what was asked; the write looks at the file itself.
    for granted in [true, false] {
        let mut played = opened(Policy::two_stage());
        played.answers([text("one\nDONE")]).proposed(ready("one\n"));
        played.input(Input::Changed { changes: vec![Seen::Path("a".to_owned())] });
        assert_eq!(state(&played), Some(WriteState::Finalizing));
        played.allow(granted);
        assert_eq!(state(&played), granted.then_some(WriteState::Writing));
        // What the driver was about to propose comes too late.
        played.proposed(ready("one\n"));
        assert_eq!(state(&played), granted.then_some(WriteState::Writing));
    }
}

#[test]
fn a_preview_stays_while_the_file_is_away_for_a_moment() {
    // W6: editors write a file by taking it away first.
    let mut played = opened(Policy::two_stage());
    played.answers([text("one\nDONE")]).proposed(ready("one\n"));
    let away = || ErrorInfo::new(Code::PathNotFound, "There is no file a.", "");
    for outcome in [Proposed::Failed { error: away() }, Proposed::Faulty { faults: vec![fault()] }] {
        played.input(Input::Changed { changes: vec![Seen::Path("a".to_owned())] });
        assert_eq!(state(&played), Some(WriteState::Finalizing));
        played.proposed(outcome);
        assert_eq!(state(&played), Some(WriteState::AwaitingApproval));
    }
    played.allow(true);
    assert_eq!(state(&played), Some(WriteState::Writing));
}

#[test]
fn a_change_of_the_file_behind_a_link_makes_the_difference_anew_and_its_reader_fresh() {
    // W6, D3
    let mut played = Played::start(setup(Policy::unified()));
    let linked = Opening { real: Some("real/a".to_owned()), ..opening("a") };
    let read = || call(0, "r", "read", "{\"path\":\"real/a\"}");
    played.answers([read()]);
    played.tool(ToolOutcome { seen: vec![Seen::Path("real/a".to_owned())], ..found("old") });
    played.answers([call(0, "w", WRITE_PLAN_BEGIN, "{\"path\":\"a\"}")]);
    played.tool(ToolOutcome { opens: Some(Box::new(linked)), ..found("open") });
    played.answers([text("one\nDONE")]).proposed(ready("one\n"));
    played.input(Input::Changed { changes: vec![Seen::Path("real/a".to_owned())] });
    assert_eq!(state(&played), Some(WriteState::Finalizing));
    played.proposed(ready("one\n"));
    played.allow(true).wrote(WriteOutcome::Written);
    played.answers([read()]);
    assert!(played.running.is_some(), "what it saw was written");
}

#[test]
fn a_begin_that_was_refused_may_be_made_again_and_one_that_ran_may_not() {
    // W1, D2
    let begin = |id: &str, path: &str| call(0, id, WRITE_PLAN_BEGIN, &format!("{{\"path\":\"{path}\"}}"));
    let opens =
        |path: &str| ToolOutcome { opens: Some(Box::new(opening(path))), seen: Vec::new(), ..found("") };
    let mut played = Played::start(setup(Policy::unified()));
    let read = |id: &str| call(0, id, "read", "{\"path\":\"c\"}");
    played.answers([read("r")]).tool(ToolOutcome { seen: vec![Seen::Path("c".to_owned())], ..found("c") });
    let second = call(1, "2", WRITE_PLAN_BEGIN, "{\"path\":\"b\"}");
    played.answers([begin("1", "a"), second]).tool(opens("a"));
    let refused = played.events().find_map(|event| match event {
        TurnEvent::ToolResult { tool_call_id, status, error, .. } if tool_call_id.0 == "2" => {
            Some((*status, error.as_ref().map(|it| it.code)))
        }
        _ => None,
    });
    assert_eq!(refused, Some((ToolStatus::Failed, Some(Code::WriteOpen))));
    let disk = || ErrorInfo::new(Code::WriteFailed, "The disk is full.", "");
    played.answers([text("one\nDONE")]).proposed(ready("one\n"));
    played.allow(true).wrote(WriteOutcome::Failed { error: disk() });

    played.answers([begin("3", "b")]);
    assert!(played.running.is_some(), "it was refused because another one was open");
    played.tool(opens("b")).answers([text("two\nDONE")]);
    played.proposed(ready("two\n"));
    played.allow(true).wrote(WriteOutcome::Written);

    played.answers([begin("4", "a")]);
    assert_eq!(played.running, None, "it ran, and its box says what became of it");
    played.answers([begin("5", "b")]);
    assert_eq!(played.running, None, "it was written");
    played.answers([read("r2")]);
    assert_eq!(played.running, None, "what was read is known still");
}

#[test]
fn seams_are_marked_in_what_the_model_sent_and_not_in_what_the_user_made_of_it() {
    // W4
    let mut played = opened(Policy::two_stage());
    let changed = || Input::Changed { changes: vec![Seen::Path("a".to_owned())] };
    played.answers([text("one\n"), finish("length")]).answers([text("two\nDONE")]);
    played.proposed(ready("one\ntwo\n")).input(changed());
    assert_eq!(played.offer.as_ref().unwrap().seams, [4]);
    played.proposed(ready("one\ntwo\n"));
    let Proposed::Ready { mut proposal, draft } = ready("mine\n") else { panic!() };
    proposal.cause = ProposalCause::Revised;
    played.proposed(Proposed::Ready { proposal, draft }).input(changed());
    assert!(played.offer.as_ref().unwrap().seams.is_empty());
}
