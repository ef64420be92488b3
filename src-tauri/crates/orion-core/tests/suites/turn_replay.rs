//! A turn is a pure function of its journal (T5): how its inputs were cut, joined, stored and read back changes nothing.

use crate::common::{call, finish, piece, setup, text, yes_or_no};
use crate::thorough::cases;
use orion_core::model::ModelDelta;
use orion_core::tool::Seen;
use orion_core::turn::{Effect, Input, ModelInput, Turn, TurnSetup};
use orion_protocol::{Envelope, Policy, TurnEvent};
use proptest::prelude::*;

/// A stream as a provider may send it, a piece an event.
fn streams() -> impl Strategy<Value = Vec<ModelDelta>> {
    let words = prop::sample::select(&["a", "é", "日本", "\n\n", "🦊", " "][..]).prop_map(text);
    let reasoning = Just(ModelDelta::Reasoning { text: "hm".to_owned() });
    let pieces = (
        prop::option::of(0..2u32),
        prop::option::of(prop::sample::select(&["", "p", "q"][..])),
        prop::option::of(prop::sample::select(&["", "read"][..])),
        prop::option::of(prop::sample::select(
            &["", "{}", "{\"path\":", "\"a\"}", "{\"path\":\"b\"}", "]", "nul"][..],
        )),
    )
        .prop_map(|(index, id, name, arguments)| piece(index, id, name, arguments));
    let ends = prop::sample::select(&["stop", "length", "tool_calls"][..]).prop_map(finish);
    prop::collection::vec(prop_oneof![4 => words, 1 => reasoning, 4 => pieces, 1 => ends], 0..12)
}

/// The durable events of a turn fed with these events of the stream, and its text, joined.
fn log(policy: Policy, events: &[Vec<ModelDelta>]) -> (Vec<Envelope>, String, String) {
    let (mut turn, effects) = Turn::start(setup(policy));
    let mut all = effects;
    for deltas in events {
        all.extend(
            turn.step(2_000, Input::Model { call: 1, event: ModelInput::Deltas { deltas: deltas.clone() } }),
        );
    }
    all.extend(turn.step(2_000, Input::Model { call: 1, event: ModelInput::Ended }));
    let (mut durable, mut answer, mut reasoning) = (Vec::new(), String::new(), String::new());
    for effect in all {
        match effect {
            Effect::Emit(envelope) => durable.push(envelope),
            Effect::Show(Envelope { event: TurnEvent::TextChunk { text, .. }, .. }) => answer.push_str(&text),
            Effect::Show(Envelope { event: TurnEvent::ReasoningChunk { text, .. }, .. }) => {
                reasoning.push_str(&text)
            }
            _ => {}
        }
    }
    (durable, answer, reasoning)
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn how_consecutive_events_were_joined_in_the_journal_changes_nothing(
        stream in streams(),
        joints in prop::collection::vec(prop::bool::ANY, 12),
        two_stage in prop::bool::ANY,
    ) {
        // T5: the driver feeds events until the one that ends the phase; what it journals joins some of them.
        let policy = if two_stage { Policy::two_stage() } else { Policy::unified() };
        let single: Vec<Vec<ModelDelta>> = stream.into_iter().map(|delta| vec![delta]).collect();
        let (mut probe, _) = Turn::start(setup(policy));
        let fed = single.iter().position(|deltas| {
            let event = ModelInput::Deltas { deltas: deltas.clone() };
            let effects = probe.step(2_000, Input::Model { call: 1, event });
            effects.iter().any(|effect| matches!(effect, Effect::DropModel { .. }))
        });
        let single = &single[..fed.map_or(single.len(), |at| at + 1)];
        let mut joined: Vec<Vec<ModelDelta>> = Vec::new();
        for (deltas, join) in single.iter().zip(joints) {
            match joined.last_mut().filter(|_| join) {
                Some(last) => last.extend(deltas.iter().cloned()),
                None => joined.push(deltas.clone()),
            }
        }
        prop_assert_eq!(log(policy, single), log(policy, &joined));
    }

    #[test]
    fn how_text_was_cut_into_chunks_changes_nothing_but_the_chunks(cuts in prop::collection::vec(0..30usize, 0..6)) {
        // T5
        let answer = "Grüße, 日本 🦊, and the end.";
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|&cut| answer.is_char_boundary(cut)).collect();
        cuts.sort_unstable();
        let mut events = Vec::new();
        let mut from = 0;
        for to in cuts.into_iter().chain([answer.len()]) {
            events.push(vec![text(&answer[from..to])]);
            from = to;
        }
        let whole = log(Policy::two_stage(), &[vec![text(answer)]]);
        prop_assert_eq!(log(Policy::two_stage(), &events), whole);
    }
}

#[test]
fn feeding_the_recorded_inputs_again_gives_the_same_effects() {
    // T5: also after a round trip through JSON, as the journal keeps them
    let inputs = [
        Input::Model {
            call: 1,
            event: ModelInput::Deltas { deltas: vec![text("a"), call(0, "c", "ask", "{\"path\":\"a\"}")] },
        },
        Input::Changed { changes: vec![Seen::Tree("a".to_owned())] },
        yes_or_no(orion_core::signature::digest("x"), true),
        Input::Stop,
    ];
    let setup = setup(Policy::two_stage());
    let recorded: Vec<Input> = inputs
        .iter()
        .map(|input| serde_json::from_str(&serde_json::to_string(input).unwrap()).unwrap())
        .collect();
    let again: TurnSetup = serde_json::from_str(&serde_json::to_string(&setup).unwrap()).unwrap();
    let run = |setup: TurnSetup, inputs: &[Input]| {
        let (mut turn, mut effects) = Turn::start(setup);
        for (at, input) in inputs.iter().enumerate() {
            effects.extend(turn.step(2_000 + at as i64, input.clone()));
        }
        effects
    };
    assert_eq!(run(setup, &inputs), run(again, &recorded));
}
