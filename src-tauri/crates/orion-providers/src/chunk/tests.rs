//! Payloads as providers send them, and what must come of each.

use super::*;

fn deltas(payload: &str) -> Vec<ModelDelta> {
    Chunks::default().read(payload).unwrap().deltas
}

fn text(text: &str) -> ModelDelta {
    ModelDelta::Text { text: text.into() }
}

fn reasoning(text: &str) -> ModelDelta {
    ModelDelta::Reasoning { text: text.into() }
}

fn call(
    index: Option<u32>,
    id: Option<&str>,
    name: Option<&str>,
    arguments: Option<ArgumentsDelta>,
) -> ModelDelta {
    let delta =
        ToolCallDelta { index, id: id.map(Into::into), name: name.map(Into::into), arguments, extra: None };
    ModelDelta::ToolCall { delta }
}

fn fragment(text: &str) -> Option<ArgumentsDelta> {
    Some(ArgumentsDelta::Fragment(text.into()))
}

#[test]
fn text_reasoning_calls_finish_and_usage_come_in_this_order() {
    let payload = r#"{"usage":{"prompt_tokens":3,"completion_tokens":4,"completion_tokens_details":{"reasoning_tokens":2},"prompt_tokens_details":{"cached_tokens":1}},
        "choices":[{"index":0,"finish_reason":"tool_calls","delta":{"role":"assistant","content":"hi","reasoning_content":"hm",
        "tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{"}}]}}]}"#;
    let usage = Usage {
        prompt_tokens: Some(3),
        completion_tokens: Some(4),
        reasoning_tokens: Some(2),
        cached_tokens: Some(1),
        estimated: false,
    };
    let expected = vec![
        ModelDelta::ReasoningField { field: ReasoningField::ReasoningContent },
        reasoning("hm"),
        text("hi"),
        call(Some(0), Some("a"), Some("f"), fragment("{")),
        ModelDelta::Finish { reason: "tool_calls".into() },
        ModelDelta::Usage { usage },
    ];
    assert_eq!(deltas(payload), expected);
}

#[test]
fn missing_null_empty_and_wrong_kinds_say_nothing_and_are_no_error() {
    for payload in [
        "null",
        "1",
        "\"ping\"",
        "[]",
        "[{}]",
        "{}",
        r#"{"choices":null}"#,
        r#"{"choices":[]}"#,
        r#"{"choices":[null,1,"x",[],{}]}"#,
        r#"{"choices":[{"delta":null,"finish_reason":null,"index":null}]}"#,
        r#"{"choices":[{"delta":{"content":null,"reasoning":null,"tool_calls":null,"function_call":null}}]}"#,
        r#"{"choices":[{"delta":{"content":"","reasoning_content":"","tool_calls":[]},"finish_reason":""}]}"#,
        r#"{"choices":[{"delta":{"content":7,"tool_calls":[{"index":0,"function":null}]}}],"usage":[]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"","function":{"name":"","arguments":""}}]}}],"usage":{}}"#,
        r#"{"choices":[{"delta":"x"}],"usage":null,"error":null}"#,
        r#"{"choices":[],"error":""}"#,
    ] {
        assert_eq!((payload, deltas(payload)), (payload, vec![]));
    }
}

