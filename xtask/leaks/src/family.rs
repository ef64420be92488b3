//! A family of models: a chat template, and what a model that was trained with it writes as calls.

use std::path::Path;

use anyhow::Result;
use chat_template::{Template, python};
use serde_json::{Value, json};

use crate::functions::Call;

/// The ends of a turn: servers strip them and all after them.
const ENDS: [&str; 19] = [
    "<|im_end|>",
    "<|eot_id|>",
    "<|end_of_text|>",
    "</s>",
    "<EOS>",
    "[e~[",
    "<seed:eos>",
    "<|END_OF_TURN_TOKEN|>",
    "<｜end▁of▁sentence｜>",
    "<end_of_sentence>",
    "<SPECIAL_12>",
    "<sep>",
    "<turn|>",
    "<|role_end|>",
    "<|eot|>",
    "<|end_of_msg|>",
    "<｜hy_eos:opensource｜>",
    "<end_of_turn>",
    "\n<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>",
];
/// Tokens that close a call and at which models stop, so that a server may strip them or not.
const STOPS: [&str; 6] =
    ["<|call|>", "<|eom_id|>", "<|calls|>", "<|tool_response>", "</assistant>", "<|message_sep|>"];
/// The beginnings of a turn that a template prints again after a prompt that ends in them.
const HEADS: [&str; 3] = ["U.[/INST]", "<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>"];

/// The longest token or tag, in bytes.
const TOKEN: usize = 64;

#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) name: String,
    /// The prompt ends in a thought, which the model goes on with.
    pub(crate) begins_in_thought: bool,
    /// The arguments are JSON.
    pub(crate) is_json: bool,
    template: Template,
    prompt: String,
    form: Form,
}

/// The form of a call that a template wants.
#[derive(Debug, Clone, Copy, Default)]
struct Form {
    /// Its arguments are a text.
    texts: bool,
    /// Its id has its name and number.
    ids: bool,
}

impl Family {
    /// The family of a template. None where the template prints no calls.
    ///
    /// # Errors
    /// The engine does not know the template.
    pub(crate) fn read(file: &Path) -> Result<Option<Self>> {
        let template = Template::read(file)?;
        let name = chat_template::name(file);
        let mut family = Self {
            name,
            begins_in_thought: false,
            is_json: false,
            template,
            prompt: String::new(),
            form: Form::default(),
        };
        family.prompt = family.whole(&[], true)?;
        family.begins_in_thought = ends_in_thought(&family.prompt);
        // Python and JSON write these in different ways, which says whether a template writes what it was given.
        let probe = json!({ "probe_key": "probe's \"value\"", "number": 17, "truth": true });
        for (ids, texts) in [(false, false), (false, true), (true, false), (true, true)] {
            family.form = Form { texts, ids };
            let Some(text) = family.native(&[("probe_name", &probe)], "") else { continue };
            // An object as Python writes it, or a text that is JSON in JSON.
            let wrong = text.contains("'probe_key': ") || text.contains("{\\\"probe_key");
            if !wrong && ["probe_name", "probe_key", "value"].iter().all(|part| text.contains(part)) {
                let inner = json!({ "k": { "inner": [1, "a"] }, "t": "x" });
                let text = family.native(&[("n", &inner)], "");
                family.is_json = text.is_some_and(|text| text.contains("\"t\": \"x\""));
                return Ok(Some(family));
            }
        }
        Ok(None)
    }

    /// The text of these calls after this content. None where the template refuses it.
    pub(crate) fn text(&self, calls: &[&Call], content: &str) -> Option<String> {
        let arguments: Vec<Value> = calls.iter().map(|call| Value::Object(call.arguments.clone())).collect();
        let calls: Vec<(&str, &Value)> = calls.iter().map(|call| &*call.tool.name).zip(&arguments).collect();
        self.native(&calls, content)
    }

