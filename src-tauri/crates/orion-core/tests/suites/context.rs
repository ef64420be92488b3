//! What a model is sent of its session, by sizes alone (X).

use crate::common::ids;
use orion_core::context::{About, BoxItem, Count, Gauge, Item, Room};
use orion_core::model::{Message, ModelNumbers};
use orion_protocol::{CallId, Sha256, Signature};

// X1: sessions of an earlier Orion go on.
#[test]
fn a_message_of_an_earlier_orion_is_an_item() {
    let item: Item = serde_json::from_str(r#"{"role":"user","text":"Hello"}"#).unwrap();
    assert_eq!(item, Message::user("Hello").into());
    assert_eq!(serde_json::to_string(&item).unwrap(), r#"{"role":"user","text":"Hello"}"#);
    assert!(item.is_the_persons());
}

#[test]
fn an_item_comes_back_as_it_was_kept() {
    let of = BoxItem {
        call: CallId("call_1".into()),
        signature: Signature("s".into()),
        head: 3,
        sha256: Sha256::from([7; 32]),
        source: None,
        attachment: false,
        emptied: false,
    };
    let message = Message::Tool {
        call_id: "call_1".into(),
        name: "read_file".into(),
        text: "abc".into(),
        images: Vec::new(),
    };
    let mut item = Item::new(message, About::Box(of));
    item.turn = Some(ids().request_id);
    let json = serde_json::to_string(&item).unwrap();
    assert_eq!(serde_json::from_str::<Item>(&json).unwrap(), item);
    assert_eq!(item.call_ids().collect::<Vec<_>>(), ["call_1", "call_1"]);
    for about in [About::Write, About::Word, About::Budget] {
        let item = Item::new(Message::user("x"), about);
        let json = serde_json::to_string(&item).unwrap();
        assert_eq!(serde_json::from_str::<Item>(&json).unwrap(), item);
        assert!(!item.is_the_persons());
    }
}

#[test]
fn before_any_count_a_token_has_four_bytes() {
    let gauge = Gauge::default();
    assert_eq!([gauge.tokens(0), gauge.tokens(1), gauge.tokens(8)], [0, 1, 2]);
    assert_eq!(gauge.bytes(10), 40);
}

// X2: by the provider's last usage, and what came since by bytes, corrected by the ratio of that usage to its bytes.
#[test]
fn later_requests_are_measured_by_the_last_count() {
    let mut gauge = Gauge::default();
    assert_eq!(gauge.count(500, 1_000), Count::Taken);
    assert_eq!([gauge.tokens(1_000), gauge.tokens(2_000), gauge.tokens(100)], [500, 1_000, 50]);
    assert_eq!(gauge.bytes(50), 100);
    assert_eq!(gauge.count(700, 2_000), Count::Taken);
    assert_eq!(gauge.tokens(4_000), 1_400);
}

// X2: the tokens of an answer are those that its provider counted, not as many as bytes of the prompt have.
#[test]
fn an_answer_is_measured_by_its_own_count() {
    let counted = |tokens, bytes| {
        let mut gauge = Gauge::default();
        assert_eq!(gauge.count(500, 2_000), Count::Taken);
        gauge.count_answer(tokens, bytes);
        (gauge.tokens(2_000 + bytes), gauge)
    };
    assert_eq!(counted(1_000, 2_000).0, 1_500);
    // The frame of a short answer is larger than its text; runs of spaces have up to 16 bytes a token.
    assert_eq!([counted(10 + 256, 10).0, counted(100, 1_600).0], [766, 600]);
    // Impossible counts are not used, and an answer of which nothing stays counts for nothing.
    for (tokens, bytes) in [(0, 1_600), (99, 1_600), (10 + 257, 10), (1_000_000_000, 10), (5, 0)] {
        let mut plain = Gauge::default();
        plain.count(500, 2_000);
        assert_eq!(counted(tokens, bytes).1, plain, "{tokens} for {bytes}");
    }
    let mut gauge = Gauge::default();
    assert_eq!(gauge.count(u32::MAX, u64::from(u32::MAX)), Count::Taken);
    let full = gauge;
    gauge.count_answer(1, 1);
    assert_eq!(gauge, full, "no count is larger than a number can be");
}

// X2: impossible counts are not used.
#[test]
fn a_count_that_cannot_be_is_not_taken() {
    let mut gauge = Gauge::default();
    for tokens in [0, 1_000_000_000, 1_000 + 4_096 + 1] {
        assert_eq!(gauge.count(tokens, 1_000), Count::Impossible, "{tokens}");
    }
    assert_eq!(gauge, Gauge::default());
    assert_eq!(gauge.count(1_000 + 4_096, 1_000), Count::Taken);
}

#[test]
fn a_count_far_below_what_was_sent_says_that_the_server_cut() {
    let mut gauge = Gauge::default();
    assert_eq!(gauge.count(625, 10_000), Count::Taken);
    let mut gauge = Gauge::default();
    assert_eq!(gauge.count(624, 10_000), Count::Cut);
    assert_eq!(gauge.count(2_500, 10_000), Count::Taken);
    // Four times the text, and no more tokens.
    assert_eq!(gauge.count(4_999, 40_000), Count::Cut);
    assert_eq!(gauge.count(5_000, 40_000), Count::Taken);
    // A shorter request is no cut.
    assert_eq!(gauge.count(700, 9_000), Count::Taken);
}

#[test]
fn a_short_request_is_never_cut_by_a_server() {
    let mut gauge = Gauge::default();
    assert_eq!(gauge.count(1, 8_191), Count::Impossible);
    assert_eq!(gauge.count(1, 8_192), Count::Cut);
}

#[test]
fn no_size_is_too_large_to_be_reckoned_with() {
    let mut gauge = Gauge::default();
    assert_eq!(gauge.count(u32::MAX, u64::from(u32::MAX)), Count::Taken);
    assert_eq!(gauge.tokens(u64::MAX), u64::MAX);
    assert_eq!(gauge.bytes(u64::MAX), u64::MAX);
}

fn room(window: Option<u32>, own: Option<u32>, policy: Option<u32>) -> Option<(u32, u64)> {
    let numbers = ModelNumbers { window, max_output_tokens: own, ..ModelNumbers::default() };
    Room::of(&numbers, policy).map(|room| (room.answer, room.total()))
}

// X2
#[test]
fn an_answer_gets_the_least_of_three_limits_and_the_rest_is_the_room() {
    assert_eq!(room(Some(32_768), None, Some(32_768)), Some((8_192, 24_576)));
    assert_eq!(room(Some(131_072), Some(8_192), Some(32_768)), Some((8_192, 122_880)));
    assert_eq!(room(Some(1_000_000), None, Some(32_768)), Some((32_768, 967_232)));
    assert_eq!(room(Some(1_000_000), None, None), Some((250_000, 750_000)));
    assert_eq!(room(None, Some(8_192), Some(32_768)), None);
}

// X3
#[test]
fn a_request_is_cut_beyond_80_percent_and_to_half() {
    let room = Room { window: 12_000, answer: 2_000 };
    assert_eq!([room.total(), room.full(), room.half()], [10_000, 8_000, 5_000]);
    assert_eq!(Room { window: 1, answer: 2 }.total(), 0);
}

// X2
#[test]
fn cached_tokens_stand_in_the_prompt_or_beside_it() {
    let mut gauge = Gauge::default();
    assert_eq!(gauge.count(1_000, 4_000), Count::Taken);
    assert_eq!(gauge.reading(1_200, 1_100, 4_800), 1_200, "in it");
    assert_eq!(
        [(100, 1_100), (3, 1_197)].map(|(new, cached)| gauge.reading(new, cached, 4_800)),
        [1_200, 1_200],
        "beside it"
    );
    assert_eq!(gauge.reading(4_000, 3_900, 80_000), 4_000, "a server that cut counts what it read");
}

// X2: one count alone shows nothing, nor does one below what was just taken.
#[test]
fn a_server_cuts_where_two_counts_agree_and_neither_is_below_what_it_took() {
    let mut gauge = Gauge::default();
    assert_eq!(gauge.count_prompt(3_500, 14_000), Count::Taken);
    gauge.count_answer(800, 3_200);
    let counts = [4_090, 4_000, 3_000].map(|tokens| gauge.count_prompt(tokens, 80_000));
    assert_eq!(counts, [Count::Impossible, Count::Cut, Count::Impossible]);
}
