//! How many tokens the next request of a session has, by what its provider counted (X2).

use orion_core::model::ModelDelta;
use orion_core::turn::{CONTEXT_EDITION, ModelInput, TurnSetup};
use orion_protocol::{Policy, Usage};

use crate::common::{Played, setup, text};

// X2
#[test]
fn the_next_request_has_the_tokens_that_the_provider_counted_of_prompt_and_answer() {
    let usage = |prompt, completion, reasoning| ModelDelta::Usage {
        usage: Usage {
            prompt_tokens: Some(prompt),
            completion_tokens: Some(completion),
            reasoning_tokens: reasoning,
            ..Usage::default()
        },
    };
    let answer = "a b c d ".repeat(200);
    let thought = "hm ".repeat(100);
    let after = |edition, deltas: Vec<ModelDelta>| {
        let mut played = Played::start(TurnSetup { context_edition: edition, ..setup(Policy::two_stage()) });
        let bytes = played.requests[0].bytes();
        played.model(ModelInput::Deltas { deltas }).ends();
        (played.turn.gauge().tokens(bytes + answer.len() as u64), bytes)
    };
    let (bytes_of, said) = (played_bytes(), || text(&answer));
    let prompt = u32::try_from(bytes_of / 4).unwrap();
    let expected = u64::from(prompt) + 800;
    assert_eq!(after(CONTEXT_EDITION, vec![said(), usage(prompt, 800, None)]).0, expected);
    // Reasoning does not go back: by its own count, else by its share of the bytes.
    let reasons = || ModelDelta::Reasoning { text: thought.clone() };
    assert_eq!(after(CONTEXT_EDITION, vec![reasons(), said(), usage(prompt, 950, Some(150))]).0, expected);
    assert_eq!(after(CONTEXT_EDITION, vec![reasons(), said(), usage(prompt, 950, None)]).0, expected);
    // T8: a journal that names no edition takes the prompt's ratio for the answer.
    let old = after(0, vec![said(), usage(prompt, 800, None)]);
    assert!(old.0.abs_diff(u64::from(prompt) + 400) <= 4, "{old:?}");
}

fn played_bytes() -> u64 {
    Played::start(setup(Policy::two_stage())).requests[0].bytes()
}
