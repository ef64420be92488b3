//! Turns one payload of a stream into pieces of an answer.
//!
//! Every field may be missing, null, empty or of the wrong kind. Fragments are passed on as they came. `orion-core`
//! puts them together (P9) and knows what a finish reason means (P10). `<think>` tags stay in the text, since only the
//! model's own template tells whether they are markup.

use std::time::Duration;

use orion_core::model::{ArgumentsDelta, Details, MAX_REASONING, ModelDelta, ReasoningField, ToolCallDelta};
use orion_protocol::{PromptProgress, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::error::Category;

use crate::error_object::{ErrorObject, may_hold_error};
use crate::halves::SplitPairs;
use crate::lenient::{self, Content, Count, List, Maybe, Text};
use crate::plain;
use crate::repair::{Halves, repair};

/// What one payload held. An error may come together with pieces. The pieces come first, but no tool call of such a
/// payload counts (P10).
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Pieces {
    pub(crate) deltas: Vec<ModelDelta>,
    pub(crate) error: Option<ErrorObject>,
    /// It had the shape of an answer, if only an empty one.
    pub(crate) is_answer: bool,
    /// The part of the prompt that the server has read.
    pub(crate) reading: Option<Reading>,
}

/// Why a payload is not a piece of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It stops in the middle.
    CutOff,
    /// It is no JSON.
    Garbage,
}

/// Reads the payloads of one response in turn.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    /// Pieces of the answer came: a whole `message` now only repeats them.
    begun: bool,
    pairs: SplitPairs,
    /// The field that reasoning comes in, once some came.
    field: Option<ReasoningField>,
    /// Reasoning in the provider's own shape, up to the first piece of anything else.
    details: Details,
    /// Bytes of it that were passed on.
    detailed: usize,
}

impl Chunks {
    pub(crate) fn read(&mut self, payload: &str) -> Result<Pieces, Unreadable> {
        match plain::read(payload).filter(|_| !may_hold_error(payload)) {
            Some((mut deltas, field)) => {
                self.begun |= !deltas.is_empty();
                self.note_field(field, &mut deltas);
                self.settle_details(false, &mut deltas);
                self.pairs.join(&mut deltas, false);
                Ok(Pieces { deltas, is_answer: true, ..Pieces::default() })
            }
            None => self.any(payload),
        }
    }

    /// The rest at the end of the answer: half a character whose other half never came, and reasoning that nothing followed.
    pub(crate) fn rest(&mut self) -> Vec<ModelDelta> {
        let mut rest = self.pairs.rest();
        self.end_details(&mut rest);
        rest
    }

    /// Says in which field reasoning comes, once.
    fn note_field(&mut self, field: Option<ReasoningField>, deltas: &mut Vec<ModelDelta>) {
        if let (None, Some(field)) = (self.field, field) {
            self.field = Some(field);
            deltas.insert(0, ModelDelta::ReasoningField { field });
        }
    }

    /// Reads a payload of whatever shape.
    pub(crate) fn any(&mut self, payload: &str) -> Result<Pieces, Unreadable> {
        let (chunk, repaired) = match lenient::read::<Maybe<Chunk>>(payload) {
            Ok(chunk) => (chunk, false),
            Err(_) => {
                let chunk = lenient::read(&repair(payload, Halves::Marked));
                // The first error may be of what is repairable, and tells nothing of the end.
                let chunk = chunk.map_err(|error: serde_json::Error| match error.classify() {
                    Category::Eof => Unreadable::CutOff,
                    Category::Io | Category::Syntax | Category::Data => Unreadable::Garbage,
                })?;
                (chunk, true)
            }
        };
        // A bare string or number carries nothing: some proxies send them to keep the connection alive. A list may be Gemini's
        // error.
        let Maybe(Some(chunk)) = chunk else {
            let error = may_hold_error(payload).then(|| ErrorObject::in_payload(payload)).flatten();
            return Ok(Pieces { error, ..Pieces::default() });
        };
        let is_answer = chunk.choices.is_some();
        let looked_at = !is_answer || may_hold_error(payload);
        let error = looked_at.then(|| ErrorObject::in_payload(payload)).flatten();
        let mut deltas = Vec::new();
        let mut usage = chunk.usage;
        for choice in chunk.choices.unwrap_or_default().0 {
            // Orion asks for one choice, so other choices do not belong to its answer.
            if choice.index.0.unwrap_or(0) == 0 {
                usage.0 = usage.0.or(choice.usage.0);
                self.choice(choice.delta.0, choice.message.0, choice.finish_reason, &mut deltas);
            }
        }
        let usage = usage.0.or(chunk.x_groq.0.and_then(|extra| extra.usage.0));
        deltas.extend(usage.and_then(Tokens::usage).map(|usage| ModelDelta::Usage { usage }));
        if error.is_some() {
            deltas.retain(|delta| !matches!(delta, ModelDelta::ToolCall { .. }));
        }
        self.pairs.join(&mut deltas, repaired);
        Ok(Pieces { deltas, error, is_answer, reading: chunk.prompt_progress.0 })
    }

