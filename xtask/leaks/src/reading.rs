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

/// The first block of a response that names a tool.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) text: String,
    /// It is a call that a turn would run. Else it is malformed.
    pub(crate) is_call: bool,
}

/// The first call of a response that comes in these chunks.
pub(crate) fn first_call<'a>(
    beginnings: &Beginnings,
    tools: &ToolSet,
    begins_in_thought: bool,
    chunks: impl IntoIterator<Item = &'a str>,
) -> Option<Found> {
    first(beginnings, begins_in_thought, chunks, |block| call(block, tools))
}

/// The first block of a whole response that names a tool: a call, or else one that is malformed.
pub(crate) fn first_named(beginnings: &Beginnings, tools: &ToolSet, text: &str) -> Option<Named> {
    let found = first_call(beginnings, tools, false, [text]);
    let found = found.map(|found| Named { text: found.block, is_call: true });
    found.or_else(|| first(beginnings, false, [text], |block| malformed(block, tools)))
}

/// The first block of a response of which something is made.
fn first<'a, T>(
    beginnings: &Beginnings,
    begins_in_thought: bool,
    chunks: impl IntoIterator<Item = &'a str>,
    mut made: impl FnMut(Block) -> Option<T>,
) -> Option<T> {
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
    let mut first = |pieces: &mut Vec<Piece>| {
        pieces.drain(..).find_map(|piece| match piece {
            Piece::Block(block) => made(block),
            Piece::Text(_) => None,
        })
    };
    for chunk in chunks {
        take(thoughts.split(chunk), &mut pieces);
        if let Some(found) = first(&mut pieces) {
            return Some(found);
        }
    }
    take(thoughts.finish(false).into_iter().collect(), &mut pieces);
    recogniser.finish(&mut pieces);
    first(&mut pieces)
}

/// The call of a block that names a tool and fits it.
fn call(block: Block, tools: &ToolSet) -> Option<Found> {
    let Read::Call(call) = block.read else { return None };
    let tool: &ToolSpec = tools.meant(&call.name)?;
    let read = call.arguments.read_for(tool);
    let arguments = tool.arguments_meant(&read).into_owned();
    tool.fits(&arguments).then(|| Found { block: block.text, name: tool.name.clone(), arguments })
}

/// A block that names a tool and is no call that fits it.
fn malformed(block: Block, tools: &ToolSet) -> Option<Named> {
    let names = match &block.read {
        Read::Call(call) => tools.meant(&call.name).is_some(),
        Read::Broken { name } => name.is_some(),
    };
    names.then_some(Named { text: block.text, is_call: false })
}
