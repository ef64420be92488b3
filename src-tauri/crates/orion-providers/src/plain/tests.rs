//! What is read the short way is read as the long way reads it.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;

use super::read;
use crate::chunk::Chunks;
use orion_core::model::{ModelDelta, ReasoningField};

#[test]
fn ordinary_pieces_are_plain() {
    let text = |text: &str| Some((vec![ModelDelta::Text { text: text.into() }], None));
    for payload in [
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","system_fingerprint":null,"choices":[{"index":0,
            "delta":{"role":"assistant","content":"h\ni"},"logprobs":null,"finish_reason":null}],"usage":null}"#,
        r#"{"choices":[{"delta":{"content":"h\ni","refusal":null,"reasoning_content":null,"tool_calls":null}}],"x":[1]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"h\ni","reasoning_content":""},"finish_reason":null,"usage":null}]}"#,
    ] {
        assert_eq!(read(payload), text("h\ni"), "{payload}");
    }
    let thought = r#"{"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"hm"}}]}"#;
    let hm = vec![ModelDelta::Reasoning { text: "hm".into() }];
    assert_eq!(read(thought), Some((hm, Some(ReasoningField::ReasoningContent))));
    assert_eq!(
        read(r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#),
        Some((vec![], None))
    );
}

#[test]
fn whatever_says_more_is_not_plain() {
    for payload in [
        r#"{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}"#,
        r#"{"choices":[{"delta":{"content":"x","tool_calls":[{"index":0}]}}]}"#,
        r#"{"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":1}}"#,
        r#"{"choices":[{"delta":{"content":"x"}}],"error":{"message":"no"}}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"x"}}]}"#,
        r#"{"choices":[{"delta":{"content":"x"}},{"delta":{"content":"y"}}]}"#,
        r#"{"choices":[{"message":{"content":"x"}}]}"#,
        r#"{"choices":[]}"#,
        // Lists in place of objects.
        r#"[[{"delta":{"content":"x"}}]]"#,
        r#"{"choices":[[0,{"content":"x"}]]}"#,
        r#"{"choices":[{"delta":["x"]}]}"#,
    ] {
        assert_eq!(read(payload), None, "{payload}");
    }
}

/// JSON text of any kind.
fn any_value() -> impl Strategy<Value = String> {
    let values = [
        "null",
        "true",
        "false",
        "0",
        "1",
        "-1",
        "0.0",
        "7.5",
        "\"\"",
        "\"x\"",
        "\"0\"",
        "\"\\u00e9\"",
        "\"\\ud83d\"",
        "\"ä\"",
        "[]",
        "{}",
        "[null]",
        "[{}]",
        "[\"x\"]",
        "{\"text\":\"t\"}",
        "{\"message\":\"m\"}",
        "[{\"type\":\"thinking\",\"thinking\":\"t\"}]",
        "{\"prompt_tokens\":3}",
        "[{\"id\":\"a\",\"index\":0}]",
        "{",
        "NaN",
    ];
    select(values.to_vec()).prop_map(str::to_owned)
}

/// Mostly what stands in a plain payload, at times anything.
fn mostly(usual: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
    prop_oneof![12 => usual, 1 => any_value()].boxed()
}

fn one_of(usual: &[&'static str]) -> BoxedStrategy<String> {
    mostly(select(usual.to_vec()).prop_map(str::to_owned))
}

/// An object with some of these fields in any order, at times one of them twice; at times a list of their values.
fn object(fields: Vec<(&'static str, BoxedStrategy<String>)>) -> BoxedStrategy<String> {
    let (names, values): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
    let order = vec(0..names.len(), 0..=names.len());
    let shape = (values, order, 0..20_u8, 0..20_u8);
    shape
        .prop_map(move |(values, mut order, twice, list)| {
            // The first field is the one that matters most.
            order.push(0);
            if twice > 0 {
                let mut seen = std::collections::HashSet::new();
                order.retain(|field| seen.insert(*field));
            }
            let values = order.iter().map(|field| match list {
                0 => values[*field].clone(),
                _ => format!("\"{}\":{}", names[*field], values[*field]),
            });
            let values = values.collect::<Vec<_>>().join(",");
            if list == 0 { format!("[{values}]") } else { format!("{{{values}}}") }
        })
        .boxed()
}

fn payload() -> BoxedStrategy<String> {
    let text = ["\"a\"", "\"\"", "null", "\"\\n\\u00e9\""];
    let delta = object(vec![
        ("content", one_of(&text)),
        ("reasoning_content", one_of(&text)),
        ("reasoning", one_of(&text)),
        ("reasoning_details", one_of(&["null"])),
        ("refusal", one_of(&["null"])),
        ("tool_calls", one_of(&["null"])),
        ("function_call", one_of(&["null"])),
        ("role", one_of(&["\"assistant\""])),
    ]);
    let choice = object(vec![
        ("delta", mostly(delta.clone())),
        ("index", one_of(&["0"])),
        ("finish_reason", one_of(&["null"])),
        ("message", prop_oneof![4 => Just("null".to_owned()), 1 => delta].boxed()),
        ("usage", one_of(&["null"])),
        ("logprobs", any_value().boxed()),
    ]);
    let choice = mostly(choice);
    let choices = prop_oneof![8 => vec(choice.clone(), 1), 1 => vec(choice, 0..3)]
        .prop_map(|choices| format!("[{}]", choices.join(",")));
    object(vec![
        ("choices", mostly(choices)),
        ("usage", one_of(&["null"])),
        ("error", one_of(&["null"])),
        ("x_groq", one_of(&["null"])),
        ("id", any_value().boxed()),
    ])
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(10_000) })]

    #[test]
    fn the_short_way_says_what_the_long_way_says(payloads in vec(payload(), 1..3)) {
        let (mut short, mut long) = (Chunks::default(), Chunks::default());
        for payload in payloads {
            prop_assert_eq!(short.read(&payload), long.any(&payload), "{}", payload);
        }
    }
}
