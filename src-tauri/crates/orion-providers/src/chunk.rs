//! From one payload of a stream to the pieces of an answer in it.
//!
//! Every field may be missing, null, empty or of the wrong kind. Fragments are passed on as they came: putting them
//! together is the merge's work in `orion-core` (P9), and so is what a finish reason means (P10). `<think>` tags stay in
//! the text, since only the model's own template says whether they are markup.

use orion_core::model::{ArgumentsDelta, ModelDelta, ToolCallDelta};
use orion_protocol::Usage;
use serde::Deserialize;
use serde_json::Value;
use serde_json::error::Category;

use crate::fault::Fault;
use crate::lenient::{Content, Count, List, Maybe, Present, Text};
use crate::repair::repair;

/// What one payload held. An error object may stand beside pieces: those come first (P10).
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Pieces {
    pub(crate) deltas: Vec<ModelDelta>,
    pub(crate) fault: Option<Fault>,
    /// It had the shape of an answer, if only an empty one.
    pub(crate) is_answer: bool,
}

/// Why a payload is no piece of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It ends in mid-air.
    CutOff,
    /// It is no JSON.
    Garbage,
}

/// Reads the payloads of one response in turn.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    /// Pieces of the answer came: a whole `message` now only repeats them.
    begun: bool,
}

impl Chunks {
    pub(crate) fn read(&mut self, payload: &str) -> Result<Pieces, Unreadable> {
        let chunk = match serde_json::from_str::<Maybe<Chunk>>(payload) {
            Ok(chunk) => chunk,
            Err(error) => serde_json::from_str(&repair(payload)).map_err(|_| match error.classify() {
                Category::Eof => Unreadable::CutOff,
                Category::Io | Category::Syntax | Category::Data => Unreadable::Garbage,
            })?,
        };
        // A bare string, number or list carries nothing: some proxies send them to keep the connection alive.
        let Maybe(Some(chunk)) = chunk else { return Ok(Pieces::default()) };
        let fault = if chunk.error.0 || chunk.choices.is_none() { Fault::in_payload(payload) } else { None };
        let is_answer = chunk.choices.is_some();
        let mut deltas = Vec::new();
        let mut usage = chunk.usage;
        for choice in chunk.choices.unwrap_or_default().0 {
            // Orion asks for one choice; others are not its answer.
            if choice.index.0.unwrap_or(0) == 0 {
                usage.0 = usage.0.or(choice.usage.0);
                self.choice(choice.delta.0, choice.message.0, choice.finish_reason, &mut deltas);
            }
        }
        let usage = usage.0.or(chunk.x_groq.0.and_then(|extra| extra.usage.0));
        deltas.extend(usage.and_then(Tokens::usage).map(|usage| ModelDelta::Usage { usage }));
        Ok(Pieces { deltas, fault, is_answer })
    }

