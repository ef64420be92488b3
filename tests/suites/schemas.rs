//! The tools as a model is told of them, held to the rules that endpoints publish for them (without `strict`, which needs lists of types).
//!
//! Each rule is the strictest of those of OpenAI (platform.openai.com/docs/api-reference/chat/create), Gemini (ai.google.dev/api/caching#Schema), Moonshot
//! (github.com/MoonshotAI/walle, mfjs-spec), Mistral, Groq, Cerebras, and the grammar of llama.cpp (grammars/README.md).

use serde_json::{Map, Value, json};
use support::Script;

use crate::driver_desk::Desk;

/// The words of a schema that all of them take.
const WORDS: [&str; 14] = [
    "default",
    "description",
    "enum",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
    "properties",
    "required",
    "type",
];

/// Repetitions that the grammar of llama.cpp takes at most.
const REPEATED: u64 = 2_000;

fn text<'a>(object: &'a Map<String, Value>, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The faults of a schema and of those in it, by its place.
fn faults(place: &str, schema: &Value, found: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else {
        return found.push(format!("{place} is no object"));
    };
    let mut fault = |what: &str| found.push(format!("{place}: {what}"));
    let kind = text(schema, "type");
    if !["array", "boolean", "integer", "number", "object", "string"].contains(&kind) {
        fault("its type is not one word");
    }
    for key in schema.keys().filter(|key| !WORDS.contains(&key.as_str())) {
        fault(&format!("{key} is not taken everywhere"));
    }
    let choices = schema.get("enum").and_then(Value::as_array);
    if choices.is_some_and(|choices| kind != "string" || !choices.iter().all(Value::is_string)) {
        fault("a choice is between texts");
    }
    let fits = |default: &Value| match kind {
        "string" => default.is_string(),
        "integer" => default.is_u64(),
        "boolean" => default.is_boolean(),
        _ => false,
    };
    if schema.get("default").is_some_and(|default| !fits(default)) {
        fault("its default is of another type");
    }
    for most in ["maxItems", "maxLength"] {
        if schema.get(most).and_then(Value::as_u64).is_some_and(|most| most > REPEATED) {
            fault(&format!("{most} is more than a grammar takes"));
        }
    }
    if (kind == "array") != schema.contains_key("items") {
        fault("a list has entries of one kind");
    }
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str).filter(|name| !properties.contains_key(*name)) {
        fault(&format!("{name} is required, and no property"));
    }
    for (name, property) in properties {
        let place = format!("{place}.{name}");
        if property["description"].as_str().is_none_or(str::is_empty) {
            found.push(format!("{place} has no description"));
        }
        faults(&place, property, found);
    }
    if let Some(items) = schema.get("items") {
        faults(&format!("{place}[]"), items, found);
    }
}

fn faults_of(tool: &Value) -> Vec<String> {
    let function = tool["function"].as_object().unwrap();
    let name = text(function, "name");
    let mut found = Vec::new();
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !name.starts_with(|first: char| first.is_ascii_alphabetic())
        || !name.chars().all(is_word)
        || name.len() > 64
    {
        found.push(format!("{name} is no name"));
    }
    if !(1..=1_024).contains(&text(function, "description").chars().count()) {
        found.push(format!("{name} has no description of at most 1,024 characters"));
    }
    let parameters = &function["parameters"];
    if parameters["type"] != "object" || !parameters["properties"].is_object() {
        found.push(format!("{name} takes no object"));
    }
    faults(name, parameters, &mut found);
    found
}

#[tokio::test]
async fn every_endpoint_takes_the_tools() {
    let model = Script::new().turn(|t| t.text("Nothing.").end("stop")).start();
    let desk = Desk::with(&model).await;
    desk.turn("What is there?").await;
    let tools = model.requests()[0].body["tools"].as_array().unwrap().clone();
    assert_eq!(tools.len(), 8);
    let found: Vec<String> = tools.iter().flat_map(faults_of).collect();
    assert!(found.is_empty(), "{found:#?}");
    // P12: they are in every request.
    let bytes = serde_json::to_string(&tools).unwrap().len();
    assert!(bytes <= 5_500, "{bytes}");
    model.finish();
}

#[test]
fn what_some_endpoint_refuses_is_found() {
    let tool = |name: &str, parameters: Value| json!({ "type": "function", "function": { "name": name, "description": "Does it.", "parameters": parameters } });
    let of = |property: Value| json!({ "type": "object", "properties": { "a": property } });
    for (refused, why) in [
        (tool("1st", of(json!({ "type": "string", "description": "It" }))), "1st is no name"),
        (tool("t", json!({ "type": "object" })), "t takes no object"),
        (tool("t", of(json!({ "type": "string" }))), "t.a has no description"),
        (
            tool("t", of(json!({ "type": ["string", "null"], "description": "It" }))),
            "t.a: its type is not one word",
        ),
        (tool("t", of(json!({ "enum": ["a"], "description": "It" }))), "t.a: its type is not one word"),
        (
            tool("t", of(json!({ "type": "string", "default": null, "description": "It" }))),
            "t.a: its default is of another type",
        ),
        (
            tool("t", of(json!({ "type": "string", "format": "path", "description": "It" }))),
            "t.a: format is not taken everywhere",
        ),
        (
            tool("t", of(json!({ "type": "array", "description": "It" }))),
            "t.a: a list has entries of one kind",
        ),
        (
            tool("t", of(json!({ "type": "string", "maxLength": 9000, "description": "It" }))),
            "t.a: maxLength is more than a grammar takes",
        ),
    ] {
        let found = faults_of(&refused);
        assert!(found.iter().any(|fault| fault == why), "{why}: {found:?}");
    }
}
