//! A turn is bounded in tokens, seconds and money (T7), whatever its model does.

use orion_core::model::{ModelDelta, ModelNumbers, Prices};
use orion_core::turn::{Input, TurnSetup};
use orion_protocol::{
    Bounds, Exhausted, NoticeCode, PhaseCause, Policy, StopReason, TurnEvent, TurnReport, TurnStatus, Usage,
    Usd, WriteStatus,
};
use proptest::prelude::*;

use crate::acts::ready;
use crate::common::{Played, call, finish, found, piece, setup, text, usage};
use crate::thorough::cases;
use crate::turn_writes::opened;

/// 100 tokens: an answer is cut off at 600 bytes.
fn short() -> Policy {
    Policy { max_output_tokens: Some(100), ..Policy::two_stage() }
}

fn seconds(seconds: u32) -> Policy {
    Policy { max_seconds: Some(seconds), ..Policy::two_stage() }
}

/// Text that does not repeat itself.
fn endless() -> String {
    (0..100_000).map(|number| format!("{number} ")).collect()
}

fn reasoning(text: &str) -> ModelDelta {
    ModelDelta::Reasoning { text: text.to_owned() }
}

fn report(played: &Played) -> &TurnReport {
    played.events().find_map(TurnEvent::terminal).expect("the turn has ended")
}

/// How the turn ended: its reason, the limit that it reached, the cause of its last phase.
fn end(played: &Played) -> (StopReason, Option<Exhausted>, PhaseCause) {
    let cause = played.events().filter_map(|event| match event {
        TurnEvent::PhaseEnded { cause, .. } => Some(*cause),
        _ => None,
    });
    let report = report(played);
    assert_eq!((report.status, &report.error), (TurnStatus::Completed, &None));
    (report.stop_reason, report.exhausted, cause.last().expect("a phase has ended"))
}

fn told(played: &Played, wanted: NoticeCode) -> Vec<&str> {
    let notices = played.events().filter_map(|event| match event {
        TurnEvent::Notice { code, message } if *code == wanted => Some(message.as_str()),
        _ => None,
    });
    notices.collect()
}

/// The clock goes on by so many seconds before the next input.
fn wait(played: &mut Played, seconds: i64) {
    played.now_ms += seconds * 1_000;
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn an_endless_answer_is_cut_off_at_the_same_byte_whatever_its_chunks(
        sizes in prop::collection::vec(1..500usize, 40),
        strange in "[aä€🦀]{0,700}",
    ) {
        let all = strange + &endless();
        let mut played = Played::start(setup(short()));
        let mut rest = all.as_str();
        for size in sizes {
            let (now, later) = rest.split_at(rest.ceil_char_boundary(size));
            played.says([text(now)]);
            rest = later;
        }
        played.says([text(rest)]);
        let kept = &all[..all.floor_char_boundary(600)];
        prop_assert_eq!(&report(&played).answer, kept);
        prop_assert_eq!(end(&played), (StopReason::Length, Some(Exhausted::Tokens), PhaseCause::Length));
    }
}

#[test]
fn an_answer_that_reaches_its_limit_is_whole_if_its_provider_ends_it_there() {
    let mut played = Played::start(setup(short()));
    played.answers([text(&endless()[..600]), finish("stop")]);
    assert_eq!(end(&played), (StopReason::Answered, None, PhaseCause::Answered));
    let mut played = Played::start(setup(short()));
    played.answers([text(&endless()[..601]), finish("stop")]);
    assert_eq!(end(&played), (StopReason::Length, Some(Exhausted::Tokens), PhaseCause::Length));
    assert_eq!(
        told(&played, NoticeCode::CutByLength),
        ["The answer was cut off: it was longer than 100 tokens."]
    );
    let last: Vec<&str> = played.lines.lines().rev().take(4).collect();
    assert!(last[3].starts_with("> drop model 1"), "dropped before the end is told: {last:?}");
}

