//! The rules that hold for every turn with checks, whatever the model, the checks and the person do: V1–V3, T3, T4, T5, A4, A5, after every input.

use orion_core::turn::{Effect, Turn};
use orion_protocol::{CheckStatus, Permission, Policy, Route, TurnLimits};
use proptest::prelude::*;

use crate::acts::checks::{CHECK_STRETCHES, CHECKING, CHECKS, Checks, OfCheck, check};
use crate::acts::commands::{COMMANDS, Commands};
use crate::acts::{ACTS, Act};
use crate::common::{setup, writing_is};
use crate::thorough::{cases, length};
use crate::turn_props::{policies, priced};
use crate::watched::Watched;
use orion_core::turn::TurnSetup;

/// The inputs that write a file, up to the answer after it.
pub(crate) const WRITES: [Act; 10] = [
    Act::CallWrite,
    Act::Ended,
    Act::Opened,
    Act::Line,
    Act::Done,
    Act::Ended,
    Act::Proposed,
    Act::Wrote,
    Act::Text,
    Act::Ended,
];

fn sequences() -> impl Strategy<Value = Vec<Act>> {
    let acts = prop::collection::vec(
        prop_oneof![
            10 => prop::sample::select(&CHECK_STRETCHES[..]).prop_map(<[Act]>::to_vec),
            2 => prop::sample::select(&CHECKS[..]).prop_map(|act| vec![act]),
            1 => prop::sample::select(&ACTS[..]).prop_map(|act| vec![act]),
            1 => prop::sample::select(&COMMANDS[..]).prop_map(|act| vec![act]),
        ],
        0..40,
    );
    acts.prop_map(|acts| acts.concat())
}

proptest! {
    #![proptest_config(cases(6_000))]

    #[test]
    fn every_rule_holds_after_every_input_of_a_random_sequence_of_checks(
        policy in policies(),
        commands in Commands::any(),
        checks in Checks::any(),
        writes in prop::bool::weighted(0.7),
        has_prices in prop::bool::weighted(0.2),
        acts in sequences(),
    ) {
        let setup = writing_is(Permission::Allow, checks.of(commands.of(setup(policy))));
        let setup = if has_prices { priced(setup) } else { setup };
        let mut watched = Watched::start(setup);
        if writes {
            WRITES.iter().for_each(|&act| watched.act(act));
        }
        for act in acts {
            watched.act(act);
        }
        watched.act(Act::Stop);
        prop_assert!(watched.turn.is_over());
        prop_assert_eq!(watched.terminals, 1);
    }
}

proptest! {
    #![proptest_config(cases(400))]

    /// T5, A5: the recorded inputs, read back from their JSON, lead to the same effects, and so they do wherever another process goes on.
    #[test]
    fn a_turn_with_checks_replays_the_same_and_goes_on_the_same_from_every_place(
        policy in policies(),
        checks in Checks::any(),
        acts in sequences(),
    ) {
        let setup = writing_is(Permission::Allow, checks.of(setup(policy)));
        let setup: TurnSetup = serde_json::from_str(&serde_json::to_string(&setup).unwrap()).unwrap();
        let mut watched = Watched::recording(setup.clone());
        WRITES.iter().chain(&acts).for_each(|&act| watched.act(act));
        let (inputs, effects) = watched.recorded();
        let (mut turn, mut replayed): (Turn, Vec<Effect>) = Turn::start(setup);
        for (at_ms, input) in inputs {
            let row = serde_json::to_string(&input).unwrap();
            replayed.extend(turn.step(at_ms, serde_json::from_str(&row).unwrap()));
        }
        prop_assert_eq!(replayed, effects);
    }
}

#[test]
fn every_rule_holds_after_every_input_of_every_sequence_of_checks() {
    fn explore(from: &Watched, left: u32, seen: &mut u64) {
        for &act in &CHECKING {
            let mut next = from.clone();
            next.act(act);
            *seen += 1;
            if left > 1 && !next.turn.is_over() {
                explore(&next, left - 1, seen);
            }
        }
    }
    let limits = TurnLimits { max_cycles: Some(3), max_seconds: Some(600), ..TurnLimits::default() };
    let repair = [&[Act::Check(OfCheck::Failed), Act::Check(OfCheck::Passed)][..], &WRITES[..8]].concat();
    for route in [Route::TwoStage, Route::Unified] {
        for begun in [&[][..], &repair] {
            let checks = ["one", "two"].map(|name| check(name, name, &[], Some(CheckStatus::Passed)));
            let setup =
                TurnSetup { checks: checks.into(), repairs: true, ..setup(Policy::of(route, limits)) };
            let mut watched = Watched::start(writing_is(Permission::Allow, setup));
            WRITES.iter().chain(begun).for_each(|&act| watched.act(act));
            let mut sequences = 0;
            explore(&watched, length(4), &mut sequences);
            assert!(length(4) < 4 || sequences > 500, "{sequences} sequences");
        }
    }
}