    fn choice(
        &mut self,
        delta: Option<Said>,
        message: Option<Said>,
        finish: Text,
        deltas: &mut Vec<ModelDelta>,
    ) {
        let before = deltas.len();
        if let Some(delta) = delta {
            delta.pieces(deltas);
        }
        if let (false, Some(message)) = (self.begun || deltas.len() > before, message) {
            message.pieces(deltas);
        }
        self.begun |= deltas.len() > before;
        deltas.extend(finish.some().map(|reason| ModelDelta::Finish { reason }));
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Chunk {
    choices: Option<List<Choice>>,
    usage: Maybe<Tokens>,
    error: Present,
    /// Groq puts its usage here as well, and at times only here.
    x_groq: Maybe<Extra>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Extra {
    usage: Maybe<Tokens>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Choice {
    index: Count,
    delta: Maybe<Said>,
    /// What servers without streaming send in place of `delta`.
    message: Maybe<Said>,
    finish_reason: Text,
    /// Moonshot puts its usage here.
    usage: Maybe<Tokens>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Said {
    content: Content,
    /// The model's own words for not answering; without them the answer would be empty.
    refusal: Text,
    /// DeepSeek, Qwen, GLM, llama.cpp.
    reasoning_content: Content,
    /// OpenRouter, Groq, Ollama, vLLM.
    reasoning: Content,
    /// OpenRouter, beside `reasoning` or alone.
    reasoning_details: Content,
    tool_calls: List<Call>,
    /// The one call of the old interface.
    function_call: Maybe<Function>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Call {
    index: Count,
    id: Text,
    function: Maybe<Function>,
    /// Some servers leave out the `function` around these.
    name: Text,
    arguments: Value,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Function {
    name: Text,
    arguments: Value,
}

impl Said {
    fn pieces(self, deltas: &mut Vec<ModelDelta>) {
        // The same thoughts often come under two names: the first that says anything counts.
        let thoughts = [self.reasoning_content, self.reasoning, self.reasoning_details];
        let mut reasoning =
            thoughts.into_iter().map(Content::joined).find(|text| !text.is_empty()).unwrap_or_default();
        reasoning.push_str(&self.content.thinking);
        if !reasoning.is_empty() {
            deltas.push(ModelDelta::Reasoning { text: reasoning });
        }
        let text = if self.content.text.is_empty() { self.refusal.0 } else { self.content.text };
        if !text.is_empty() {
            deltas.push(ModelDelta::Text { text });
        }
        let old =
            self.function_call.0.map(|function| Call { function: Maybe(Some(function)), ..Call::default() });
        deltas.extend(self.tool_calls.0.into_iter().chain(old).filter_map(Call::piece));
    }
}

impl Call {
    fn piece(self) -> Option<ModelDelta> {
        let Function { name, arguments } =
            self.function.0.unwrap_or(Function { name: self.name, arguments: self.arguments });
        let delta = ToolCallDelta {
            index: self.index.0,
            id: self.id.some(),
            name: name.some(),
            arguments: match arguments {
                Value::Null => None,
                Value::String(fragment) if fragment.is_empty() => None,
                Value::String(fragment) => Some(ArgumentsDelta::Fragment(fragment)),
                whole => Some(ArgumentsDelta::Whole(whole.to_string())),
            },
        };
        (delta != ToolCallDelta { index: delta.index, ..ToolCallDelta::default() })
            .then_some(ModelDelta::ToolCall { delta })
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Tokens {
    prompt_tokens: Count,
    completion_tokens: Count,
    completion_tokens_details: Maybe<CompletionDetails>,
    prompt_tokens_details: Maybe<PromptDetails>,
    /// DeepSeek.
    prompt_cache_hit_tokens: Count,
    /// Moonshot.
    cached_tokens: Count,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CompletionDetails {
    reasoning_tokens: Count,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct PromptDetails {
    cached_tokens: Count,
}

impl Tokens {
    fn usage(self) -> Option<Usage> {
        let cached = self.prompt_tokens_details.0.and_then(|details| details.cached_tokens.0);
        let usage = Usage {
            prompt_tokens: self.prompt_tokens.0,
            completion_tokens: self.completion_tokens.0,
            reasoning_tokens: self.completion_tokens_details.0.and_then(|details| details.reasoning_tokens.0),
            cached_tokens: cached.or(self.prompt_cache_hit_tokens.0).or(self.cached_tokens.0),
            estimated: false,
        };
        (usage != Usage::default()).then_some(usage)
    }
}

#[cfg(test)]
mod tests {
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
        let delta = ToolCallDelta { index, id: id.map(Into::into), name: name.map(Into::into), arguments };
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
        let flat =
            r#"{"choices":[{"delta":{"tool_calls":{"index":"2","id":9,"name":"f","arguments":"{}"}}}]}"#;
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
        assert_eq!(deltas(one), vec![reasoning("x")]);
        let details = r#"{"choices":[{"delta":{"reasoning":null,"reasoning_details":[{"type":"reasoning.summary","summary":"s"},
            {"type":"reasoning.encrypted","data":"zzz"}]}}]}"#;
        assert_eq!(deltas(details), vec![reasoning("s")]);
        let parts = r#"{"choices":[{"delta":{"reasoning":[{"text":"a"},"b"]}}]}"#;
        assert_eq!(deltas(parts), vec![reasoning("ab")]);
    }

    #[test]
    fn a_whole_message_stands_in_for_deltas_but_does_not_repeat_them() {
        let message =
            r#"{"choices":[{"message":{"role":"assistant","content":"all"},"finish_reason":"stop"}]}"#;
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
        assert_eq!(
            deltas(r#"{"usage":{"prompt_tokens":5.0,"prompt_cache_hit_tokens":2}}"#),
            usage(5, Some(2))
        );
        assert_eq!(deltas(r#"{"x_groq":{"usage":{"prompt_tokens":"6"}}}"#), usage(6, None));
        assert_eq!(
            deltas(r#"{"choices":[{"usage":{"prompt_tokens":7,"cached_tokens":3}}]}"#),
            usage(7, Some(3))
        );
        assert_eq!(deltas(r#"{"usage":{"prompt_tokens":-1}}"#), vec![]);
    }

    #[test]
    fn lone_surrogates_and_nan_are_read_around() {
        let payload = r#"{"choices":[{"delta":{"content":"a\ud83db"},"logprobs":NaN}]}"#;
        assert_eq!(deltas(payload), vec![text("a\u{fffd}b")]);
    }

    #[test]
    fn a_payload_that_ends_in_mid_air_is_cut_off_and_another_is_garbage() {
        let read = |payload| Chunks::default().read(payload);
        assert_eq!(read(r#"{"choices":[{"delta":{"con"#), Err(Unreadable::CutOff));
        assert_eq!(read("hello"), Err(Unreadable::Garbage));
        assert_eq!(read("<html>"), Err(Unreadable::Garbage));
    }

    #[test]
    fn an_error_object_comes_with_the_pieces_beside_it() {
        let payload =
            r#"{"error":{"code":400,"message":"Token limit reached"},"choices":[{"delta":{"content":"x"}}]}"#;
        let pieces = Chunks::default().read(payload).unwrap();
        assert_eq!(pieces.deltas, vec![text("x")]);
        let fault = Fault { status: Some(400), codes: vec![], message: "Token limit reached".into() };
        assert_eq!(pieces.fault, Some(fault));
    }
}
