//! A summary before a cut (X4): the model writes it in one more call of the turn, and what comes to nothing is cut as without it.

use orion_core::context::Item;
use orion_core::model::{Message, ModelDelta, ModelNumbers};
use orion_core::prompt;
use orion_core::turn::{Done, Input, JobId, ModelInput, Turn, TurnSetup};
use orion_protocol::{
    Bounds, Code, ErrorInfo, Fact, NoticeCode, PauseRequest, Policy, Reply, RequestId, Route, Sha256,
    StopReason, ToolStatus, TurnEvent,
};
use proptest::prelude::*;

use crate::acts::{ACTS, Act};
use crate::common::{Played, call, finish, found, ids, limited, replied, setup, text};
use crate::reuse::box_of;
use crate::thorough::cases;
use crate::watched::Watched;

fn summing(policy: Policy) -> Policy {
    Policy { compacts_at_cuts: true, ..policy }
}

/// A session of so many long turns.
fn history(turns: usize) -> Vec<Item> {
    let of_turn = |number: usize| {
        let turn = format!("01900000-0000-7000-8000-0000000000{:02x}", 0xa0 + number);
        let turn = Some(turn.parse::<RequestId>().unwrap());
        let said = [
            Message::user(format!("Question {number}. ") + &"Why? ".repeat(60)),
            Message::Assistant { text: "So. ".repeat(150), reasoning: None, tool_calls: Vec::new() },
        ];
        said.into_iter().map(move |message| Item { turn, ..Item::from(message) })
    };
    (0..turns).flat_map(of_turn).collect()
}

/// A turn whose first request fills more than 80 % of its room.
fn full(policy: Policy) -> TurnSetup {
    let numbers = ModelNumbers { window: Some(2_400), ..ModelNumbers::default() };
    TurnSetup { numbers, history: history(6), text: "And now?".to_owned(), ..setup(policy) }
}

fn read_a() -> Fact {
    let (name, arguments) = ("read".to_owned(), "{\"path\":\"a\"}".to_owned());
    Fact::Call { name, arguments, status: Some(ToolStatus::Ok), sha256: Some(Sha256::from([1; 32])) }
}

fn facts(played: &mut Played) -> &mut Played {
    let call = played.gathering.take().expect("facts are read");
    played.input(Input::Done { job: call, done: Done::Facts { facts: Some(vec![read_a()]) } })
}

fn told(played: &Played) -> Vec<NoticeCode> {
    let told = played.events().filter_map(|event| match event {
        TurnEvent::Notice { code, .. } => Some(*code),
        _ => None,
    });
    told.collect()
}

fn kinds(played: &Played) -> (usize, usize) {
    let count = |is: fn(&TurnEvent) -> bool| played.events().filter(|event| is(event)).count();
    (
        count(|event| matches!(event, TurnEvent::Compacted { .. })),
        count(|event| matches!(event, TurnEvent::ContextCut { .. })),
    )
}

fn sent(played: &Played) -> Vec<String> {
    let texts = played.messages().iter().map(|message| match message {
        Message::System { text }
        | Message::User { text, .. }
        | Message::Assistant { text, .. }
        | Message::Tool { text, .. } => text.clone(),
    });
    texts.collect()
}

#[test]
fn without_the_setting_the_conversation_is_cut_as_ever() {
    assert!(!Policy::two_stage().compacts_at_cuts && !Policy::unified().compacts_at_cuts);
    let played = Played::start(full(Policy::two_stage()));
    assert_eq!((kinds(&played), played.gathering), ((0, 1), None));
}

