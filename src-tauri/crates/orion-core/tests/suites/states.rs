//! The pictures of docs/states.md. Every arrow in them happens, and everything that happens has its arrow.
//!
//! What happens is seen from outside, over the sequences of the property tests: a turn by its events, a write session by the
//! state it says it is in. The random sequences are the same in every run.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use orion_core::turn::{Turn, TurnSetup};
use orion_protocol::{
    CheckStatus, Envelope, Given, PendingOf, Permission, Policy, Route, TurnEvent, TurnLimits,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde::Serialize;

use crate::acts::checks::{CHECKING, OfCheck, check};
use crate::acts::commands::{COMMANDING, Commands, OfCommand};
use crate::acts::{ACTS, ASKING, Act, KINDS, PAUSING, STRETCHES, WRITING};
use crate::checks_props::WRITES;
use crate::common::{setup, writing_is};
use crate::watched::Watched;

/// Where a picture begins and ends, in Mermaid.
const OUTSIDE: &str = "[*]";

/// From one state to another.
type Arrow = (String, String);

/// What one turn shows of its states. Its clones share the arrows that they saw.
#[derive(Clone)]
pub(crate) struct Seen {
    turn: String,
    session: Option<String>,
    arrows: Rc<RefCell<Arrows>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Arrows {
    turn: BTreeSet<Arrow>,
    session: BTreeSet<Arrow>,
}

impl Seen {
    pub(crate) fn nothing() -> Self {
        Self { turn: OUTSIDE.to_owned(), session: None, arrows: Rc::default() }
    }

    pub(crate) fn event(&mut self, envelope: &Envelope) {
        let event = &envelope.event;
        if let TurnEvent::WriteDone { status, .. } = event {
            self.reach(name(status));
            self.session = None;
        }
        let now = match event {
            TurnEvent::Completed { .. } => "completed".to_owned(),
            TurnEvent::Stopped { .. } => "stopped".to_owned(),
            TurnEvent::Failed { .. } => "failed".to_owned(),
            TurnEvent::Interrupted => "interrupted".to_owned(),
            TurnEvent::WriteStarted { .. } => {
                self.session = Some(OUTSIDE.to_owned());
                "write_session".to_owned()
            }
            // An open session asks by itself, and its prompts are phases.
            _ if self.session.is_some() => return,
            TurnEvent::Asked { of, .. } => match of {
                PendingOf::Pause { .. } => "paused".to_owned(),
                PendingOf::Questions { .. } => "waiting_for_answer".to_owned(),
                PendingOf::Call { .. } | PendingOf::Write { .. } | PendingOf::Repeats { .. } => {
                    "waiting_for_approval".to_owned()
                }
            },
            TurnEvent::Answered { given: Given::Resumed { .. }, .. } => return,
            TurnEvent::Answered { .. } | TurnEvent::Withdrawn { .. } | TurnEvent::PhaseStarted { .. } => {
                name(&envelope.phase)
            }
            _ => return,
        };
        if self.turn != now {
            let from = std::mem::replace(&mut self.turn, now.clone());
            self.arrows.borrow_mut().turn.insert((from, now));
        }
    }

    /// An input was taken, and this is where it left the turn.
    pub(crate) fn step(&mut self, turn: &Turn) {
        if let Some(session) = turn.write_session() {
            self.reach(name(&session.state()));
        }
    }

    fn reach(&mut self, now: String) {
        let Some(session) = &mut self.session else { return };
        if *session != now {
            let from = std::mem::replace(session, now.clone());
            self.arrows.borrow_mut().session.insert((from, now));
        }
    }
}

/// A state as the wire names it.
fn name(state: &impl Serialize) -> String {
    serde_json::to_value(state).unwrap().as_str().unwrap().to_owned()
}

/// The arrows of every sequence that is tried.
fn arrows_that_happen() -> Arrows {
    fn explore(from: &Watched, acts: &[Act], left: u32) {
        for &act in acts {
            let mut next = from.clone();
            next.act(act);
            if left > 1 && !next.turn.is_over() {
                explore(&next, acts, left - 1);
            }
        }
    }
    let seen = Seen::nothing();
    let watch = |setup: TurnSetup| {
        Watched::seen_by(setup, Seen { arrows: Rc::clone(&seen.arrows), ..Seen::nothing() })
    };
    let open = [Act::CallWrite, Act::Ended, Act::Opened];
    let mut runner = fixed();
    let sequences = prop::collection::vec(prop::sample::select(&ACTS[..]), 0..60);
    let writes = prop::collection::vec(
        prop_oneof![
            3 => prop::sample::select(&STRETCHES[..]).prop_map(<[Act]>::to_vec),
            1 => prop::sample::select(&ACTS[..]).prop_map(|act| vec![act]),
        ],
        0..40,
    );
    for route in [Route::TwoStage, Route::Unified] {
        for permission in [Permission::Ask, Permission::Allow] {
            let limits = TurnLimits {
                max_cycles: Some(3),
                max_tools: Some(2),
                max_duplicates: Some(2),
                ..TurnLimits::default()
            };
            let start = || watch(writing_is(permission, setup(Policy::of(route, limits))));
            explore(&start(), &KINDS, 3);
            let mut forked = watch(TurnSetup { begins_paused: true, ..setup(Policy::of(route, limits)) });
            explore(&forked, &PAUSING, 2);
            forked.act(Act::Stop);
            for begun in [&[Act::PauseNext][..], &[Act::PauseNext, Act::CallA, Act::Ended, Act::ToolRead]] {
                let mut paused = start();
                begun.iter().for_each(|&act| paused.act(act));
                explore(&paused, &PAUSING, 3);
            }
            let mut commanding = watch(Commands::default().of(setup(Policy::of(route, limits))));
            [Act::Command(OfCommand::Make), Act::Ended].iter().for_each(|&act| commanding.act(act));
            explore(&commanding, &COMMANDING, 2);
            let mut asking = start();
            [Act::CallA, Act::Ended, Act::ToolAsks].iter().for_each(|&act| asking.act(act));
            explore(&asking, &ASKING, 2);
            for begun in [&[Act::Line][..], &[Act::Line, Act::Done, Act::Ended, Act::Proposed]] {
                let mut session = start();
                open.iter().chain(begun).for_each(|&act| session.act(act));
                explore(&session, &WRITING, 2);
            }
            let checks = ["one", "two"].map(|name| check(name, name, &[], Some(CheckStatus::Passed)));
            let checked = || {
                let setup = setup(Policy::of(route, limits));
                watch(writing_is(
                    Permission::Allow,
                    TurnSetup { checks: checks.clone().into(), repairs: true, ..setup },
                ))
            };
            let failed = [Act::Check(OfCheck::Failed), Act::Check(OfCheck::Passed)];
            for begun in [&[][..], &failed, &[&failed[..], &WRITES[..8]].concat()] {
                let mut checking = checked();
                WRITES.iter().chain(begun).for_each(|&act| checking.act(act));
                explore(&checking, &CHECKING, 3);
            }
            // The time runs out while a tool runs, in a write session, and as one opens: rare among the random ones.
            let late = [Act::TenMinutes; 3];
            play(start(), [Act::CallA, Act::Ended].into_iter().chain(late).chain([Act::Expired]));
            play(start(), open.into_iter().chain(late).chain([Act::Expired]));
            play(start(), [Act::CallWrite, Act::Ended].into_iter().chain(late).chain([Act::Opened]));
            // So is a stop while content is corrected.
            play(start(), open.into_iter().chain([Act::Bad, Act::Done, Act::Ended, Act::Stop]));
            for _ in 0..orion_thorough::cases(USUAL, WHOLE).max(USUAL) {
                let acts = sequences.new_tree(&mut runner).unwrap().current();
                play(start(), acts);
                let acts = writes.new_tree(&mut runner).unwrap().current();
                play(start(), open.into_iter().chain(acts.concat()));
            }
        }
    }
    let arrows = seen.arrows.borrow();
    arrows.clone()
}

/// Random sequences of each kind, route and permission. Every arrow is found by the first few hundred, so fewer are never tried.
const USUAL: usize = 500;
const WHOLE: usize = 2_000;

fn play(mut watched: Watched, acts: impl IntoIterator<Item = Act>) {
    acts.into_iter().for_each(|act| watched.act(act));
}

/// The same random numbers in every run.
fn fixed() -> TestRunner {
    TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// The arrows of the picture below `heading`. Those out of a picture say only that nothing follows.
fn drawn(page: &str, heading: &str) -> BTreeSet<Arrow> {
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let (_, picture) = section.split_once("```mermaid\nstateDiagram-v2\n").unwrap();
    let (picture, _) = picture.split_once("```").unwrap();
    let arrows = picture.lines().filter_map(|line| {
        let (from, to) = line.split(" : ").next()?.split_once(" --> ")?;
        Some((from.trim().to_owned(), to.trim().to_owned()))
    });
    arrows.filter(|(_, to)| to != OUTSIDE).collect()
}

/// How the picture below `heading` differs from what happens.
fn differences(page: &str, heading: &str, happen: &BTreeSet<Arrow>) -> Vec<String> {
    let drawn = drawn(page, heading);
    let say = |what: &str, (from, to): &Arrow| format!("{heading}: {from} --> {to} {what}");
    let missing = happen.difference(&drawn).map(|arrow| say("happens and is not drawn", arrow));
    let never = drawn.difference(happen).map(|arrow| say("is drawn and never happens", arrow));
    missing.chain(never).collect()
}

#[test]
fn the_pictures_have_every_transition_that_happens_and_no_other() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/states.md");
    let page = std::fs::read_to_string(page).unwrap();
    let happen = arrows_that_happen();
    let turn = differences(&page, "A turn", &happen.turn);
    let session = differences(&page, "A write session", &happen.session);
    let wrong = [turn, session].concat();
    assert!(wrong.is_empty(), "docs/states.md\n{}", wrong.join("\n"));
}