#[test]
fn reasoning_and_arguments_count_like_the_answer() {
    // Its reasoning may have all of it.
    let thinks = Policy { max_thinking_tokens: Some(200), ..short() };
    let mut played = Played::start(setup(thinks));
    played.says([reasoning(&endless()[..390]), text("Here "), text(&endless())]);
    assert_eq!(report(&played).answer, format!("Here {}", &endless()[..205]));
    // P6: arguments that never end are a malformed call. It costs a cycle, and three of them the budget.
    let mut played = Played::start(setup(short()));
    for _ in 0..3 {
        played.says([
            piece(Some(0), Some("c"), Some("read"), Some("{\"path\":\"")),
            piece(Some(0), None, None, Some(&endless())),
        ]);
    }
    played.answers([text("That did not work.")]);
    assert_eq!(end(&played), (StopReason::BudgetExhausted, Some(Exhausted::Cycles), PhaseCause::Answered));
    assert_eq!((report(&played).cycles, report(&played).tool_runs), (3, 0));
}

#[test]
fn a_provider_that_ends_the_answer_by_length_reached_the_same_limit() {
    let mut played = Played::start(setup(short()));
    played.answers([text("Half an ans"), finish("length")]);
    assert_eq!(end(&played), (StopReason::Length, Some(Exhausted::Tokens), PhaseCause::Length));
}

#[test]
fn a_file_may_be_longer_than_an_answer_and_no_longer_than_its_own_limit() {
    let policy = Policy { max_file_bytes: Some(2_000), ..short() };
    let mut played = opened(policy);
    played.says([text(&endless()[..1_999])]);
    assert_eq!(told(&played, NoticeCode::CutByLength), [""; 0]);
    played.says([text(&endless())]);
    assert_eq!(told(&played, NoticeCode::CutByLength), ["The content of a is longer than 2000 bytes."]);
    // What came is shown to the person, marked as unfinished.
    let offer = played.offer.as_ref().expect("it is proposed");
    assert_eq!((offer.content.len(), offer.faults.count()), (2_000, 1));
}

#[test]
fn endless_reasoning_in_a_write_session_is_cut_off_until_the_prompts_are_used() {
    let mut played = opened(Policy { max_file_bytes: Some(2_000), ..short() });
    let mut prompts = 0;
    while report_of(&played).is_none() && prompts < 100 {
        prompts += 1;
        played.says([reasoning(&endless())]);
        if played.turn.write_session().is_none() {
            break;
        }
    }
    // Nothing came twice in a row, so the model is asked no further.
    assert_eq!(prompts, 2);
    let shown: usize = played
        .events()
        .filter_map(|event| match event {
            TurnEvent::ReasoningChunk { text, .. } => Some(text.len()),
            _ => None,
        })
        .sum();
    assert_eq!(shown, 2 * 600);
}

fn report_of(played: &Played) -> Option<&TurnReport> {
    played.events().find_map(TurnEvent::terminal)
}

#[test]
fn a_slow_answer_ends_at_the_deadline_and_is_kept() {
    let mut played = Played::start(setup(seconds(10)));
    assert_eq!(played.turn.deadline(), Some(11_000));
    played.says([text("Slow")]);
    wait(&mut played, 9);
    // The alarm of another clock comes too early.
    played.input(Input::Expired);
    assert!(report_of(&played).is_none());
    wait(&mut played, 1);
    played.input(Input::Expired);
    assert_eq!(
        end(&played),
        (StopReason::BudgetExhausted, Some(Exhausted::Seconds), PhaseCause::LimitReached)
    );
    assert_eq!(report(&played).answer, "Slow");
    assert_eq!(told(&played, NoticeCode::SecondsUsed), ["The time of this turn is used up: 10 seconds."]);
    assert_eq!(played.turn.deadline(), None);
    assert!(played.turn.conversation().left(false).len() == 1, "the next turn is given what was said");
}

#[test]
fn a_tool_is_cancelled_at_the_deadline_and_none_begins_after_it() {
    let mut played = Played::start(setup(seconds(10)));
    played.says([call(0, "c", "read", "{\"path\":\"a\"}")]);
    wait(&mut played, 10);
    played.input(Input::Expired);
    assert_eq!(
        end(&played),
        (StopReason::BudgetExhausted, Some(Exhausted::Seconds), PhaseCause::LimitReached)
    );
    assert!(played.lines.contains("> cancel c"));
    // The call comes after the deadline, before the alarm.
    let mut played = Played::start(setup(seconds(10)));
    wait(&mut played, 10);
    played.says([call(0, "c", "read", "{\"path\":\"a\"}")]);
    assert_eq!(
        end(&played),
        (StopReason::BudgetExhausted, Some(Exhausted::Seconds), PhaseCause::LimitReached)
    );
    assert_eq!(report(&played).tool_runs, 0);
    // So does the result of a tool: no model call follows it.
    let mut played = Played::start(setup(seconds(10)));
    played.says([call(0, "c", "read", "{\"path\":\"a\"}")]);
    wait(&mut played, 10);
    played.tool(found("x"));
    assert_eq!(end(&played), (StopReason::BudgetExhausted, Some(Exhausted::Seconds), PhaseCause::ToolsDone));
    assert_eq!(report(&played).model_calls, 1);
}

