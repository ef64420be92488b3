//! A line that is nearly the end line (W3): `**DONE**`, `DONE.`, `# DONE`.
//!
//! It is one of the last lines that say something; only fences may follow it. Deliberately not here: the end line itself (`capture`).

use std::ops::Range;

use super::fences::is_bare_fence;

/// The end line, but for what is around it.
const END: &str = "DONE";
/// Kinds of files in which `done` ends a loop.
const WITH_LOOPS: [&str; 9] = ["sh", "bash", "zsh", "ksh", "dash", "bats", "ml", "mli", "mll"];

/// The line that is nearly the end line, with its line end, if the present file does not end with it too.
pub(super) fn near(text: &str, path: &str, old: &str) -> Option<Range<usize>> {
    let mut end = text.len();
    loop {
        let before = text[..end].trim_end();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = &before[start..];
        if is_near(line, path, &text[..start]) {
            let known = old.trim_end().rsplit('\n').next().is_some_and(|last| last.trim() == line.trim());
            let range = match said_before(line) {
                0 => start..text[start..].find('\n').map_or(text.len(), |at| start + at + 1),
                said => start + said..before.len(),
            };
            return (!known).then_some(range);
        }
        if !is_bare_fence(line) || start == 0 {
            return None;
        }
        end = start;
    }
}

fn is_near(line: &str, path: &str, before: &str) -> bool {
    let word = line.trim().trim_matches(|c: char| !c.is_alphanumeric());
    match word {
        _ if is_end(word) || said_before(line) > 0 => true,
        "done" if line.trim() == word => !has_loops(path, before),
        // A sentence may end like this, but not in bold.
        _ => word.eq_ignore_ascii_case(END) && line.trim().starts_with(['*', '_', '`', '<', '[']),
    }
}

/// True for `DONE`, and for the end line of strict mode.
fn is_end(word: &str) -> bool {
    word.strip_prefix(END).is_some_and(|rest| {
        rest.is_empty()
            || rest.strip_prefix('-').is_some_and(|nonce| nonce.bytes().all(|byte| byte.is_ascii_hexdigit()))
    })
}

/// Bytes of a sentence before it in the same line: `That is all. DONE`.
fn said_before(line: &str) -> usize {
    let line = line.trim_end();
    let Some(said) = line.strip_suffix(END).map(str::trim_end) else { return 0 };
    let is_sentence = said.ends_with(['.', '!', '?', '。', '！', '？', '}', ';', ')', '>', '`']);
    if is_sentence && said.contains(char::is_alphanumeric) && said.len() < line.len() - END.len() {
        said.len()
    } else {
        0
    }
}

fn has_loops(path: &str, before: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let kind = name.rsplit_once('.').map(|(_, kind)| kind);
    let first = before.lines().next().unwrap_or_default();
    let is_shell = first.starts_with("#!") && first.contains("sh");
    let loops = |line: &str| {
        line.trim() == "do" || line.trim_end().ends_with("; do") || line.trim_end().ends_with(" do")
    };
    is_shell || kind.is_some_and(|kind| WITH_LOOPS.contains(&kind)) || before.lines().any(loops)
}
