//! The body of a chat request, as small as the interface allows: values that are the default are left out.

use orion_core::model::{LimitName, ModelRequest, Profile, ThinkingSwitch, Wire};
use orion_core::tool::{ToolSet, ToolSpec};
use orion_protocol::{ModelTuning, ReasoningEffort, Temperature, Thinking};
use serde::Serialize;
use serde_json::Value;

use crate::messages::{Said, messages};

/// JSON of `POST {base}/chat/completions`.
pub(crate) fn body(request: &ModelRequest, profile: &Profile, wire: Wire) -> Vec<u8> {
    let limit = |name| request.max_output_tokens.filter(|_| wire.limit == name);
    let tuning = profile.tuned(request.tuning);
    let (reasoning_effort, thinking) = of_thinking(tuning, wire.thinking);
    let body = Body {
        model: &request.model,
        messages: messages(&request.messages, profile, wire),
        tools: tools(&request.tools),
        // P12. Without tools there is nothing to forbid, and some servers refuse the field then.
        tool_choice: (request.forbids_tools && !request.tools.is_empty() && !wire.no_tool_choice)
            .then_some("none"),
        stream: true,
        stream_options: wire.usage_option.then_some(StreamOptions { include_usage: true }),
        return_progress: wire.reading_progress.then_some(true),
        max_tokens: limit(LimitName::MaxTokens),
        max_completion_tokens: limit(LimitName::MaxCompletionTokens),
        temperature: tuning.temperature,
        reasoning_effort,
        thinking,
    };
    // Strings and JSON values alone: this cannot fail.
    serde_json::to_vec(&body).unwrap_or_default()
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Said<'a>>,
    /// Left out when there are none: several servers refuse an empty list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    /// llama.cpp (tools/server/README.md, `return_progress`).
    #[serde(skip_serializing_if = "Option::is_none")]
    return_progress: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<Temperature>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<ReasoningEffort>,
    #[serde(flatten)]
    thinking: Option<ThinkingField>,
}

/// The field that says whether the model is to think, where that is no `reasoning_effort`.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum ThinkingField {
    ChatTemplateKwargs { enable_thinking: bool },
    Reasoning(OfReasoning),
    Thinking(ThinkingType),
}

/// OpenRouter's field: an effort says that the model is to think.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum OfReasoning {
    Enabled(bool),
    Effort(ReasoningEffort),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ThinkingType {
    Enabled,
    Disabled,
}

/// The effort that is sent, and the field on thinking beside it.
fn of_thinking(
    tuning: ModelTuning,
    field: Option<ThinkingSwitch>,
) -> (Option<ReasoningEffort>, Option<ThinkingField>) {
    let effort = tuning.effort();
    let Some((field, thinking)) = field.zip(tuning.thinking) else { return (effort, None) };
    let thinks = thinking == Thinking::On;
    match field {
        ThinkingSwitch::TemplateArgument => {
            (effort, Some(ThinkingField::ChatTemplateKwargs { enable_thinking: thinks }))
        }
        // Ollama's maintainers name `medium` for a model that is to think (ollama/ollama#12561).
        ThinkingSwitch::Effort if thinks => (effort.or(Some(ReasoningEffort::Medium)), None),
        ThinkingSwitch::Effort => (Some(ReasoningEffort::None), None),
        // It refuses `reasoning_effort` beside it (danny-avila/LibreChat#6076).
        ThinkingSwitch::Reasoning => (
            None,
            Some(ThinkingField::Reasoning(effort.map_or(OfReasoning::Enabled(thinks), OfReasoning::Effort))),
        ),
        ThinkingSwitch::Type if thinks => (effort, Some(ThinkingField::Thinking(ThinkingType::Enabled))),
        ThinkingSwitch::Type => (effort, Some(ThinkingField::Thinking(ThinkingType::Disabled))),
    }
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

/// The tools as they are described to a model.
pub(crate) fn tools(offered: &ToolSet) -> Vec<Tool<'_>> {
    offered.iter().map(Tool::of).collect()
}

