//! The payload of nearly all events of an answer: one choice with a piece of text or reasoning, and nothing else.
//!
//! An answer may have tens of thousands of them. Reading one here costs half of what [`crate::chunk`] needs, which
//! accepts anything. A payload that is not exactly of this form is left to that module, so nothing is decided in two
//! places.

use std::fmt;
use std::marker::PhantomData;

use orion_core::model::{ModelDelta, ReasoningField};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// The pieces of such a payload, and the field that its reasoning is in. None when it has another form.
pub(crate) fn read(payload: &str) -> Option<(Vec<ModelDelta>, Option<ReasoningField>)> {
    let Object(Plain { choices: [Object(Choice { delta: Object(delta), .. })], .. }) =
        serde_json::from_str(payload).ok()?;
    let said = |text: Option<String>| text.filter(|text| !text.is_empty());
    let mut deltas = Vec::with_capacity(1);
    let in_field = |text, field| said(text).map(|text| (text, field));
    let reasoning = in_field(delta.reasoning_content, ReasoningField::ReasoningContent)
        .or_else(|| in_field(delta.reasoning, ReasoningField::Reasoning));
    let field = reasoning.as_ref().map(|(_, field)| *field);
    deltas.extend(reasoning.map(|(text, _)| ModelDelta::Reasoning { text }));
    deltas.extend(said(delta.content).map(|text| ModelDelta::Text { text }));
    Some((deltas, field))
}

/// An object of this type. A derived type would also accept a list of its fields.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = Object<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_map(Reader(PhantomData))
    }
}

/// A field of type `()` may be missing or null. Fields that have no meaning anywhere may hold anything.
#[derive(serde::Deserialize)]
struct Plain {
    choices: [Object<Choice>; 1],
    #[serde(default, rename = "usage")]
    _usage: (),
    #[serde(default, rename = "error")]
    _error: (),
    #[serde(default, rename = "x_groq")]
    _x_groq: (),
    #[serde(default, rename = "prompt_progress")]
    _prompt_progress: (),
}

#[derive(serde::Deserialize)]
struct Choice {
    #[serde(default, rename = "index")]
    _index: First,
    delta: Object<Delta>,
    #[serde(default, rename = "message")]
    _message: (),
    #[serde(default, rename = "finish_reason")]
    _finish_reason: (),
    #[serde(default, rename = "usage")]
    _usage: (),
}

#[derive(serde::Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    reasoning_content: Option<String>,
    #[serde(default)]
    reasoning: Option<String>,
    #[serde(default, rename = "reasoning_details")]
    _reasoning_details: (),
    #[serde(default, rename = "refusal")]
    _refusal: (),
    #[serde(default, rename = "tool_calls")]
    _tool_calls: (),
    #[serde(default, rename = "function_call")]
    _function_call: (),
}

/// The index 0.
#[derive(Default, serde::Deserialize)]
#[serde(try_from = "u32")]
struct First;

impl TryFrom<u32> for First {
    type Error = &'static str;

    fn try_from(index: u32) -> Result<Self, Self::Error> {
        if index == 0 { Ok(Self) } else { Err("another choice") }
    }
}

#[cfg(test)]
mod tests;
