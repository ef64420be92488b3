//! A model's reasoning as it came, so that it can go back unchanged (P9).
//!
//! Signatures and encrypted thoughts, which a provider means for itself alone, are kept as JSON and never read. They go back only to the model and the
//! address that it came from. Deliberately not here: when reasoning goes back (the [`Profile`](super::Profile)).

use orion_protocol::Sha256;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The most bytes of one message that go back beside its text, of its reasoning and of all opaque fields: 1 MiB.
pub const MAX_REASONING: usize = 1024 * 1024;

/// The field of a message that has its reasoning as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningField {
    /// DeepSeek, Qwen, GLM, llama.cpp.
    ReasoningContent,
    /// OpenRouter, Groq, Ollama, vLLM.
    Reasoning,
}

/// The reasoning of one message. As JSON it is its text alone where nothing else is known, as earlier versions wrote it.
#[derive(Debug, Clone, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Reasoning {
    pub text: String,
    /// The field that it came in. None of text that came in no field of its own, and in journals that do not say it.
    pub field: Option<ReasoningField>,
    /// The provider's own list beside it, `reasoning_details`.
    pub details: Option<Opaque>,
    /// Its origin: [`Profile::origin`](super::Profile::origin). None in journals that do not say it; it then goes anywhere.
    pub origin: Option<Sha256>,
    /// It goes back to the provider of the present turn, so it weighs in requests.
    pub goes_back: bool,
}

/// The same reasoning, wherever it goes.
impl PartialEq for Reasoning {
    fn eq(&self, other: &Self) -> bool {
        let Self { text, field, details, origin, goes_back: _ } = self;
        (text, field, details, origin) == (&other.text, &other.field, &other.details, &other.origin)
    }
}

/// JSON of a provider that only this provider reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Opaque {
    pub json: String,
    pub origin: Option<Sha256>,
}

impl Opaque {
    /// The value, for a request to this origin alone.
    #[must_use]
    pub fn for_origin(&self, origin: Option<Sha256>) -> Option<Value> {
        (self.origin == origin).then(|| serde_json::from_str(&self.json).ok())?
    }
}

impl From<&str> for Reasoning {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), field: None, details: None, origin: None, goes_back: true }
    }
}

impl Reasoning {
    /// Bytes that it has in a request.
    #[must_use]
    pub fn weight(&self) -> usize {
        if self.goes_back { self.bytes() } else { 0 }
    }

    /// Bytes of its text and its details.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len() + self.details.as_ref().map_or(0, |details| details.json.len())
    }

    /// It may go to this origin.
    #[must_use]
    pub fn is_for(&self, origin: Option<Sha256>) -> bool {
        self.origin.is_none() || self.origin == origin
    }

    /// It, unless it is empty.
    #[must_use]
    pub fn if_any(self) -> Option<Self> {
        (self.bytes() > 0).then_some(self)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    #[serde(rename_all = "camelCase")]
    Whole {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        field: Option<ReasoningField>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Opaque>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Sha256>,
        #[serde(default)]
        goes_back: bool,
    },
}

impl From<Written> for Reasoning {
    fn from(written: Written) -> Self {
        match written {
            Written::Text(text) => Self::from(text.as_str()),
            Written::Whole { text, field, details, origin, goes_back } => {
                Self { text, field, details, origin, goes_back }
            }
        }
    }
}

impl From<Reasoning> for Written {
    fn from(reasoning: Reasoning) -> Self {
        match reasoning {
            Reasoning { text, field: None, details: None, origin: None, goes_back: true } => Self::Text(text),
            Reasoning { text, field, details, origin, goes_back } => {
                Self::Whole { text, field, details, origin, goes_back }
            }
        }
    }
}

/// The lists of reasoning of one response, joined piece by piece. Pieces of one part (the same kind and index, up to its signature) are joined to one: their
/// texts are appended, and of every other field the last value counts. It keeps nothing once it is longer than [`MAX_REASONING`].
#[derive(Debug, Clone, Default)]
pub struct Details {
    parts: Vec<Map<String, Value>>,
    bytes: usize,
}

/// Fields of a part that come in pieces.
const IN_PIECES: [&str; 2] = ["text", "summary"];

impl Details {
    /// Takes a list in, as JSON text. What is no list of objects is left out.
    pub fn push(&mut self, json: &str) {
        self.bytes = self.bytes.saturating_add(json.len());
        if self.bytes > MAX_REASONING {
            self.parts.clear();
            return;
        }
        let Ok(pieces) = serde_json::from_str::<Vec<Map<String, Value>>>(json) else { return };
        for piece in pieces {
            match self.parts.last_mut().filter(|last| is_same_part(last, &piece)) {
                Some(last) => join(last, piece),
                None => self.parts.push(piece),
            }
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// All of them, as JSON text of a list.
    #[must_use]
    pub fn json(self) -> Option<String> {
        (!self.parts.is_empty())
            .then(|| Value::Array(self.parts.into_iter().map(Value::Object).collect()).to_string())
    }
}

/// Both say of which part they are, and it is the same. A signature ends a part, and encrypted parts come whole.
fn is_same_part(last: &Map<String, Value>, piece: &Map<String, Value>) -> bool {
    let said = |part: &Map<String, Value>, key: &str| part.get(key).filter(|value| !value.is_null()).cloned();
    let same = |key: &str| said(last, key) == said(piece, key);
    let other_id =
        matches!((said(last, "id"), said(piece, "id")), (Some(last), Some(piece)) if last != piece);
    let whole = |part: &Map<String, Value>| part.contains_key("data");
    let ended = said(last, "signature").is_some();
    same("type")
        && same("index")
        && said(piece, "index").is_some()
        && !other_id
        && !ended
        && !whole(last)
        && !whole(piece)
}

fn join(part: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (key, value) in piece {
        match (part.get_mut(&key), value) {
            (_, Value::Null) => {}
            (Some(Value::String(text)), Value::String(more)) if IN_PIECES.contains(&key.as_str()) => {
                text.push_str(&more)
            }
            (_, value) => _ = part.insert(key, value),
        }
    }
}
