//! The project's own instructions for a model: `AGENTS.md` at its root, and where there are more.
//!
//! The text goes into the system prompt of every turn, so it is bounded in bytes and in the time it takes to find. It is
//! read through the project's handle: a link that leaves the project, a pipe or a binary is no instruction.

use std::io::{self, Read};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::tools::{Content, sniff};
use crate::workspace::{Budget, Kind, Project, ProjectPath, View, Walk};

const NAME: &str = "AGENTS.md";
const OPENING: &str = "More instructions, each for its folder; read them before you work there:";
const MORE: &str = "[There are more AGENTS.md; list_files with glob **/AGENTS.md names them]";
/// What is shown of a nested file.
const NESTED_BYTES: usize = 160;
/// Nested files that are named.
const NESTED: usize = 10;
/// Looking for nested files must not be felt before the first request (issue 2: 50 ms to it).
const ENTRIES: u64 = 5_000;
const TIME: Duration = Duration::from_millis(20);

/// The instructions as they go into the system prompt, in at most `most` bytes and a short note of each cut; empty when
/// there are none, or when `most` is 0. Blocks for at most some 20 ms.
#[must_use]
pub fn instructions(project: &Project, most: usize) -> String {
    let mut text = String::new();
    if most == 0 {
        return text;
    }
    let mut room = most;
    if let Some((root, whole)) = beginning(project, &ProjectPath::root().join(NAME), most) {
        text.push_str(root.trim_end());
        room -= text.len();
        if !whole {
            text.push_str(&format!("\n[AGENTS.md is cut after {most} bytes; read_file shows the rest]"));
        }
    }
    let mut opening = if text.is_empty() { OPENING.to_owned() } else { format!("\n\n{OPENING}") };
    for path in nested(project) {
        let first = beginning(project, &path, NESTED_BYTES).map(|(text, _)| text).unwrap_or_default();
        let first = first
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .take(2)
            .collect::<Vec<_>>()
            .join(" ");
        let entry = format!("{}\n- {path}: {first}", std::mem::take(&mut opening));
        if entry.len() > room {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(MORE);
            break;
        }
        room -= entry.len();
        text.push_str(&entry);
    }
    text
}

fn nested(project: &Project) -> Vec<ProjectPath> {
    let budget = Budget::new(ENTRIES, TIME, CancellationToken::new());
    let view = View { recursive: true, include_ignored: false };
    Walk::new(project, &ProjectPath::root(), view, budget)
        .filter(|entry| entry.kind == Kind::File)
        .map(|entry| entry.path)
        .filter(|path| path.as_path().file_name().is_some_and(|name| name == NAME))
        .filter(|path| path.parent().is_some_and(|folder| !folder.is_root()))
        .take(NESTED)
        .collect()
}

/// The first bytes of a text, cut on a character boundary, and whether that is all. None when it is no readable text.
fn beginning(project: &Project, path: &ProjectPath, bytes: usize) -> Option<(String, bool)> {
    let (file, _) = project.open_file(path).ok()?;
    let raw = read_up_to(file, bytes + 1).ok()?;
    let Content::Text(coding) = sniff(&raw, raw.len() <= bytes) else { return None };
    let whole = raw.len() <= bytes;
    let kept = &raw[coding.mark.min(raw.len())..raw.len().min(bytes)];
    // A character that the cut went through is left out: the decoder is not told that the text ends here.
    let mut text = String::with_capacity(3 * kept.len() + 16);
    let _ = coding.encoding.new_decoder_without_bom_handling().decode_to_string(kept, &mut text, whole);
    // UTF-16 takes more room as UTF-8.
    let end = text.floor_char_boundary(bytes);
    let whole = whole && end == text.len();
    text.truncate(end);
    Some((text, whole))
}

fn read_up_to(source: impl Read, bytes: usize) -> io::Result<Vec<u8>> {
    let mut raw = Vec::with_capacity(bytes);
    source.take(bytes as u64).read_to_end(&mut raw)?;
    Ok(raw)
}
