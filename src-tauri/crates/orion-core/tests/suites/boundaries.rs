//! The sizes at which a conversation is cut, a request is refused, and a call is no longer made: to the byte (X3, X4, X5, T7).

use orion_core::context::{Gauge, Item, Room};
use orion_core::model::{Message, ModelDelta, ModelNumbers, ModelRequest, Prices};
use orion_core::tool::ToolOutcome;
use orion_core::turn::{ModelInput, TurnSetup};
use orion_protocol::{
    Code, ErrorInfo, Exhausted, Policy, RequestId, Route, StopReason, TurnEvent, TurnLimits, Usd,
    WindowSource,
};

use crate::acts::opening;
use crate::common::{Played, WRITE_PLAN_BEGIN, call, found, limited, piece, setup, text};
use crate::turn_writes::opened;

const WINDOW: u32 = 8_192;

fn room() -> Room {
    Room::of(&numbers(), None).unwrap()
}

fn numbers() -> ModelNumbers {
    ModelNumbers { window: Some(WINDOW), ..ModelNumbers::default() }
}

/// Text that does not repeat itself.
fn words(bytes: usize) -> String {
    let mut words: String = (0..bytes).map(|number| format!("{number} ")).collect();
    words.truncate(bytes);
    words
}

/// A session of so many long turns. The first message has so many bytes more.
fn history(turns: usize, more: usize) -> Vec<Item> {
    let of_turn = |number: usize| {
        let turn = format!("01900000-0000-7000-8000-0000000000{:02x}", 0xa0 + number);
        let turn = Some(turn.parse::<RequestId>().unwrap());
        let question = words(400 + if number == 0 { more } else { 0 });
        let said = [
            Message::user(question),
            Message::Assistant { text: words(600), reasoning: None, tool_calls: Vec::new() },
        ];
        said.into_iter().map(move |message| Item { turn, ..Item::from(message) })
    };
    (0..turns).flat_map(of_turn).collect()
}

fn tokens(request: &ModelRequest) -> u64 {
    Gauge::default().tokens(request.bytes())
}

/// The bytes that are to be added to a request of a turn so that it fills so many tokens to the last byte.
fn missing(of: &ModelRequest, tokens: u64) -> usize {
    usize::try_from(tokens * 4 - of.bytes()).unwrap()
}

fn count(played: &Played, is: fn(&TurnEvent) -> bool) -> usize {
    played.events().filter(|event| is(event)).count()
}

fn cuts(played: &Played) -> usize {
    count(played, |event| matches!(event, TurnEvent::ContextCut { .. }))
}

#[test]
fn a_message_that_fills_the_room_to_the_last_byte_is_sent_and_one_byte_more_is_not() {
    // X3
    let of = |bytes| {
        Played::start(TurnSetup { numbers: numbers(), text: words(bytes), ..setup(Policy::two_stage()) })
    };
    let most = 100 + missing(&of(100).requests[0], room().total());
    let fits = of(most);
    assert_eq!((tokens(&fits.requests[0]), cuts(&fits)), (room().total(), 0));
    let refused = of(most + 1);
    let report = refused.envelopes.last().unwrap().event.terminal().unwrap();
    assert_eq!(refused.requests.len(), 0);
    assert_eq!(report.error.as_ref().map(|error| error.code), Some(Code::ContextTooLong));
}

#[test]
fn a_conversation_is_cut_when_it_fills_more_than_four_fifths_of_the_room() {
    // X3
    let of = |more| {
        let history = history(6, more);
        Played::start(TurnSetup { numbers: numbers(), history, ..setup(Policy::two_stage()) })
    };
    let most = missing(&of(0).requests[0], room().full());
    assert_eq!((cuts(&of(most)), tokens(&of(most).requests[0])), (0, room().full()));
    assert_eq!(cuts(&of(most + 1)), 1);
}

