//! Gives a text that comes back from an editor its line ends again, since an editor knows only one kind.

use std::sync::Arc;

use super::lines::Lines;
use super::{MOST_WORK, changes};

/// The edited text with the line ends of the one that was shown in the editor (W8): a line that is still there ends as it did,
/// another one as the line whose place it takes, or the line before it. An end that is no `\n` was meant so, and stays.
#[must_use]
pub fn with_line_ends(edited: &str, shown: &str) -> String {
    if !shown.contains('\r') {
        return edited.to_owned();
    }
    let (old, new) = (split(shown), split(edited));
    let changes = changes::between(&plain(&old), &plain(&new), MOST_WORK);
    let mut text = String::with_capacity(edited.len() + new.len());
    let mut put = |&(line, sent): &(&str, &'static str), end: &'static str| {
        let end = if sent == "\n" { end } else { sent };
        // After a lone carriage return it would make one line end out of two.
        let end = if line.is_empty() && end == "\n" && text.ends_with('\r') { "\r" } else { end };
        text.push_str(line);
        text.push_str(end);
    };
    let (mut old_at, mut new_at) = (0, 0);
    for change in &changes {
        for (line, (_, end)) in new[new_at..change.new.start].iter().zip(&old[old_at..]) {
            put(line, end);
        }
        let (gone, after) = (&old[change.old.clone()], old.get(change.old.end));
        let before = change.old.start.checked_sub(1).map(|at| &old[at]);
        let mut last = before.or(gone.first()).or(after).map_or("\n", |(_, end)| end);
        for (at, line) in new[change.new.clone()].iter().enumerate() {
            last = gone.get(at).map(|(_, end)| *end).filter(|end| !end.is_empty()).unwrap_or(last);
            put(line, last);
        }
        (old_at, new_at) = (change.old.end, change.new.end);
    }
    for (line, (_, end)) in new[new_at..].iter().zip(&old[old_at..]) {
        put(line, end);
    }
    text
}

/// Lines and what they end with: `\n`, `\r\n`, `\r` alone, or nothing. An editor takes each of them for a line end.
fn split(text: &str) -> Vec<(&str, &'static str)> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let at = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let end = match &rest.as_bytes()[at..] {
            [b'\r', b'\n', ..] => "\r\n",
            [b'\r', ..] => "\r",
            [b'\n', ..] => "\n",
            _ => "",
        };
        lines.push((&rest[..at], end));
        rest = &rest[at + end.len()..];
    }
    lines
}

/// The lines as an editor shows them.
fn plain(lines: &[(&str, &str)]) -> Lines {
    let mut text = String::new();
    for (line, end) in lines {
        text.push_str(line);
        text.push_str(if end.is_empty() { "" } else { "\n" });
    }
    Lines::of(Arc::from(text))
}
