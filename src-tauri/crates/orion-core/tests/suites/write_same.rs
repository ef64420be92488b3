//! A model that says the same again to a prompt of a write session is asked no further (W4): it would say so sixteen times.

use orion_core::turn::{Input, ModelInput, Proposed};
use orion_protocol::{Code, ErrorInfo, FaultKind, NoticeCode, Policy, TurnEvent, WriteState, WriteStatus};

use crate::acts::fault;
use crate::common::{Played, finish, text};
use crate::turn_writes::{opened, state};

const WHY: &str = "The model sent the same message again, so it is not asked for more of a.";

fn prompts(played: &Played) -> usize {
    played.events().filter(|it| matches!(it, TurnEvent::PhaseStarted { write: Some(1), .. })).count()
}

fn told(played: &Played) -> Vec<&str> {
    let told = played.events().filter_map(|event| match event {
        TurnEvent::Notice { code: NoticeCode::RepeatedItself, message } => Some(message.as_str()),
        _ => None,
    });
    told.collect()
}

/// The idle timer of the message that just ended fires.
fn idle(played: &mut Played) {
    let call = played.idle.take().expect("the timer runs");
    played.input(Input::Idle { call });
}

#[test]
fn the_same_words_again_end_the_content_and_it_is_shown_as_far_as_it_came() {
    // W4
    let mut played = opened(Policy::two_stage());
    played.answers([text("I am sorry, "), text("I cannot do that.\n")]);
    idle(&mut played);
    // In other pieces: the words count.
    played.says([text("I am")]).answers([text(" sorry, I cannot do that.\n")]);
    assert_eq!((prompts(&played), played.idle), (2, None), "nobody waits for more");
    assert_eq!(state(&played), Some(WriteState::Finalizing));
    let offer = played.offer.as_ref().unwrap();
    assert!(offer.content.starts_with("I am sorry, I cannot do that.\n"), "{}", offer.content);
    assert_eq!((offer.faults.list[0].kind, &*offer.faults.list[0].what), (FaultKind::Incomplete, WHY));
    assert_eq!(told(&played), [WHY]);
}

#[test]
fn so_does_nothing_again_and_the_session_is_discarded() {
    let mut played = opened(Policy::two_stage());
    played.ends();
    idle(&mut played);
    played.ends();
    let done = played.events().find_map(|event| match event {
        TurnEvent::WriteDone { status, error, .. } => Some((*status, error.as_ref().map(|it| it.code))),
        _ => None,
    });
    assert_eq!(done, Some((WriteStatus::Discarded, Some(Code::WriteFaulty))));
    assert_eq!((prompts(&played), told(&played)), (2, vec![WHY]));
}

#[test]
fn a_message_that_was_cut_at_the_output_limit_counts_too() {
    let mut played = opened(Policy::two_stage());
    played.answers([text("Well, "), finish("length")]).answers([text("Well, "), finish("length")]);
    assert_eq!((prompts(&played), told(&played)), (2, vec![WHY]));
}

#[test]
fn other_words_in_between_are_something_else() {
    let mut played = opened(Policy::two_stage());
    for at in 0..16 {
        played.answers([text(["one\n", "two\n"][at % 2]), finish("length")]);
    }
    assert_eq!((prompts(&played), told(&played)), (16, vec![]));
}

#[test]
fn a_connection_that_breaks_at_the_same_place_says_nothing_of_the_model() {
    let broken = || {
        let error = ErrorInfo::new(Code::CutOff, "The connection broke.", "Try again.").retryable();
        ModelInput::Failed { error }
    };
    let mut played = opened(Policy::two_stage());
    played.says([text("one\ntw")]).model(broken()).says([text("one\ntw")]).model(broken());
    // Nor does a whole message after such a one.
    played.answers([text("one\ntw"), finish("length")]);
    assert_eq!((prompts(&played), told(&played)), (4, vec![]));
}

#[test]
fn the_same_correction_again_is_no_further_round() {
    // W5: what is still wrong is shown.
    let mut played = opened(Policy::two_stage());
    played.answers([text("one\u{0}\nDONE")]).answers([text("one\u{0}\nDONE")]);
    assert_eq!((prompts(&played), state(&played)), (2, Some(WriteState::Finalizing)));
    let faults = &played.offer.as_ref().unwrap().faults.list;
    assert_eq!(faults.iter().map(|it| it.kind).collect::<Vec<_>>(), [FaultKind::Control]);

    let mut played = opened(Policy::two_stage());
    for _ in 0..2 {
        played.answers([text("one\nDONE")]);
        played.proposed(Proposed::Faulty { faults: vec![fault()] });
    }
    assert_eq!((prompts(&played), state(&played)), (2, None));
}