#[test]
fn a_refused_summary_is_too_long_where_it_fills_more_than_four_fifths_of_the_room() {
    // X5: a provider that does not say why it refuses.
    let of = |more| {
        let policy = Policy { max_cycles: 0, refusals_are_free: true, ..Policy::two_stage() };
        let (history, compacts) = (history(6, more), Some(Vec::new()));
        let setup = TurnSetup { numbers: numbers(), text: String::new(), history, compacts, ..setup(policy) };
        let mut played = Played::start(setup);
        let first = played.requests[0].clone();
        played.model(ModelInput::Failed { error: ErrorInfo::new(Code::BadRequest, "No.", "") });
        (first, cuts(&played), played.requests.len())
    };
    let (first, ..) = of(0);
    let most = missing(&first, room().full());
    for (more, expected) in [(0, (0, 1)), (most, (0, 1)), (most + 1, (1, 2)), (most + 400, (1, 2))] {
        let (_, cuts, requests) = of(more);
        assert_eq!((cuts, requests), expected, "{more} bytes more than {}", first.bytes());
    }
}

#[test]
fn what_is_left_of_the_conversation_is_counted_with_the_instructions() {
    // X4
    let policy = Policy { max_cycles: 0, refusals_are_free: true, ..Policy::two_stage() };
    let (history, compacts) = (history(2, 0), Some(Vec::new()));
    let setup = TurnSetup { numbers: numbers(), text: String::new(), history, compacts, ..setup(policy) };
    let fixed = setup.system.len() as u64 + setup.tools.bytes();
    let before: u64 = setup.history.iter().map(|item| item.bytes() as u64).sum();
    let mut played = Played::start(setup);
    played.answers([text("It was about numbers.")]);
    let told = played.events().find_map(|event| match event {
        TurnEvent::Compacted { tokens_before, tokens_after, .. } => Some((*tokens_before, *tokens_after)),
        _ => None,
    });
    let after = played.turn.conversation().bytes();
    let tokens = |bytes: u64| Gauge::default().tokens(fixed + bytes);
    assert_eq!(told, Some((tokens(before), tokens(after))));
}

fn summing(policy: Policy) -> Policy {
    Policy { compacts_at_cuts: true, ..policy }
}

fn summaries(played: &Played) -> usize {
    played.requests.iter().filter(|request| is_for_a_summary(request)).count()
}

fn is_for_a_summary(request: &ModelRequest) -> bool {
    let asks = Message::System { text: orion_core::prompt::SUMMARISE.to_owned() };
    request.messages.last() == Some(&asks)
}

#[test]
fn a_summary_is_asked_for_where_its_request_fits_to_the_last_byte() {
    // X4
    let of = |more| {
        let history = history(6, more);
        Played::start(TurnSetup { numbers: numbers(), history, ..setup(summing(Policy::two_stage())) })
    };
    // Enough that the turn's own request is cut.
    let first = &of(16_000).requests[0];
    assert!(is_for_a_summary(first));
    let most = 16_000 + missing(first, room().total());
    assert_eq!((summaries(&of(most)), tokens(&of(most).requests[0])), (1, room().total()));
    assert_eq!(summaries(&of(most + 1)), 0);
}

#[test]
fn a_forced_final_answer_of_the_unified_route_is_not_preceded_by_a_summary() {
    // X4, P2: it would be one of the calls that cycles have.
    let policy = Policy { refusals_are_free: false, ..limited(Route::Unified, 5, 3, 1) };
    let setup = TurnSetup { numbers: numbers(), history: history(3, 0), ..setup(summing(policy)) };
    let mut played = Played::start(setup);
    let read = || call(0, "", "read", "{\"path\":\"a\"}");
    played.answers([read()]).tool(found(&words(1_000)));
    // What it says is long enough that the conversation is to be cut.
    played.answers([text(&words(20_000)), read()]);
    let last = played.requests.last().unwrap();
    assert!(last.forbids_tools, "the repeat forces the final answer");
    assert_eq!((summaries(&played), cuts(&played)), (0, 1));
}