    fn choice(
        &mut self,
        delta: Option<Said>,
        message: Option<Said>,
        finish: Text,
        deltas: &mut Vec<ModelDelta>,
    ) {
        let before = deltas.len();
        if let Some(delta) = delta {
            self.said(delta, deltas);
        }
        if let (false, Some(message)) = (self.begun || deltas.len() > before, message) {
            self.said(message, deltas);
        }
        self.begun |= deltas.len() > before;
        // DashScope says `null` in a string while the answer goes on.
        let reason = finish.some().filter(|reason| reason != "null");
        if reason.is_some() {
            self.end_details(deltas);
        }
        deltas.extend(reason.map(|reason| ModelDelta::Finish { reason }));
    }

    fn said(&mut self, said: Said, deltas: &mut Vec<ModelDelta>) {
        let (field, more) = (said.field(), said.reasoning_details.is_array());
        if more {
            self.details.push(&said.reasoning_details.to_string());
        }
        let mut pieces = Vec::new();
        said.pieces(&mut pieces);
        self.note_field(field, &mut pieces);
        self.settle_details(more, &mut pieces);
        deltas.append(&mut pieces);
    }

    /// Puts the list of reasoning before the first piece that follows it, and in any case before a call: a response may be cut there (P4). `more`: these
    /// pieces came with a part of it.
    fn settle_details(&mut self, more: bool, pieces: &mut Vec<ModelDelta>) {
        let follows = |piece: &ModelDelta| match piece {
            ModelDelta::ToolCall { .. } => true,
            ModelDelta::Text { .. } => !more,
            _ => false,
        };
        if let Some(place) = pieces.iter().position(follows).filter(|_| !self.details.is_empty()) {
            let mut rest = pieces.split_off(place);
            self.end_details(pieces);
            pieces.append(&mut rest);
        }
    }

