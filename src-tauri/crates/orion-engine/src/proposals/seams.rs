//! Finds the seams of a content in the file that was made from it (W4).
//!
//! The file may have text before the content (what was there already, a byte order mark), and other line ends. So a
//! position is counted from the end: the line ends after it, and its distance from the end of its line.

use std::borrow::Cow;

use orion_core::lines::Ending;
use orion_protocol::Seam;

/// A position in a text, counted from its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    /// Line ends after it.
    lines: usize,
    /// Bytes to the end of its line, without the line end.
    bytes: usize,
}

/// The positions of seams in their content.
pub(crate) fn positions(content: &str, seams: &[Seam]) -> Vec<Position> {
    let content = &*in_place(content);
    let mut offsets: Vec<usize> = seams
        .iter()
        .map(|seam| content.floor_char_boundary(usize::try_from(seam.offset).unwrap_or(usize::MAX)))
        .collect();
    offsets.sort_unstable();
    let (mut lines, mut behind) = (0, content.len());
    let mut positions: Vec<Position> = Vec::with_capacity(offsets.len());
    for &offset in offsets.iter().rev() {
        lines += content[offset..behind].matches('\n').count();
        behind = offset;
        let rest = &content[offset..];
        let line = rest.split('\n').next().unwrap_or_default();
        positions.push(Position { lines, bytes: line.trim_end_matches('\r').len() });
    }
    positions.reverse();
    positions
}

/// Bytes of a text before each of these positions, which are in the order of [`positions`].
pub(crate) fn offsets(text: &str, positions: &[Position]) -> Vec<usize> {
    let text = &*in_place(text);
    let mut ends = text.rmatch_indices('\n').map(|(at, _)| at);
    let (mut passed, mut end) = (0, text.len());
    let mut offsets = Vec::with_capacity(positions.len());
    for position in positions.iter().rev() {
        while passed < position.lines {
            // A text with fewer lines is not made of that content.
            end = ends.next().unwrap_or_default();
            passed += 1;
        }
        let start = text[..end].rfind('\n').map_or(0, |at| at + 1);
        let line = text[start..end].trim_end_matches('\r');
        offsets.push(start + line.len().saturating_sub(position.bytes));
    }
    offsets.reverse();
    offsets
}

/// The text with LF in the place of each CR that ends a line alone, so that every other byte stays where it is.
fn in_place(text: &str) -> Cow<'_, str> {
    match Ending::of(text) {
        Ending::Lf => Cow::Borrowed(text),
        Ending::Cr => Cow::Owned(text.replace('\r', "\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The content with `|` at its seams, and the text made of it with `|` where they are.
    fn marked(content: &str, text: &str) -> String {
        let mut seams = Vec::new();
        for (at, _) in content.match_indices('|') {
            seams.push(Seam { offset: (at - seams.len()) as u64, line: 0, dropped: 0 });
        }
        let positions = positions(&content.replace('|', ""), &seams);
        let mut marked = text.to_owned();
        for offset in offsets(text, &positions).into_iter().rev() {
            marked.insert(offset, '|');
        }
        marked
    }

    #[test]
    fn a_seam_is_before_the_same_characters_in_the_file_as_in_the_content() {
        for (what, content, file) in [
            ("as it is", "o|ne\n|two\nth|ree|\n", "o|ne\n|two\nth|ree|\n"),
            ("appended", "o|ne\n|two|", "old\nolder\no|ne\n|two|"),
            ("appended to a line without an end", "|one\n", "old\n|one\n"),
            ("CR", "on|e\n|two\n\n|\n", "on|e\r|two\r\r|\r"),
            ("CRLF", "on|e\n|two\n\n|\n", "on|e\r\n|two\r\n\r\n|\r\n"),
            ("LF", "on|e\r\n|two\r\n\r\n|\r\n", "on|e\n|two\n\n|\n"),
            ("within a line end", "one\r|\ntwo|\r\n", "one|\ntwo|\n"),
            ("a byte order mark that is there already", "\u{feff}o|ne\n", "o|ne\n"),
            ("other letters", "ä|ö\nü|", "é\r\nä|ö\r\nü|"),
            ("many in one line", "a|b||c\n", "x\na|b||c\n"),
            ("at the very ends", "|one|", "|one|"),
        ] {
            assert_eq!(marked(content, &file.replace('|', "")), file, "{what}");
        }
    }

    #[test]
    fn a_seam_of_another_content_is_somewhere_in_the_text() {
        let seams = [3, 400].map(|offset| Seam { offset, line: 0, dropped: 0 });
        let positions = positions("one two\n\n\n", &seams);
        assert_eq!(positions, [Position { lines: 3, bytes: 4 }, Position { lines: 0, bytes: 0 }]);
        assert_eq!(offsets("a\n", &positions), [0, 2]);
        assert_eq!(offsets("", &positions), [0, 0]);
    }
}
