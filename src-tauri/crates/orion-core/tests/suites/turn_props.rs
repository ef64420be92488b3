//! What holds for every turn, whatever the model, the tools and the person do: T2, T3, T4, D2, A4, after every input.

use crate::thorough::{cases, length};
use orion_core::context::Item;
use orion_core::model::{Message, ModelNumbers, Prices};
use orion_core::turn::{Input, ModelInput, TurnSetup};
use orion_protocol::{Code, ErrorInfo, Policy, Route, TurnLimits, Usd};
use proptest::prelude::*;

use crate::acts::commands::{COMMANDS, Commands};
use crate::acts::{ACTS, ASKING, Act, KINDS, PAUSING, STRETCHES, WRITING};
use crate::common::{call, setup};
use crate::reuse::box_of;
use crate::watched::Watched;

#[test]
fn every_rule_holds_after_every_input_of_every_sequence_in_a_write_session() {
    fn explore(from: &Watched, left: u32, seen: &mut u64) {
        for &act in &WRITING {
            let mut next = from.clone();
            next.act(act);
            *seen += 1;
            if left > 1 && !next.turn.is_over() {
                explore(&next, left - 1, seen);
            }
            next.act(Act::Stop);
            assert!(next.turn.is_over() && next.terminals == 1);
        }
    }
    let limits = TurnLimits {
        max_cycles: Some(2),
        max_tools: Some(1),
        max_duplicates: Some(2),
        ..TurnLimits::default()
    };
    for route in [Route::TwoStage, Route::Unified] {
        for begun in [&[Act::Line][..], &[Act::Line, Act::Done, Act::Ended, Act::Proposed]] {
            let mut watched = Watched::start(setup(Policy::of(route, limits)));
            [Act::CallWrite, Act::Ended, Act::Opened].iter().chain(begun).for_each(|&act| watched.act(act));
            let mut seen = 0;
            explore(&watched, 3, &mut seen);
            assert!(seen > 4_000, "{seen} sequences");
        }
    }
}

pub(crate) fn policies() -> impl Strategy<Value = Policy> {
    let calls = (prop::bool::ANY, 0..5u32, 1..4u32, 1..4u32);
    // T7: small enough to be reached, and often not reached.
    let limits = (256..600u32, 1_024..12_000u32, 1..4_000u32, prop::option::of(1..2_000_000u64));
    (calls, limits, prop::bool::ANY).prop_map(|(calls, limits, pause_after_tool)| {
        let (two_stage, cycles, tools, duplicates) = calls;
        let (tokens, bytes, seconds, cost) = limits;
        let route = if two_stage { Route::TwoStage } else { Route::Unified };
        let limits = TurnLimits {
            max_cycles: Some(cycles),
            max_tools: Some(tools),
            max_duplicates: Some(duplicates),
            max_output_tokens: Some(tokens),
            max_file_bytes: Some(bytes),
            max_seconds: Some(seconds),
            max_cost_usd: None,
            max_thinking_tokens: None,
            max_command_seconds: None,
        };
        // Below the least that a person can set.
        Policy { max_cost_usd: cost.map(Usd::of_billionths), pause_after_tool, ..Policy::of(route, limits) }
    })
}

/// A dollar for a million tokens: 1,000 of them cost a million billionths.
pub(crate) fn priced(setup: TurnSetup) -> TurnSetup {
    let dollar = Usd::of_billionths(1_000_000_000);
    let prices = Prices { prompt: dollar, completion: dollar, cached: None, reasoning: None };
    TurnSetup { numbers: ModelNumbers { prices: Some(prices), ..setup.numbers }, ..setup }
}