#[test]
fn waiting_for_a_person_takes_no_time() {
    let mut played = Played::start(setup(seconds(10)));
    played.says([call(0, "c", "ask", "{\"path\":\"a\"}")]);
    assert_eq!(played.turn.deadline(), None);
    wait(&mut played, 100_000);
    played.input(Input::Expired);
    played.allow(true).tool(found("x"));
    assert_eq!(played.turn.deadline(), Some(played.now_ms + 10_000 - 20));
    played.answers([text("Done.")]);
    assert_eq!(report(&played).stop_reason, StopReason::Answered);
}

#[test]
fn a_file_that_is_not_complete_at_the_deadline_is_shown_and_nothing_follows_its_answer() {
    let mut played = opened(seconds(10));
    played.says([text("half\n")]);
    wait(&mut played, 10);
    played.input(Input::Expired);
    let offer = played.offer.as_ref().expect("it is proposed");
    assert_eq!((offer.content.as_str(), offer.faults.count()), ("half\n", 1));
    played.proposed(ready("half\n"));
    // The person takes their time, and says no.
    wait(&mut played, 100_000);
    played.allow(false);
    assert_eq!(
        (report(&played).stop_reason, report(&played).exhausted),
        (StopReason::BudgetExhausted, Some(Exhausted::Seconds))
    );
    assert_eq!(report(&played).writes[0].status, Some(WriteStatus::Rejected));
}

#[test]
fn the_time_in_which_no_process_drives_a_turn_does_not_count() {
    let mut played = opened(seconds(10));
    played.says([text("half\n")]);
    wait(&mut played, 1_000_000);
    let seq = played.envelopes.last().unwrap().seq;
    played.input(Input::Resumed { seq });
    assert!(played.turn.deadline().unwrap() > played.now_ms + 9_000);
    played.answers([text("whole\nDONE\n")]);
    assert!(played.offer.is_some());
}

fn dollars(dollars: f64) -> Usd {
    Usd::new(dollars).unwrap()
}

/// 10 dollars for a million tokens that are sent, 100 for a million that come back.
const PRICES: Prices = Prices {
    prompt: Usd::of_billionths(10_000_000_000),
    completion: Usd::of_billionths(100_000_000_000),
    cached: Some(Usd::of_billionths(1_000_000_000)),
    reasoning: None,
};

fn priced(policy: Policy) -> TurnSetup {
    TurnSetup { numbers: ModelNumbers { prices: Some(PRICES), ..ModelNumbers::default() }, ..setup(policy) }
}

fn costing(most: f64) -> Policy {
    Policy { max_cost_usd: Some(dollars(most)), ..Policy::two_stage() }
}

#[test]
fn a_call_that_could_cost_more_than_is_left_is_not_made() {
    // 256 tokens at 100 dollars a million, and half as much again: 3.84 cents. The request has some tokens too.
    let mut played = Played::start(priced(costing(0.01)));
    assert_eq!(report(&played).exhausted, Some(Exhausted::Cost));
    assert_eq!((report(&played).stop_reason, report(&played).model_calls), (StopReason::BudgetExhausted, 0));
    played.says([text("late")]);
    assert_eq!(report(&played).answer, "");
    // An answer is cut off where it would cost more, and no call follows it.
    let mut played = Played::start(priced(costing(0.1)));
    played.says([text(&endless())]);
    assert_eq!(end(&played), (StopReason::Length, Some(Exhausted::Tokens), PhaseCause::Length));
    let bytes = report(&played).answer.len() as u64;
    assert!((3_500..=4_000).contains(&bytes), "1,000 tokens less the request: {bytes}");
    let mut played = Played::start(priced(costing(0.1)));
    played.says([text(&endless()[..3_000]), call(0, "c", "read", "{\"path\":\"a\"}")]).tool(found("x"));
    assert_eq!(end(&played), (StopReason::BudgetExhausted, Some(Exhausted::Cost), PhaseCause::ToolsDone));
    let told = told(&played, NoticeCode::CostReached);
    assert!(
        told[0].starts_with("The next model call could cost more than is left of $0.10; $0.0"),
        "{told:?}"
    );
}

