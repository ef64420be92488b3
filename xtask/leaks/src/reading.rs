//! A response, read as a turn reads it: thoughts are split off, and blocks of markup are found in the rest.

use orion_core::leak::{Beginnings, Block, Piece, Read, Recogniser};
use orion_core::thoughts::{Part, Thoughts};
use orion_core::tool::{ToolSet, ToolSpec};
use serde_json::{Map, Value};

/// A call that a turn would run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// The block as it was written.
    pub(crate) block: String,
    pub(crate) name: String,
    pub(crate) arguments: Map<String, Value>,
}

/// The first call of a response that comes in these chunks.
pub(crate) fn first_call<'a>(
    beginnings: &Beginnings,
    tools: &ToolSet,
    begins_in_thought: bool,
    chunks: impl IntoIterator<Item = &'a str>,
) -> Option<Found> {
    let mut thoughts = Thoughts::new(begins_in_thought);
    let mut recogniser = Recogniser::new(beginnings.clone());
    let mut pieces = Vec::new();
    let mut take = |parts: Vec<Part>, pieces: &mut Vec<Piece>| {
        for part in parts {
            if let Part::Text(text) = part {
                recogniser.push(&text, pieces);
            }
        }
    };
    for chunk in chunks {
        take(thoughts.split(chunk), &mut pieces);
        if let Some(found) = found(pieces.drain(..), tools) {
            return Some(found);
        }
    }
    take(thoughts.finish(false).into_iter().collect(), &mut pieces);
    recogniser.finish(&mut pieces);
    found(pieces, tools)
}

/// The first block that names a tool and fits it.
fn found(pieces: impl IntoIterator<Item = Piece>, tools: &ToolSet) -> Option<Found> {
    pieces.into_iter().find_map(|piece| match piece {
        Piece::Block(Block { text, read: Read::Call(call) }) => {
            let tool: &ToolSpec = tools.meant(&call.name)?;
            let read = call.arguments.read_for(tool);
            let arguments = tool.arguments_meant(&read).into_owned();
            tool.fits(&arguments).then(|| Found { block: text, name: tool.name.clone(), arguments })
        }
        Piece::Block(Block { read: Read::Broken { .. }, .. }) | Piece::Text(_) => None,
    })
}
