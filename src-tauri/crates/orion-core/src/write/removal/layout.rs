//! The parts around the file in a content, in the order of the text.

use std::ops::Range;

use super::fences::{fence_at, is_fence, stray_fence};
use super::talk::{MAX_POSTAMBLE, MAX_PREAMBLE, MAX_TALK, is_announcement, is_farewell, is_remark, is_talk};
use super::{Around, end};
use crate::write::{doubts, prose};

#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) reasoning: Option<Range<usize>>,
    pub(super) preamble: Option<Range<usize>>,
    /// The fence's first line and its last; that one is empty when the fence has no end.
    pub(super) fence: Option<(Range<usize>, Range<usize>)>,
    pub(super) postamble: Option<Range<usize>>,
    /// A line that is nearly the end line.
    pub(super) end_line: Option<Range<usize>>,
}

impl Layout {
    pub(super) fn of(text: &str, around: Around<'_>) -> Self {
        let Around { path, old, .. } = around;
        let reasoning = doubts::reasoning_at_the_beginning(text, old);
        let start = reasoning.as_ref().map_or(0, |range| range.end);
        let end_line = end::near(text, path, old);
        let is_last = |range: &Range<usize>| text[range.end..].trim().is_empty();
        let stop = end_line.clone().filter(is_last).map_or(text.len(), |range| range.start);
        let inner = Inner::of(text.get(start..stop).unwrap_or_default(), path);
        let moved = |range: Range<usize>| range.start + start..range.end + start;
        Self {
            reasoning,
            preamble: inner.preamble.map(moved),
            fence: inner.fence.map(|(opener, closer)| (moved(opener), moved(closer))),
            postamble: inner.postamble.map(moved),
            end_line,
        }
    }
}

/// The parts of a content without its thoughts and its end line.
#[derive(Default)]
struct Inner {
    preamble: Option<Range<usize>>,
    fence: Option<(Range<usize>, Range<usize>)>,
    postamble: Option<Range<usize>>,
}

impl Inner {
    fn of(text: &str, path: &str) -> Self {
        let is_prose = prose::may_be_in(path);
        let preamble = preamble(text).or_else(|| foreign(text, path, is_prose));
        let start = after_blank_lines(text, preamble.as_ref().map_or(0, |range| range.end));
        if let Some((opener, closer)) = fence_at(text, start) {
            let after = closer.end..text.len();
            let said = text[after.clone()].trim();
            if said.is_empty() {
                return Self { preamble, fence: Some((opener, closer)), postamble: None };
            }
            if is_postamble(said, preamble.is_some() || !is_prose) {
                return Self { preamble, fence: Some((opener, closer)), postamble: Some(after) };
            }
        }
        let last = last_paragraph(text).filter(|range| {
            let line = text[range.clone()].trim();
            is_farewell(line) || !is_prose && line.len() <= MAX_TALK && is_closing_sentence(line)
        });
        let postamble = last.or_else(|| stray_fence(text)).filter(|range| range.start >= start);
        Self { preamble, fence: None, postamble }
    }
}

/// An announcement in English, with the talk before it.
fn preamble(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    for _ in 0..MAX_PREAMBLE {
        at = after_blank_lines(text, at);
        let line = text[at..].split_inclusive('\n').next()?;
        at += line.len();
        if !is_talk(line) {
            return None;
        }
        if is_announcement(line) {
            return Some(0..after_blank_lines(text, at));
        }
    }
    None
}

/// Sentences in any language, or the file's name, before a fence; or one sentence that announces, before code.
fn foreign(text: &str, path: &str, is_prose: bool) -> Option<Range<usize>> {
    let mut at = 0;
    let mut last = "";
    for _ in 0..=MAX_PREAMBLE {
        at = after_blank_lines(text, at);
        let line = text[at..].split_inclusive('\n').next()?;
        if is_fence(line) {
            let (opener, closer) = fence_at(text, at)?;
            let info = text[opener].trim().trim_matches(['`', '~']).to_lowercase();
            let kind = path.rsplit('.').next().unwrap_or_default();
            let is_whole = text[closer.end..].trim().is_empty();
            let fits = ["", "md", "markdown", kind].contains(&info.as_str());
            let wraps = !is_prose || prose::announces(last) && is_whole && fits;
            return (at > 0 && !last.is_empty() && wraps).then_some(0..at);
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let says = prose::is_sentence(line) || prose::announces(line) && !is_prose || line.contains(name);
        if !says || line.len() > MAX_TALK {
            break;
        }
        last = line;
        at += line.len();
    }
    if is_prose {
        return None;
    }
    let start = after_blank_lines(text, 0);
    let line = text[start..].split_inclusive('\n').next()?;
    let end = start + line.len();
    let is_alone = text[end..].starts_with(['\n', '\r']);
    (prose::is_sentence(line) && prose::announces(line) && is_alone).then(|| 0..after_blank_lines(text, end))
}

fn is_postamble(said: &str, announced: bool) -> bool {
    let lines = || said.lines().filter(|line| !line.trim().is_empty());
    let is_talk = |line: &str| line.len() <= MAX_TALK && !line.starts_with('#') && !is_fence(line.trim());
    lines().nth(MAX_POSTAMBLE).is_none() && lines().all(is_talk) && (announced || is_remark(said))
}

/// A last paragraph of one line, with the blank lines before it.
fn last_paragraph(text: &str) -> Option<Range<usize>> {
    let (before, _) = text.trim_end().rsplit_once('\n')?;
    let is_paragraph = before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    let end = after_line_end(text, before.trim_end().len());
    is_paragraph.then_some(end..text.len())
}

fn is_closing_sentence(line: &str) -> bool {
    line.ends_with(['.', '!', '?', '。', '！', '？']) && prose::is_sentence(line)
}

/// The beginning of the first line at or after this place that is not blank.
fn after_blank_lines(text: &str, at: usize) -> usize {
    let blank = text[at..].split_inclusive('\n').take_while(|line| line.trim().is_empty());
    at + blank.map(str::len).sum::<usize>()
}

fn after_line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}
