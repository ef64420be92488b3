//! A patch in the place of content: a unified difference, a patch as Codex writes it, search/replace blocks, conflict markers.

use orion_protocol::FaultKind;

use super::{Doubt, numbered_lines};
use crate::write::blocks;

/// Kinds of files that are patches.
const PATCHES: [&str; 4] = ["patch", "diff", "rej", "orig"];

/// Finds the first line of a kind of patch, with its number.
type Look = fn(&str) -> Option<(usize, &str)>;

/// The first line of a patch that the present file does not have a part of as well.
pub(super) fn find<'a>(path: &str, sent: &'a str, old: &str, is_edit: bool) -> Option<Doubt<'a>> {
    let kind = path.rsplit('.').next().unwrap_or_default();
    if PATCHES.iter().any(|patch| kind.eq_ignore_ascii_case(patch)) {
        return None;
    }
    let (line, text) = [unified, codex, blocks_of_an_edit, conflict]
        .into_iter()
        // The present file may have one of a kind.
        .filter(|look: &Look| look(old).is_none())
        .filter_map(|look| look(sent))
        .min_by_key(|(line, _)| *line)?;
    let what = if is_edit {
        "this is part of a patch; send the lines as they are to be in the file"
    } else {
        "this is a patch, and the whole content is due; send that"
    };
    Some(Doubt { kind: FaultKind::Patch, line, text, what: what.to_owned() })
}

fn unified(text: &str) -> Option<(usize, &str)> {
    let mut before = "";
    numbered_lines(text).find(|(_, line)| {
        let headed = before.starts_with("--- ") && line.starts_with("+++ ");
        before = line;
        headed || line.starts_with("diff --git ") || is_hunk(line)
    })
}

/// True for `@@ -1,3 +1,4 @@`, with or without its numbers.
fn is_hunk(line: &str) -> bool {
    line.strip_prefix("@@ -").is_some_and(|rest| {
        let mut parts = rest.split(' ');
        let numbers = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
        parts.next().is_some_and(numbers)
            && parts.next().and_then(|part| part.strip_prefix('+')).is_some_and(numbers)
    })
}

fn codex(text: &str) -> Option<(usize, &str)> {
    const MARKS: [&str; 4] = ["*** Begin Patch", "*** Update File: ", "*** Add File: ", "*** Delete File: "];
    numbered_lines(text).find(|(_, line)| MARKS.iter().any(|mark| line.starts_with(mark)))
}

fn blocks_of_an_edit(text: &str) -> Option<(usize, &str)> {
    numbered_lines(text).find(|(_, line)| blocks::are_meant(line))
}

/// Both ends of a conflict, and the line between them.
fn conflict(text: &str) -> Option<(usize, &str)> {
    let marked = |line: &str, mark: &str| {
        line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let mut lines = numbered_lines(text);
    let begin = lines.find(|(_, line)| marked(line, "<<<<<<<"))?;
    lines.find(|(_, line)| marked(line, "======="))?;
    lines.find(|(_, line)| marked(line, ">>>>>>>"))?;
    Some(begin)
}
