//! The project's own instructions for a model: `AGENTS.md` at its root and in the folders below.
//!
//! The text goes into the system prompt of every turn, so its size and the time to find it are limited. It is read
//! through the project's handle. A link out of the project, a pipe or a binary file is not read. Each part that was
//! left out is named, so that the model can read it.

use std::fmt::Write;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use orion_protocol::{Code, ErrorInfo};
use tokio_util::sync::CancellationToken;

use orion_files::text::{Content, SAMPLE, sniff};
use orion_files::workspace::{Budget, Kind, Project, ProjectPath, View, Walk};

const NAME: &str = "AGENTS.md";
/// Nested files that are read: 50, some of which may be empty.
const FILES: usize = 50;
/// Bytes of the names of files that are left out: enough for some ten.
const NAMES: usize = 400;
/// Entries that are looked through for nested files.
const ENTRIES: u64 = 5_000;
/// How long the search for nested files may take on a slow disk. Elsewhere the number of entries ends it: a search that a busy machine
/// cuts short now and then changes the system prompt, and all of it is paid for again.
pub const TIME: Duration = Duration::from_millis(100);

const UNSEARCHED: &str =
    "[Not all folders were looked through for AGENTS.md; list_files with glob **/AGENTS.md names all]";

/// The instructions as they go into the system prompt, in at most `most` bytes and a short note of each cut; empty when
/// there are none, or when `most` is 0. The root's come first, cut where they are too long; nested ones follow whole, those
/// nearest to the root first. Blocks for at most some `time`.
#[must_use]
pub fn instructions(project: &Project, most: usize, time: Duration) -> String {
    let mut text = String::new();
    if most == 0 {
        return text;
    }
    let until = Instant::now() + time;
    let mut room = most;
    if let Some((root, whole)) = beginning(project, &ProjectPath::root().join(NAME), most) {
        text.push_str(root.trim_end());
        room -= text.len();
        if !whole {
            let _ = write!(text, "\n[AGENTS.md is cut after {most} bytes; read_file shows the rest]");
        }
    }
    let Nested { files, all } = Nested::find(project, until);
    let mut left_out = Vec::new();
    for (number, path) in files.into_iter().enumerate() {
        if number >= FILES || Instant::now() >= until {
            left_out.push(path);
            continue;
        }
        let section = match beginning(project, &path, room) {
            Some((own, true)) if own.trim().is_empty() => continue,
            Some((own, true)) => section(&text, &path, own.trim_end()),
            Some((_, false)) => {
                left_out.push(path);
                continue;
            }
            None => continue,
        };
        if section.len() > room {
            left_out.push(path);
        } else {
            room -= section.len();
            text.push_str(&section);
        }
    }
    for note in [unread(&left_out), (!all).then(|| UNSEARCHED.to_owned())].into_iter().flatten() {
        text.push_str(if text.is_empty() { "" } else { "\n" });
        text.push_str(&note);
    }
    text
}

/// The reason for which the file at the root is not sent, where there is one. One that is closed is the person's own choice.
#[must_use]
pub fn unsent(project: &Project) -> Option<ErrorInfo> {
    let path = ProjectPath::root().join(NAME);
    project.metadata(&path).ok()?;
    let why = match project.open_file(&path) {
        Err(error) if error.code == Code::PathIgnored => return None,
        Err(error) if error.code == Code::PathNotFound => "it is a link that leads nowhere".to_owned(),
        Err(error) => error.message,
        Ok((file, _)) => match read_up_to(file, SAMPLE + 1) {
            Err(error) => error.to_string(),
            Ok(raw) => match sniff(raw.get(..SAMPLE).unwrap_or(&raw), raw.len() <= SAMPLE) {
                Content::Text(_) => return None,
                Content::Binary(Some(kind)) => format!("it is no text but {kind}"),
                Content::Binary(None) => "it is no text".to_owned(),
            },
        },
    };
    let message = format!("{NAME} is not sent to the model: {}.", why.trim_end_matches('.'));
    Some(ErrorInfo::new(Code::FileUnreadable, message, "Put a text file of the project there, or remove it."))
}

fn section(before: &str, path: &ProjectPath, own: &str) -> String {
    let gap = if before.is_empty() { "" } else { "\n\n" };
    let folder = path.parent().unwrap_or_else(ProjectPath::root);
    format!("{gap}{path}, for what is in {folder}/:\n{own}")
}

/// Names what was found and is not in the text, as many as there is room for.
fn unread(left_out: &[ProjectPath]) -> Option<String> {
    let mut names = String::new();
    let mut named = 0;
    for path in left_out {
        let name = path.to_string();
        if names.len() + name.len() > NAMES {
            break;
        }
        names.push_str(if named == 0 { "" } else { ", " });
        names.push_str(&name);
        named += 1;
    }
    match (left_out.len(), left_out.len() - named) {
        (0, _) => None,
        (_, 0) => Some(format!("[Not shown, read them before you work there: {names}]")),
        (all, more) if more == all => Some(format!(
            "[Not shown: {all} AGENTS.md in folders below; list_files with glob **/AGENTS.md names them]"
        )),
        (_, more) => Some(format!("[Not shown, read them before you work there: {names} and {more} more]")),
    }
}

/// The nested files, those nearest to the root first.
struct Nested {
    files: Vec<ProjectPath>,
    /// False when not everything was looked through.
    all: bool,
}

impl Nested {
    fn find(project: &Project, until: Instant) -> Self {
        let left = until.saturating_duration_since(Instant::now());
        let budget = Budget::new(ENTRIES, left, CancellationToken::new());
        let view = View { recursive: true, include_ignored: false };
        let mut walk = Walk::new(project, &ProjectPath::root(), view, budget);
        let mut files: Vec<ProjectPath> = walk
            .by_ref()
            .filter(|entry| entry.kind == Kind::File)
            .map(|entry| entry.path)
            .filter(|path| path.as_path().file_name().is_some_and(|name| name == NAME))
            .filter(|path| path.parent().is_some_and(|folder| !folder.is_root()))
            .collect();
        // Among those of one depth the order of the walk stays, which is by name.
        files.sort_by_key(|path| path.as_path().components().count());
        Self { files, all: walk.left_out().halt.is_none() }
    }
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