/// The same turn with a history that can be cut (X5), and that has read these files (X6).
fn remembering(setup: TurnSetup, read: &[&str]) -> TurnSetup {
    let long = Message::Assistant { text: "word ".repeat(1_000), reasoning: None, tool_calls: Vec::new() };
    let numbers = ModelNumbers { window: Some(40_000), ..ModelNumbers::default() };
    let question = Message::user("What is in them?");
    let boxes = read.iter().map(|path| box_of(path, "x"));
    let history = [Item::from(long), question.into()].into_iter().chain(boxes).collect();
    TurnSetup { numbers, history, ..setup }
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn every_rule_holds_after_every_input_of_a_random_sequence(
        policy in policies(),
        begins_paused in prop::bool::weighted(0.2),
        commands in Commands::any(),
        acts in prop::collection::vec(
            prop_oneof![6 => prop::sample::select(&ACTS[..]), 1 => prop::sample::select(&COMMANDS[..])],
            0..60,
        ),
    ) {
        let setup = commands.of(TurnSetup { begins_paused, ..setup(policy) });
        let mut watched = Watched::start(priced(remembering(setup, &["a", "b"])));
        for act in acts {
            watched.act(act);
        }
        // A4: from wherever the sequence led, a stop ends the turn, once.
        watched.act(Act::Stop);
        prop_assert!(watched.turn.is_over());
        prop_assert_eq!(watched.terminals, 1);
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    /// Sequences of all acts seldom get far into a write session: these begin in one, and keep to what brings it on.
    #[test]
    fn every_rule_holds_after_every_input_of_a_random_sequence_of_write_sessions(
        policy in policies(),
        acts in prop::collection::vec(
            prop_oneof![
                3 => prop::sample::select(&STRETCHES[..]).prop_map(<[Act]>::to_vec),
                1 => prop::sample::select(&ACTS[..]).prop_map(|act| vec![act]),
            ],
            0..40,
        ),
    ) {
        let mut watched = Watched::start(priced(setup(policy)));
        for act in [Act::CallWrite, Act::Ended, Act::Opened].into_iter().chain(acts.concat()) {
            watched.act(act);
        }
        watched.act(Act::Stop);
        prop_assert!(watched.turn.is_over());
        prop_assert_eq!(watched.terminals, 1);
    }
}

#[test]
fn every_rule_holds_after_every_input_of_every_short_sequence() {
    fn explore(from: &Watched, acts: &[Act], left: u32, seen: &mut u64) {
        for &act in acts {
            let mut next = from.clone();
            next.act(act);
            *seen += 1;
            if left > 1 && !next.turn.is_over() {
                explore(&next, acts, left - 1, seen);
            }
        }
    }
    let two_stage = TurnLimits {
        max_cycles: Some(2),
        max_tools: Some(1),
        max_duplicates: Some(2),
        ..TurnLimits::default()
    };
    let unified = TurnLimits {
        max_cycles: Some(2),
        max_tools: Some(2),
        max_duplicates: Some(2),
        ..TurnLimits::default()
    };
    for policy in [Policy::of(Route::TwoStage, two_stage), Policy::of(Route::Unified, unified)] {
        let mut sequences = 0;
        explore(&Watched::start(setup(policy)), &KINDS, length(5), &mut sequences);
        assert!(length(5) < 5 || sequences > 300_000, "{sequences} sequences");
    }
}

#[test]
fn every_rule_holds_after_every_input_of_every_sequence_of_pauses() {
    fn explore(from: &Watched, left: u32, seen: &mut u64) {
        for &act in &PAUSING {
            let mut next = from.clone();
            next.act(act);
            *seen += 1;
            if left > 1 && !next.turn.is_over() {
                explore(&next, left - 1, seen);
            }
        }
    }
    let limits = TurnLimits {
        max_cycles: Some(2),
        max_tools: Some(2),
        max_duplicates: Some(2),
        ..TurnLimits::default()
    };
    let begun: [&[Act]; 2] = [&[], &[Act::CallA, Act::Ended, Act::ToolRead]];
    for (route, pause_after_tool) in
        [(Route::TwoStage, true), (Route::Unified, true), (Route::TwoStage, false)]
    {
        let policy = Policy { pause_after_tool, ..Policy::of(route, limits) };
        for acts in begun {
            let mut watched = Watched::start(setup(policy));
            acts.iter().for_each(|&act| watched.act(act));
            let mut sequences = 0;
            explore(&watched, length(4), &mut sequences);
            assert!(length(4) < 4 || sequences > 50_000, "{sequences} sequences");
        }
        // T9: a fork from the beginning of a turn.
        let watched = Watched::start(TurnSetup { begins_paused: true, ..setup(policy) });
        assert_eq!(watched.model_calls, 0, "A2: it waits");
        explore(&watched, length(4), &mut 0);
    }
}

#[test]
fn every_rule_holds_after_every_input_of_every_sequence_of_questions() {
    fn explore(from: &Watched, left: u32, seen: &mut u64) {
        for &act in &ASKING {
            let mut next = from.clone();
            next.act(act);
            *seen += 1;
            if left > 1 && !next.turn.is_over() {
                explore(&next, left - 1, seen);
            }
        }
    }
    for policy in [Policy { pause_after_tool: true, ..Policy::two_stage() }, Policy::unified()] {
        let mut watched = Watched::start(setup(policy));
        [Act::CallA, Act::Ended].iter().for_each(|&act| watched.act(act));
        let mut sequences = 0;
        explore(&watched, length(4), &mut sequences);
        assert!(length(4) < 4 || sequences > 20_000, "{sequences} sequences");
    }
}

#[test]
fn hostile_models_end_within_their_bounds() {
    // T4: the bound of model calls is reached, so it is the least one
    let repeat: &[Act] = &[Act::CallA, Act::ToolOk];
    let alternate: &[Act] = &[Act::CallA, Act::ToolOk, Act::CallB, Act::ToolOk];
    for (policy, acts, model_calls) in [
        (Policy::two_stage(), repeat, 5),
        (Policy::two_stage(), alternate, 6),
        (Policy::unified(), &[Act::CallA, Act::Ended, Act::ToolOk], 5),
    ] {
        let mut watched = Watched::start(setup(policy));
        for _ in 0..100 {
            acts.iter().for_each(|&act| watched.act(act));
        }
        watched.act(Act::Ended);
        assert_eq!((watched.terminals, watched.model_calls), (1, model_calls), "{acts:?}");
    }
    for policy in [Policy::two_stage(), Policy::unified()] {
        let mut watched = Watched::start(setup(policy));
        for number in 0..100 {
            let arguments = format!("{{\"path\":\"{number}\"}}");
            let deltas = vec![call(0, "", "read", &arguments)];
            let live = watched.live_call.unwrap_or(0);
            watched.input(Input::Model { call: live, event: ModelInput::Deltas { deltas } });
            watched.act(Act::Ended);
            watched.act(Act::ToolOk);
        }
        assert_eq!((watched.terminals, watched.model_calls), (1, policy.max_cycles + 1), "never repeats");
    }
    // The most a two-stage turn can cost: a further try with a shorter conversation, every read that an earlier box answers, every
    // free refusal but the last, every cycle, the final answer.
    let mut watched = Watched::start(remembering(setup(Policy::two_stage()), &["1", "2", "3"]));
    let error = ErrorInfo::new(Code::ContextTooLong, "Too long.", "");
    watched.input(Input::Model { call: 1, event: ModelInput::Failed { error } });
    for path in ["1", "2", "3"] {
        let deltas = vec![call(0, "", "read", &format!("{{\"path\":\"{path}\"}}"))];
        let live = watched.live_call.unwrap_or(0);
        watched.input(Input::Model { call: live, event: ModelInput::Deltas { deltas } });
        watched.act(Act::Same);
    }
    let worst = [
        Act::CallA,
        Act::ToolOk,
        Act::CallAAgain,
        Act::CallA,
        Act::CallB,
        Act::ToolOk,
        Act::CallAsk,
        Act::Allow,
    ];
    watched.act(Act::Ended); // P7: nothing came, and it is asked once more.
    worst.iter().for_each(|&act| watched.act(act));
    watched.act(Act::ToolOk);
    watched.act(Act::CallA);
    watched.act(Act::Ended);
    assert_eq!((watched.terminals, watched.model_calls, watched.tool_runs), (1, 11, 3));
    let bounds = watched.bounds;
    assert_eq!((bounds.model_calls, bounds.tool_runs, bounds.write_prompts), (11, 3, 48));
}

// D3, A2, A3
#[test]
fn a_result_that_is_dropped_frees_its_call_as_it_was_made_and_as_it_was_edited() {
    let policy = Policy { pause_after_tool: true, max_tools: 1, ..Policy::unified() };
    let mut watched = Watched::start(setup(policy));
    let acts = [
        Act::CallAsk,
        Act::Ended,
        Act::EditToA,
        Act::ToolOk,
        Act::DropResults,
        // The same call as before, which a person allows as it is.
        Act::CallAsk,
        Act::Ended,
        Act::Allow,
    ];
    acts.iter().for_each(|&act| watched.act(act));
    assert_eq!(watched.tool_runs, 2);
}
