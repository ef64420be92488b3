//! What a person is asked about a write, what counts as an answer, and what is too large to ask about (W2, W6, A1, A3).

use orion_core::model::ModelDelta;
use orion_core::tool::{Seen, ToolOutcome};
use orion_core::turn::{Done, Input, JobId, Proposed, TurnSetup, WriteOutcome};
use orion_protocol::{
    Code, FaultKind, Permission, Policy, ProposalCause, StopReason, TurnEvent, WriteFault, WriteProposal,
    WriteState, WriteStatus,
};

use crate::acts::{fault, opening, ready};
use crate::common::{Played, WRITE_PLAN_BEGIN, call, finish, found, setup, text, writing_is};
use crate::turn_writes::{asking_on, opened, opened_by, state};

/// A proposal of this content that differs in this.
fn proposed(content: &str, differs: impl FnOnce(&mut WriteProposal)) -> Proposed {
    let Proposed::Ready { mut proposal, draft } = ready(content) else { panic!() };
    differs(&mut proposal);
    Proposed::Ready { proposal, draft }
}

/// A session whose content waits for its proposal, where writing is allowed, or asks.
fn written(permission: Permission) -> Played {
    let mut played = Played::start(writing_is(permission, setup(Policy::two_stage())));
    played.says([call(0, "w", WRITE_PLAN_BEGIN, "{\"path\":\"a\"}")]);
    played.tool(ToolOutcome { opens: Some(Box::new(opening("a"))), ..found("open") });
    played.answers([text("one\nDONE")]);
    played
}

fn done(played: &Played) -> Vec<(WriteStatus, bool, Option<Code>)> {
    let ends = played.events().filter_map(|event| match event {
        TurnEvent::WriteDone { status, revised, error, .. } => {
            Some((*status, *revised, error.as_ref().map(|it| it.code)))
        }
        _ => None,
    });
    ends.collect()
}

#[test]
fn only_a_clean_proposal_of_what_the_model_sent_is_written_unasked_and_only_where_that_is_allowed() {
    // A1, W5, W6
    let asks = |permission, outcome| {
        let mut played = written(permission);
        played.proposed(outcome);
        state(&played)
    };
    let (writing, asking) = (Some(WriteState::Writing), Some(WriteState::AwaitingApproval));
    assert_eq!(asks(Permission::Allow, ready("one\n")), writing);
    assert_eq!(asks(Permission::Ask, ready("one\n")), asking);
    let (faulty, late, risky) = (
        proposed("one\n", |it| it.faults = vec![fault()]),
        proposed("one\n", |it| it.cause = ProposalCause::FileChanged),
        proposed("one\n", |it| it.always_asks = Some("It can run code later.".to_owned())),
    );
    for outcome in [faulty, late, risky] {
        assert_eq!(asks(Permission::Allow, outcome), asking);
    }
}

#[test]
fn what_another_job_came_to_changes_nothing() {
    // W2: what is late says its number.
    let mut played = opened(Policy::two_stage());
    let late = |done| Input::Done { job: JobId(99), done };
    played.answers([text("one\nDONE")]).input(late(Done::Proposed { outcome: ready("x") }));
    played.input(Input::Revised { write: 2, outcome: ready("x") });
    assert_eq!(state(&played), Some(WriteState::Finalizing));
    played.proposed(ready("one\n")).allow(true);
    played.input(late(Done::Wrote { outcome: WriteOutcome::Written }));
    assert_eq!(state(&played), Some(WriteState::Writing));
    played.wrote(WriteOutcome::Written);
    assert_eq!((state(&played), done(&played)), (None, vec![(WriteStatus::Written, false, None)]));

    let second = call(0, "w2", WRITE_PLAN_BEGIN, "{\"path\":\"b\"}");
    played.says([second]).tool(ToolOutcome { opens: Some(Box::new(opening("b"))), ..found("open") });
    let session = played.turn.write_session().unwrap();
    assert_eq!((session.number(), session.opening().path.as_str()), (2, "b"));
}

#[test]
fn a_session_tells_what_it_proposes_until_it_is_over_and_whether_that_is_being_written() {
    // W2, A3
    let told = |played: &Played| {
        let session = played.turn.write_session().unwrap();
        let proposal = session.proposal().map(|(proposal, draft)| (proposal.clone(), draft.clone()));
        (proposal, session.is_writing())
    };
    let Proposed::Ready { proposal, draft } = ready("one\n") else { panic!() };
    let one = Some((*proposal, draft));
    let mut played = opened(Policy::two_stage());
    assert_eq!((told(&played), played.turn.report().stop_reason), ((None, false), StopReason::Paused));
    played.answers([text("one\nDONE")]);
    assert_eq!(told(&played), (None, false));
    played.proposed(ready("one\n"));
    assert_eq!(
        (told(&played), played.turn.report().stop_reason),
        ((one.clone(), false), StopReason::Approval)
    );
    // It is made anew: until then it is what was shown.
    played.input(Input::Changed { changes: vec![Seen::Path("a".to_owned())] });
    assert_eq!((state(&played), told(&played)), (Some(WriteState::Finalizing), (one.clone(), false)));
    played.proposed(ready("one\n")).allow(true);
    assert_eq!(told(&played), (one, true));
}