#[derive(Serialize)]
pub(crate) struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: ToolFunction<'a>,
}

#[derive(Serialize)]
struct ToolFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Value,
}

impl<'a> Tool<'a> {
    fn of(spec: &'a ToolSpec) -> Self {
        let parameters = for_model(&spec.parameters);
        Self {
            kind: "function",
            function: ToolFunction { name: &spec.name, description: &spec.description, parameters },
        }
    }
}

/// A schema without the words that Gemini refuses (ai.google.dev/api/caching#Schema): the name of its draft, formats but that of dates, and that no
/// further arguments are taken. Orion alone reads them.
fn for_model(schema: &Value) -> Value {
    match schema {
        Value::Object(object) => Value::Object(
            object
                .iter()
                .filter(|(key, value)| match key.as_str() {
                    // A property may have one of these names; then it is an object.
                    "$schema" => !value.is_string(),
                    "additionalProperties" => !value.is_boolean(),
                    "format" => value.as_str().is_none_or(|format| format == "date-time"),
                    _ => true,
                })
                .map(|(key, value)| (key.clone(), for_model(value)))
                .collect(),
        ),
        Value::Array(list) => Value::Array(list.iter().map(for_model).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use orion_core::model::{CallMade, Message};
    use orion_core::tool::ToolKind;
    use serde_json::json;

    use super::*;
    use crate::quirks::{PLAIN, Quirks};

    fn of(request: &ModelRequest, host: &str) -> Vec<u8> {
        let quirks = Quirks::of(host, "m");
        body(request, &Profile { wire: Some(quirks.wire), ..quirks.profile }, quirks.wire)
    }

    fn sent(host: &str, messages: Vec<Message>, tools: Vec<ToolSpec>) -> Value {
        let tools = tools.into_iter().collect();
        let request = ModelRequest {
            model: "m".into(),
            messages,
            tools,
            forbids_tools: false,
            max_output_tokens: None,
            tuning: ModelTuning::default(),
        };
        serde_json::from_slice(&of(&request, host)).unwrap()
    }

    fn user(text: &str) -> Message {
        Message::user(text)
    }

    fn called(text: &str, reasoning: Option<&str>) -> Message {
        let call = CallMade {
            id: "c1".into(),
            name: "read_file".into(),
            arguments: r#"{"path":"a"}"#.into(),
            extra: None,
        };
        Message::Assistant { text: text.into(), reasoning: reasoning.map(Into::into), tool_calls: vec![call] }
    }

    #[test]
    fn all_roles_and_tools_go_in_the_shared_shape() {
        let parameters = json!({"$schema": "x", "type": "object", "additionalProperties": false, "properties": {
                "path": {"type": "string"}, "format": {"type": "string", "format": "date-time"}}});
        let tool = ToolSpec::new("read_file", "Reads.", parameters, ToolKind::Reads);
        let messages = vec![
            Message::System { text: "s".into() },
            user("u"),
            called("", Some("hm")),
            Message::Tool {
                call_id: "c1".into(),
                name: "read_file".into(),
                text: "t".into(),
                images: Vec::new(),
            },
            Message::Assistant { text: "a".into(), reasoning: Some("hm".into()), tool_calls: vec![] },
        ];
        let expected = json!({"model": "m", "stream": true, "stream_options": {"include_usage": true},
            "messages": [
                {"role": "system", "content": "s"},
                {"role": "user", "content": "u"},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "MynGTXiXx", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":\"a\"}"}}]},
                {"role": "tool", "tool_call_id": "MynGTXiXx", "content": "t"},
                {"role": "assistant", "content": "a"}],
            "tools": [{"type": "function", "function": {"name": "read_file", "description": "Reads.", "parameters":
                {"type": "object", "properties": {"path": {"type": "string"}, "format": {"type": "string", "format": "date-time"}}}}}]});
        assert_eq!(sent("h", messages, vec![tool]), expected);
    }

    #[test]
    fn no_tools_and_no_usage_option_are_left_out_where_they_are_refused() {
        assert_eq!(
            sent("api.mistral.ai", vec![user("a"), user("b")], vec![]),
            json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "a\n\nb"}]})
        );
    }

    #[test]
    fn reasoning_goes_back_where_it_is_demanded() {
        let reasoning = |message| {
            sent("api.deepseek.com", vec![message], vec![])["messages"][0]["reasoning_content"].take()
        };
        assert_eq!(reasoning(called("x", Some("hm"))), json!("hm"));
        assert_eq!(reasoning(called("x", None)), json!(""));
        assert_eq!(
            reasoning(Message::Assistant { text: "x".into(), reasoning: None, tool_calls: vec![] }),
            json!(null)
        );
    }

    // P12
    #[test]
    fn forbidden_tools_stay_as_they_were() {
        let parameters = json!({"type": "object"});
        let tool = ToolSpec::new("read_file", "Reads.", parameters, ToolKind::Reads);
        let sent = |tools: &[ToolSpec], forbids_tools| -> Value {
            let request = ModelRequest {
                model: "m".into(),
                messages: Vec::new(),
                tools: tools.iter().cloned().collect(),
                forbids_tools,
                max_output_tokens: None,
                tuning: ModelTuning::default(),
            };
            serde_json::from_slice(&of(&request, "h")).unwrap()
        };
        let (free, forbidden, none) =
            (sent(std::slice::from_ref(&tool), false), sent(&[tool], true), sent(&[], true));
        assert_eq!(forbidden["tools"], free["tools"]);
        assert_eq!(
            [&free, &forbidden, &none].map(|body| body.get("tool_choice")),
            [None, Some(&json!("none")), None]
        );
        assert_eq!(none.get("tools"), None);
    }

    // X2
    #[test]
    fn the_limit_of_an_answer_goes_by_the_providers_name() {
        let sent = |host, limit| {
            let request = ModelRequest {
                model: "m".into(),
                messages: Vec::new(),
                tools: ToolSet::empty(),
                forbids_tools: false,
                max_output_tokens: limit,
                tuning: ModelTuning::default(),
            };
            let mut value: Value = serde_json::from_slice(&of(&request, host)).unwrap();
            ["max_tokens", "max_completion_tokens"].map(|name| value[name].take())
        };
        assert_eq!(sent("api.deepseek.com", Some(8_192)), [json!(8_192), Value::Null]);
        assert_eq!(sent("api.openai.com", Some(8_192)), [Value::Null, json!(8_192)]);
        assert_eq!(sent("api.openai.com", None), [Value::Null, Value::Null]);
    }

    #[test]
    fn what_a_person_set_of_the_answer_is_sent_and_nothing_else_is() {
        let sent = |tuning| -> Value {
            let request = ModelRequest {
                model: "m".into(),
                messages: Vec::new(),
                tools: ToolSet::empty(),
                forbids_tools: false,
                max_output_tokens: None,
                tuning,
            };
            serde_json::from_slice(&of(&request, "h")).unwrap()
        };
        let bare =
            json!({"model": "m", "stream": true, "stream_options": {"include_usage": true}, "messages": []});
        assert_eq!(sent(ModelTuning::default()), bare);
        let tuning = ModelTuning {
            temperature: Temperature::new(0.3),
            reasoning_effort: Some(ReasoningEffort::Minimal),
            thinking: None,
        };
        let mut set = bare;
        set["temperature"] = json!(0.3);
        set["reasoning_effort"] = json!("minimal");
        assert_eq!(sent(tuning), set);
    }

    /// The fields of a request that say something of thinking, by the way in which its provider is told.
    fn told(
        field: Option<ThinkingSwitch>,
        thinking: Option<Thinking>,
        effort: Option<ReasoningEffort>,
    ) -> Value {
        let request = ModelRequest {
            model: "m".into(),
            messages: Vec::new(),
            tools: ToolSet::empty(),
            forbids_tools: false,
            max_output_tokens: None,
            tuning: ModelTuning { temperature: None, reasoning_effort: effort, thinking },
        };
        let wire = Wire { thinking: field, ..PLAIN };
        let profile = Profile { wire: Some(wire), ..Profile::default() };
        let mut sent: Value = serde_json::from_slice(&body(&request, &profile, wire)).unwrap();
        let bare = ["model", "stream", "stream_options", "messages"];
        bare.iter().for_each(|key| _ = sent.as_object_mut().unwrap().remove(*key));
        sent
    }

    #[test]
    fn each_provider_is_told_to_think_or_not_by_its_own_field_and_by_no_other() {
        let (on, off) = (Some(Thinking::On), Some(Thinking::Off));
        for (field, thinks, thinks_not) in [
            (
                ThinkingSwitch::TemplateArgument,
                json!({"chat_template_kwargs": {"enable_thinking": true}}),
                json!({"chat_template_kwargs": {"enable_thinking": false}}),
            ),
            (
                ThinkingSwitch::Effort,
                json!({"reasoning_effort": "medium"}),
                json!({"reasoning_effort": "none"}),
            ),
            (
                ThinkingSwitch::Reasoning,
                json!({"reasoning": {"enabled": true}}),
                json!({"reasoning": {"enabled": false}}),
            ),
            (
                ThinkingSwitch::Type,
                json!({"thinking": {"type": "enabled"}}),
                json!({"thinking": {"type": "disabled"}}),
            ),
        ] {
            assert_eq!(
                [on, off, None].map(|set| told(Some(field), set, None)),
                [thinks, thinks_not, json!({})]
            );
        }
        assert_eq!([on, off].map(|set| told(None, set, None)), [json!({}), json!({})]);
    }

    #[test]
    fn what_is_set_of_thinking_counts_before_an_effort_that_contradicts_it() {
        let (high, none) = (Some(ReasoningEffort::High), Some(ReasoningEffort::None));
        let [on, off] = [Thinking::On, Thinking::Off]
            .map(|set| move |field, effort| told(Some(field), Some(set), effort));
        use ThinkingSwitch::{Effort, Reasoning, TemplateArgument, Type};
        assert_eq!(off(TemplateArgument, high), json!({"chat_template_kwargs": {"enable_thinking": false}}));
        assert_eq!(off(Effort, high), json!({"reasoning_effort": "none"}));
        assert_eq!(off(Reasoning, high), json!({"reasoning": {"enabled": false}}));
        assert_eq!(off(Type, high), json!({"thinking": {"type": "disabled"}}));
        assert_eq!(on(Effort, none), json!({"reasoning_effort": "medium"}));
        assert_eq!(on(Type, none), json!({"thinking": {"type": "enabled"}}));
        // An effort that agrees goes with it.
        assert_eq!(on(Effort, high), json!({"reasoning_effort": "high"}));
        assert_eq!(on(Reasoning, high), json!({"reasoning": {"effort": "high"}}));
        assert_eq!(on(Type, high), json!({"thinking": {"type": "enabled"}, "reasoning_effort": "high"}));
        // Where nothing can be told of thinking, the effort is left as it was.
        assert_eq!(told(None, Some(Thinking::Off), high), json!({"reasoning_effort": "high"}));
    }

    #[test]
    fn an_empty_answer_is_an_empty_string() {
        let empty = Message::Assistant { text: String::new(), reasoning: None, tool_calls: vec![] };
        let request = ModelRequest {
            model: "m".into(),
            messages: vec![empty],
            tools: ToolSet::empty(),
            forbids_tools: false,
            max_output_tokens: None,
            tuning: ModelTuning::default(),
        };
        let value: Value = serde_json::from_slice(&of(&request, "h")).unwrap();
        assert_eq!(value["messages"][0], json!({"role": "assistant", "content": ""}));
    }
}
