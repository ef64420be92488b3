//! The limit of an answer that goes out with a request (X2), the room that content has (X3), and the journals that had neither (T8).

use orion_core::context::{Gauge, Room};
use orion_core::model::{Message, ModelDelta, ModelNumbers};
use orion_core::tool::ToolOutcome;
use orion_core::trace::TraceFold;
use orion_core::turn::TurnSetup;
use orion_protocol::{
    CutCause, NoticeCode, Policy, TraceKind, TurnEvent, Usage, WindowInForce, WindowSource, WriteState,
};
use serde_json::json;

use crate::acts::opening;
use crate::common::{Played, WRITE_PLAN_BEGIN, call, finish, found, setup, text};
use crate::turn_writes::state;

/// The limits of all requests of a turn that reads a file, writes one and answers.
fn sent(numbers: ModelNumbers) -> Vec<Option<u32>> {
    let mut played = Played::start(TurnSetup { numbers, ..setup(Policy::two_stage()) });
    played.says([call(0, "", "read", r#"{"path":"a"}"#)]).tool(found("alpha"));
    played.says([text("Done.")]).ends();
    played.requests.iter().map(|request| request.max_output_tokens).collect()
}

fn numbers(window: u32, own: Option<u32>) -> ModelNumbers {
    ModelNumbers {
        window: Some(window),
        max_output_tokens: own,
        window_source: Some(WindowSource::Assumed),
        ..ModelNumbers::default()
    }
}

// X2
#[test]
fn an_answer_is_limited_to_a_quarter_of_the_window_and_to_the_models_own_limit() {
    assert_eq!(sent(numbers(32_768, None)), [Some(8_192); 2]);
    assert_eq!(sent(numbers(4_096, Some(8_192))), [Some(1_024); 2]);
    assert_eq!(sent(numbers(131_072, Some(8_192))), [Some(8_192); 2]);
}

// T8
#[test]
fn a_turn_that_began_before_limits_were_sent_goes_on_without() {
    let before = |window| ModelNumbers { window, ..ModelNumbers::default() };
    assert_eq!(sent(before(None)), [None; 2]);
    assert_eq!(sent(before(Some(32_768))), [None; 2]);
    let recorded: ModelNumbers =
        serde_json::from_str(r#"{"window":32768,"maxOutputTokens":null,"prices":null}"#).unwrap();
    assert_eq!(recorded, before(Some(32_768)));
    assert_eq!(
        serde_json::to_string(&recorded).unwrap(),
        r#"{"window":32768,"maxOutputTokens":null,"prices":null}"#
    );
}

/// About so many bytes of text that does not repeat itself.
fn lines(of: char, bytes: usize) -> String {
    (0..bytes / 8).map(|line| format!("{of} {line:05}\n")).collect()
}

/// A turn that reads a file of this size and then opens a write session.
fn writing(numbers: ModelNumbers, read: usize) -> Played {
    let mut played = Played::start(TurnSetup { numbers, ..setup(Policy::two_stage()) });
    played.says([call(0, "r", "read", r#"{"path":"a"}"#)]).tool(found(&lines('a', read)));
    played.says([call(0, "w", WRITE_PLAN_BEGIN, r#"{"path":"b"}"#)]);
    played.tool(ToolOutcome { opens: Some(Box::new(opening("b"))), ..found("open") });
    played
}

fn cuts(played: &Played) -> usize {
    played
        .events()
        .filter(|event| matches!(event, TurnEvent::ContextCut { cause: CutCause::Full, .. }))
        .count()
}

fn tokens(played: &Played) -> Vec<u64> {
    played.requests.iter().map(|request| Gauge::default().tokens(request.bytes())).collect()
}

// X3
#[test]
fn content_obeys_the_room_however_much_of_it_comes() {
    let numbers = numbers(8_192, None);
    let mut played = writing(numbers, 16_000);
    for part in 0..12_u8 {
        let content = lines(char::from(b'a' + part), 6_000);
        played.answers([text(&content), finish("length")]);
    }
    let room = Room::of(&numbers, None).unwrap().total();
    let sizes = tokens(&played);
    assert!(sizes.len() > 12 && sizes.iter().all(|tokens| *tokens <= room), "{sizes:?} of {room}");
    assert_eq!(cuts(&played), 1);
    let last = played.requests.last().unwrap();
    let given = last.messages.iter().find_map(|message| match message {
        Message::Assistant { text, .. } if text.contains("bytes are left out here") => Some(text.as_str()),
        _ => None,
    });
    let given = given.unwrap();
    assert!(given.starts_with("a 00000\n") && given.ends_with("l 00749\n"), "its beginning and its end");
    assert!(played.requests.iter().all(|request| request.max_output_tokens == Some(2_048)));
}

// X3: what came is kept, and the person looks at it.
#[test]
fn a_request_for_content_that_fits_nowhere_ends_the_session() {
    // The box of the reading leaves, but the message of the person cannot.
    let setup =
        TurnSetup { numbers: numbers(4_096, None), text: "x".repeat(9_000), ..setup(Policy::two_stage()) };
    let mut played = Played::start(setup);
    played.says([call(0, "w", WRITE_PLAN_BEGIN, r#"{"path":"b"}"#)]);
    played.tool(ToolOutcome { opens: Some(Box::new(opening("b"))), ..found("open") });
    played.answers([text(&lines('b', 40_000)), finish("length")]);
    assert_eq!(state(&played), Some(WriteState::Finalizing));
    assert_eq!(played.requests.len(), 2, "it is not asked to go on");
}

// T8
#[test]
fn content_of_a_turn_that_began_before_has_no_room_to_obey() {
    let before = ModelNumbers { window: Some(8_192), ..ModelNumbers::default() };
    let mut played = writing(before, 12_000);
    for of in ['b', 'c', 'd'] {
        played.answers([text(&lines(of, 12_000)), finish("length")]);
    }
    assert_eq!(cuts(&played), 0);
    assert!(tokens(&played).last() > Some(&9_000));
}

// X2
#[test]
fn a_server_that_cut_the_conversation_is_sent_less_unless_the_person_set_the_window() {
    let told = |window_source| {
        let numbers = ModelNumbers { window_source, ..numbers(32_768, None) };
        let mut played =
            Played::start(TurnSetup { numbers, text: lines('a', 80_000), ..setup(Policy::two_stage()) });
        let usage = || ModelDelta::Usage { usage: Usage { prompt_tokens: Some(4_000), ..Usage::default() } };
        played.says([usage(), call(0, "c1", "read", "{\"path\":\"a\"}")]).ends().tool(found("alpha"));
        played.answers([text("Yes."), usage()]);
        let notice = played.events().find_map(|event| match event {
            TurnEvent::Notice { code: NoticeCode::ServerCut, message } => message.split_once("tokens. "),
            _ => None,
        });
        notice.map(|(_, then)| then.to_owned())
    };
    let set = Some("Set the model's window to what the server runs with.".to_owned());
    let less = Some("From the next message on it is sent less.".to_owned());
    assert_eq!([None, Some(WindowSource::Setting)].map(told), [set.clone(), set]);
    let sources = [WindowSource::Endpoint, WindowSource::Table, WindowSource::Assumed];
    assert_eq!(sources.map(Some).map(told), [less.clone(), less.clone(), less]);
}

// W5, X3: beside what it is corrected with.
#[test]
fn content_with_faults_has_a_smaller_share_of_the_room() {
    let given = |bytes| {
        let mut played = writing(numbers(8_192, None), 100);
        played.answers([text(&format!("{}\u{0}\nDONE", lines('b', bytes))), finish("stop")]);
        let last = played.requests.last().unwrap();
        last.messages.iter().any(|message| match message {
            Message::Assistant { text, .. } => text.contains("bytes are left out here"),
            _ => false,
        })
    };
    // A fifth of 6,144 tokens are 4,915 bytes; a third would be 8,192.
    assert_eq!([4_000, 7_000].map(given), [false, true]);
}

// X2, T8
#[test]
fn a_turn_and_its_trace_say_the_window_and_where_it_comes_from() {
    let told = |numbers| {
        let played = Played::start(TurnSetup { numbers, ..setup(Policy::two_stage()) });
        let window = played.events().find_map(|event| match event {
            TurnEvent::TurnStarted { window, .. } => *window,
            _ => None,
        });
        let spans = TraceFold::all(&played.envelopes);
        let turn = spans.into_iter().find(|span| span.kind == TraceKind::Turn).unwrap();
        (window, turn.attributes.get("window").cloned())
    };
    let window = WindowInForce { tokens: 4_096, source: WindowSource::Assumed };
    let traced = json!({ "tokens": 4_096, "source": "assumed" });
    assert_eq!(told(numbers(4_096, None)), (Some(window), Some(traced)));
    let before = ModelNumbers { window: Some(4_096), ..ModelNumbers::default() };
    assert_eq!(told(before), (None, None));
}
