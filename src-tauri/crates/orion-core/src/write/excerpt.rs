//! Short pieces of a text for a fault or an offer: one line, with nothing that a terminal would act on.

/// The most characters of a piece (`WriteFault::context`).
pub(super) const MAX_CHARS: usize = 200;

/// The line around byte `at` of the text, control characters escaped, cut to [`MAX_CHARS`].
pub(super) fn around(text: &str, at: usize) -> String {
    let before = text[..at].rsplit('\n').next().unwrap_or_default();
    let start = before.char_indices().rev().nth(MAX_CHARS / 2 - 1).map_or(0, |(start, _)| start);
    let mark = if start > 0 { "…" } else { "" };
    one_line(mark, text[at - before.len() + start..].split('\n').next().unwrap_or_default())
}

/// The first line of the text, control characters escaped, cut to [`MAX_CHARS`].
pub(super) fn line(text: &str) -> String {
    one_line("", text.split('\n').next().unwrap_or_default())
}

/// The whole text as one line: line ends are escaped too.
pub(super) fn all(text: &str) -> String {
    one_line("", text.trim_end())
}

fn one_line(mark: &str, line: &str) -> String {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let mut shown = String::from(mark);
    let mut chars = mark.chars().count();
    for character in line.chars() {
        let before = shown.len();
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
        chars += shown[before..].chars().count();
        if chars > MAX_CHARS {
            let last = shown.char_indices().nth(MAX_CHARS - 1).map_or(shown.len(), |(last, _)| last);
            shown.truncate(last.min(before));
            shown.push('…');
            return shown;
        }
    }
    shown
}