#[test]
fn a_write_counts_as_changed_by_the_person_only_when_the_person_changed_it() {
    // W6
    let revised = |outcome: Proposed| {
        let mut played = opened(Policy::two_stage());
        played.answers([text("one\nDONE")]).proposed(ready("one\n"));
        played.proposed(outcome).allow(true);
        played.wrote(WriteOutcome::Written);
        done(&played)[0].1
    };
    assert!(revised(proposed("mine\n", |it| it.cause = ProposalCause::Revised)));
    assert!(!revised(proposed("mine\n", |it| it.cause = ProposalCause::FileChanged)));
    assert!(!revised(proposed("one\n", |it| it.cause = ProposalCause::Revised)), "to what it was");
}

#[test]
fn only_a_change_of_what_is_asked_about_is_minded() {
    // D3, W6
    let changed = |path: &str| [Seen::Path(path.to_owned())];
    let mut played = Played::start(setup(Policy::two_stage()));
    played.says([call(0, "w", WRITE_PLAN_BEGIN, "{\"path\":\"a\"}")]);
    let opens = Some(Box::new(opening("a")));
    played.tool(ToolOutcome { opens, seen: Vec::new(), ..found("open") });
    assert!(!played.turn.minds(&changed("a")), "it is not asked about yet");
    played.answers([text("one\nDONE")]);
    assert!(!played.turn.minds(&changed("a")));
    played.proposed(ready("one\n"));
    assert!(played.turn.minds(&changed("a")) && !played.turn.minds(&changed("b")));
    played.allow(true);
    assert!(!played.turn.minds(&changed("a")), "it looks itself");
}

#[test]
fn faults_are_told_again_with_a_difference_that_is_made_anew() {
    // W5
    let mut played = opened(Policy::two_stage());
    played.answers([text("one\nDONE")]);
    let list = vec![fault()];
    let outcome = proposed("one\n", |it| (it.faults, it.more_faults) = (list.clone(), 3));
    played.proposed(outcome);
    played.input(Input::Changed { changes: vec![Seen::Path("a".to_owned())] });
    let faults = &played.offer.as_ref().unwrap().faults;
    assert_eq!((&faults.list, faults.more), (&list, 3));
}

#[test]
fn content_that_does_not_fit_its_file_says_in_which_way() {
    // W5: after the last round.
    let why = |kind| {
        let mut played = opened(Policy::two_stage());
        for _ in 0..4 {
            played.answers([text("one\nDONE")]);
            let faults = vec![WriteFault { kind, ..fault() }];
            played.proposed(Proposed::Faulty { faults });
        }
        played.events().find_map(|event| match event {
            TurnEvent::WriteDone { error, .. } => error.clone().map(|it| it.message),
            _ => None,
        })
    };
    assert_eq!(why(FaultKind::Unencodable).unwrap(), "a cannot hold some of the characters.");
    assert_eq!(why(FaultKind::BlockMissing).unwrap(), "The changes do not fit a.");
}

#[test]
fn with_the_last_message_spent_faults_are_shown_and_no_corrections_asked_for() {
    // T4, W5
    let mut played = opened(Policy::two_stage());
    for at in 0..15 {
        played.answers([text(&format!("{at} more\n")), finish("length")]);
    }
    played.answers([text("\u{0}\nDONE")]);
    let faults = &played.offer.as_ref().unwrap().faults.list;
    assert_eq!(faults.iter().map(|it| it.kind).collect::<Vec<_>>(), [FaultKind::Control]);
    assert!(
        !played.events().any(|it| matches!(it, TurnEvent::WriteFaults { .. } | TurnEvent::Notice { .. }))
    );
}

#[test]
fn content_has_64_mib_and_not_a_byte_more() {
    // T4: what one response may have, so that the buffer of a session is bounded too.
    let mib = "x".repeat(1 << 20);
    let mut played = opened_by(TurnSetup {
        policy: Policy { max_file_bytes: None, ..Policy::two_stage() },
        ..asking_on()
    });
    for _ in 0..64 {
        played.says([text(&mib)]);
    }
    assert_eq!(state(&played), Some(WriteState::AwaitingDoneOrMore));
    let live = played.requests.len();
    played.says([text("x")]);
    assert_eq!(done(&played), [(WriteStatus::Discarded, false, Some(Code::ResponseTooLarge))]);
    assert!(played.lines.contains(&format!("> drop model {live}")));
}

#[test]
fn reasoning_goes_on_where_it_stopped_and_is_no_content() {
    // W2
    let thought = |text: &str| ModelDelta::Reasoning { text: text.to_owned() };
    let mut played = opened(Policy::two_stage());
    played.says([thought("é"), thought(""), text("one\n")]).says([thought("b")]);
    let shown: Vec<_> = played
        .events()
        .filter_map(|event| match event {
            TurnEvent::ReasoningChunk { offset, text } => Some((*offset, text.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(shown, [(0, "é"), (2, "b")]);
    assert_eq!(played.turn.write_session().unwrap().content(), "one\n");
}
