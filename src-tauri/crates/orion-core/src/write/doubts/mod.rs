//! Doubts about a content (W9): it is held against the file that it would change.
//!
//! Each part looks for one kind. None of them knows the words of a model, since those are as many as there are languages; each
//! looks at the shape of the text, and at what the present file has already, which is never a doubt. A file may have good reason
//! to look like this, so the model is asked once, and then a person decides.
//!
//! Deliberately not here: characters and markup that no file should have (`validate`), what can be cut off at the beginning and
//! the end of the content (`removal`), and getting the file that the content is held against (`proposals::held` of the engine).

mod comment;
mod numbered;
mod patch;
mod placeholder;
mod reasoning;
mod seam;
mod second;

use orion_protocol::{FaultKind, Seam, WriteFault, WriteOperation};

use super::blocks::put_in;
use super::{excerpt, prose};

pub(super) use reasoning::at_the_beginning as reasoning_at_the_beginning;

/// An overwrite may remove half of a file of fewer lines than this.
const MANY_LINES: u64 = 40;

/// A write, held against the file that it would change.
#[derive(Debug)]
pub struct Written<'a> {
    pub path: &'a str,
    pub operation: WriteOperation,
    /// As the model sent it.
    pub content: &'a str,
    /// The text of the present file, if there is one that is text.
    pub old: Option<&'a str>,
    /// Lines of the present file, how many of them go, and how many come.
    pub lines: u64,
    pub removed: u64,
    pub added: u64,
    pub seams: &'a [Seam],
    /// In order. Of an edit, those of its blocks.
    pub stretches: &'a [Stretch<'a>],
}

/// Lines that take the place of others, next to lines that stay.
#[derive(Debug, Clone, Copy)]
pub struct Stretch<'a> {
    /// Lines that stay, between the stretch before and this one.
    pub kept: &'a str,
    pub old: &'a str,
    pub new: &'a str,
    /// The line of the content where `new` begins, from 1.
    pub line: u32,
    /// Nothing of the stretch before belongs together with this one: another block of an edit.
    pub apart: bool,
}

/// A doubt at a line of the content.
struct Doubt<'a> {
    kind: FaultKind,
    /// From 1.
    line: usize,
    text: &'a str,
    what: String,
}

/// All doubts about a write, by their lines.
#[must_use]
pub fn doubts(written: &Written<'_>) -> Vec<WriteFault> {
    let is_edit = written.operation == WriteOperation::Edit;
    let put_in = if is_edit { put_in(written.content) } else { None };
    let sent = put_in.as_deref().unwrap_or(written.content);
    let old = written.old.unwrap_or_default();
    let mut doubts = Vec::new();
    if written.operation == WriteOperation::Overwrite {
        doubts.extend(gone(written));
    }
    doubts.extend(reasoning::find(sent, old, is_edit));
    doubts.extend(patch::find(written.path, sent, old, is_edit));
    doubts.extend(numbered::find(sent, old, is_edit));
    if written.old.is_some() {
        doubts.extend(placeholder::find(written.path, written.stretches, old));
    }
    if is_edit {
        doubts.extend(seam::fences(written.path, written.stretches));
    } else {
        doubts.extend(second::find(written.path, sent, old));
        doubts.extend(seam::find(written.path, sent, written.seams));
    }
    doubts.sort_by_key(|doubt| doubt.line);
    doubts.into_iter().map(Doubt::described).collect()
}

/// Nothing in the place of a text, or much less of it.
fn gone<'a>(written: &Written<'a>) -> Option<Doubt<'a>> {
    let Written { content, lines, removed, added, .. } = *written;
    let text = content.lines().next().unwrap_or_default();
    if content.trim().is_empty() && written.old.is_some_and(|old| !old.trim().is_empty()) {
        let what = "there is nothing before the end line, and the file has text".to_owned();
        return Some(Doubt { kind: FaultKind::Empty, line: 1, text, what });
    }
    // Lines that others take the place of are not lost.
    let much = lines >= MANY_LINES && removed.saturating_sub(added) * 2 > lines;
    much.then(|| {
        let what = format!("{removed} of the {lines} lines of the file go, and {added} come");
        Doubt { kind: FaultKind::Shrinks, line: 1, text, what }
    })
}

impl Doubt<'_> {
    fn described(self) -> WriteFault {
        WriteFault {
            kind: self.kind,
            line: u32::try_from(self.line).unwrap_or(u32::MAX),
            column: 1,
            what: self.what,
            context: excerpt::line(self.text),
        }
    }
}

/// The lines of a text with their numbers, from 1.
fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines())
}
