//! How many tokens the next request of a session has, by what its provider counted (X2).

use orion_core::model::{Message, ModelDelta, Profile, Reasoning};
use orion_core::turn::{Flag, Flags, ModelInput, TurnSetup};
use orion_protocol::{Policy, Usage};

use crate::common::{Played, call, found, setup, text};

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
    let after = |flags: Flags, deltas: Vec<ModelDelta>| {
        let mut played = Played::start(TurnSetup { flags, ..setup(Policy::two_stage()) });
        let bytes = played.requests[0].bytes();
        played.model(ModelInput::Deltas { deltas }).ends();
        (played.turn.gauge().tokens(bytes + answer.len() as u64), bytes)
    };
    let (bytes_of, said) = (played_bytes(), || text(&answer));
    let prompt = u32::try_from(bytes_of / 4).unwrap();
    let expected = u64::from(prompt) + 800;
    assert_eq!(after(Flags::of_this_version(), vec![said(), usage(prompt, 800, None)]).0, expected);
    // Reasoning does not go back: by its own count, else by its share of the bytes.
    let reasons = || ModelDelta::Reasoning { text: thought.clone() };
    assert_eq!(
        after(Flags::of_this_version(), vec![reasons(), said(), usage(prompt, 950, Some(150))]).0,
        expected
    );
    assert_eq!(
        after(Flags::of_this_version(), vec![reasons(), said(), usage(prompt, 950, None)]).0,
        expected
    );
    // T8: a turn without the flag takes the prompt's ratio for the answer.
    let old =
        after(Flags::of_this_version().without(Flag::CountAnswers), vec![said(), usage(prompt, 800, None)]);
    assert!(old.0.abs_diff(u64::from(prompt) + 400) <= 4, "{old:?}");
}

/// A turn that was just started, and what its model is about to think and to report.
struct Reasoned {
    played: Played,
    /// Bytes of its first request, of 4 for each token that is reported.
    prompt: u64,
    thought: String,
    /// 2,000 tokens, of which the thought has all but 10.
    usage: Usage,
}

fn reasoned(returns_reasoning: bool) -> Reasoned {
    let profile = Profile { returns_reasoning, ..Profile::default() };
    let played = Played::start(TurnSetup { profile, ..setup(Policy::unified()) });
    let prompt = played.requests[0].bytes();
    let usage = Usage {
        prompt_tokens: u32::try_from(prompt / 4).ok(),
        completion_tokens: Some(2_000),
        reasoning_tokens: Some(1_990),
        ..Usage::default()
    };
    let thought = (0..800).map(|number| format!("{number} ")).collect();
    Reasoned { played, prompt, thought, usage }
}

// X2, P9
#[test]
fn reasoning_that_goes_back_is_in_the_room_and_in_the_count_of_the_answer() {
    for returns_reasoning in [true, false] {
        let Reasoned { mut played, prompt, thought, usage } = reasoned(returns_reasoning);
        played.says([ModelDelta::Reasoning { text: thought.clone() }, text("I look.")]);
        played.model(ModelInput::Deltas { deltas: vec![ModelDelta::Usage { usage }] }).ends();
        let reasoning = returns_reasoning.then(|| Reasoning::from(thought.as_str()));
        let kept = Message::Assistant { text: "I look.".to_owned(), reasoning, tool_calls: Vec::new() };
        let (bytes, tokens) =
            if returns_reasoning { ("I look.".len() + thought.len(), 2_000) } else { ("I look.".len(), 10) };
        assert_eq!(kept.text_bytes(), bytes);
        assert_eq!(played.turn.gauge().tokens(prompt + bytes as u64), prompt / 4 + tokens);
    }
}

// X2, P9
#[test]
fn the_request_after_a_call_counts_the_reasoning_that_goes_back_in_it() {
    for returns_reasoning in [true, false] {
        let Reasoned { mut played, prompt, thought, usage } = reasoned(returns_reasoning);
        let arguments = "{\"path\":\"a\"}";
        played.says([ModelDelta::Reasoning { text: thought.clone() }, call(0, "c1", "read", arguments)]);
        played.says([ModelDelta::Usage { usage }]).ends().tool(found("alpha"));
        let sent = &played.requests[1];
        let goes_back = sent.messages.iter().any(|message| {
            matches!(message, Message::Assistant { reasoning: Some(reasoning), .. } if reasoning.text == thought && reasoning.goes_back)
        });
        assert_eq!(goes_back, returns_reasoning);
        let reasoned = if goes_back { thought.len() as u64 } else { 0 };
        let added = sent.bytes() - prompt - reasoned - arguments.len() as u64;
        assert!(added < 400, "the box alone: {added} bytes");
        // All that is new since the count is the box. The name and the id of the call have their few tokens of the count.
        let counted = prompt / 4 + if goes_back { 2_000 } else { 10 };
        let tokens = played.turn.gauge().tokens(sent.bytes() - added);
        assert!((counted - 8..=counted).contains(&tokens), "{tokens} of {counted}");
    }
}

fn played_bytes() -> u64 {
    Played::start(setup(Policy::two_stage())).requests[0].bytes()
}