    /// The rest of the conversation after the prompt.
    fn native(&self, calls: &[(&str, &Value)], content: &str) -> Option<String> {
        let calls: Vec<Value> = calls
            .iter()
            .enumerate()
            .map(|(at, (name, arguments))| {
                let id = if self.form.ids { format!("functions.{name}:{at}") } else { format!("abc{at:06}") };
                let text = || python::in_one_line(arguments).unwrap_or_default();
                let arguments = if self.form.texts { json!(text()) } else { (*arguments).clone() };
                json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
            })
            .collect();
        let message = json!({ "role": "assistant", "content": content, "tool_calls": calls });
        let whole = self.whole(&[message], false).ok()?;
        let same = self.prompt.char_indices().zip(whole.chars()).find(|((_, a), b)| a != b);
        let at = same.map_or(self.prompt.len().min(whole.len()), |((at, _), _)| at);
        let text = &whole[out_of_token(&whole, at)..];
        Some(HEADS.iter().fold(text, |text, head| text.strip_prefix(head).unwrap_or(text)).to_owned())
    }

    fn whole(&self, more: &[Value], generation: bool) -> Result<String> {
        let mut messages = vec![json!({ "role": "user", "content": "U." })];
        messages.extend_from_slice(more);
        Ok(self.template.print(&json!({
            "messages": messages,
            "add_generation_prompt": generation,
            "bos_token": "<BOS>",
            "eos_token": "<EOS>",
            // Firefunction's.
            "functions": "[]",
            "datetime": "2026-01-01",
        }))?)
    }
}

/// The text up to the end of the turn. `keeps`: the token at which the model stops is there.
pub(crate) fn closed(text: &str, keeps: bool) -> &str {
    let end = ENDS.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    let text = &text[..end];
    // Apriel.
    let text = text.strip_suffix("<|end|>\n").unwrap_or(text);
    let trimmed = text.trim_end_matches([' ', '\n']);
    match STOPS.iter().find(|stop| trimmed.ends_with(**stop)) {
        Some(_) if keeps => trimmed,
        Some(stop) => trimmed[..trimmed.len() - stop.len()].trim_end_matches('\n'),
        None => text,
    }
}

/// The place itself, or the beginning of the token or tag that it is inside of.
fn out_of_token(text: &str, at: usize) -> usize {
    let from = text.floor_char_boundary(at.saturating_sub(TOKEN));
    let begins = text[from..at].char_indices().map(|(before, _)| from + before);
    begins
        .filter(|begin| token(&text[*begin..]).is_some_and(|length| begin + length > at))
        .min()
        .unwrap_or(at)
}

/// The length of the token or tag that a text begins with.
fn token(text: &str) -> Option<usize> {
    const MINIMAX: &str = "]<]minimax[>[";
    if text.starts_with(MINIMAX) {
        return Some(MINIMAX.len());
    }
    let (inner, close) = (text.strip_prefix(['<', '['])?, if text.starts_with('<') { '>' } else { ']' });
    let end =
        inner.find(|c: char| c == close || c == '<' || c.is_whitespace()).filter(|end| *end <= TOKEN)?;
    let word = &inner[..end];
    let is_named =
        close == '>' || word.trim_start_matches('/').bytes().all(|b| b == b'_' || b.is_ascii_uppercase());
    (inner[end..].starts_with(close) && !word.is_empty() && is_named).then_some(end + 2)
}

/// The prompt ends in a thought: after the question stands a tag of thinking that nothing closes.
fn ends_in_thought(prompt: &str) -> bool {
    let Some((_, tail)) = prompt.rsplit_once("U.") else { return false };
    let Some((before, _)) = tail.rsplit_once("think") else { return false };
    let tag = before.rfind(['<', '[']).map_or("/", |opens| &before[opens..]);
    !tag.contains('/') && !tag.contains("end")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_where_the_turn_does() {
        assert_eq!(closed("a<|call|><|im_end|>\nb</s>", true), "a<|call|>");
        assert_eq!(closed("a\n<|call|><|im_end|>\nb</s>", false), "a");
        assert_eq!(closed("a\n", false), "a\n");
    }

    #[test]
    fn a_text_begins_with_a_whole_token() {
        assert_eq!(out_of_token("x<|tool_call|>", 5), 1);
        assert_eq!(out_of_token("x[TOOL_CALLS]", 5), 1);
        assert_eq!(out_of_token("x]<]minimax[>[<a>", 5), 1);
        assert_eq!(out_of_token("x<a>y", 4), 4);
        assert_eq!(out_of_token("a < b and c > d", 6), 6);
    }
}
