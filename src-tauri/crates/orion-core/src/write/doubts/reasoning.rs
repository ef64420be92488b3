//! The model's thoughts in a file: `<think>…</think>`, `[THINK]…[/THINK]`, or only the end of them.

use std::ops::Range;

use orion_protocol::FaultKind;

use super::{Doubt, numbered_lines};

/// The names of tags that models put around their thoughts.
const NAMES: [&str; 10] = [
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "reflection",
    "scratchpad",
    "antthinking",
    "inner_monologue",
    "analysis",
];
const OPENERS: [char; 3] = ['<', '[', '◁'];
const CLOSERS: [char; 3] = ['>', ']', '▷'];

/// A tag in a line.
#[derive(Clone, Copy)]
struct Tag<'a> {
    /// As it stands there.
    text: &'a str,
    closes: bool,
}

/// Tags at the beginning or the end of a line that the present file does not have. Those at the beginning of a whole content can be
/// taken out, and are left to that.
pub(super) fn find<'a>(sent: &'a str, old: &str, is_edit: bool) -> Option<Doubt<'a>> {
    let skip = if is_edit { 0 } else { at_the_beginning(sent, old).map_or(0, |range| range.end) };
    let before = sent[..skip].lines().count();
    let (line, text) =
        numbered_lines(&sent[skip..]).find(|(_, line)| tags(line).any(|tag| !old.contains(tag.text)))?;
    let what = "this looks like the model's own thoughts, which do not belong into the file".to_owned();
    Some(Doubt { kind: FaultKind::Reasoning, line: line + before, text, what })
}

/// Thoughts before the file, with the blank lines after them: between two tags, or all before one that closes.
pub(in crate::write) fn at_the_beginning(sent: &str, old: &str) -> Option<Range<usize>> {
    let mut at = 0;
    let mut any = false;
    for line in sent.split_inclusive('\n') {
        let fresh = |tag: &Tag<'_>| !old.contains(tag.text);
        if let Some(tag) = first_tag(line).filter(fresh)
            && !tag.closes
        {
            // Thoughts that begin within the file.
            if any {
                return None;
            }
        }
        if let Some(tag) = last_tag(line).filter(fresh)
            && tag.closes
        {
            let end = at + line.len();
            let blank = sent[end..].split_inclusive('\n').take_while(|line| line.trim().is_empty());
            return Some(0..end + blank.map(str::len).sum::<usize>());
        }
        any |= !line.trim().is_empty();
        at += line.len();
    }
    None
}

fn tags(line: &str) -> impl Iterator<Item = Tag<'_>> {
    first_tag(line).into_iter().chain(last_tag(line))
}

/// The tag that a line begins with.
fn first_tag(line: &str) -> Option<Tag<'_>> {
    let line = line.trim();
    line.starts_with(OPENERS).then_some(())?;
    let end = line.find(CLOSERS)?;
    let close = line[end..].chars().next()?.len_utf8();
    tag(&line[..end + close])
}

/// The tag that a line ends with.
fn last_tag(line: &str) -> Option<Tag<'_>> {
    let line = line.trim();
    line.ends_with(CLOSERS).then_some(())?;
    tag(&line[line.rfind(OPENERS)?..])
}

fn tag(text: &str) -> Option<Tag<'_>> {
    let inner = text.trim_matches(|c| OPENERS.contains(&c) || CLOSERS.contains(&c) || c == '|');
    let (closes, name) = match inner.strip_prefix('/') {
        Some(name) => (true, name),
        None => (false, inner),
    };
    // `<seed:think>`, `<|channel>thought`
    let name = name.rsplit(':').next().unwrap_or(name).trim();
    NAMES.iter().any(|known| name.eq_ignore_ascii_case(known)).then_some(Tag { text, closes })
}
