//! Fences of code blocks, as Markdown has them.

use std::ops::Range;

/// The fence that begins at this place, with its first and its last line.
pub(super) fn fence_at(text: &str, start: usize) -> Option<(Range<usize>, Range<usize>)> {
    let opener = text[start..].split_inclusive('\n').next().filter(|line| !line.starts_with([' ', '\t']))?;
    let mut fences = Fences::default();
    fences.read(opener);
    if fences.0.is_empty() {
        return None;
    }
    let mut at = start + opener.len();
    for line in text[at..].split_inclusive('\n') {
        fences.read(line);
        if fences.0.is_empty() {
            return Some((start..start + opener.len(), at..at + line.len()));
        }
        at += line.len();
    }
    Some((start..start + opener.len(), text.len()..text.len()))
}

/// The fences that are open, the innermost last: their sign, and how many of it.
#[derive(Default)]
struct Fences(Vec<(char, usize)>);

impl Fences {
    fn read(&mut self, line: &str) {
        let Some((mark, signs, info)) = fence_line(line) else { return };
        match self.0.last() {
            Some((open, _)) if *open != mark => {}
            Some((_, least)) if info.is_empty() => {
                if signs >= *least {
                    self.0.pop();
                }
            }
            _ => self.0.push((mark, signs)),
        }
    }
}

/// Sign, number of signs and info string of a line that is a fence, wherever it is indented.
fn fence_line(line: &str) -> Option<(char, usize, &str)> {
    let line = line.trim();
    let mark = line.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
    let info = line.trim_start_matches(mark);
    let signs = line.len() - info.len();
    (signs >= 3 && !info.contains('`')).then_some((mark, signs, info))
}

/// True for a fence that begins in its first column.
pub(in crate::write) fn is_fence(line: &str) -> bool {
    line.starts_with(['`', '~']) && fence_line(line).is_some()
}

/// True for a fence without an info string, as the end of a code block is.
pub(in crate::write) fn is_bare_fence(line: &str) -> bool {
    is_fence(line) && fence_line(line).is_some_and(|(_, _, info)| info.is_empty())
}

/// A last line that could only open a fence.
pub(super) fn stray_fence(text: &str) -> Option<Range<usize>> {
    let end = text.trim_end().rfind('\n')? + 1;
    let (_, _, info) = fence_line(&text[end..])?;
    let mut fences = Fences::default();
    text[..end].split_inclusive('\n').for_each(|line| fences.read(line));
    (info.is_empty() && fences.0.is_empty()).then_some(end..text.len())
}

/// The opener of a second code block, with its line, where the text is a code block with little before it.
pub(in crate::write) fn second_fence(text: &str) -> Option<(usize, &str)> {
    let mut fences = Fences::default();
    let (mut blocks, mut before) = (0, 0);
    for (number, line) in (1..).zip(text.lines()) {
        let was_open = !fences.0.is_empty();
        fences.read(line);
        let is_open = !fences.0.is_empty();
        match (was_open, is_open) {
            (false, true) if !is_fence(line) => return None,
            (false, true) if blocks > 0 => return Some((number, line)),
            (false, true) => blocks += 1,
            (false, false) if blocks == 0 => before += usize::from(!line.trim().is_empty()),
            _ => {}
        }
        if before > super::talk::MAX_PREAMBLE {
            return None;
        }
    }
    None
}