#[test]
fn a_full_conversation_is_summed_up_and_the_message_is_answered_with_the_entry() {
    let mut played = Played::start(full(summing(Policy::two_stage())));
    // The summary is of what the session gave, without the message, which stays as it is.
    let asked = sent(&played);
    assert_eq!((asked.len(), asked.last().map(String::as_str)), (14, Some(prompt::SUMMARISE)));
    assert!(played.requests[0].tools.is_empty() && !asked.contains(&"And now?".to_owned()));
    assert_eq!((kinds(&played), told(&played)), ((0, 0), vec![NoticeCode::SummingUp]));
    facts(&mut played);
    played.says([text(" It was about "), text("why.\n")]).ends();
    assert_eq!((kinds(&played), told(&played)), ((1, 0), vec![NoticeCode::SummingUp]));
    let next = sent(&played);
    assert_eq!((next.len(), next[2].as_str()), (3, "And now?"));
    assert!(next[1].contains("\nIt was about why.\n") && next[1].contains("called \"read\""), "{}", next[1]);
    played.says([text("Because.")]).ends();
    let report = played.envelopes.last().unwrap().event.terminal().unwrap();
    assert_eq!(
        (report.stop_reason, report.answer.as_str(), report.model_calls),
        (StopReason::Answered, "Because.", 2)
    );
    assert!(
        !played.events().any(|event| event.chunk().is_some_and(|chunk| chunk.contains("about"))),
        "it is no answer"
    );
    // Later turns are given the entry, and this turn whole.
    let conversation = played.turn.conversation();
    let kept = conversation.kept().unwrap();
    assert_eq!((kept.len(), kept[0].turn), (1, Some(ids().request_id)));
    assert!(kept[0].entry.is_some());
    assert_eq!((conversation.begins(false).count(), conversation.left(false).len()), (1, 1));
}

#[test]
fn whichever_comes_first_the_summary_or_the_facts() {
    let with = |first: bool| {
        let mut played = Played::start(full(summing(Policy::two_stage())));
        if first {
            facts(&mut played);
        }
        played.says([text("About why.")]).ends();
        if !first {
            assert_eq!((kinds(&played), played.requests.len()), ((0, 0), 1), "it waits for the facts");
            // What the connection still says is nothing.
            played.input(Input::Model { call: 1, event: ModelInput::Ended });
            facts(&mut played);
        }
        sent(&played)
    };
    assert_eq!(with(true), with(false));
}

/// The request with which a turn goes on that is cut instead, and the same turn without the setting.
fn cut_like_without(mut played: Played) -> Played {
    let without = Played::start(full(Policy::two_stage()));
    assert_eq!(kinds(&played), (0, 1), "{}", played.lines);
    assert_eq!(told(&played), [NoticeCode::SummingUp, NoticeCode::NotCompacted]);
    assert_eq!(played.requests.last(), without.requests.last());
    // Once in a turn.
    played.says([text("Because.")]).ends();
    assert_eq!(played.turn.report().model_calls, 2);
    played
}

// A2
#[test]
fn a_pause_that_was_asked_for_meanwhile_holds_before_the_message_is_answered() {
    let final_at_once = Policy { max_cycles: 0, ..Policy::two_stage() };
    for (policy, ends) in [
        (Policy::two_stage(), StopReason::Answered),
        (Policy::unified(), StopReason::Answered),
        (final_at_once, StopReason::BudgetExhausted),
    ] {
        let mut played = Played::start(TurnSetup { history: history(7), ..full(summing(policy)) });
        facts(&mut played).input(Input::Pause { pause: PauseRequest::Next });
        played.says([text("It was about why.")]).ends();
        assert_eq!((kinds(&played), played.requests.len()), ((1, 0), 1));
        let Some(TurnEvent::Asked { digest, .. }) = played.events().last() else { panic!("not paused") };
        let resumed = replied(*digest, Reply::Resume { edits: Vec::new() });
        played.input(resumed);
        assert_eq!(played.requests.len(), 2);
        let orders = sent(&played).iter().filter(|text| *text == prompt::BUDGET_SPENT).count();
        assert_eq!(orders, usize::from(ends == StopReason::BudgetExhausted), "said once");
        played.says([text("Because.")]).ends();
        let report = played.envelopes.last().unwrap().event.terminal().unwrap();
        assert_eq!((report.stop_reason, report.model_calls), (ends, 2));
    }
}

