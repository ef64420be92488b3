//! A conversation for people: Markdown, or one HTML page that needs nothing else. No journal can be made of it again.
//!
//! All of it is text of models, tools and files, which may be anything. In a page it is escaped, and nothing in a page runs or is loaded.

mod html;
mod markdown;
mod trace;

use orion_files::difference::mark;
use orion_protocol::MarkKind;

pub(crate) use html::html;
pub(crate) use markdown::markdown;
pub(crate) use trace::trace_page;

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Talk {
    pub(crate) title: String,
    pub(crate) project: String,
    pub(crate) turns: Vec<Told>,
}

/// A turn of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Told {
    pub(crate) model: String,
    pub(crate) blocks: Vec<Block>,
}

/// What is read in one piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
    /// What the person wrote.
    You(String),
    /// Markdown of the model.
    Answer(String),
    Reasoning(String),
    Call {
        name: String,
        arguments: String,
        outcome: String,
        result: String,
    },
    /// A file that was to be written, with its difference and what became of it.
    Write {
        path: String,
        outcome: String,
        difference: String,
    },
    /// A line of Orion's.
    Notice(String),
}

impl Told {
    /// Its blocks, each with the name above it: that of the model stands above its first answer alone.
    fn named(&self) -> impl Iterator<Item = (&Block, Option<&str>)> {
        let first = self.blocks.iter().position(|block| matches!(block, Block::Answer(_)));
        self.blocks.iter().enumerate().map(move |(at, block)| match block {
            Block::You(_) => (block, Some("You")),
            Block::Answer(_) if Some(at) == first => (block, Some(self.model.as_str())),
            _ => (block, None),
        })
    }
}

impl Talk {
    /// The same without secrets.
    pub(crate) fn redacted(mut self, redact: impl Fn(&str) -> String) -> Self {
        (self.title, self.project) = (redact(&self.title), redact(&self.project));
        for block in self.turns.iter_mut().flat_map(|turn| &mut turn.blocks) {
            let texts: Vec<&mut String> = match block {
                Block::You(text) | Block::Answer(text) | Block::Reasoning(text) | Block::Notice(text) => {
                    vec![text]
                }
                Block::Call { name, arguments, outcome, result } => vec![name, arguments, outcome, result],
                Block::Write { path, outcome, difference } => vec![path, outcome, difference],
            };
            for text in texts {
                *text = redact(text);
            }
        }
        self
    }
}

/// The text with a mark for each character that steers a reader or cannot be seen.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match mark(c) {
            Some(MarkKind::Direction | MarkKind::Control) if !matches!(c, '\n' | '\r' | '\t') => {
                shown.push_str(&format!("<U+{:04X}>", u32::from(c)));
            }
            _ => shown.push(c),
        }
    }
    shown
}