#[test]
fn what_a_provider_claims_changes_no_bound() {
    for claimed in [0, 1_000_000_000] {
        let mut played = Played::start(priced(costing(0.1)));
        played.says([usage(claimed, claimed), text(&endless())]);
        assert!((3_500..=4_000).contains(&report(&played).answer.len()), "{claimed}");
    }
    // A count of an earlier turn says how full the room is, and not what a call may cost.
    for gauge in [r#"{"tokens":1000,"bytes":16000}"#, r#"{"tokens":5000,"bytes":1000}"#] {
        let ends = |most| {
            let gauge = serde_json::from_str(gauge).unwrap();
            let text = "word ".repeat(20_000);
            Played::start(TurnSetup { gauge, text, ..priced(costing(most)) }).turn.is_over()
        };
        assert_eq!([0.2, 0.4].map(ends), [true, false], "25,000 tokens at 10 dollars a million: {gauge}");
    }
}

#[test]
fn the_cost_is_the_providers_count_at_its_prices_and_unknown_without_them() {
    let counted = Usage {
        prompt_tokens: Some(1_000_000),
        completion_tokens: Some(10_000),
        reasoning_tokens: Some(4_000),
        cached_tokens: Some(900_000),
        estimated: false,
    };
    let answer = [ModelDelta::Usage { usage: counted }, text("Yes.")];
    let mut played = Played::start(priced(Policy::two_stage()));
    played.answers(answer.clone());
    // 0.1 million at 10, 0.9 million at 1, 10,000 at 100 a million.
    assert_eq!(report(&played).cost_usd, Some(dollars(1.0 + 0.9 + 1.0)));
    let mut played = Played::start(setup(Policy::two_stage()));
    played.answers(answer);
    assert_eq!(report(&played).cost_usd, None);
}

#[test]
fn a_limit_on_an_unknown_price_says_that_it_limits_nothing() {
    let mut played = Played::start(setup(costing(0.01)));
    assert_eq!(
        told(&played, NoticeCode::PriceUnknown),
        ["The price of scripted is not known, so this turn is not limited to $0.01."]
    );
    played.answers([text("Yes.")]);
    assert_eq!((report(&played).stop_reason, report(&played).bounds.cost_usd), (StopReason::Answered, None));
}

#[test]
fn the_bounds_hold_tokens_seconds_and_money() {
    let of = |policy: &Policy, prices| {
        Bounds::of(policy, &ModelNumbers { window: Some(10_000), prices, ..ModelNumbers::default() })
    };
    let bounds = of(&short(), Some(PRICES));
    // 11 answers and 48 messages of files at 150 tokens, and three files of 8 MiB.
    let tokens = 59 * 150 + 3 * 2 * 1024 * 1024;
    assert_eq!((bounds.output_tokens, bounds.seconds), (Some(tokens), Some(1_800)));
    let cost = PRICES.prompt.of_tokens(59 * 10_000).plus(PRICES.completion.of_tokens(tokens));
    assert_eq!(bounds.cost_usd, Some(cost));
    assert_eq!(of(&costing(2.5), Some(PRICES)).cost_usd, Some(dollars(2.5)));
    assert_eq!(of(&costing(2.5), None).cost_usd, None);
}

#[test]
fn a_policy_of_an_earlier_journal_has_none_of_these_limits() {
    let mut policy = serde_json::to_value(Policy::two_stage()).unwrap();
    for field in ["maxOutputTokens", "maxFileBytes", "maxSeconds", "maxCostUsd"] {
        policy.as_object_mut().unwrap().remove(field).expect(field);
    }
    let policy: Policy = serde_json::from_value(policy).unwrap();
    let mut played = Played::start(setup(policy));
    wait(&mut played, 1_000_000);
    played.input(Input::Expired);
    played.answers([text(&endless())]);
    assert_eq!(
        (report(&played).stop_reason, report(&played).answer.len()),
        (StopReason::Answered, endless().len())
    );
    assert_eq!(
        report(&played).bounds,
        Bounds {
            output_tokens: None,
            seconds: None,
            ..Bounds::of(&Policy::two_stage(), &ModelNumbers::default())
        }
    );
}