#[test]
fn whatever_else_becomes_of_the_call_the_conversation_is_cut_as_without_it_and_that_is_told() {
    let failed = ModelInput::Failed { error: ErrorInfo::new(Code::Overloaded, "Busy.", "") };
    let too_long = ModelInput::Failed { error: ErrorInfo::new(Code::ContextTooLong, "Too long.", "") };
    let deltas = |deltas: Vec<ModelDelta>| ModelInput::Deltas { deltas };
    let whole: String = (0..4_000).map(|number| format!("{number} ")).collect();
    for inputs in [
        vec![failed],
        vec![too_long],
        vec![ModelInput::Ended],
        vec![deltas(vec![text("It was"), finish("length")]), ModelInput::Ended],
        vec![deltas(vec![text("It was"), finish("content_filter")]), ModelInput::Ended],
        vec![deltas(vec![text("It was"), finish("whatever")]), ModelInput::Ended],
        vec![deltas(vec![text("It was"), finish("error")]), ModelInput::Ended],
        vec![deltas(vec![text("It was"), call(0, "c", "read", "{\"path\":\"a\"}")]), ModelInput::Ended],
        // P11
        vec![deltas(vec![text(&"the same line\n".repeat(500))])],
        vec![deltas(vec![ModelDelta::Reasoning { text: "hm ".repeat(9_000) }])],
        // No shorter than the conversation.
        vec![deltas(vec![text(&whole[..9_000])]), ModelInput::Ended],
    ] {
        let mut played = Played::start(full(summing(Policy::two_stage())));
        facts(&mut played);
        inputs.iter().for_each(|event| {
            let event = event.clone();
            played.input(Input::Model { call: 1, event });
        });
        let played = cut_like_without(played);
        assert_eq!(
            played.turn.conversation().kept().map(|kept| kept.iter().any(|item| item.entry.is_some())),
            Some(false)
        );
    }
    // T7: one that is longer than its limit is dropped there.
    let policy = Policy { max_output_tokens: Some(256), ..summing(Policy::two_stage()) };
    let numbers = ModelNumbers { window: Some(2_000), ..ModelNumbers::default() };
    let mut played = Played::start(TurnSetup { numbers, ..full(policy) });
    facts(&mut played);
    played.says([text(&whole)]);
    assert_eq!(
        (kinds(&played), told(&played)),
        ((0, 1), vec![NoticeCode::SummingUp, NoticeCode::NotCompacted])
    );
    assert!(played.lines.contains("> drop model 1"));
}

#[test]
fn facts_that_cannot_be_read_make_no_entry() {
    for said in [false, true] {
        let mut played = Played::start(full(summing(Policy::two_stage())));
        if said {
            played.says([text("About why.")]).ends();
        }
        let call = played.gathering.take().unwrap();
        played.input(Input::Done { job: call, done: Done::Facts { facts: None } });
        assert_eq!(played.lines.contains("> drop model 1"), !said);
        cut_like_without(played);
    }
}

#[test]
fn a_summary_is_one_of_the_calls_that_the_turn_is_bounded_to() {
    // T4
    for route in [Route::TwoStage, Route::Unified] {
        let policy = limited(route, 3, 1, 3);
        let numbers = ModelNumbers::default();
        let [without, with] =
            [policy, summing(policy)].map(|policy| Bounds::of(&policy, &numbers).model_calls);
        // P2: in the unified route it is one of the calls that cycles have.
        assert_eq!(with, without + u32::from(route == Route::TwoStage));
    }
    let mut played = Played::start(full(summing(limited(Route::Unified, 1, 1, 3))));
    facts(&mut played);
    played.says([text("About why.")]).ends();
    assert_eq!((kinds(&played).0, played.turn.report().cycles), (1, 1));
    assert!(played.requests[1].forbids_tools, "it was the last cycle");
    // Nothing is left to sum up with.
    let played = Played::start(full(summing(limited(Route::Unified, 0, 1, 3))));
    assert_eq!((kinds(&played).0, played.gathering), (0, None));
}

#[test]
fn in_the_middle_of_a_turn_its_steps_stay_and_a_box_that_left_may_be_read_again() {
    // D3, X6
    let mut history = history(3);
    history.push(box_of("a", "x"));
    let setup = TurnSetup { history, ..full(summing(Policy::two_stage())) };
    let mut played = Played::start(setup);
    assert_eq!(played.gathering, None, "the first request fits");
    played.says([call(0, "c", "read", "{\"path\":\"a\"}")]).compared(true);
    played.says([call(0, "d", "read", "{\"path\":\"b\"}")]).tool(found(&"beta ".repeat(500)));
    assert!(played.gathering.is_some(), "{}", played.lines);
    facts(&mut played);
    played.says([text("About why.")]).ends();
    let next = sent(&played);
    assert!(next.iter().any(|text| text.contains("beta beta")) && next.contains(&"And now?".to_owned()));
    assert!(!next.iter().any(|text| text.contains("Question 1")));
    played.says([call(0, "e", "read", "{\"path\":\"a\"}")]);
    assert!(played.running.is_some(), "it is no duplicate of a box that is gone");
}