/// A dollar for a million tokens that come back, and nothing for what is sent.
fn costing(billionths: u64) -> TurnSetup {
    let (free, dollar) = (Usd::of_billionths(0), Usd::of_billionths(1_000_000_000));
    let prices = Prices { prompt: free, completion: dollar, cached: None, reasoning: None };
    let window_source = Some(WindowSource::Setting);
    let numbers = ModelNumbers { window: Some(32_768), window_source, prices: Some(prices), ..numbers() };
    let policy = Policy { max_cost_usd: Some(Usd::of_billionths(billionths)), ..Policy::two_stage() };
    TurnSetup { numbers, ..setup(policy) }
}

#[test]
fn a_call_is_made_for_256_tokens_that_can_be_paid_and_for_fewer_it_is_not() {
    // T7: an answer may be half as long again as its limit, so 384 tokens are to be paid for 256.
    let played = Played::start(costing(384_000));
    assert_eq!(played.requests[0].max_output_tokens, Some(256));
    let played = Played::start(costing(383_999));
    let report = played.envelopes.last().unwrap().event.terminal().unwrap();
    assert_eq!((played.requests.len(), report.stop_reason), (0, StopReason::BudgetExhausted));
    assert_eq!(report.exhausted, Some(Exhausted::Cost));
}

#[test]
fn content_has_two_thirds_of_the_tokens_that_can_still_be_paid() {
    // T7
    let mut played = Played::start(costing(3_000_000));
    assert_eq!(played.requests[0].max_output_tokens, Some(2_000));
    played.says([call(0, "w", WRITE_PLAN_BEGIN, r#"{"path":"b"}"#)]);
    played.tool(ToolOutcome { opens: Some(Box::new(opening("b"))), ..found("open") });
    // The call had 29 bytes, which are 8 tokens.
    assert_eq!(played.requests[1].max_output_tokens, Some(2_992 / 3 * 2));
}

/// 100 tokens: an answer is cut off at 600 bytes.
fn short() -> Policy {
    Policy { max_output_tokens: Some(100), ..Policy::two_stage() }
}

fn is_dropped(played: &Played, call: u32) -> bool {
    played.lines.contains(&format!("> drop model {call}\n"))
}

#[test]
fn the_names_of_a_call_count_to_the_last_byte() {
    // T7
    let dropped = |bytes| {
        let mut played = Played::start(setup(short()));
        played.says([text(&words(bytes)), piece(Some(0), Some("c"), Some("read"), None)]);
        is_dropped(&played, 1)
    };
    assert_eq!((dropped(595), dropped(596)), (false, true));
}

#[test]
fn what_comes_beside_content_has_a_limit_of_its_own() {
    // T7
    let reasoning = |bytes| ModelDelta::Reasoning { text: words(bytes) };
    let mut played = opened(short());
    for part in 0..4 {
        played.says([text(&format!("{part} {}\n", words(500)))]);
    }
    played.says([reasoning(500)]);
    assert!(!is_dropped(&played, 2), "content is not counted, and 500 bytes are in the limit");
    played.says([reasoning(100)]);
    assert!(!is_dropped(&played, 2));
    played.says([reasoning(1)]);
    assert!(is_dropped(&played, 2), "{}", played.lines);
}

#[test]
fn each_limit_of_a_policy_can_be_set() {
    // P3
    let limits = TurnLimits {
        max_cycles: Some(2),
        max_tools: Some(3),
        max_duplicates: Some(4),
        max_output_tokens: Some(2_048),
        max_file_bytes: Some(70_000),
        max_seconds: Some(90),
        max_cost_usd: Some(Usd::of_billionths(2_000_000_000)),
        max_thinking_tokens: Some(512),
        max_command_seconds: None,
    };
    for route in [Route::TwoStage, Route::Unified] {
        assert_eq!(Policy::of(route, limits).limits(), limits);
        let unset = Policy::of(route, TurnLimits::default());
        assert_eq!(unset, Policy::on(route));
    }
}
