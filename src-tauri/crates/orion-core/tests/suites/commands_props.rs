//! The rules that hold for every turn with commands, whatever the model, the sandbox and the person do: C1, C3, A3, A4, A5, D1, D3, T4, T5, after every
//! input.

use orion_core::turn::{Effect, Turn};
use orion_protocol::{Policy, Route, TurnLimits};
use proptest::prelude::*;

use crate::acts::commands::{COMMAND_STRETCHES, COMMANDING, COMMANDS, Commands, OfCommand};
use crate::acts::{ACTS, Act};
use crate::common::setup;
use crate::thorough::{cases, length};
use crate::turn_props::policies;
use crate::watched::Watched;

/// Sequences of all acts seldom get far into a command: these keep to what brings one on.
fn sequences() -> impl Strategy<Value = Vec<Act>> {
    let acts = prop::collection::vec(
        prop_oneof![
            6 => prop::sample::select(&COMMAND_STRETCHES[..]).prop_map(<[Act]>::to_vec),
            2 => prop::sample::select(&COMMANDS[..]).prop_map(|act| vec![act]),
            1 => prop::sample::select(&ACTS[..]).prop_map(|act| vec![act]),
        ],
        0..40,
    );
    acts.prop_map(|acts| acts.concat())
}

proptest! {
    #![proptest_config(cases(6_000))]

    #[test]
    fn every_rule_holds_after_every_input_of_a_random_sequence_of_commands(
        policy in policies(),
        commands in Commands::any(),
        acts in sequences(),
    ) {
        let mut watched = Watched::start(commands.of(setup(policy)));
        for act in acts {
            watched.act(act);
        }
        watched.act(Act::Stop);
        prop_assert!(watched.turn.is_over());
        prop_assert_eq!(watched.terminals, 1);
    }
}

proptest! {
    #![proptest_config(cases(600))]

    /// T5, A5: the recorded inputs, read back from their JSON, lead to the same effects, and so they do wherever another process goes on.
    #[test]
    fn a_turn_with_commands_replays_the_same_and_goes_on_the_same_from_every_place(
        policy in policies(),
        commands in Commands::any(),
        acts in sequences(),
    ) {
        let setup = commands.of(setup(policy));
        let mut watched = Watched::recording(setup.clone());
        let mut resumed = Vec::new();
        for act in acts {
            watched.act(act);
            let mut next = watched.clone();
            let (inputs, effects) = watched.clone().recorded();
            next.act(Act::Resumed);
            let (with_it, all) = next.recorded();
            let (at_ms, resumes) = with_it[inputs.len()].clone();
            resumed.push((inputs.len(), at_ms, resumes, all[effects.len()..].to_vec()));
        }
        let (inputs, effects) = watched.recorded();
        let (mut turn, mut replayed): (Turn, Vec<Effect>) = Turn::start(setup);
        let mut places = resumed.into_iter().peekable();
        for at in 0..=inputs.len() {
            while let Some((_, at_ms, resumes, expected)) = places.next_if(|(place, ..)| *place == at) {
                prop_assert_eq!(turn.clone().step(at_ms, resumes), expected);
            }
            if let Some((at_ms, input)) = inputs.get(at) {
                let row = serde_json::to_string(input).unwrap();
                replayed.extend(turn.step(*at_ms, serde_json::from_str(&row).unwrap()));
            }
        }
        prop_assert_eq!(replayed, effects);
    }
}

