//! A call at the very beginning of a response, without a head of its own: JSON with the name of a tool, or the name and its arguments.

use crate::tool::{NAMESPACES, ToolSet, folded};

/// The beginning of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// It may still be a call.
    Open,
    Nothing,
    /// A block begins here. `alone`: it is a call only where it is all that the response has.
    Block {
        at: usize,
        alone: bool,
    },
}

/// The longest beginning that is looked at, in bytes: OpenAI's own form with a name of 128 bytes and some white space.
const LONGEST: usize = 256;

/// The beginnings of JSON that names a tool, without white space. Llama 3 and many that learned from it; OpenAI's own form.
const JSON: [&str; 6] = [
    "{\"name\":\"",
    "{\"tool_name\":\"",
    "{\"tool\":\"",
    "{\"function\":\"",
    "{\"function\":{\"name\":\"",
    "{\"type\":\"function\",\"name\":\"",
];
const TYPED: &str = "{\"type\":\"function\",\"function\":{\"name\":\"";

/// gpt-oss and Muse, whose generation prompt has the rest of the head.
const TO: &str = "to=";

pub(super) fn of(text: &str, tools: &ToolSet) -> Start {
    let rest = text.trim_start();
    let at = text.len() - rest.len();
    let found = match rest.chars().next() {
        _ if at > LONGEST => return Start::Nothing,
        None => return Start::Open,
        Some('{' | '[') => json(rest, tools).map(|()| Start::Block { at, alone: true }),
        Some(_) => match rest.strip_prefix(TO) {
            Some(name) => named(name, tools, &["<", " <"]).map(|()| Start::Block { at, alone: false }),
            None if TO.starts_with(rest) => return Start::Open,
            None => named(rest, tools, &["\n{"]).map(|()| Start::Block { at, alone: false }),
        },
    };
    match found {
        Ok(block) => block,
        Err(Not::Yet) => Start::Open,
        Err(Not::Ever) => Start::Nothing,
    }
}

enum Not {
    Yet,
    Ever,
}

fn json(text: &str, tools: &ToolSet) -> Result<(), Not> {
    if text.len() > LONGEST {
        let first = &text[..text.floor_char_boundary(LONGEST)];
        return json(first, tools).map_err(|_| Not::Ever);
    }
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let dense = dense.strip_prefix('[').unwrap_or(&dense);
    let mut not = Not::Ever;
    for beginning in JSON.into_iter().chain([TYPED]) {
        match dense.strip_prefix(beginning) {
            Some(name) => match name.split_once('"') {
                Some((name, _)) if tools.meant(name).is_some() => return Ok(()),
                Some(_) => {}
                None => not = Not::Yet,
            },
            None if beginning.starts_with(dense) => not = Not::Yet,
            None => {}
        }
    }
    Err(not)
}

/// The name of a tool and then one of these.
fn named(text: &str, tools: &ToolSet, then: &[&str]) -> Result<(), Not> {
    let end = text.find(|c: char| !c.is_alphanumeric() && !"_.:-".contains(c)).unwrap_or(text.len());
    let (name, after) = text.split_at(end);
    if after.is_empty() {
        return Err(if name.len() < LONGEST && may_be(name, tools) { Not::Yet } else { Not::Ever });
    }
    if tools.meant(name).is_none() {
        return Err(Not::Ever);
    }
    match then {
        then if then.iter().any(|then| after.starts_with(then)) => Ok(()),
        then if then.iter().any(|then| then.starts_with(after)) => Err(Not::Yet),
        _ => Err(Not::Ever),
    }
}

/// A name that is not whole may become one that is meant for a tool: true of each beginning of every name that is.
fn may_be(name: &str, tools: &ToolSet) -> bool {
    let bare = NAMESPACES.iter().find_map(|namespace| name.strip_prefix(namespace)).unwrap_or(name);
    let (wanted, number) = bare.split_once(':').map_or((bare, None), |(name, number)| (name, Some(number)));
    let is_number = number.is_none_or(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    let [whole, wanted] = [name, wanted].map(folded);
    let begins = |tool: &str| {
        let tool = folded(tool);
        tool.starts_with(&whole)
            || (is_number && if number.is_some() { tool == wanted } else { tool.starts_with(&wanted) })
    };
    tools.names().any(begins) || NAMESPACES.iter().any(|namespace| namespace.starts_with(name))
}
