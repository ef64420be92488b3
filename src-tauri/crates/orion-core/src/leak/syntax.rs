//! Calls as code writes them: `[name(key='value')]`, `name(key="value")`, `call:name{key:<|"|>value<|"|>}`.

use serde_json::{Map, Value};

use super::literal::{DEPTH, Reader};
use super::{LeakedArguments, LeakedCall};

/// The quote of Gemma 4.
const QUOTE: &str = "<|\"|>";

/// The first call of a list. The list is whole.
pub(super) fn list(text: &str) -> Option<LeakedCall> {
    let mut reader = Reader::of(text);
    reader.take("[").then_some(())?;
    let first = call(&mut reader)?;
    while reader.take(",") {
        call(&mut reader)?;
    }
    (reader.take("]") && reader.rest().is_empty()).then_some(first)
}

/// One call. Code may print what it returns.
pub(super) fn code(text: &str) -> Option<LeakedCall> {
    let mut reader = Reader::of(text);
    let prints = reader.take("print(");
    let call = call(&mut reader)?;
    let closed = !prints || reader.take(")");
    (closed && reader.rest().is_empty()).then_some(call)
}

fn call(reader: &mut Reader<'_>) -> Option<LeakedCall> {
    let name = reader.name()?.to_owned();
    reader.take("(").then_some(())?;
    let mut arguments = Map::new();
    while !reader.take(")") {
        let key = reader.name()?.to_owned();
        reader.take("=").then_some(())?;
        arguments.insert(key, reader.value(0)?);
        if !reader.take(",") {
            reader.take(")").then_some(())?;
            break;
        }
    }
    Some(LeakedCall { name, arguments: LeakedArguments::Object(arguments) })
}

/// A call of Gemma 4: keys without quotes, and texts in quotes that no text has.
pub(super) fn braces(text: &str) -> Option<LeakedCall> {
    let mut reader = Reader::of(text);
    reader.take("call:").then_some(())?;
    let name = reader.name()?.to_owned();
    let Value::Object(arguments) = gemma(&mut reader, 0)? else { return None };
    reader.rest().is_empty().then_some(LeakedCall { name, arguments: LeakedArguments::Object(arguments) })
}

fn gemma(reader: &mut Reader<'_>, depth: usize) -> Option<Value> {
    if depth > DEPTH {
        return None;
    }
    if reader.take(QUOTE) {
        return quoted(reader).map(Value::String);
    }
    if reader.take("[") {
        let mut list = Vec::new();
        while !reader.take("]") {
            list.push(gemma(reader, depth + 1)?);
            if !reader.take(",") {
                reader.take("]").then_some(())?;
                break;
            }
        }
        return Some(Value::Array(list));
    }
    if reader.take("{") {
        let mut object = Map::new();
        while !reader.take("}") {
            let key = match reader.take(QUOTE) {
                true => quoted(reader)?,
                false => reader.until(":")?.trim().to_owned(),
            };
            reader.take(":").then_some(())?;
            object.insert(key, gemma(reader, depth + 1)?);
            if !reader.take(",") {
                reader.take("}").then_some(())?;
                break;
            }
        }
        return Some(Value::Object(object));
    }
    reader.value(depth)
}

fn quoted(reader: &mut Reader<'_>) -> Option<String> {
    let text = reader.until(QUOTE)?.to_owned();
    reader.take(QUOTE).then_some(text)
}
