//! Content whose end does not come. What has come is not thrown away, and never taken for a whole file (W4, P10).

use orion_core::tool::{Opening, ToolOutcome};
use orion_core::turn::{Approved, ModelInput, Proposed, WriteOutcome};
use orion_core::write::{Faults, unfinished};
use orion_protocol::{
    Code, ErrorInfo, FaultKind, Policy, Sha256, TurnEvent, WriteFault, WriteOperation, WriteState,
    WriteStatus,
};

use crate::acts::{fault, opening, ready};
use crate::common::{Played, WRITE_PLAN_BEGIN, call, finish, found, piece, setup, text, write_approved};
use crate::turn_writes::{asking_on, opened, opened_by, state};

fn broken() -> ModelInput {
    let error = ErrorInfo::new(Code::CutOff, "The connection broke.", "Try again.").retryable();
    ModelInput::Failed { error }
}

fn incomplete(line: u32, column: u32, what: &str, context: &str) -> WriteFault {
    WriteFault { kind: FaultKind::Incomplete, line, column, what: what.into(), context: context.into() }
}

/// What is proposed, and what is said against it.
fn offered(played: &Played) -> (&str, &[WriteFault]) {
    let offer = played.offer.as_ref().expect("something is to be proposed");
    (&offer.content, &offer.faults.list)
}

fn discarded(played: &Played) -> Option<Option<Code>> {
    played.events().find_map(|event| match event {
        TurnEvent::WriteDone { status: WriteStatus::Discarded, error, .. } => {
            Some(error.as_ref().map(|it| it.code))
        }
        _ => None,
    })
}

#[test]
fn a_connection_that_breaks_in_the_middle_of_content_is_gone_on_from() {
    // W4
    let mut played = opened(Policy::two_stage());
    played.says([text("one\ntw")]).model(broken());
    let last = played.requests.last().unwrap();
    assert!(serde_json::to_string(&last.messages).unwrap().contains("Go on exactly where it stops"));
    // A response can be too large, and the file is not.
    let large = ErrorInfo::new(Code::ResponseTooLarge, "The answer is too large.", "");
    played.says([text("o\n")]).model(ModelInput::Failed { error: large });
    assert_eq!((state(&played), played.requests.len()), (Some(WriteState::AwaitingDoneOrMore), 4));
}

#[test]
fn content_that_cannot_be_gone_on_with_is_shown_as_far_as_it_came() {
    let wrong_key =
        || ModelInput::Failed { error: ErrorInfo::new(Code::Authentication, "The key is wrong.", "") };
    for (failed, why) in [(broken(), "The connection broke."), (wrong_key(), "The key is wrong.")] {
        let mut played = opened(Policy::two_stage());
        played.answers([text("one\ntw"), finish("length")]).says([text("o")]).model(broken());
        played.model(failed);
        assert_eq!(offered(&played), ("one\ntwo", &[incomplete(2, 4, why, "two")][..]));
        let said = played.events().filter_map(|event| match event {
            TurnEvent::Notice { message, .. } => Some(message.as_str()),
            _ => None,
        });
        assert_eq!(said.last(), Some(&*format!("{why} What has come so far can be looked at.")));
        assert_eq!(played.offer.as_ref().unwrap().seams, [6]);

        // W5: only whoever has seen it can want it.
        let mut outcome = ready("one\ntwo");
        let mut whole = Sha256::from([0; 32]);
        if let Proposed::Ready { proposal, .. } = &mut outcome {
            proposal.faults = offered(&played).1.to_vec();
            whole = proposal.sha256;
        }
        played.proposed(outcome).allow(true);
        assert_eq!(state(&played), Some(WriteState::AwaitingApproval));
        let digest = played.asked.unwrap();
        let approved =
            Approved { sha256: whole, bytes: 7, lines: 1, rejected_hunks: Vec::new(), despite_faults: true };
        played.input(write_approved(digest, approved));
        played.wrote(WriteOutcome::Written);
        // The turn goes on, and may fail for the same reason.
        assert_eq!((state(&played), played.requests.len()), (None, 5));
    }
}

#[test]
fn no_more_is_asked_of_a_model_that_cannot_come_to_the_end() {
    let mut played = opened(Policy::two_stage());
    played.answers([text("one\u{0}\n"), finish("length")]).model(broken());
    let kinds: Vec<_> = offered(&played).1.iter().map(|fault| fault.kind).collect();
    assert_eq!(kinds, [FaultKind::Incomplete, FaultKind::Control]);
    let faults = vec![fault()];
    played.proposed(Proposed::Faulty { faults });
    assert_eq!(discarded(&played), Some(Some(Code::WriteFaulty)));
}