#[test]
fn arguments_that_are_a_value_come_whole_and_strings_in_fragments() {
    let with = |arguments: &str| {
        deltas(&format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"function":{{"name":"f","arguments":{arguments}}}}}]}}}}]}}"#
        ))
    };
    let whole = |text: &str| vec![call(None, None, Some("f"), Some(ArgumentsDelta::Whole(text.into())))];
    assert_eq!(with(r#"{ "a": {"b":[1]} }"#), whole(r#"{"a":{"b":[1]}}"#));
    assert_eq!(with("{}"), whole("{}"));
    assert_eq!(with("[1]"), whole("[1]"));
    assert_eq!(with("7"), whole("7"));
    assert_eq!(with("null"), vec![call(None, None, Some("f"), None)]);
    assert_eq!(with(r#""""#), vec![call(None, None, Some("f"), None)]);
    assert_eq!(with(r#""{\"a\"""#), vec![call(None, None, Some("f"), fragment("{\"a\""))]);
}

#[test]
fn calls_without_function_around_them_alone_in_place_of_a_list_and_of_the_old_interface_are_calls() {
    let flat = r#"{"choices":[{"delta":{"tool_calls":{"index":"2","id":9,"name":"f","arguments":"{}"}}}]}"#;
    assert_eq!(deltas(flat), vec![call(Some(2), Some("9"), Some("f"), fragment("{}"))]);
    let old = r#"{"choices":[{"delta":{"function_call":{"name":"f","arguments":"{}"}}}]}"#;
    assert_eq!(deltas(old), vec![call(None, None, Some("f"), fragment("{}"))]);
}

#[test]
fn content_parts_are_told_apart_into_answer_and_thinking() {
    let payload = r#"{"choices":[{"delta":{"content":["a",{"type":"thinking","thinking":[{"type":"text","text":"t"}]},
        {"type":"text","text":"b"},{"type":"reference","reference_ids":[1]},null]}}]}"#;
    assert_eq!(deltas(payload), vec![reasoning("t"), text("ab")]);
}

#[test]
fn thoughts_under_several_names_are_told_once() {
    let one = r#"{"choices":[{"delta":{"reasoning":"x","reasoning_content":"x","reasoning_details":[{"type":"reasoning.text","text":"x"}]}}]}"#;
    let said = |payload| shown(deltas(payload));
    assert_eq!(said(one), vec![reasoning("x")]);
    let details = r#"{"choices":[{"delta":{"reasoning":null,"reasoning_details":[{"type":"reasoning.summary","summary":"s"},
        {"type":"reasoning.encrypted","data":"zzz"}]}}]}"#;
    assert_eq!(said(details), vec![reasoning("s")]);
    let parts = r#"{"choices":[{"delta":{"reasoning":[{"text":"a"},"b"]}}]}"#;
    assert_eq!(said(parts), vec![reasoning("ab")]);
}

/// The pieces that say something by themselves.
fn shown(mut deltas: Vec<ModelDelta>) -> Vec<ModelDelta> {
    deltas.retain(|delta| {
        !matches!(delta, ModelDelta::ReasoningField { .. } | ModelDelta::ReasoningDetails { .. })
    });
    deltas
}