    fn end_details(&mut self, deltas: &mut Vec<ModelDelta>) {
        let json = std::mem::take(&mut self.details).json();
        self.detailed = self.detailed.saturating_add(json.as_ref().map_or(0, String::len));
        let json = json.filter(|_| self.detailed <= MAX_REASONING);
        deltas.extend(json.map(|json| ModelDelta::ReasoningDetails { json }));
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Chunk {
    choices: Option<List<Choice>>,
    usage: Maybe<Tokens>,
    /// Groq puts its usage here as well, and at times only here.
    x_groq: Maybe<Extra>,
    prompt_progress: Maybe<Reading>,
}

/// llama.cpp says so, where it is asked to, as often as it has read a batch of the prompt.
#[derive(Deserialize, Default, Debug, Clone, Copy, PartialEq)]
#[serde(default)]
pub(crate) struct Reading {
    total: Count,
    cache: Count,
    processed: Count,
    time_ms: Count,
}

impl Reading {
    /// The same for a person, so long after the request. The time is that of what was read, without what was kept.
    pub(crate) fn progress(self, elapsed: Duration) -> PromptProgress {
        let total = self.total.0;
        // No server reads more than there is.
        let most = |count: Option<u32>, most: Option<u32>| {
            count.map(|count| most.map_or(count, |most| count.min(most)))
        };
        let processed = most(self.processed.0, total);
        let cached = most(self.cache.0, processed);
        let left_ms = || {
            let kept = cached.unwrap_or(0);
            let (read, left) = (processed?.checked_sub(kept)?, total?.checked_sub(processed?)?);
            let left_ms = u64::from(left) * u64::from(self.time_ms.0?);
            left_ms
                .checked_div(u64::from(read))
                .filter(|left_ms| u128::from(*left_ms) <= crate::pace::MOST_TOLD.as_millis())
        };
        let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        PromptProgress { total, cached, processed, elapsed_ms, left_ms: left_ms() }
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Extra {
    usage: Maybe<Tokens>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Choice {
    index: Count,
    delta: Maybe<Said>,
    /// Servers that do not stream send this in place of `delta`.
    message: Maybe<Said>,
    finish_reason: Text,
    /// Moonshot puts its usage here.
    usage: Maybe<Tokens>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Said {
    content: Content,
    /// The model's own words for refusing; without them the answer would be empty.
    refusal: Text,
    /// DeepSeek, Qwen, GLM, llama.cpp.
    reasoning_content: Content,
    /// OpenRouter, Groq, Ollama, vLLM.
    reasoning: Content,
    /// OpenRouter, beside `reasoning` or alone.
    reasoning_details: Value,
    tool_calls: List<Call>,
    /// The one call of the old interface.
    function_call: Maybe<Function>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Call {
    index: Count,
    id: Text,
    function: Maybe<Function>,
    /// Some servers leave out the `function` around these.
    name: Text,
    arguments: Value,
    /// Gemini's signature of the thought before it, and what others mean for themselves.
    extra_content: Value,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Function {
    name: Text,
    arguments: Value,
}

impl Said {
    /// The field that its reasoning is in, as text.
    fn field(&self) -> Option<ReasoningField> {
        let says = |content: &Content| !(content.text.is_empty() && content.thinking.is_empty());
        if says(&self.reasoning_content) {
            Some(ReasoningField::ReasoningContent)
        } else {
            says(&self.reasoning).then_some(ReasoningField::Reasoning)
        }
    }

    fn pieces(self, deltas: &mut Vec<ModelDelta>) {
        // The same thoughts often come under two names: the first that says anything counts.
        let details = Content::deserialize(self.reasoning_details).unwrap_or_default();
        let thoughts = [self.reasoning_content, self.reasoning, details];
        let mut reasoning =
            thoughts.into_iter().map(Content::joined).find(|text| !text.is_empty()).unwrap_or_default();
        reasoning.push_str(&self.content.thinking);
        if !reasoning.is_empty() {
            deltas.push(ModelDelta::Reasoning { text: reasoning });
        }
        let text = if self.content.text.is_empty() { self.refusal.0 } else { self.content.text };
        if !text.is_empty() {
            deltas.push(ModelDelta::Text { text });
        }
        let old =
            self.function_call.0.map(|function| Call { function: Maybe(Some(function)), ..Call::default() });
        deltas.extend(self.tool_calls.0.into_iter().chain(old).filter_map(Call::piece));
    }
}

impl Call {
    fn piece(self) -> Option<ModelDelta> {
        let Function { name, arguments } =
            self.function.0.unwrap_or(Function { name: self.name, arguments: self.arguments });
        let delta = ToolCallDelta {
            index: self.index.0,
            id: self.id.some(),
            name: name.some(),
            extra: self.extra_content.is_object().then(|| self.extra_content.to_string()),
            arguments: match arguments {
                Value::Null => None,
                Value::String(fragment) if fragment.is_empty() => None,
                Value::String(fragment) => Some(ArgumentsDelta::Fragment(fragment)),
                whole => Some(ArgumentsDelta::Whole(whole.to_string())),
            },
        };
        (delta != ToolCallDelta { index: delta.index, ..ToolCallDelta::default() })
            .then_some(ModelDelta::ToolCall { delta })
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Tokens {
    prompt_tokens: Count,
    completion_tokens: Count,
    completion_tokens_details: Maybe<CompletionDetails>,
    prompt_tokens_details: Maybe<PromptDetails>,
    /// DeepSeek.
    prompt_cache_hit_tokens: Count,
    /// Moonshot.
    cached_tokens: Count,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CompletionDetails {
    reasoning_tokens: Count,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct PromptDetails {
    cached_tokens: Count,
}

impl Tokens {
    fn usage(self) -> Option<Usage> {
        let cached = self.prompt_tokens_details.0.and_then(|details| details.cached_tokens.0);
        let usage = Usage {
            prompt_tokens: self.prompt_tokens.0,
            completion_tokens: self.completion_tokens.0,
            reasoning_tokens: self.completion_tokens_details.0.and_then(|details| details.reasoning_tokens.0),
            cached_tokens: cached.or(self.prompt_cache_hit_tokens.0).or(self.cached_tokens.0),
            estimated: false,
        };
        (usage != Usage::default()).then_some(usage)
    }
}

#[cfg(test)]
mod tests;
