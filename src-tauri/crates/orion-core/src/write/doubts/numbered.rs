//! The numbers of lines, copied from the box that a file was read in.

use orion_protocol::FaultKind;

use super::{Doubt, numbered_lines};

/// So many lines with numbers are no chance, in content and in the lines of an edit.
const ENOUGH: usize = 3;
const ENOUGH_OF_AN_EDIT: usize = 2;

/// The first line with a number, where nearly all have one and each is one more than the one before.
pub(super) fn find<'a>(sent: &'a str, old: &str, is_edit: bool) -> Option<Doubt<'a>> {
    let enough = if is_edit { ENOUGH_OF_AN_EDIT } else { ENOUGH };
    // Where no file was, `12: ` may as well be data.
    let (line, text) = first(sent, enough, !old.is_empty())?;
    if first(old, ENOUGH, true).is_some() {
        return None;
    }
    let what = "the lines begin with the numbers that they were shown with; send them without".to_owned();
    Some(Doubt { kind: FaultKind::LineNumbers, line, text, what })
}

fn first(text: &str, enough: usize, colons: bool) -> Option<(usize, &str)> {
    let (mut lines, mut numbered) = (0usize, 0usize);
    let mut begin = None;
    let mut last = None;
    for (at, line) in numbered_lines(text).filter(|(_, line)| !line.trim().is_empty()) {
        lines += 1;
        let number = number(line, colons);
        if let Some(number) = number {
            let follows = last.is_none_or(|last: u64| number > last && number - last <= 50);
            begin = begin.or(Some((at, line)));
            numbered += usize::from(follows);
        }
        last = number.or(last);
    }
    begin.filter(|_| numbered >= enough && numbered * 10 >= lines * 8)
}

/// The number that a line begins with, as boxes of Orion and of others print it: `12⇥`, `12 |`, `12→`; also `12: `.
fn number(line: &str, colons: bool) -> Option<u64> {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    let marked = rest.starts_with(['\t', '|', '│', '→'])
        || [" |", " │", " →"].iter().any(|mark| rest.starts_with(mark))
        || colons && (rest.starts_with(": ") || rest == ":");
    if marked { line[..digits].parse().ok() } else { None }
}
