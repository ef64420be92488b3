//! Which paths fit what someone has typed, and how well.
//!
//! The letters of the filter come in the path in this order. The closer they are together, the nearer to the end, and the shorter the
//! path, the better. A filter with a `/` wants its last part in the name, and the rest in the folders. A folder is looked at once for
//! all that is in it.

use std::collections::BinaryHeap;

use super::Found;

/// The lower case of a text, in as many bytes: a letter whose lower case is longer or shorter stays as it is.
pub(super) fn folded(text: &str, into: &mut String) {
    for c in text.chars() {
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) if one.len_utf8() == c.len_utf8() => into.push(one),
            _ => into.push(c),
        }
    }
}

/// How well a path fits: the smaller, the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Score {
    /// How the filter stands in the path.
    class: u8,
    /// Bytes between its letters.
    gaps: u16,
    /// Bytes of the whole path.
    bytes: u16,
}

/// What someone typed.
#[derive(Debug)]
pub(super) struct Filter {
    /// All of it.
    whole: Vec<u8>,
    /// Up to the last `/`, with it; empty without one.
    above: String,
    /// What the name is to have.
    name: Vec<u8>,
}

/// A folder, seen by a filter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Folder {
    bytes: usize,
    depth: usize,
    /// How many of the filter's bytes its path holds in their order.
    holds: usize,
    /// How its path fits the filter's folders.
    above: Option<u8>,
}

impl Filter {
    pub(super) fn of(text: &str) -> Self {
        let text = text.strip_prefix("./").unwrap_or(text);
        let text = if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() };
        let mut lower = String::with_capacity(text.len());
        folded(&text, &mut lower);
        let split = lower.rfind('/').map_or(0, |at| at + 1);
        let (above, name) = lower.split_at(split);
        Self { above: above.to_owned(), name: name.as_bytes().to_vec(), whole: lower.into_bytes() }
    }

    pub(super) fn folder(&self, path: &str) -> Folder {
        let above = match self.above.as_str() {
            "" => Some(0),
            above if path == above => Some(0),
            above if path.ends_with(above) && path[..path.len() - above.len()].ends_with('/') => Some(1),
            above if path.starts_with(above) => Some(2),
            above if path.contains(above) => Some(3),
            above => (in_order(above.as_bytes(), path.as_bytes()) == above.len()).then_some(4),
        };
        let holds = in_order(&self.whole, path.as_bytes());
        Folder { bytes: path.len(), depth: path.matches('/').count(), holds, above }
    }

    /// None where it does not fit.
    pub(super) fn score(&self, folder: &Folder, name: &[u8]) -> Option<Score> {
        let rest = self.whole.get(folder.holds..)?;
        let bytes = u16::try_from(folder.bytes + name.len()).unwrap_or(u16::MAX);
        if self.whole.is_empty() {
            return Some(Score { class: u8::try_from(folder.depth).unwrap_or(u8::MAX), gaps: 0, bytes: 0 });
        }
        if in_order(rest, name) < rest.len() {
            return None;
        }
        let (class, gaps) = match (folder.above, in_name(&self.name, name)) {
            (Some(above), Some((class, gaps))) => (class + 5 * above, gaps),
            _ => (60, u16::MAX),
        };
        Some(Score { class, gaps, bytes })
    }
}

/// How many bytes of `wanted` come in `text` in this order.
fn in_order(wanted: &[u8], text: &[u8]) -> usize {
    let mut wanted_bytes = wanted.iter();
    let Some(mut next) = wanted_bytes.next() else { return 0 };
    let mut found = 0;
    for byte in text {
        if byte == next {
            found += 1;
            match wanted_bytes.next() {
                Some(further) => next = further,
                None => break,
            }
        }
    }
    found
}

/// How a name has what is wanted: whole, at its beginning, at the beginning of a word, anywhere, or in pieces.
fn in_name(wanted: &[u8], name: &[u8]) -> Option<(u8, u16)> {
    if name == wanted {
        return Some((0, 0));
    }
    if name.starts_with(wanted) {
        return Some((1, 0));
    }
    let first = *wanted.first()?;
    let begins = |at: usize| {
        at.checked_sub(1).and_then(|before| name.get(before)).is_none_or(|b| !b.is_ascii_alphanumeric())
    };
    let mut anywhere = None;
    for (at, _) in name.iter().enumerate().filter(|(_, byte)| **byte == first) {
        if name.get(at..).is_some_and(|rest| rest.starts_with(wanted)) {
            if begins(at) {
                return Some((2, 0));
            }
            anywhere = anywhere.or(Some((3, 0)));
        }
    }
    anywhere.or_else(|| {
        let (mut left, mut from, mut end) = (wanted, None, 0);
        for (at, byte) in name.iter().enumerate() {
            let Some((next, rest)) = left.split_first() else { break };
            if byte == next {
                (left, from, end) = (rest, from.or(Some(at)), at + 1);
            }
        }
        let spread = end - from?;
        left.is_empty().then(|| (4, u16::try_from(spread - wanted.len()).unwrap_or(u16::MAX)))
    })
}

/// The best so many.
#[derive(Debug)]
pub(super) struct Best {
    limit: usize,
    /// The worst is on top. Of two that fit as well, the one that came first is the better.
    heap: BinaryHeap<(Score, usize, Found)>,
    offered: usize,
    more: bool,
}

impl Best {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, heap: BinaryHeap::with_capacity(limit + 1), offered: 0, more: false }
    }

    /// `make` is asked only where it is among the best.
    pub(super) fn offer(&mut self, score: Score, make: impl FnOnce() -> Option<Found>) {
        self.offered += 1;
        let is_full = self.heap.len() >= self.limit;
        if is_full && self.heap.peek().is_none_or(|(worst, _, _)| *worst <= score) {
            self.more = true;
            return;
        }
        let Some(found) = make() else { return };
        if is_full {
            self.heap.pop();
            self.more = true;
        }
        self.heap.push((score, self.offered, found));
    }

    pub(super) fn into_found(self) -> (Vec<Found>, bool) {
        (self.heap.into_sorted_vec().into_iter().map(|(_, _, found)| found).collect(), self.more)
    }
}