#[test]
fn every_rule_holds_after_every_input_of_every_sequence_of_commands() {
    fn explore(from: &Watched, left: u32, seen: &mut u64) {
        for &act in &COMMANDING {
            let mut next = from.clone();
            next.act(act);
            *seen += 1;
            if left > 1 && !next.turn.is_over() {
                explore(&next, left - 1, seen);
            }
        }
    }
    let limits = TurnLimits {
        max_cycles: Some(3),
        max_tools: Some(2),
        max_duplicates: Some(2),
        ..TurnLimits::default()
    };
    let ask = Commands::default();
    let (unasked, kept) = (Commands { unasked: true, ..ask }, Commands { kept: true, ..ask });
    let of_words = Commands { kept_words: true, ..ask };
    let (make, leak) = (Act::Command(OfCommand::Make), Act::Command(OfCommand::Leak));
    let (full, three) = (Act::Command(OfCommand::Full), Act::Command(OfCommand::Three));
    let (outside, ran) = (Act::Command(OfCommand::AllowOutside), Act::Command(OfCommand::RanAndChanged));
    for (route, commands, begun) in [
        (Route::TwoStage, ask, &[make, Act::Ended][..]),
        (Route::TwoStage, unasked, &[make, Act::Ended]),
        (Route::TwoStage, unasked, &[leak, Act::Ended]),
        (Route::TwoStage, unasked, &[make, Act::Ended, full]),
        (Route::TwoStage, ask, &[make, Act::Ended, full, outside]),
        (Route::TwoStage, ask, &[make, Act::Ended, full, Act::Edit]),
        (Route::TwoStage, unasked, &[Act::CallA, Act::Ended, Act::ToolRead, make, Act::Ended, full, ran]),
        (Route::Unified, kept, &[three, Act::Ended]),
        (Route::Unified, of_words, &[three, Act::Ended]),
    ] {
        let mut watched = Watched::start(commands.of(setup(Policy::of(route, limits))));
        begun.iter().for_each(|&act| watched.act(act));
        let mut sequences = 0;
        explore(&watched, length(4), &mut sequences);
        assert!(length(4) < 4 || sequences > 20_000, "{sequences} sequences");
    }
}

// A5
#[test]
fn a_process_that_dies_at_any_place_changes_nothing_but_what_a_person_is_asked() {
    let (make, leak) = (Act::Command(OfCommand::Make), Act::Command(OfCommand::Leak));
    let (full, none) = (Act::Command(OfCommand::Full), Act::Command(OfCommand::NoSandbox));
    let outside = Act::Command(OfCommand::AllowOutside);
    let unasked = Commands { unasked: true, ..Commands::default() };
    for (commands, begins, again) in [
        (Commands::default(), &[make, Act::Ended, full, Act::Allow][..], &[Act::Allow][..]),
        (Commands::default(), &[make, Act::Ended, none, Act::Allow], &[Act::Allow]),
        (Commands::default(), &[make, Act::Ended, full, outside], &[outside]),
        // What a person put in its place is looked at first.
        (Commands::default(), &[make, Act::Ended, full, Act::Edit], &[full, Act::Allow]),
        (unasked, &[make, Act::Ended, full], &[Act::Allow]),
        (unasked, &[leak, Act::Ended, full, Act::Allow], &[Act::Allow]),
    ] {
        let play = |dies_after: Option<usize>, times: usize| {
            let mut watched = Watched::start(commands.of(setup(Policy::two_stage())));
            for (at, act) in begins.iter().enumerate() {
                watched.act(*act);
                if dies_after == Some(at) {
                    (0..times).for_each(|_| watched.act(Act::Resumed));
                }
            }
            assert_eq!(watched.runs(), dies_after != Some(begins.len() - 1), "nothing runs twice by itself");
            if !watched.runs() {
                again.iter().for_each(|act| watched.act(*act));
            }
            let ends = [Act::Command(OfCommand::RanAndChanged), Act::Text, Act::Ended];
            ends.iter().for_each(|act| watched.act(*act));
            assert_eq!(watched.terminals, 1, "{begins:?}");
            (watched.turn.conversation().messages(""), watched.tool_runs)
        };
        let whole = play(None, 0);
        for dies_after in 1..begins.len() {
            for times in [1, 2] {
                assert_eq!(play(Some(dies_after), times), whole, "{begins:?} {dies_after} {times}");
            }
        }
    }
}
