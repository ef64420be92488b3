//! A fence, a remark, or text that was there already, where one message of the model ended and the next went on (W4).

use orion_protocol::{FaultKind, Seam};

use super::{Doubt, Stretch, numbered_lines, prose};
use crate::write::removal::{is_bare_fence, is_fence, is_talk};

/// This much of the text before a seam is looked for after it, in bytes, and within this much of the text.
const REPEATED: usize = 200;
const WITHIN: usize = 4_000;
/// Of a shorter text so much at least.
const LEAST: usize = 60;

/// The seams that look as if the model had begun an answer again.
pub(super) fn find<'a>(path: &str, content: &'a str, seams: &[Seam]) -> Vec<Doubt<'a>> {
    let is_prose = prose::may_be_in(path);
    let look = |seam: &Seam| {
        let at = content.floor_char_boundary(usize::try_from(seam.offset).unwrap_or(usize::MAX));
        let (before, after) = content.split_at(at);
        let number = before.matches('\n').count() + 1;
        let (first, text) = numbered_lines(after).find(|(_, line)| !line.trim().is_empty())?;
        let last = before.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let fenced =
            if is_prose { is_bare_fence(last) && is_fence(text) } else { is_fence(last) || is_fence(text) };
        let (kind, what) = match () {
            () if fenced => (FaultKind::Fence, "a code fence where one message ended and the next one began"),
            () if is_talk(text) && prose::announces(text) => {
                (FaultKind::Fence, "a remark where one message ended and the next one began")
            }
            () if comes_again(before, after) => {
                (FaultKind::Repeated, "the text before this place comes once more after it; send it once")
            }
            () => return None,
        };
        Some(Doubt { kind, line: number + first - 1, text, what: what.to_owned() })
    };
    seams.iter().filter_map(look).collect()
}

/// True if the end of one part is in the next one. A text that has it twice already repeats itself anyway.
fn comes_again(before: &str, after: &str) -> bool {
    let before = before.trim_end();
    let end = &before[before.ceil_char_boundary(before.len().saturating_sub(REPEATED))..];
    let is_new = before.find(end) == Some(before.len() - end.len());
    is_new && end.len() >= LEAST && after[..after.floor_char_boundary(WITHIN)].contains(end)
}

/// The blocks of an edit that put a fence around the new lines, where the old ones have none.
pub(super) fn fences<'a>(path: &str, stretches: &[Stretch<'a>]) -> Vec<Doubt<'a>> {
    if prose::may_be_in(path) {
        return Vec::new();
    }
    let look = |stretch: &Stretch<'a>| {
        let (line, text) = numbered_lines(stretch.new).find(|(_, line)| is_fence(line))?;
        let what = "a code fence among the new lines; send them without".to_owned();
        let line = line - 1 + stretch.line as usize;
        (!stretch.old.lines().any(is_fence)).then_some(Doubt { kind: FaultKind::Fence, line, text, what })
    };
    stretches.iter().filter_map(look).collect()
}
