//! A second file behind the first one: an end line with more text after it, the beginning once more, or another file's name.

use memchr::memmem;
use orion_protocol::FaultKind;

use super::{Doubt, numbered_lines, prose};
use crate::write::removal;

/// A beginning that comes again is compared over so many bytes.
const BEGINNING: usize = 200;
/// So often it comes again in a text that repeats itself.
const OFTEN: usize = 3;

/// The line where a second file seems to begin, unless the present file looks like that too.
pub(super) fn find<'a>(path: &str, sent: &'a str, old: &str) -> Option<Doubt<'a>> {
    let ((line, text), what) = second(path, sent)?;
    let doubt = Doubt { kind: FaultKind::SecondFile, line, text, what: what.to_owned() };
    second(path, old).is_none().then_some(doubt)
}

/// The place, and what makes it one.
fn second<'a>(path: &str, text: &'a str) -> Option<((usize, &'a str), &'static str)> {
    let with = |what| move |place| (place, what);
    behind_an_end_line(text)
        .map(with("an end line has more text after it; send one file, and the end line once"))
        .or_else(|| begins_again(text).map(with("the file begins here once more; send it once")))
        .or_else(|| {
            names_another(path, text).map(with("another file seems to begin here; send this one alone"))
        })
        .or_else(|| {
            let fence = if prose::may_be_in(path) { None } else { removal::second_fence(text) };
            fence.map(with("a second code block; send the content of the one file, without a fence"))
        })
}

fn behind_an_end_line(text: &str) -> Option<(usize, &str)> {
    let place = numbered_lines(text).find(|(_, line)| line.trim_end() == "DONE")?;
    let mut rest = text.lines().skip(place.0);
    rest.any(|line| !line.trim().is_empty() && !line.trim().starts_with("```")).then_some(place)
}

/// The place at the beginning of a line where the first 200 bytes come again. A text that has them often repeats itself, and is one file.
fn begins_again(text: &str) -> Option<(usize, &str)> {
    let start = text.trim_start();
    let first =
        start.get(..start.floor_char_boundary(BEGINNING)).filter(|first| first.len() + 4 > BEGINNING)?;
    let again: Vec<usize> =
        memmem::find_iter(start.as_bytes(), first.as_bytes()).skip(1).take(OFTEN).collect();
    let at = *again.iter().find(|at| start[..**at].ends_with('\n')).filter(|_| again.len() < OFTEN)?;
    let line = text[..text.len() - start.len() + at].matches('\n').count() + 1;
    Some((line, start[at..].lines().next().unwrap_or_default()))
}

/// A line of the same shape as the first one, which names this file; it names another.
fn names_another<'a>(path: &str, sent: &'a str) -> Option<(usize, &'a str)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut lines = numbered_lines(sent).filter(|(_, line)| !line.trim().is_empty());
    let (_, first) = lines.next()?;
    let at = first.find(name)?;
    let from = first[..at].rfind(|c: char| c.is_whitespace() || "`*'\"([<".contains(c));
    let (before, after) = (&first[..from.map_or(0, |from| from + 1)], &first[at + name.len()..]);
    let is_other = |line: &str| {
        let inner = line.strip_prefix(before).and_then(|line| line.strip_suffix(after)).unwrap_or_default();
        inner.rsplit_once('.').is_some_and(|(stem, kind)| {
            let plain = |c: char| c.is_alphanumeric() || "._-/@+".contains(c);
            !stem.is_empty()
                && (1..=10).contains(&kind.len())
                && kind.chars().all(char::is_alphanumeric)
                && inner.chars().all(plain)
        }) && !inner.ends_with(name)
    };
    // The name alone says too little.
    let marked = before.len() + after.len() > 1;
    lines.find(|(_, line)| marked && is_other(line))
}