#[test]
fn a_turn_is_stopped_and_ends_at_its_deadline_while_a_summary_comes() {
    // A4, T7
    let start = || Played::start(full(summing(Policy::two_stage())));
    let mut stopped = start();
    stopped.says([text("About")]).input(Input::Stop);
    assert!(stopped.turn.is_over() && stopped.lines.contains("> drop model 1"));
    let late = stopped.lines.clone();
    stopped.input(Input::Done { job: JobId(1), done: Done::Facts { facts: Some(Vec::new()) } });
    assert_eq!(stopped.lines, late);
    let mut expired = start();
    let deadline = expired.turn.deadline().unwrap();
    let effects = expired.turn.step(deadline, Input::Expired);
    assert!(expired.turn.is_over() && !effects.is_empty());
    let mut interrupted = start();
    interrupted.input(Input::Interrupted).input(Input::Stop);
    assert!(interrupted.turn.is_over());
    // Facts of another job are none.
    let mut other = start();
    other.input(Input::Done { job: JobId(7), done: Done::Facts { facts: None } });
    assert_eq!(kinds(&other), (0, 0));
}

#[test]
fn what_is_pinned_and_an_entry_are_not_summed_up_again() {
    let mut setup = full(summing(Policy::two_stage()));
    setup.history.iter_mut().for_each(|item| item.pinned = true);
    assert_eq!(Played::start(setup).gathering, None);
    let mut setup = full(summing(Policy::two_stage()));
    setup.history[0].pinned = true;
    let mut played = Played::start(setup);
    facts(&mut played);
    played.says([text("About why.")]).ends();
    assert!(sent(&played)[2].starts_with("Question 0."));
}

fn replayed(setup: TurnSetup, inputs: &[Input]) -> String {
    let (mut turn, mut effects) = Turn::start(setup);
    for input in inputs {
        let input = serde_json::from_str(&serde_json::to_string(input).unwrap()).unwrap();
        effects.extend(turn.step(9_000, input));
    }
    format!("{effects:?}")
}

#[test]
fn such_a_turn_replays_the_same() {
    // T5
    let deltas =
        |text_: &str| Input::Model { call: 1, event: ModelInput::Deltas { deltas: vec![text(text_)] } };
    let facts = Input::Done { job: JobId(1), done: Done::Facts { facts: Some(vec![read_a()]) } };
    let ended = Input::Model { call: 1, event: ModelInput::Ended };
    let pieces = [deltas("About "), facts.clone(), deltas("why."), ended.clone()];
    let joined = [facts, deltas("About why."), ended];
    let start = || full(summing(Policy::two_stage()));
    assert_eq!(replayed(start(), &pieces), replayed(start(), &pieces));
    assert_eq!(replayed(start(), &pieces), replayed(start(), &joined));
}

#[test]
fn a_summary_declares_tools_by_the_calls_that_it_is_sent() {
    // P12: the turn's own calls are not among them.
    let policy = limited(Route::Unified, 2, 2, 2);
    let mut watched = Watched::start(TurnSetup { history: history(3), ..full(summing(policy)) });
    let acts = [
        Act::Flood,
        Act::CallAAgain,
        Act::CallWrite,
        Act::CallB,
        Act::Flood,
        Act::Ended,
        Act::PauseAfterTools,
        Act::Text,
        Act::ToolOk,
        Act::ToolOk,
        Act::DropResults,
    ];
    for act in acts.into_iter().flat_map(|act| [act, Act::Text, Act::Facts]) {
        watched.act(act);
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn every_rule_holds_in_a_turn_that_sums_up(
        two_stage in any::<bool>(),
        cycles in 0..4u32,
        turns in 2..8usize,
        acts in prop::collection::vec(prop::sample::select(&ACTS[..]), 0..40),
    ) {
        let route = if two_stage { Route::TwoStage } else { Route::Unified };
        let setup = TurnSetup { history: history(turns), ..full(summing(limited(route, cycles, 2, 2))) };
        let mut watched = Watched::start(setup);
        // What brings a summary on is not rare.
        for act in acts.into_iter().flat_map(|act| [act, Act::Text, Act::Facts]) {
            watched.act(act);
        }
        watched.act(Act::Stop);
        prop_assert!(watched.turn.is_over());
        prop_assert_eq!(watched.terminals, 1);
    }
}
