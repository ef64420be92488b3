//! Keeps bytes that are not UTF-8 in a file that otherwise is.
//!
//! In its text U+FFFD stands for each of them. New text that still has their line, as it was, gets the same bytes at that
//! place. Of a line that is new or was changed nobody can say which bytes its U+FFFD stands for, nor of one of two lines
//! that read the same, when the other one is gone. Deliberately not here: other encodings; a file with stray bytes in one of
//! them is not written.

use std::borrow::Cow;
use std::collections::VecDeque;

use orion_core::lines::Ending;

const REPLACEMENT: char = '\u{fffd}';

/// The most lines that are named. For each of them the old text may be searched to its end.
const MOST: usize = 100;

/// A line of the old text that has U+FFFD, and the bytes of each.
struct Marked<'t, 'a> {
    line: &'t str,
    bytes: &'t [&'a [u8]],
}

/// The bytes for each U+FFFD of the content, in order. `unknown` is told the offset of each line's first U+FFFD whose bytes
/// cannot be known; then what is returned is of no use.
pub(super) fn kept<'a>(old: &'a [u8], content: &str, mut unknown: impl FnMut(usize)) -> VecDeque<&'a [u8]> {
    let text = String::from_utf8_lossy(old);
    let bytes: Vec<&[u8]> = each(old).collect();
    let (mut marked, mut done) = (Vec::new(), 0);
    for line in lines(&text) {
        let count = line.matches(REPLACEMENT).count();
        if count > 0 {
            marked.push(Marked { line: line.trim_end(), bytes: &bytes[done..done + count] });
            done += count;
        }
    }
    let (mut wanted, mut at) = (Vec::new(), 0);
    for line in lines(content) {
        if let Some(first) = line.find(REPLACEMENT) {
            wanted.push((line.trim_end(), at + first));
        }
        at += line.len();
    }
    // As early and as late as each line can be in the old text.
    let early = places(marked.iter(), wanted.iter().map(|(line, _)| *line));
    let late = places(marked.iter().rev(), wanted.iter().rev().map(|(line, _)| *line));
    let mut kept = VecDeque::new();
    for ((early, late), (_, offset)) in early.iter().zip(late.iter().rev()).zip(&wanted) {
        match (early, late) {
            (Some(early), Some(late)) if early.bytes == late.bytes => {
                kept.extend(early.bytes.iter().copied())
            }
            _ => unknown(*offset),
        }
    }
    kept
}

/// The text of bytes, with U+FFFD for those that are not UTF-8. None when it has more U+FFFD than this.
pub(super) fn shown(bytes: &[u8], most: usize) -> Option<Cow<'_, str>> {
    (each(bytes).take(most + 1).count() <= most).then(|| String::from_utf8_lossy(bytes))
}

/// Adds the piece, each U+FFFD as the bytes that it stands for.
pub(super) fn restore(piece: &str, strays: &mut VecDeque<&[u8]>, bytes: &mut Vec<u8>) {
    let mut parts = piece.split(REPLACEMENT);
    bytes.extend_from_slice(parts.next().unwrap_or_default().as_bytes());
    for part in parts {
        bytes.extend_from_slice(strays.pop_front().unwrap_or_default());
        bytes.extend_from_slice(part.as_bytes());
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    Ending::of(text).split(text)
}

/// What each U+FFFD of the text stands for; some are really there.
fn each(old: &[u8]) -> impl Iterator<Item = &[u8]> {
    old.utf8_chunks().flat_map(|chunk| {
        let real = chunk.valid().matches(REPLACEMENT).map(str::as_bytes);
        real.chain(Some(chunk.invalid()).filter(|stray| !stray.is_empty()))
    })
}

/// The marked line that each wanted one is, in order; none for one that is not there.
fn places<'m, 't: 'm, 'a: 't>(
    marked: impl Iterator<Item = &'m Marked<'t, 'a>> + Clone,
    wanted: impl Iterator<Item = &'m str>,
) -> Vec<Option<&'m Marked<'t, 'a>>> {
    let (mut rest, mut missing) = (marked, 0);
    let find = |line: &str| {
        let mut ahead = rest.clone();
        let found = if missing < MOST { ahead.find(|marked| marked.line == line) } else { None };
        match found {
            Some(_) => rest = ahead,
            None => missing += 1,
        }
        found
    };
    wanted.map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::{kept, restore};

    /// The bytes of the content, or the offsets of what cannot be known.
    fn restored(old: &[u8], content: &str) -> Result<Vec<u8>, Vec<usize>> {
        let mut unknown = Vec::new();
        let mut strays = kept(old, content, |at| unknown.push(at));
        if !unknown.is_empty() {
            return Err(unknown);
        }
        let mut bytes = Vec::new();
        restore(content, &mut strays, &mut bytes);
        assert!(strays.is_empty());
        Ok(bytes)
    }

    #[test]
    fn lines_that_are_still_there_keep_their_bytes() {
        let old = b"a \xe9\xff\nb\nc \xef\xbf\xbd \xe8\nd \xf0\x9f\n";
        for content in [
            "a \u{fffd}\u{fffd}\nb\nc \u{fffd} \u{fffd}\nd \u{fffd}\n",
            "new é\na \u{fffd}\u{fffd}\r\nc \u{fffd} \u{fffd}",
            "d \u{fffd}",
            "",
        ] {
            let mut expected = content.as_bytes().to_vec();
            for (line, bytes) in [
                ("a \u{fffd}\u{fffd}", &b"a \xe9\xff"[..]),
                ("c \u{fffd} \u{fffd}", b"c \xef\xbf\xbd \xe8"),
                ("d \u{fffd}", b"d \xf0\x9f"),
            ] {
                if let Some(at) = expected.windows(line.len()).position(|part| part == line.as_bytes()) {
                    expected.splice(at..at + line.len(), bytes.iter().copied());
                }
            }
            assert_eq!(restored(old, content), Ok(expected), "{content:?}");
        }
    }

    #[test]
    fn bytes_that_cannot_be_known_are_named_by_place() {
        let old = b"a \xe9\nb \xe8\nb \xe9\n";
        for (content, unknown) in [
            ("a \u{fffd}!\n", vec![2]),
            ("x\n\u{fffd}\n", vec![2]),
            // Moved, or one of two.
            ("b \u{fffd}\na \u{fffd}\n", vec![2, 8]),
            ("b \u{fffd}\n", vec![2]),
            ("a \u{fffd}\nb \u{fffd}\nb \u{fffd}\nb \u{fffd}\n", vec![8, 14, 20]),
        ] {
            assert_eq!(restored(old, content), Err(unknown), "{content:?}");
        }
        assert_eq!(restored(b"a \xe9\na \xe9\n", "a \u{fffd}\n"), Ok(b"a \xe9\n".to_vec()));
    }
}
