//! What a person has to say for a turn to pause, and what a pause before the first word leaves (A2).

use orion_core::turn::Input;
use orion_protocol::{PauseRequest, Pending, PendingOf, Policy, Reply, TurnEvent};

use crate::common::{Played, replied, setup, text};
use crate::turn_writes::opened;

fn pause(played: &mut Played, pause: PauseRequest) {
    played.input(Input::Pause { pause });
}

/// What was noted of pauses that are to come: after tools, and next.
fn wanted(played: &Played) -> Vec<(bool, bool)> {
    let wanted = played.events().filter_map(|event| match event {
        TurnEvent::PauseRequested { after_tools, next } => Some((*after_tools, *next)),
        _ => None,
    });
    wanted.collect()
}

#[test]
fn a_response_that_had_not_begun_is_asked_for_again_in_the_same_words() {
    let sent = |begins: bool| {
        let mut played = Played::start(setup(Policy::two_stage()));
        if begins {
            played.says([text("I look.")]);
        }
        pause(&mut played, PauseRequest::Now);
        let digest = played.turn.pending().unwrap().digest;
        played.input(replied(digest, Reply::Resume { edits: Vec::new() }));
        played.requests[1].messages.len() - played.requests[0].messages.len()
    };
    // Else what came of it follows, and that it broke off.
    assert_eq!((sent(false), sent(true)), (0, 2));
}

#[test]
fn a_write_session_that_is_paused_takes_no_wish_for_another_pause() {
    let mut played = opened(Policy::two_stage());
    pause(&mut played, PauseRequest::Next);
    assert_eq!(wanted(&played), [(false, true)]);
    pause(&mut played, PauseRequest::Now);
    assert!(matches!(played.turn.pending(), Some(Pending { of: PendingOf::Pause { .. }, .. })));
    pause(&mut played, PauseRequest::Next);
    assert_eq!(wanted(&played), [(false, true)]);
}