// P9
#[test]
fn reasoning_says_its_field_once_and_its_list_comes_whole_before_what_follows_it() {
    let mut chunks = Chunks::default();
    let mut read =
        |delta: &str| chunks.read(&format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#)).unwrap().deltas;
    let first =
        read(r#"{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0}]}"#);
    assert_eq!(first, [ModelDelta::ReasoningField { field: ReasoningField::Reasoning }, reasoning("a")]);
    let second = r#"{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","index":0,"signature":"s"}]}"#;
    assert_eq!(read(second), [reasoning("b")]);
    let other = r#"{"reasoning_details":[{"type":"reasoning.encrypted","data":"zz"}]}"#;
    assert_eq!(read(other), []);
    let json = r#"[{"index":0,"signature":"s","text":"ab","type":"reasoning.text"},{"data":"zz","type":"reasoning.encrypted"}]"#;
    let list = ModelDelta::ReasoningDetails { json: json.to_owned() };
    let called = read(
        r#"{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"x"}}}]}"#,
    );
    assert_eq!(called[0], list);
    let ModelDelta::ToolCall { delta } = &called[1] else { panic!("{called:?}") };
    assert_eq!(delta.extra.as_deref(), Some(r#"{"google":{"thought_signature":"x"}}"#));
    assert_eq!(called.len(), 2);
}

#[test]
fn a_whole_message_stands_in_for_deltas_but_does_not_repeat_them() {
    let message = r#"{"choices":[{"message":{"role":"assistant","content":"all"},"finish_reason":"stop"}]}"#;
    let stop = ModelDelta::Finish { reason: "stop".into() };
    assert_eq!(deltas(message), vec![text("all"), stop.clone()]);
    let mut chunks = Chunks::default();
    let both = r#"{"choices":[{"delta":{"content":"al"},"message":{"content":"al"}}]}"#;
    assert_eq!(chunks.read(both).unwrap().deltas, vec![text("al")]);
    assert_eq!(chunks.read(message).unwrap().deltas, vec![stop]);
}

#[test]
fn other_choices_than_the_first_are_left_out() {
    let payload = r#"{"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"stop"},{"index":0,"delta":{"content":"yes"}}]}"#;
    assert_eq!(deltas(payload), vec![text("yes")]);
}

#[test]
fn a_refusal_is_the_answer_when_there_is_no_other() {
    assert_eq!(
        deltas(r#"{"choices":[{"delta":{"content":null,"refusal":"I cannot."}}]}"#),
        vec![text("I cannot.")]
    );
}

#[test]
fn usage_is_found_wherever_it_is_put() {
    let usage = |prompt, cached| {
        let usage = Usage { prompt_tokens: Some(prompt), cached_tokens: cached, ..Usage::default() };
        vec![ModelDelta::Usage { usage }]
    };
    assert_eq!(deltas(r#"{"choices":[],"usage":{"prompt_tokens":5}}"#), usage(5, None));
    assert_eq!(deltas(r#"{"usage":{"prompt_tokens":5.0,"prompt_cache_hit_tokens":2}}"#), usage(5, Some(2)));
    assert_eq!(deltas(r#"{"x_groq":{"usage":{"prompt_tokens":"6"}}}"#), usage(6, None));
    assert_eq!(deltas(r#"{"choices":[{"usage":{"prompt_tokens":7,"cached_tokens":3}}]}"#), usage(7, Some(3)));
    assert_eq!(deltas(r#"{"usage":{"prompt_tokens":-1}}"#), vec![]);
}

#[test]
fn lone_surrogates_and_nan_are_read_around() {
    let payload = r#"{"choices":[{"delta":{"content":"a\ud83db"},"logprobs":NaN}]}"#;
    assert_eq!(deltas(payload), vec![text("a\u{fffd}b")]);
}

#[test]
fn a_payload_that_ends_in_mid_air_is_cut_off_and_another_is_garbage() {
    let read = |payload: &str| Chunks::default().read(payload);
    assert_eq!(read(r#"{"choices":[{"delta":{"con"#), Err(Unreadable::CutOff));
    for repairable in [r#""a\ud83d b"#, "\"a\tb", r#"null,"logprobs":NaN,"x"#] {
        let payload = format!(r#"{{"choices":[{{"delta":{{"content":{repairable}"#);
        assert_eq!((&payload, read(&payload)), (&payload, Err(Unreadable::CutOff)));
    }
    assert_eq!(read("hello"), Err(Unreadable::Garbage));
    assert_eq!(read("<html>"), Err(Unreadable::Garbage));
}

#[test]
fn an_error_object_comes_with_the_pieces_beside_it() {
    let payload =
        r#"{"error":{"code":400,"message":"Token limit reached"},"choices":[{"delta":{"content":"x"}}]}"#;
    let pieces = Chunks::default().read(payload).unwrap();
    assert_eq!(pieces.deltas, vec![text("x")]);
    let error =
        ErrorObject { status: Some(400), message: "Token limit reached".into(), ..ErrorObject::default() };
    assert_eq!(pieces.error, Some(error));
}

#[test]
fn of_duplicate_keys_the_last_one_counts() {
    for (payload, expected) in [
        (r#"{"choices":[{"delta":{"content":"a","content":"b"}}]}"#, text("b")),
        (r#"{"choices":[{"delta":{"content":"a"}}],"choices":[{"delta":{"content":"b"}}]}"#, text("b")),
        (r#"{"choices":[{"delta":{"content":"a"},"delta":{"content":"b"}}],"id":1,"id":2}"#, text("b")),
        (r#"{"choices":[{"delta":{"content":[{"type":"text","text":"a","text":"b"}]}}]}"#, text("b")),
        (
            r#"{"choices":[{"index":1,"index":0,"delta":{"content":"b","content":"\ud83d"},"delta":{"content":"c"}}]}"#,
            text("c"),
        ),
        (
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"index":1,"id":"a","id":"b","function":{"name":"f","name":"g","arguments":"x","arguments":"y"}}]}}]}"#,
            call(Some(1), Some("b"), Some("g"), fragment("y")),
        ),
        (
            r#"{"choices":[],"usage":{"prompt_tokens":1,"prompt_tokens":2}}"#,
            ModelDelta::Usage { usage: Usage { prompt_tokens: Some(2), ..Usage::default() } },
        ),
    ] {
        assert_eq!((payload, deltas(payload)), (payload, vec![expected]));
    }
    // An end in the middle is still one.
    let cut = r#"{"choices":[{"delta":{"content":"a","content":"b"}}"#;
    assert_eq!(Chunks::default().read(cut), Err(Unreadable::CutOff));
}

#[test]
fn a_number_out_of_range_costs_its_own_field_alone() {
    for number in ["1e999", "-1E+999", "1180591620717411303424", "-1", "4294967296", "0.5", "NaN"] {
        let payload = format!(
            r#"{{"created":{number},"choices":[{{"logprobs":{number},"delta":{{"content":"a","tool_calls":[
                {{"index":{number},"id":"c","function":{{"name":"f","arguments":"{{"}}}}]}}}}],
                "usage":{{"prompt_tokens":{number},"completion_tokens":4}}}}"#
        );
        let usage = Usage { completion_tokens: Some(4), ..Usage::default() };
        let expected =
            vec![text("a"), call(None, Some("c"), Some("f"), fragment("{")), ModelDelta::Usage { usage }];
        assert_eq!((number, deltas(&payload)), (number, expected));
    }
}

#[test]
fn a_server_says_how_far_it_has_read_and_the_time_left_follows_from_what_it_did_not_have_kept() {
    let read = |progress: &str| {
        let payload = format!(
            r#"{{"choices":[{{"index":0,"delta":{{"role":"assistant","content":null}}}}],"prompt_progress":{progress}}}"#
        );
        let pieces = Chunks::default().read(&payload).unwrap();
        assert_eq!((pieces.deltas.len(), pieces.is_answer), (0, true), "{progress}");
        pieces.reading.map(|reading| reading.progress(Duration::from_millis(7)))
    };
    let told = |total, cached, processed, left_ms| {
        Some(PromptProgress { total, cached, processed, elapsed_ms: 7, left_ms })
    };
    for (progress, expected) in [
        // 400 tokens in 900 ms, and 18,700 to read.
        (
            r#"{"total":31000,"cache":11900,"processed":12300,"time_ms":900}"#,
            told(Some(31_000), Some(11_900), Some(12_300), Some(42_075)),
        ),
        (r#"{"total":10,"processed":4,"time_ms":8}"#, told(Some(10), None, Some(4), Some(12))),
        (r#"{"total":10,"cache":4,"processed":4,"time_ms":8}"#, told(Some(10), Some(4), Some(4), None)),
        (r#"{"total":4,"cache":9,"processed":5,"time_ms":8}"#, told(Some(4), Some(4), Some(4), None)),
        (
            r#"{"total":4294967295,"cache":0,"processed":1,"time_ms":4294967295}"#,
            told(Some(u32::MAX), Some(0), Some(1), None),
        ),
        (r#"{"total":"many","cache":-1,"processed":1e999}"#, told(None, None, None, None)),
        ("null", None),
        ("[1]", None),
    ] {
        assert_eq!((progress, read(progress)), (progress, expected));
    }
}
