//! The reasons against writing a content unseen, beyond its faults (W9): doubts about it, and what is around the file in it.

use std::sync::Arc;

use orion_core::write::removal::{self, Around};
use orion_core::write::{Allowed, Stretch, Written, blocks, doubts};
use orion_protocol::{Removal, Seam, WriteFault, WriteOperation};

use orion_files::difference::Difference;

/// A content and the difference that it would make.
pub(super) struct Content<'a> {
    pub(super) path: &'a str,
    pub(super) operation: WriteOperation,
    pub(super) text: &'a str,
    pub(super) seams: &'a [Seam],
    pub(super) allowed: Allowed,
}

impl Content<'_> {
    pub(super) fn doubts(&self, difference: &Difference) -> Vec<WriteFault> {
        let Self { path, operation, text, seams, .. } = *self;
        let parts = match operation {
            WriteOperation::Edit => blocks_of(text),
            _ => Vec::new(),
        };
        let stretches: Vec<Stretch<'_>> = match operation {
            WriteOperation::Edit => parts.iter().flat_map(Part::stretches).collect(),
            WriteOperation::Append => vec![Stretch { kept: "", old: "", new: text, line: 1, apart: false }],
            WriteOperation::Create | WriteOperation::Overwrite => difference.stretches().collect(),
        };
        doubts(&Written {
            path,
            operation,
            content: text,
            old: difference.before(),
            lines: difference.old_lines(),
            removed: difference.removed(),
            added: difference.added(),
            seams,
            stretches: &stretches,
        })
    }

    /// The parts that can be taken out. An edit has only lines that belong into the file.
    pub(super) fn removals(&self, difference: &Difference) -> Vec<Removal> {
        let Self { path, allowed, .. } = *self;
        match self.operation {
            WriteOperation::Edit => Vec::new(),
            _ => {
                let old = difference.before().unwrap_or_default();
                removal::offers(self.text, Around { path, old, allowed })
            }
        }
    }
}

/// A block of an edit.
struct Part {
    /// The place where its new lines begin in the content, from 1.
    line: u32,
    difference: Difference,
}

fn blocks_of(content: &str) -> Vec<Part> {
    let blocks = blocks::parse(content).unwrap_or_default();
    let part = |block: blocks::Block<'_>| {
        let search = u32::try_from(block.search.lines().count()).unwrap_or(u32::MAX);
        let difference = Difference::of(Some(Arc::from(block.search)), Arc::from(block.replace), &[]);
        // Behind the first marker, the search text and the second marker.
        Part { line: block.line.saturating_add(search).saturating_add(2), difference }
    };
    blocks.into_iter().map(part).collect()
}

impl Part {
    fn stretches(&self) -> impl Iterator<Item = Stretch<'_>> {
        let stretches = self.difference.stretches().enumerate();
        stretches.map(|(at, stretch)| {
            let line = self.line.saturating_add(stretch.line - 1);
            Stretch { line, apart: at == 0, ..stretch }
        })
    }
}