#[test]
fn an_end_line_before_a_break_is_no_content_and_no_end() {
    let mut played = opened(Policy::two_stage());
    played.answers([text("one\n"), finish("length")]);
    played
        .says([text("two\nDONE\n")])
        .model(ModelInput::Failed { error: ErrorInfo::new(Code::Authentication, "The key is wrong.", "") });
    assert_eq!(offered(&played), ("one\ntwo\n", &[incomplete(3, 1, "The key is wrong.", "")][..]));
}

#[test]
fn without_anything_to_look_at_the_turn_fails() {
    let mut played = opened(Policy::two_stage());
    played.model(broken());
    let report = played.events().find_map(TurnEvent::terminal).unwrap();
    assert_eq!(report.error.as_ref().map(|it| it.code), Some(Code::CutOff));
    assert_eq!(report.writes[0].status, Some(WriteStatus::Discarded));

    // Half an edit cannot be looked at.
    let mut played = Played::start(setup(Policy::two_stage()));
    played.says([call(0, "w", WRITE_PLAN_BEGIN, "{\"path\":\"a\"}")]);
    let opening = Opening { operation: WriteOperation::Edit, ..opening("a") };
    played.tool(ToolOutcome { opens: Some(Box::new(opening)), ..found("open") });
    played.answers([text("<<<<<<< SEARCH\n"), finish("length")]).model(broken());
    assert_eq!(discarded(&played), Some(None));
}

#[test]
fn content_that_only_lacks_its_corrections_is_shown_whole() {
    let mut played = opened(Policy::two_stage());
    played.answers([text("one\u{0}\ntwo\nDONE")]);
    assert_eq!(state(&played), Some(WriteState::NeedsCorrections));
    played.says([text("<<<<<<< SEARCH\none")]).model(broken()).model(broken());
    let (content, faults) = offered(&played);
    assert_eq!(
        (content, faults.iter().map(|it| it.kind).collect()),
        ("one\u{0}\ntwo\n", vec![FaultKind::Control])
    );
}

#[test]
fn a_session_spends_no_more_prompts_than_its_policy_has() {
    // T4
    let prompts = |played: &Played| {
        played.events().filter(|it| matches!(it, TurnEvent::PhaseStarted { write: Some(1), .. })).count()
    };
    let mut played = opened(Policy::two_stage());
    for at in 0..16 {
        played.answers([text(&format!("{at}\n")), finish("length")]);
    }
    let content: String = (0..16).map(|at| format!("{at}\n")).collect();
    let why = "The content of a did not become complete in 16 messages.";
    assert_eq!((prompts(&played), offered(&played)), (16, (&*content, &[incomplete(17, 1, why, "")][..])));

    // T8: a turn without the flag asks on.
    let mut played = opened_by(asking_on());
    for _ in 0..16 {
        played.answers([finish("length")]);
    }
    assert_eq!((prompts(&played), discarded(&played)), (16, Some(Some(Code::WriteFaulty))));
}

#[test]
fn what_is_missing_stands_first_among_the_faults_and_none_is_lost_count_of() {
    assert_eq!(unfinished("", "why"), incomplete(1, 1, "why", ""));
    assert_eq!(unfinished("a\nb\té", "why"), incomplete(2, 4, "why", "b\\té"));
    let other = |line| WriteFault { kind: FaultKind::Control, ..incomplete(line, 1, "", "") };
    let first = incomplete(9, 9, "", "");
    for (had, list, more) in [(0, 1, 3), (49, 50, 3), (50, 50, 4)] {
        let faults = Faults { list: (0..had).map(other).collect(), more: 3 }.and(first.clone());
        assert_eq!((&faults.list[0], faults.list.len(), faults.more), (&first, list, more));
    }
}

#[test]
fn of_calls_that_come_where_content_is_due_no_more_is_kept_than_of_others() {
    // P9, J1: names come once a call, or with every piece of it, or without end.
    let named = |name: &str| piece(Some(0), None, Some(name), None);
    let mut played = opened(Policy::two_stage());
    for _ in 0..3 {
        played.says([named("read"), named(""), named(&"x".repeat(129)), named(&"y".repeat(128))]);
    }
    for at in 0..40 {
        played.says([named(&format!("tool_{at}"))]);
    }
    played.answers([text("one\nDONE")]);
    let blocked = played.events().find_map(|event| match event {
        TurnEvent::CallsBlocked { names, .. } => Some(names.clone()),
        _ => None,
    });
    let mut expected = vec!["read".to_owned(), "y".repeat(128)];
    expected.extend((0..30).map(|at| format!("tool_{at}")));
    assert_eq!(blocked, Some(expected));
}
