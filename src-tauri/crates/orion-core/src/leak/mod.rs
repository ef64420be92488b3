//! Calls that a model has written into its text, in the markup that it was trained with (P5). Docs: decision 0088.
//!
//! - `beginnings`: the ways in which such markup begins. The check of content (W5) shares them.
//! - `recogniser`: finds blocks of it in a text that streams in.
//! - `pairs`: passes over the places of a text at which no beginning stands.
//! - `place`: says of a place in a text whether markup may stand there at all, or only in a quotation.
//! - `start`: finds a call without a head at the beginning of a response.
//! - `head`: finds where in a block the arguments begin, and how they end.
//! - `body`: reads a whole block as a call. `tags`, `syntax` and `literal` read its kinds.
//!
//! Deliberately not here: whether a call may run, and what becomes of a block that is none (the turn).

mod beginnings;
mod body;
mod head;
mod literal;
mod pairs;
mod place;
mod recogniser;
mod start;
mod syntax;
mod tags;

pub(crate) use beginnings::{FIRST, MARKUP, Place};
pub use recogniser::{Beginnings, Block, Piece, Read, Recogniser};

use serde_json::{Map, Value};

use crate::tool::ToolSpec;

/// A call as a block says it.
#[derive(Debug, Clone, PartialEq)]
pub struct LeakedCall {
    /// As it stands there, without markup.
    pub name: String,
    pub arguments: LeakedArguments,
}

/// The arguments of such a call.
#[derive(Debug, Clone, PartialEq)]
pub enum LeakedArguments {
    Object(Map<String, Value>),
    /// Tags hold texts. The tool's schema says what is meant by them.
    Texts(Vec<(String, String)>),
}

impl LeakedArguments {
    /// The arguments as this tool takes them.
    #[must_use]
    pub fn read_for(self, tool: &ToolSpec) -> Map<String, Value> {
        match self {
            Self::Object(object) => object,
            Self::Texts(texts) => texts
                .into_iter()
                .map(|(name, text)| {
                    let read =
                        |text: &str| literal::value(text).or_else(|| tags::nested(text, literal::DEPTH));
                    let value = tool.value_of_text(&name, text, read);
                    (name, value)
                })
                .collect(),
        }
    }
}
