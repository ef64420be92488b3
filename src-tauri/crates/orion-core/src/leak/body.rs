//! A whole block, read as a call. Of several calls in a block the first counts.

use serde_json::{Map, Value};

use super::head::{Found, Kind, attribute};
use super::{LeakedArguments, LeakedCall, syntax, tags};
use crate::tool::ToolSet;

/// The names of the keys for a tool's name and for its arguments in JSON.
const NAME: [&str; 4] = ["name", "tool_name", "tool", "function"];
const ARGUMENTS: [&str; 5] = ["arguments", "parameters", "args", "input", "kwargs"];

/// The most words before JSON that has the name itself: `function call` of GigaChat.
const TITLE: usize = 2;

/// Reads the call of a block that ends at this place. None where it is none, or not whole yet.
pub(super) fn read(block: &str, found: &Found<'_>, end: usize, tools: &ToolSet) -> Option<LeakedCall> {
    let body = block.get(found.at..end)?;
    match &found.kind {
        Kind::Json => json(serde_json::from_str(body).ok()?, &found.words, tools),
        Kind::Tags(ends) => {
            let end = ends.iter().find(|end| body.ends_with(end.as_str()))?;
            let texts = tags::pairs(&body[..body.len() - end.len()])?;
            let named = body.strip_prefix("<|open|>call ").and_then(|call| attribute(call, "tool"));
            let name = named.or_else(|| name_among(&found.words, tools))?;
            Some(LeakedCall { name: name.to_owned(), arguments: LeakedArguments::Texts(texts) })
        }
        Kind::List => syntax::list(body),
        Kind::Code => syntax::code(body),
        Kind::Braces => syntax::braces(body),
    }
}

/// The name that a head gives, where it gives one: that of a tool on offer, else the last word.
pub(super) fn name_among<'a>(words: &[&'a str], tools: &ToolSet) -> Option<&'a str> {
    let offered = words.iter().find(|word| tools.meant(word).is_some());
    offered.or(words.last()).copied()
}

fn json(value: Value, words: &[&str], tools: &ToolSet) -> Option<LeakedCall> {
    let of = |name: &str, object| {
        let arguments = LeakedArguments::Object(object);
        Some(LeakedCall { name: name.to_owned(), arguments })
    };
    match value {
        Value::Array(list) => json(list.into_iter().next().filter(|first| !first.is_array())?, words, tools),
        Value::Object(object) => {
            // A head that names a tool has its arguments after it, whatever these are called.
            if let Some(name) = words.iter().find(|word| tools.meant(word).is_some()) {
                return of(name, object);
            }
            if let Some((name, arguments)) = named(&object).filter(|_| words.len() <= TITLE) {
                return of(name, arguments);
            }
            if let Some((name, Value::Object(arguments))) = object.iter().next()
                && object.len() == 1
                && tools.meant(name).is_some()
            {
                return of(name, arguments.clone());
            }
            let name = words.last()?;
            of(name, object)
        }
        _ => None,
    }
}

/// The name in a text that is meant to be JSON.
pub(super) fn named_in(text: &str) -> Option<&str> {
    NAME.iter().find_map(|key| {
        let (_, after) = text.split_once(&format!("\"{key}\""))?;
        let value = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        value.split_once('"').map(|(name, _)| name)
    })
}

/// An object that has the name and the arguments as values.
fn named(object: &Map<String, Value>) -> Option<(&str, Map<String, Value>)> {
    // OpenAI's own form: `{"type": "function", "function": {…}}`.
    if let Some(Value::Object(function)) = object.get("function") {
        return named(function);
    }
    let name = NAME.iter().find_map(|key| object.get(*key)?.as_str())?;
    let arguments = match ARGUMENTS.iter().find_map(|key| object.get(*key)) {
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(Value::String(text)) => serde_json::from_str(text).ok()?,
        Some(Value::Null) | None => Map::new(),
        Some(_) => return None,
    };
    Some((name, arguments))
}
