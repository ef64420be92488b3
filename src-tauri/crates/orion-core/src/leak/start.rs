//! A call at the very beginning of a response, without a head of its own: JSON with the name of a tool, or the name and its arguments.

use crate::tool::{NAMESPACES, ToolSet};

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
        None => return if text.len() > LONGEST { Start::Nothing } else { Start::Open },
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
        let bare = NAMESPACES.iter().find_map(|namespace| name.strip_prefix(namespace)).unwrap_or(name);
        let may_be = tools.names().any(|tool| tool.starts_with(bare))
            || NAMESPACES.iter().any(|namespace| namespace.starts_with(name));
        return Err(if may_be && name.len() < LONGEST { Not::Yet } else { Not::Ever });
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
