//! The limit of an answer that goes out with a request (X2), and the journals whose requests had none (T8).

use orion_core::model::ModelNumbers;
use orion_core::turn::TurnSetup;
use orion_protocol::{Policy, WindowSource};

use crate::common::{Played, call, found, setup, text};

/// The limits of all requests of a turn that reads a file, writes one and answers.
fn sent(numbers: ModelNumbers) -> Vec<Option<u32>> {
    let mut played = Played::start(TurnSetup { numbers, ..setup(Policy::two_stage()) });
    played.says([call(0, "", "read", r#"{"path":"a"}"#)]).tool(found("alpha"));
    played.says([text("Done.")]).ends();
    played.requests.iter().map(|request| request.max_output_tokens).collect()
}

fn numbers(window: u32, own: Option<u32>) -> ModelNumbers {
    ModelNumbers {
        window: Some(window),
        max_output_tokens: own,
        window_source: Some(WindowSource::Assumed),
        ..ModelNumbers::default()
    }
}

// X2
#[test]
fn an_answer_is_limited_to_a_quarter_of_the_window_and_to_the_models_own_limit() {
    assert_eq!(sent(numbers(32_768, None)), [Some(8_192); 2]);
    assert_eq!(sent(numbers(4_096, Some(8_192))), [Some(1_024); 2]);
    assert_eq!(sent(numbers(131_072, Some(8_192))), [Some(8_192); 2]);
}

// T8
#[test]
fn a_turn_that_began_before_limits_were_sent_goes_on_without() {
    let before = |window| ModelNumbers { window, ..ModelNumbers::default() };
    assert_eq!(sent(before(None)), [None; 2]);
    assert_eq!(sent(before(Some(32_768))), [None; 2]);
    let recorded: ModelNumbers =
        serde_json::from_str(r#"{"window":32768,"maxOutputTokens":null,"prices":null}"#).unwrap();
    assert_eq!(recorded, before(Some(32_768)));
    assert_eq!(
        serde_json::to_string(&recorded).unwrap(),
        r#"{"window":32768,"maxOutputTokens":null,"prices":null}"#
    );
}
