//! The text of a response that has a call: what stands before it, how many there are, and how their JSON is laid out.

use chat_template::python;
use serde_json::{StreamDeserializer, Value, de::StrRead};

use crate::choice;
use crate::family::{Family, closed};
use crate::functions::Call;

const PROSE: [&str; 20] = [
    "I will look at the file first.",
    "Let me check that for you.",
    "Sure! I'll call the tool with these values:",
    "Okay, one moment please…",
    "First: let's see what we have.",
    "Ich sehe mir zuerst die Datei an.",
    "Einen Moment, ich prüfe das für dich.",
    "Je vais d'abord regarder le fichier.",
    "Primero voy a mirar el archivo.",
    "¡Claro! Déjame comprobarlo.",
    "Сначала я посмотрю файл.",
    "我先看一下这个文件。",
    "好的，让我来查一下：",
    "まずファイルを確認します。",
    "먼저 파일을 확인하겠습니다.",
    "سألقي نظرة على الملف أولاً.",
    "I need `path` and the *second* value (see above) for this.",
    "**Step 1.** Get the data.",
    "Working on it 🔍",
    "The user wants me to do this. I have a function for it, so I use it now.",
];
const THOUGHTS: [&str; 5] = [
    "The user asks for something that one of my tools can do. I should call it.",
    "Okay, so I need to find out first.\n\nLet me use the tool.",
    "用户想要查询信息。我应该调用工具。",
    "Der Nutzer will etwas wissen, das ich nicht weiß.\nAlso rufe ich das Werkzeug auf.",
    "1. Check the arguments.\n2. Call the function.\n3. Answer.",
];

/// The ends of thoughts that the prompt has begun.
const THOUGHT_ENDS: [&str; 3] = ["</think>", "</mm:think>", "<|close|>think<|sep|>"];

/// A response.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// The second call, where it has one.
    pub(crate) two: bool,
}

/// The response of this number with a call, and with a second one where the template has two. None where the template refuses the call.
pub(crate) fn of(family: &Family, first: &Call, second: &Call, number: usize) -> Option<Text> {
    let alone = family.text(&[first], "")?;
    let mut calls = vec![first];
    let mut plain = alone.clone();
    if choice::below(100, [number, 1]) < 36
        && first.tool.name != second.tool.name
        && let Some(text) = family.text(&[first, second], "").filter(|text| *text != alone)
    {
        (calls, plain) = (vec![first, second], text);
    }
    let varied = match choice::below(100, [number, 2]) {
        0..36 => with_prose(family, &calls, &plain, PROSE[choice::below(PROSE.len(), [number, 3])]),
        36..43 => with_thoughts(&plain, THOUGHTS[choice::below(THOUGHTS.len(), [number, 3])]),
        _ => None,
    };
    let mut text = varied.unwrap_or(plain);
    if family.is_json && choice::below(100, [number, 4]) < 22 {
        text = pretty(&text, [2, 4][choice::below(2, [number, 5])]);
    }
    let text = closed(&text, choice::below(2, [number, 6]) == 0).to_owned();
    Some(Text { text, two: calls.len() == 2 })
}

/// The text with prose on a line of its own. None where the family has no place for it.
fn with_prose(family: &Family, calls: &[&Call], plain: &str, prose: &str) -> Option<String> {
    // The template has it, unless that is after the call, or in a turn of its own.
    if let Some(text) = family.text(calls, prose)
        && let Some((before, after)) = text.split_once(prose)
        && closed(after, false).contains(&*calls[0].tool.name)
    {
        // A token that ends the prose's own block stays where it is.
        let ends = ["\n", "<|end|>", "<|close|>", "<|eom|>", "<|END_"];
        if ends.iter().any(|end| after.starts_with(end)) {
            return Some(text);
        }
        return Some(format!("{before}{prose}\n{}", after.trim_start_matches(' ')));
    }
    if is_bare(plain) {
        return None;
    }
    let (thoughts, rest) = plain.split_at(thoughts_end(plain).unwrap_or_default());
    let call = rest.trim_start();
    let lines = rest[..rest.len() - call.len()].trim_end_matches(' ');
    Some(format!("{thoughts}{}{prose}\n{call}", if thoughts.is_empty() { "" } else { lines }))
}

fn with_thoughts(plain: &str, thoughts: &str) -> Option<String> {
    if let Some((at, end)) =
        THOUGHT_ENDS.iter().find_map(|end| Some((plain.find(end).filter(|at| *at < 40)?, end)))
    {
        let begins = if plain[..at].contains("<think>") { "<think>\n" } else { "" };
        let line = if end.starts_with("<|") { "" } else { "\n" };
        return Some(format!("{begins}{thoughts}{line}{}", &plain[at..]));
    }
    if plain.starts_with(" to=functions.") {
        return Some(format!("<|channel|>analysis<|message|>{thoughts}<|end|><|start|>assistant{plain}"));
    }
    (!is_bare(plain)).then(|| format!("<think>\n{thoughts}\n</think>\n\n{}", plain.trim_start()))
}

/// The place after the thoughts at the beginning.
fn thoughts_end(text: &str) -> Option<usize> {
    THOUGHT_ENDS.iter().find_map(|end| Some(text.find(end).filter(|at| *at < 40)? + end.len()))
}

/// True for a call that is one at the very beginning of a response alone.
fn is_bare(text: &str) -> bool {
    let text = text.trim_start();
    let after_name = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_.-".contains(c));
    text.starts_with('{')
        || text.starts_with("[{")
        || text.starts_with("to=")
        || (after_name.len() < text.len() && after_name.starts_with("\n{"))
}

/// The text with the JSON in it on several lines.
fn pretty(text: &str, indent: usize) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['{', '[']) {
        let (before, json) = rest.split_at(at);
        out.push_str(before);
        let mut values: StreamDeserializer<'_, StrRead<'_>, Value> =
            serde_json::Deserializer::from_str(json).into_iter();
        let value = values.next().and_then(Result::ok).filter(holds_objects);
        let (shown, read) = match value.and_then(|value| python::in_lines(&value, indent).ok()) {
            Some(shown) => (shown, values.byte_offset()),
            None => (json[..1].to_owned(), 1),
        };
        out.push_str(&shown);
        rest = &json[read..];
    }
    out + rest
}

fn holds_objects(value: &Value) -> bool {
    match value {
        Value::Object(object) => !object.is_empty(),
        Value::Array(items) => items.first().is_some_and(Value::is_object),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_of_a_call_alone_is_laid_out_anew() {
        let text = "[TOOL_CALLS]a{\"b\": [1, {}]} and {c} [1, 2]";
        let wanted = "[TOOL_CALLS]a{\n  \"b\": [\n    1,\n    {}\n  ]\n} and {c} [1, 2]";
        assert_eq!(pretty(text, 2), wanted);
    }
}
