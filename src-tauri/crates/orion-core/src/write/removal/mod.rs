//! What a preview offers to remove from the content. Nothing is removed unasked (W8).
//!
//! Models talk around a file: `Sure, here is the file:` before it, a fence around it, `Let me know if …` after it. But a file
//! may itself begin with prose or a fence, and end with one, and a wrong offer is accepted sooner or later. So:
//!
//! - **Reasoning**: the model's thoughts between two tags, or all before a tag that closes them.
//! - **Preamble**: the first non-blank line, or one of the five after it, *announces* a file, and every line before it is
//!   talk. Talk begins like an answer (`Sure`, `Here is`, `I'll`). An announcement is talk that ends with `:` and names a
//!   file (`file`, `code`, `version` …, a file's name, a word in backticks). `Here is how to install it:` names none. Blank
//!   lines after the announcement belong to the preamble. In other languages it is known by its place: one to six sentences, or
//!   the file's name, before a fence; or one sentence that ends with `:` before code.
//! - **Fence**: the first non-blank line after the preamble is a fence opener. One of these holds: the fence ends with
//!   the last non-blank line; only a postamble follows its end; it is never closed. Inside of it, a fence with an info
//!   string opens another one. A file that begins with a fence and goes on after it has no fence around it. A fence
//!   around a file that itself opens a fence without an info string is not found.
//! - **Postamble** after the end of a fence: at most ten lines without a fence or heading. There must have been a preamble,
//!   or the lines must begin as if they spoke to the reader (`I've`, `Let me know`), or the file must be code.
//! - **Postamble** without a fence: a last paragraph of one line that begins like the end of an answer (`Let me know if
//!   you`) or, after code, is a sentence; or a last line that could only open a fence.
//! - **End line**: a line that is nearly the end line (W3), with nothing but a fence behind it.
//! - **Characters**: control characters and U+FFFD, when the target had none (W5).
//!
//! Nothing is offered that the present file has as well. Deliberately not here: markup of tool calls, since only a person can tell what belongs to
//! it.

mod end;
mod fences;
mod layout;
mod talk;

use std::collections::BTreeMap;
use std::ops::Range;

use orion_protocol::{Removal, RemovalKind};

use super::excerpt;
use super::validate::{Allowed, faulty_characters};
use layout::Layout;

pub(in crate::write) use fences::{is_bare_fence, is_fence, second_fence};
pub(in crate::write) use talk::is_talk;

/// The file that a content is for: it tells what may be around it.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    pub path: &'a str,
    /// Its present text; empty when there is none.
    pub old: &'a str,
    pub allowed: Allowed,
}

/// What can be taken out of this content, by its places.
#[must_use]
pub fn offers(text: &str, around: Around<'_>) -> Vec<Removal> {
    let allowed = around.allowed;
    let mut offers: Vec<_> = parts(text, around)
        .into_iter()
        .map(|Part { kind, range, shown, .. }| {
            let line = line_of(text, range.start);
            (range.start, Removal { kind, line, text: excerpt::all(&shown) })
        })
        .collect();
    let mut characters = BTreeMap::new();
    for (_, character, _) in faulty_characters(text, allowed) {
        *characters.entry(character).or_insert(0usize) += 1;
    }
    if let Some((at, ..)) = faulty_characters(text, allowed).next() {
        let counted: Vec<_> = characters
            .iter()
            .map(|(character, times)| format!("{times} × U+{:04X}", u32::from(*character)))
            .collect();
        let shown = excerpt::all(&counted.join(", "));
        offers.push((at, Removal { kind: RemovalKind::Characters, line: line_of(text, at), text: shown }));
    }
    offers.sort_by_key(|(at, _)| *at);
    offers.into_iter().map(|(_, offer)| offer).collect()
}

/// The content without these; what is not in it is not taken out.
#[must_use]
pub fn remove(text: &str, kinds: &[RemovalKind], around: Around<'_>) -> String {
    let parts = parts(text, around).into_iter().filter(|part| kinds.contains(&part.kind));
    let mut taken: Vec<_> = parts.flat_map(|part| std::iter::once(part.range).chain(part.closer)).collect();
    taken.sort_by_key(|range| range.start);
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for range in taken {
        kept.push_str(&text[from..range.start]);
        from = range.end;
    }
    kept.push_str(&text[from..]);
    if kinds.contains(&RemovalKind::Characters) {
        kept.retain(|character| around.allowed.fault(character).is_none());
    }
    kept
}

/// A part of a content that can be taken out.
struct Part {
    kind: RemovalKind,
    range: Range<usize>,
    /// The end of a fence, which goes with its beginning.
    closer: Option<Range<usize>>,
    /// The words of the offer.
    shown: String,
}

/// The parts that are around the file, and not around the present one.
fn parts(text: &str, around: Around<'_>) -> Vec<Part> {
    let Layout { reasoning, preamble, fence, postamble, end_line } = Layout::of(text, around);
    let is = Layout::of(around.old, Around { old: "", ..around });
    let part = |kind, range: Range<usize>| {
        let shown = text[range.clone()].trim_start_matches(['\r', '\n']).to_owned();
        Part { kind, range, closer: None, shown }
    };
    let fence = fence.filter(|_| is.fence.is_none()).map(|(opener, closer)| {
        let shown = format!("{} … {}", text[opener.clone()].trim_end(), text[closer.clone()].trim_end());
        Part { kind: RemovalKind::Fence, range: opener, closer: Some(closer), shown }
    });
    let preamble = preamble.filter(|_| is.preamble.is_none());
    let postamble = postamble.filter(|_| is.postamble.is_none());
    [
        reasoning.map(|range| part(RemovalKind::Reasoning, range)),
        preamble.map(|range| Part {
            shown: text[range.clone()].to_owned(),
            ..part(RemovalKind::Preamble, range)
        }),
        fence,
        postamble.map(|range| part(RemovalKind::Postamble, range)),
        end_line.map(|range| part(RemovalKind::EndLine, range)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn line_of(text: &str, at: usize) -> u32 {
    let line_ends = memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count();
    u32::try_from(line_ends + 1).unwrap_or(u32::MAX)
}
