//! Arguments in tags: `<parameter=key>value</parameter>`, `<parameter name="key">value</parameter>`, `<arg_key>key</arg_key><arg_value>value</arg_value>`,
//! `<key>value</key>`, and Kimi K3's tokens.

use serde_json::Value;

use super::head::{MINIMAX, attribute};
use super::literal;

/// The keys and values of a body. None where it is not closed yet.
pub(super) fn pairs(body: &str) -> Option<Vec<(String, String)>> {
    let body = body.replace(MINIMAX, "");
    let mut rest = body.as_str();
    let mut pairs = Vec::new();
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let (pair, after) = match rest.strip_prefix("<|open|>argument ") {
            Some(argument) => kimi(argument)?,
            None => one(rest)?,
        };
        pairs.extend(pair);
        rest = after;
    }
    Some(pairs)
}

/// A list or an object that is written in tags: `<item>1</item><item>2</item>`, `<key>value</key>`. None where a text is none.
pub(super) fn nested(text: &str, depth: usize) -> Option<Value> {
    if depth == 0 {
        return None;
    }
    let mut rest = text.trim();
    let mut values = Vec::new();
    while !rest.is_empty() {
        let (name, after) = rest.strip_prefix('<')?.split_once('>')?;
        let (value, after) = after.split_once(&format!("</{name}>"))?;
        values.push((
            name.to_owned(),
            nested(value, depth - 1).or_else(|| literal::value(value)).unwrap_or_else(|| value.into()),
        ));
        rest = after.trim_start();
    }
    match values.first() {
        None => None,
        Some((name, _)) if name == "item" => Some(values.into_iter().map(|(_, value)| value).collect()),
        Some(_) => Some(Value::Object(values.into_iter().collect())),
    }
}

type Pair<'a> = (Option<(String, String)>, &'a str);

/// The text of a tag, or of a pair of them, and what follows.
fn one(rest: &str) -> Option<Pair<'_>> {
    let end = rest.find('>')?;
    let (tag, after) = (&rest[1..end], &rest[end + 1..]);
    if tag.starts_with(['/', '|', '!']) || tag.is_empty() {
        return Some((None, after));
    }
    if tag.starts_with("arg_key") {
        let (key, after) = after.split_once("</arg_key")?;
        let (_, after) = after.split_once("<arg_value")?;
        let (_, after) = after.split_once('>')?;
        let (value, after) = after.split_once("</arg_value")?;
        return Some((pair(key.trim(), value), after));
    }
    if let Some(key) = tag.strip_prefix("parameter=") {
        // The last one may lack its end.
        let (value, after) = after.split_once("</parameter>").unwrap_or((after, ""));
        return Some((pair(key.trim_matches(['"', '\'', ' ']), without_frame(value)), after));
    }
    let (element, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    let key = match element.ends_with("parameter") || element == "param" {
        true => attribute(attributes, "name")?,
        false => element,
    };
    let (value, after) = after.split_once(&format!("</{element}>"))?;
    Some((pair(key, value), after))
}

/// `key="…" type="…"<|sep|>value<|close|>argument<|sep|>`.
fn kimi(argument: &str) -> Option<Pair<'_>> {
    let (attributes, after) = argument.split_once("<|sep|>")?;
    let (value, after) = after.split_once("<|close|>argument")?;
    Some((pair(attribute(attributes, "key")?, value), after))
}

fn pair(key: &str, value: &str) -> Option<(String, String)> {
    let raw = value.strip_prefix("<![CDATA[").and_then(|value| value.strip_suffix("]]>"));
    Some((key.to_owned(), raw.unwrap_or(value).to_owned()))
}

/// A value that stands on lines of its own, without the line ends around it.
fn without_frame(value: &str) -> &str {
    value.strip_prefix('\n').and_then(|value| value.strip_suffix('\n')).unwrap_or(value)
}
