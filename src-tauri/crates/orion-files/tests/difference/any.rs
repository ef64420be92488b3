//! Texts that are hard to compare, and pairs of them that have something in common.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Cases of each property.
pub(crate) fn cases() -> u32 {
    orion_thorough::cases(2_000, 10_000) as u32
}

const LINES: [&str; 12] = [
    "",
    "a",
    "b",
    "}",
    "a\r",
    "\r",
    "let size = 1;",
    "let size = 22;",
    "größer 😀 als",
    "größer 😀 is",
    "\u{202e}x\u{200b}",
    "-- a",
];

fn line() -> impl Strategy<Value = String> {
    let end = prop_oneof![6 => Just("\n"), 1 => Just("\r\n")];
    (select(&LINES[..]), end).prop_map(|(text, end)| format!("{text}{end}"))
}

fn text(lines: usize) -> impl Strategy<Value = Vec<String>> {
    vec(line(), 0..lines)
}

/// With the last line end taken away or not.
fn joined((lines, unended): (Vec<String>, bool)) -> String {
    let text = lines.concat();
    match text.strip_suffix('\n') {
        Some(text) if unended => text.to_owned(),
        _ => text,
    }
}

/// An edit: at which line, how many lines go, what comes.
type Edit = (usize, usize, Vec<String>);

fn edited(lines: &[String], edits: &[Edit]) -> Vec<String> {
    let mut lines = lines.to_vec();
    for (at, gone, come) in edits {
        let at = at % (lines.len() + 1);
        let end = (at + gone).min(lines.len());
        lines.splice(at..end, come.iter().cloned());
    }
    lines
}

/// The text as an old Mac has it.
fn with_cr(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r")
}

/// An old and a new text: the new one is the old one edited, or another altogether. Lines may end with CR alone.
pub(crate) fn pair() -> impl Strategy<Value = (String, String)> {
    let edits = vec((0..60_usize, 0..4_usize, text(4)), 0..5);
    let related = (text(60), edits, any::<(bool, bool)>()).prop_map(|(old, edits, (old_end, new_end))| {
        let new = edited(&old, &edits);
        (joined((old, old_end)), joined((new, new_end)))
    });
    let others = ((text(12), any::<bool>()), (text(12), any::<bool>()))
        .prop_map(|(old, new)| (joined(old), joined(new)));
    let pair = prop_oneof![4 => related, 1 => others];
    let on_mac = prop_oneof![6 => Just((false, false)), 2 => Just((true, true)), 1 => any::<(bool, bool)>()];
    (pair, on_mac).prop_map(|((old, new), (is_old, is_new))| {
        (if is_old { with_cr(&old) } else { old }, if is_new { with_cr(&new) } else { new })
    })
}

/// Whether the lines of a short text end with CR alone.
pub(crate) fn is_mac(text: &str) -> bool {
    text.contains('\r') && !text.contains('\n')
}

/// The lines of a text, found in another way than the difference does.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    let line_end = if is_mac(text) { b'\r' } else { b'\n' };
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.bytes().position(|byte| byte == line_end).map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(end);
        lines.push(line);
        rest = after;
    }
    lines
}
